//! What to do about the mistakes that charts are made with most often.

use gostd::GoStr;
use gostd::regexp::Regexp;
use gotemplate::{Receiver, Token, tokens};

use crate::words::nearest;

/// For values that break the chart's schema.
pub(super) const SCHEMA: &str = "the chart's values.schema.json says what it takes; see the paths above, or check nothing with \
     --skip-schema-validation";

/// A mistake: how its message reads, and what to tell. `$1`, `$2` are the message's groups, `$node` the failing node.
struct Mistake {
    message: &'static str,
    advice: &'static str,
}

const TEMPLATE_MISTAKES: &[Mistake] = &[
    Mistake {
        message: r"wrong type for value; expected string; got (float64|int|int64|bool)\b",
        advice: "text is wanted and $1 is given: write (toString $node), or put the value in quotes",
    },
    Mistake {
        message: r"wrong type for value; expected (int|int64); got float64",
        advice: "numbers of values files are floating point: write (int $node)",
    },
    Mistake {
        message: r"wrong type for value; expected string; got interface \{\}",
        advice: "nothing is set at $node: give it a default, as in ($node | default \"\")",
    },
    Mistake {
        message: r"incompatible types for comparison",
        advice: "numbers of values files are floating point: compare with (int VALUE), or with a text through toString",
    },
    Mistake {
        message: r"range can't iterate over",
        advice: "range takes a list, a table or a whole number: check the value's type",
    },
    Mistake { message: r"expected string; found (\S+)", advice: "text is wanted here: write \"$1\"" },
    Mistake {
        message: r"expected (integer|float); found (\S+)",
        advice: "a number is wanted here, without quotes",
    },
    Mistake {
        message: r"index of (nil pointer|untyped nil)",
        advice: "nothing is set where the index starts: give it a default, as in (VALUE | default dict)",
    },
    Mistake {
        message: r"bad character U\+002D '-'",
        advice: "names with a dash need index: (index .Values \"my-name\")",
    },
];

const MANIFEST_MISTAKES: &[Mistake] = &[
    Mistake {
        message: r"mapping values are not allowed|did not find expected key|did not find expected '-' indicator",
        advice: "check the indentation of what is included (toYaml X | nindent N, with N the column), and quote texts that \
                 hold a colon ({{ X | quote }})",
    },
    Mistake {
        message: r"invalid map key|did not find expected (',' or|node content)",
        advice: "a value that starts with a brace or bracket must be quoted: {{ X | quote }}",
    },
    Mistake {
        message: r"found character that cannot start any token|found a tab character",
        advice: "YAML is indented with spaces, never tabs; a text that starts with @, ` or % must be quoted",
    },
    Mistake {
        message: r"cannot unmarshal (number|bool) into .* of type string",
        advice: "a text is wanted: {{ X | quote }}",
    },
    Mistake {
        message: r"cannot unmarshal .* of type .*SimpleHead",
        advice: "the document is no object: it needs apiVersion, kind and metadata at its top",
    },
];

const FILE_MISTAKES: &[Mistake] = &[
    Mistake {
        message: r"mapping values are not allowed|did not find expected key|did not find expected '-' indicator",
        advice: "keys of one table stand in one column; a text that holds a colon and a space needs quotes",
    },
    Mistake {
        message: r"found character that cannot start any token|found a tab character",
        advice: "YAML is indented with spaces, never tabs; a text that starts with @, ` or % must be quoted",
    },
    Mistake {
        message: r"invalid map key|did not find expected (',' or|node content)",
        advice: "a text that starts with a brace or bracket needs quotes",
    },
];

/// Finds advice for a template's error.
pub(super) fn for_template(error: &gotemplate::Error) -> Option<String> {
    let innermost = error.innermost();
    let message = match innermost.cause() {
        Some(gotemplate::FuncError::Message(text)) => text.clone(),
        _ => innermost.message().to_owned(),
    };
    if let Some(unknown) =
        groups(r#"function "(\w+)" not defined"#, &message).and_then(|found| found.into_iter().nth(1))
    {
        return Some(unknown_function(&unknown));
    }
    if let Some(receiver) = innermost.receiver() {
        return missing_field(&receiver, &message);
    }
    if let Some(name) = groups(r#"no template "(.*)" associated with template"#, &message) {
        return Some(unknown_template(name.get(1)?, innermost.defined()));
    }
    if message.contains("unexpected EOF") {
        return Some(without_end(innermost.source().unwrap_or_default()));
    }
    if innermost.message() == "error calling required" {
        return demanded(innermost.node().unwrap_or_default());
    }
    // What comes through a pipe is blamed on the function that takes it.
    let node = innermost.node().filter(|node| node.starts_with(['.', '$', '('])).unwrap_or("VALUE");
    advise(TEMPLATE_MISTAKES, &message, node)
}

/// Finds advice for a rendered document that is not YAML.
pub(super) fn for_manifest(reason: &str, _document: &str) -> Option<String> {
    advise(MANIFEST_MISTAKES, reason, "VALUE")
}

/// Finds advice for a file that is no YAML.
pub(super) fn for_file(reason: &str) -> Option<String> {
    advise(FILE_MISTAKES, reason, "VALUE")
}

/// Reads the line out of a YAML error.
pub(super) fn line_of(reason: &str) -> Option<usize> {
    groups(r"line (\d+)", reason)?.get(1)?.parse().ok()
}

fn advise(mistakes: &[Mistake], message: &str, node: &str) -> Option<String> {
    mistakes.iter().find_map(|mistake| {
        let found = groups(mistake.message, message)?;
        let mut advice = mistake.advice.replace("$node", node);
        for (index, group) in found.iter().enumerate().skip(1) {
            advice = advice.replace(&format!("${index}"), group);
        }
        Some(advice)
    })
}

/// Matches a pattern and returns its groups, the whole match first.
fn groups(pattern: &str, text: &str) -> Option<Vec<String>> {
    let regexp = Regexp::compile(pattern.as_bytes()).ok()?;
    let found = regexp.find_submatch(text.as_bytes())?;
    Some(
        found
            .into_iter()
            .map(|group| String::from_utf8_lossy(group.unwrap_or_default()).into_owned())
            .collect(),
    )
}

fn unknown_function(name: &str) -> String {
    match nearest(name, helm::function_names()) {
        Some(known) => format!("Helm has no function \"{name}\"; did you mean \"{known}\"?"),
        None => format!("Helm has no function \"{name}\""),
    }
}

fn unknown_template(name: &str, defined: &[GoStr]) -> String {
    let defined: Vec<_> = defined.iter().map(|name| name.to_lossy()).collect();
    match nearest(name, defined.iter().map(AsRef::as_ref)) {
        Some(known) => format!("no file defines \"{name}\"; did you mean \"{known}\"?"),
        None => format!(
            "no file defines \"{name}\": check its spelling, and that the chart or library that defines it is in charts/"
        ),
    }
}

/// Says what stands where a table should.
fn missing_field(receiver: &Receiver, message: &str) -> Option<String> {
    const OF_CHARTS: &[&str] =
        &["Values", "Release", "Chart", "Capabilities", "Template", "Files", "Subcharts"];
    let name = groups(r"(?:field |\.)(\w+)(?: in type .*)?$", message)?.into_iter().nth(1)?;
    let path = match receiver.path.as_str() {
        "" => "dot",
        path => path,
    };
    let found = match receiver.type_name {
        "<nil>" if path == "dot" => "nothing",
        "<nil>" => {
            return Some(format!(
                "nothing is set at {path}, so it has no \"{name}\": set it, or write ({path}).{name} for \"empty if missing\""
            ));
        }
        "string" => "a text",
        "bool" => "true or false",
        "float64" | "int" | "int64" => "a number",
        "[]interface {}" | "[]string" => "a list",
        other => other,
    };
    Some(if path == "dot" && OF_CHARTS.contains(&name.as_str()) {
        format!(
            "dot is {found} here, as it is inside range and with, and for a template that is given it: write $.{name}"
        )
    } else {
        format!("{path} is {found}, no table, so it has no \"{name}\"")
    })
}

/// Finds the block that nothing ends.
fn without_end(text: &[u8]) -> String {
    const OPENING: &[&[u8]] = &[b"if", b"range", b"with", b"define", b"block"];
    let mut open: Vec<(&[u8], usize)> = Vec::new();
    let mut before = None;
    let mut line = 1;
    for token in tokens(text) {
        match token {
            Token::Space => continue,
            Token::Keyword(b"end") => _ = open.pop(),
            // `else if` goes on with the block that is open.
            Token::Keyword(word) if OPENING.contains(&word) && before == Some(Token::Open) => {
                let start = word.as_ptr().addr() - text.as_ptr().addr();
                line = 1 + text.iter().take(start).filter(|byte| **byte == b'\n').count();
                open.push((word, line));
            }
            _ => {}
        }
        before = Some(token);
    }
    match open.last() {
        Some((word, line)) => {
            format!("the {{{{ {} }}}} of line {line} has no {{{{ end }}}}", String::from_utf8_lossy(word))
        }
        None => format!("an action that is opened behind line {line} is not closed with }}}}"),
    }
}

/// Names the value that a chart insists on.
fn demanded(node: &str) -> Option<String> {
    let path = node
        .rsplit(' ')
        .next()
        .filter(|word| word.starts_with(".Values.") || word.starts_with("$.Values."))?;
    let key = path.trim_start_matches('$').trim_start_matches(".Values.");
    Some(format!("the chart demands a value for {key}: give it with --set {key}=... or in a values file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_errors_name_lines() {
        assert_eq!(line_of("error converting YAML to JSON: yaml: line 12: did not find"), Some(12));
        assert_eq!(line_of("no line"), None);
    }
}
