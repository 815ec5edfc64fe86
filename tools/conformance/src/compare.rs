//! How outputs and messages are compared.

use crate::case::Difference;

/// What a run of `helm template` shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    pub(crate) stdout: Vec<u8>,
    /// Warnings, in any order.
    pub(crate) warnings: Vec<String>,
    /// The message of an error.
    pub(crate) error: Option<String>,
}

/// What stands for a word that differs between two runs of Helm.
const RANDOM: &str = "@@RANDOM@@";

/// Compares a text byte for byte.
pub(crate) fn exact(what: &str, want: &[u8], got: &[u8]) -> Option<Difference> {
    if want == got {
        return None;
    }
    let (mut want_text, got_text) = (gostd::value::lossy(want), gostd::value::lossy(got));
    if want_text == got_text {
        want_text.push_str(" (differs in bytes that are not UTF-8)");
    }
    Some(Difference::new(what, want_text, got_text))
}

/// Compares a text with one in which words may be masked; a mask stands for anything within its line.
pub(crate) fn masked(what: &str, want: &[u8], got: &[u8]) -> Option<Difference> {
    let (want, got) = (gostd::value::lossy(want), gostd::value::lossy(got));
    let want: Vec<&str> = want.split('\n').collect();
    let got: Vec<&str> = got.split('\n').collect();
    let random = random_blocks(&want);
    let fits = |(index, want): (usize, &str)| {
        got.get(index)
            .filter(|got| masked_line(want, got) || (random.get(index) == Some(&true) && is_encoded(got)))
    };
    if want.len() == got.len() && want.iter().enumerate().all(|(index, line)| fits((index, line)).is_some()) {
        return None;
    }
    // Lines that fit their masks are made equal, so that the first difference shown is a real one.
    let shown: Vec<&str> =
        want.iter().enumerate().map(|(index, line)| fits((index, line)).copied().unwrap_or(line)).collect();
    Some(Difference::new(what, shown.join("\n"), got.join("\n")))
}

/// Marks lines of base64 that stand with masked ones: a certificate whose serial number is a byte shorter differs in every
/// line, not only in those where two runs happened to differ.
fn random_blocks(lines: &[&str]) -> Vec<bool> {
    let mut random = vec![false; lines.len()];
    let mut start = 0;
    for block in lines.chunk_by(|a, b| is_encoded(a) == is_encoded(b)) {
        let masked = block.iter().any(|line| is_encoded(line) && line.contains(RANDOM));
        random.iter_mut().skip(start).take(block.len()).for_each(|line| *line = masked);
        start += block.len();
    }
    random
}

/// Reports whether a line is one word of base64, masked or not.
fn is_encoded(line: &str) -> bool {
    let word = line.trim();
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    word == RANDOM || (word.len() >= 16 && word.bytes().all(is_base64))
}

/// Returns a text with masks for the words in which two outputs differ; nothing if they differ in more than words.
pub(crate) fn common(one: &str, other: &str) -> Option<String> {
    if one == other {
        return Some(one.to_owned());
    }
    let (lines, others) = (one.split('\n'), other.split('\n'));
    if lines.clone().count() != others.clone().count() {
        return None;
    }
    let is_end = |letter: char| letter.is_whitespace() || "\"',:".contains(letter);
    let line = |(one, other): (&str, &str)| {
        let (words, others): (Vec<&str>, Vec<&str>) =
            (one.split_inclusive(is_end).collect(), other.split_inclusive(is_end).collect());
        if words.len() != others.len() {
            return if one == other { one.to_owned() } else { RANDOM.to_owned() };
        }
        let word = |(one, other): (&&str, &&str)| {
            let end = one
                .chars()
                .next_back()
                .filter(|letter| is_end(*letter))
                .map(String::from)
                .unwrap_or_default();
            if one == other { (*one).to_owned() } else { format!("{RANDOM}{end}") }
        };
        words.iter().zip(&others).map(word).collect()
    };
    Some(lines.zip(others).map(line).collect::<Vec<String>>().join("\n"))
}

fn masked_line(want: &str, got: &str) -> bool {
    let mut parts = want.split(RANDOM);
    let Some(mut rest) = got.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(start) => rest = rest.get(start + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Compares lines whose order Helm leaves open.
pub(crate) fn as_set(what: &str, want: &str, got: &str) -> Option<Difference> {
    let sorted = |text: &str| {
        let mut lines: Vec<&str> = text.split('\n').collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    let (want, got) = (sorted(want), sorted(got));
    (want != got).then(|| Difference::new(what, want, got))
}

/// Compares error messages; the lines of schema errors have no order.
pub(crate) fn errors(want: &str, got: Option<&str>) -> Option<Difference> {
    let Some(got) = got else { return Some(Difference::new("no error", want, "(success)")) };
    if want.starts_with("values don't meet the specifications of the schema(s)") {
        let (want, got) = (without_chance(want), without_chance(got));
        let apart = |chart: &str| {
            (want.replace(chart, &format!("\n{chart}")), got.replace(chart, &format!("\n{chart}")))
        };
        let (want, got) = glued_chart(&want, &got).map_or_else(|| (want.clone(), got.clone()), apart);
        return as_set("error", &want, &got);
    }
    (want != got).then(|| Difference::new("error", want, got))
}

/// Errors about a schema itself have no line end, so the name of the next chart stands in the last line, whichever that is: returns
/// that name and what is behind it.
fn glued_chart<'w>(want: &'w str, got: &str) -> Option<&'w str> {
    let headings = want.split_inclusive('\n').filter(|line| line.ends_with(":\n") && !got.contains(*line));
    let mut pairs = headings.flat_map(|heading| got.split('\n').map(move |line| (heading, line)));
    pairs.find_map(|(heading, line)| {
        heading.strip_prefix(line).filter(|chart| !line.is_empty() && chart.len() > 2)
    })
}

/// Takes out of the lines of schema errors what depends on the random order of Go's maps: the order of names, and the places
/// of bad property names (the library Helm uses overwrites those with whatever else it checks at the same depth).
fn without_chance(text: &str) -> String {
    const ADDITIONAL: &str = ": additional properties ";
    let line = |line: &str| {
        if let Some((before, name)) = line.split_once(": invalid propertyName ") {
            let indent = before.len() - before.trim_start().len();
            return format!("{}- invalid propertyName {name}", " ".repeat(indent));
        }
        if let Some((before, names)) = line.split_once(ADDITIONAL) {
            let mut names: Vec<&str> = names.trim_end_matches(" not allowed").split(", ").collect();
            names.sort_unstable();
            return format!("{before}{ADDITIONAL}{} not allowed", names.join(", "));
        }
        line.to_owned()
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Splits what Helm prints on standard error into warnings and the error.
pub(crate) fn split_stderr(text: &str) -> (Vec<String>, Option<String>) {
    const HINT: &str = "\n\nUse --debug flag to render out invalid YAML";
    const ERROR: &str = "Error: ";
    let start = if text.starts_with(ERROR) { Some(0) } else { text.find("\nError: ").map(|start| start + 1) };
    let (warnings, error) = text.split_at(start.unwrap_or(text.len()));
    let error = error.strip_prefix(ERROR).map(|error| {
        let error = error.strip_suffix('\n').unwrap_or(error);
        error.strip_suffix(HINT).unwrap_or(error).to_owned()
    });
    let warnings = warnings.lines().map(|line| without_place(line).to_owned()).collect();
    (warnings, error)
}

/// Cuts off the line of Helm's source that logs a warning (`coalesce.go:237: `).
fn without_place(line: &str) -> &str {
    let cut = line.split_once(": ").and_then(|(place, rest)| {
        let (file, number) = place.split_once(':')?;
        (file.ends_with(".go") && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(rest)
    });
    cut.unwrap_or(line)
}

/// Compares warnings; those about symbolic links name folders of the machine and are left out.
pub(crate) fn warnings(want: &[String], got: &[String]) -> Option<Difference> {
    let text = |warnings: &[String]| {
        let lines = warnings.iter().flat_map(|warning| warning.split('\n'));
        let lines = lines.filter(|line| !line.starts_with("found symbolic link in path"));
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    as_set("warnings", &text(want), &text(got))
}

#[cfg(test)]
mod tests {
    use super::errors;

    const START: &str =
        "values don't meet the specifications of the schema(s) in the following chart(s):\np:\n";

    #[test]
    fn schema_errors_have_no_order() {
        let text = |lines: &str| format!("{START}{lines}");
        assert!(
            errors(&text("- at '/a': x\n- at '/b': y\n"), Some(&text("- at '/b': y\n- at '/a': x\n")))
                .is_none()
        );
        assert!(errors(&text("- at '/a': xsub:\n"), Some(&text("- at '/a': y\nsub:\n"))).is_some());
    }

    #[test]
    fn the_next_chart_stands_behind_the_last_line() {
        let text = |lines: &str| format!("{START}{lines}\n- at '': z\n");
        let (want, got) = (text("- at '/a': x\n- at '/b': ysub:"), text("- at '/b': y\n- at '/a': xsub:"));
        assert!(errors(&want, Some(&got)).is_none());
        assert!(errors(&want, Some(&text("- at '/b': y\n- at '/a': wsub:"))).is_some());
    }
}
