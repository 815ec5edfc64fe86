//! Errors of charts as a person at a terminal wants them: Helm's words, the place underlined, and what to do.

use std::fmt::Write as _;

use super::hints;

/// Appends to Helm's text the lines it speaks of, the chain of templates that led there, and a hint where one is known.
pub(super) fn describe(error: &helm::Error) -> String {
    let mut text = error.to_string();
    match error {
        helm::Error::Template(template) => {
            template_excerpt(&mut text, &template.cause);
            append_hint(&mut text, hints::for_template(&template.cause));
        }
        helm::Error::Manifest { path, reason, document } => {
            document_excerpt(&mut text, &format!("rendered from {path}"), reason, document);
            append_hint(&mut text, hints::for_manifest(reason, document));
        }
        helm::Error::File { text: reason, name, content } => {
            document_excerpt(&mut text, name, reason, &content.to_lossy());
            append_hint(&mut text, hints::for_file(reason));
        }
        helm::Error::Schema { .. } => append_hint(&mut text, Some(hints::SCHEMA.into())),
        _ => {}
    }
    text
}

fn append_hint(text: &mut String, hint: Option<String>) {
    if let Some(hint) = hint {
        let _ = write!(text, "\n  help: {hint}");
    }
}

/// Shows the innermost place, then the calls that led to it.
fn template_excerpt(text: &mut String, error: &gotemplate::Error) {
    let innermost = error.innermost();
    let mut chain: Vec<&gotemplate::Error> =
        std::iter::successors(Some(error), |error| error.nested()).collect();
    // A template that is not there has no place of its own: the call is shown.
    chain.retain(|error| error.location().is_some());
    let place = chain.pop().unwrap_or(innermost);
    if let (Some(location), Some(line)) = (place.location(), place.source_line()) {
        let (start, length) = underlined(&line, location.column, place.node().unwrap_or_default());
        let _ = write!(text, "\n\n  --> {location}");
        append_lines(
            text,
            location.line,
            &[line.as_str()],
            location.column.map(|_| (location.line, start, length)),
        );
    }
    for caller in chain.into_iter().rev() {
        if let Some(location) = caller.location() {
            let _ = write!(text, "\n  called from {location}: {}", caller.node().unwrap_or_default());
        }
    }
}

/// Finds the node's text around the column; Go's column often points into the middle of it.
fn underlined(line: &str, column: Option<usize>, node: &str) -> (usize, usize) {
    let column = column.unwrap_or_default();
    let around = line
        .match_indices(node)
        .find(|(start, found)| !found.is_empty() && *start <= column && column < start + found.len());
    if let Some((start, found)) = around {
        return (start, found.len());
    }
    // The node is printed with other spaces than it was written with: underline the word that is there.
    let rest = line.get(column..).unwrap_or_default();
    let word = rest.find(|c: char| c.is_whitespace() || c == '}' || c == ')').unwrap_or(rest.len());
    (column, word.max(1))
}

/// Shows the lines around the place of a YAML error. The text's own line, go-yaml's, is often off by one.
fn document_excerpt(text: &mut String, origin: &str, reason: &str, document: &str) {
    const AROUND: usize = 3;
    // Tabs, which are often what is wrong, are made to be seen.
    let visible = document.replace('\t', "→");
    let lines: Vec<&str> = visible.lines().collect();
    let mark = goyaml::load(document.as_bytes()).err().and_then(|error| error.mark());
    let exact = mark.map(|mark| (mark.line as usize + 1, mark.column as usize));
    let exact = exact.filter(|(line, _)| *line <= lines.len());
    let Some(line) = exact.map(|(line, _)| line).or_else(|| hints::line_of(reason)) else { return };
    let line = line.clamp(1, lines.len().max(1));
    let first = line.saturating_sub(AROUND).max(1);
    let shown = lines.get(first - 1..(line + AROUND).min(lines.len())).unwrap_or_default();
    let _ = write!(text, "\n\n  --> {origin}, line {line}{}", if exact.is_some() { "" } else { " or near" });
    let underline = exact.map(|(line, column)| {
        let letters = lines.get(line - 1).copied().unwrap_or_default();
        let start = letters.char_indices().nth(column).map_or(letters.len(), |(start, _)| start);
        (line, start, 1)
    });
    append_lines(text, first, shown, underline);
}

/// Writes numbered lines, one of them underlined from a byte offset on.
fn append_lines(text: &mut String, first: usize, lines: &[&str], underline: Option<(usize, usize, usize)>) {
    let width = (first + lines.len()).to_string().len();
    let _ = write!(text, "\n  {:width$} |", "");
    for (offset, line) in lines.iter().enumerate() {
        let number = first + offset;
        // Tabs would shift the underline.
        let _ = write!(text, "\n  {number:width$} | {}", line.replace('\t', " "));
        if let Some((at, start, length)) = underline
            && at == number
        {
            let before = line.get(..start).map_or(start, |before| before.chars().count());
            let _ = write!(text, "\n  {:width$} | {}{}", "", " ".repeat(before), "^".repeat(length));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::template::SystemHost;
    use helm::chart::Memory;
    use helm::{Capabilities, Chart, CompiledChart, Release, RenderInput, RenderOptions};

    fn error(template: &str) -> String {
        let source = Memory::new([
            ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
            ("values.yaml", "num: 5\ns: text\n"),
            ("templates/t.yaml", template),
        ]);
        let chart = Chart::load(&source).expect("it loads");
        let render = |chart: CompiledChart| {
            chart.render(&RenderInput {
                values: &gostd::value::Frozen::Map(Vec::new()),
                release: Release { name: "r".into(), namespace: "n".into(), revision: 1, is_upgrade: false },
                capabilities: &Capabilities::default(),
                host: &SystemHost,
                options: RenderOptions::default(),
            })
        };
        describe(&CompiledChart::new(chart).and_then(render).expect_err("it fails"))
    }

    #[test]
    fn a_missing_table_is_underlined_and_explained() {
        let text = error("a: 1\nb: {{ .Values.image.tag }}\n");
        assert!(text.contains("--> c/templates/t.yaml:2:"), "{text}");
        assert!(text.contains("2 | b: {{ .Values.image.tag }}\n    |       ^^^^^^^^^^^^^^^^^"), "{text}");
        assert!(text.contains("help: nothing is set at .Values.image"), "{text}");
    }

    #[test]
    fn callers_are_listed() {
        let text = error("{{ define \"x\" }}\n{{ .a.b.c }}{{ end }}\n{{ include \"x\" (dict \"v\" 1) }}");
        assert!(text.contains("called from c/templates/t.yaml:3:3: include \"x\""), "{text}");
    }

    #[test]
    fn common_mistakes_have_hints() {
        let mut wrong = Vec::new();
        for (template, hint) in [
            ("{{ .Values.s | qoute }}", "did you mean \"quote\"?"),
            ("{{ trunc .Values.num \"x\" }}", "int .Values.num"),
            ("{{ if eq .Values.num 5 }}{{ end }}", "int"),
            ("a: {{ .Values.s }}: x\n", "quote"),
            ("a:\n  b: 1\n c: 2\n", "nindent"),
            ("a: {{ .Values.num | upper }}", "text is wanted and float64 is given: write (toString VALUE)"),
            ("a: {{ upper .Values.none }}", "nothing is set at .Values.none"),
            ("a: {{ .Values.s.name }}", ".Values.s is a text, no table, so it has no \"name\""),
            ("a: {{ .Values.num.a.b }}", ".Values.num is a number, no table, so it has no \"a\""),
            ("a: {{ range list 1 }}{{ .Values.s }}{{ end }}", "dot is a number here"),
            ("a: {{ range list \"x\" }}{{ .Values.s }}{{ end }}", "write $.Values"),
            ("a: {{ trimSuffix 3 .Values.s }}", "text is wanted here: write \"3\""),
            ("a: {{ required \"give it\" .Values.q }}", "the chart demands a value for q"),
            ("{{ define \"c.name\" }}x{{ end }}a: {{ include \"c.nmae\" . }}", "did you mean \"c.name\"?"),
            ("{{ range .Values.s }}{{ end }}", "check the value's type"),
            ("{{ include \"other.name\" . }}", "no file defines \"other.name\": check its spelling"),
            (
                "a: 1\n{{ if .Values.s }}{{ if 1 }}{{ else if 2 }}{{ end }}",
                "the {{ if }} of line 2 has no {{ end }}",
            ),
            ("{{ .Values.my-name }}", "index .Values \"my-name\""),
            ("a:\n\tb: 1\n", "never tabs"),
            ("a: {b: 1\n", "must be quoted"),
            ("just text\n", "apiVersion, kind and metadata"),
        ] {
            let text = error(template);
            match text.split("help: ").nth(1) {
                Some(help) if help.contains(hint) => {}
                _ => wrong.push(format!("{template}: {text}")),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn rendered_lines_surround_a_yaml_error() {
        let text = error("kind: A\na:\n  b: {{ .Values.s }}: x\n  c: 1\n");
        assert!(text.contains("3 |   b: text: x\n    |          ^"), "{text}");
        assert!(text.contains("4 |   c: 1"), "{text}");
        let text = error("a:\n\tb: 1\n");
        assert!(text.contains("line 2\n    |\n  1 | a:\n  2 | →b: 1\n    | ^"), "{text}");
    }

    #[test]
    fn lines_of_values_surround_a_yaml_error() {
        let text = |values: &str| {
            let chart = "apiVersion: v2\nname: c\nversion: 1.0.0\n";
            let source = Memory::new([("Chart.yaml", chart), ("values.yaml", values)]);
            describe(&Chart::load(&source).expect_err("it is not YAML"))
        };
        let tab = text("a: 1\n\tb: 2\n");
        assert!(tab.contains("2 | →b: 2\n    | ^") && tab.contains("never tabs"), "{tab}");
        let text = text("a:\n  b: 1\n c: 2\n");
        assert!(text.contains("--> values.yaml, line 3") && text.contains("3 |  c: 2\n    |  ^"), "{text}");
        assert!(text.contains("help: "), "{text}");
    }
}
