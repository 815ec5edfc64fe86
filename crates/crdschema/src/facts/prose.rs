//! Comment lines → a description: prose is kept; code, rules and boilerplate are not.

/// A description that is longer is cut at the end of a sentence, or of a word.
const LONGEST: usize = 800;

/// What `helm create` and its imitators write at the top of the file.
const BOILERPLATE: &[&str] = &[
    "default values for",
    "this is a yaml-formatted file",
    "this is a yaml formatted file",
    "declare variables to be passed",
    "declare name/value pairs to be passed",
    "yaml-language-server",
    "spdx-license-identifier",
    "copyright ",
];

/// What YAML among comments is, that stands where a neighbour of the value would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// Of no meaning: the comment says itself where it begins.
    Nothing,
    /// An example or a neighbour: the value is empty.
    Either,
    /// A neighbour that is commented out, and what stands above is about that.
    Neighbour,
}

/// Makes a description of comment lines whose `#` is taken off; `None` if nothing is left to say.
pub(super) fn text(lines: &[&str], code_is: Code) -> Option<String> {
    let mut paragraphs = vec![String::new()];
    let mut code = false;
    // Paragraphs above a neighbour that is commented out are about that.
    let mut others = 0;
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let margin = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line)).min();
    for line in lines {
        let trimmed = line.trim();
        let lower = trimmed.to_lowercase();
        if trimmed.is_empty() || is_rule(trimmed) {
            code = false;
            paragraphs.push(String::new());
            continue;
        }
        if BOILERPLATE.iter().any(|known| lower.starts_with(known)) || is_directive(trimmed) {
            continue;
        }
        // What is indented below code is code.
        code = is_code(line) || (code && line.starts_with("  "));
        if code {
            let led_in =
                paragraphs.iter().rfind(|last| !last.is_empty()).is_some_and(|last| last.ends_with(':'));
            if Some(indentation(line)) == margin && !trimmed.starts_with('-') && !led_in {
                paragraphs.push(String::new());
                others = paragraphs.len() - 1;
            }
            continue;
        }
        if let Some(last) = paragraphs.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(trimmed);
        }
    }
    let says = |paragraph: &&String| !paragraph.is_empty() && !is_lead_in(paragraph);
    let from =
        |start| paragraphs.iter().skip(start).filter(says).map(String::as_str).collect::<Vec<_>>().join("\n");
    match code_is {
        Code::Nothing => cleaned(&from(0)),
        Code::Either => cleaned(&from(others)).or_else(|| cleaned(&from(0))),
        Code::Neighbour => cleaned(&from(others)),
    }
}

/// Cuts a text to a reasonable length; `None` if it is empty.
pub(super) fn cleaned(text: &str) -> Option<String> {
    let text: String = text.trim().chars().filter(|letter| !letter.is_control() || *letter == '\n').collect();
    if text.len() <= LONGEST {
        return (!text.is_empty()).then_some(text);
    }
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let head = text.get(..end).unwrap_or_default();
    let cut = head.rfind(". ").map(|dot| dot + 1).filter(|cut| *cut > LONGEST / 3);
    match cut.or_else(|| head.rfind(' ')) {
        Some(cut) if head.get(..cut).is_some_and(|head| head.ends_with('.')) => {
            head.get(..cut).map(str::to_owned)
        }
        Some(cut) => head.get(..cut).map(|head| format!("{head} …")),
        None => Some(format!("{head}…")),
    }
}

/// Reports whether a line is YAML that was commented out.
pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim();
    if line.starts_with("- ") && line.contains(": ") || line == "-" || line.starts_with("{{") {
        return true;
    }
    let Some((key, rest)) = line.split_once(':') else {
        return line.starts_with("- ") && !line.get(2..).unwrap_or_default().trim().contains(' ');
    };
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./\"'".contains(&byte))
        && (rest.is_empty() || rest.starts_with(' '));
    // `Ref: https://…` and `Note: see below` are prose.
    let is_word = key.starts_with(|letter: char| letter.is_ascii_uppercase()) && !rest.trim().is_empty()
        || ["ref", "refs", "e.g", "eg", "note", "see", "example", "examples", "default", "docs", "ex", "i.e"]
            .iter()
            .any(|word| key.eq_ignore_ascii_case(word));
    is_key && !is_word
}

/// Reports whether a line is drawn rather than written: `-----`, or a heading as `____ EXAMPLE ____`.
fn is_rule(line: &str) -> bool {
    let is_drawn = |letter: char| !letter.is_alphanumeric();
    line.len() > 2 && (line.chars().all(is_drawn) || (line.starts_with(is_drawn) && has_frame(line)))
}

/// Whether a line begins and ends with three of one character.
fn has_frame(line: &str) -> bool {
    let first = line.chars().next();
    line.chars().take(3).chain(line.chars().rev().take(3)).all(|letter| Some(letter) == first)
}

/// Reports whether a line is meant for a tool.
fn is_directive(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    [
        "@param",
        "@section",
        "@skip",
        "@extra",
        "@schema",
        "@default",
        "@raw",
        "@ignore",
        "@ignored",
        "@notationType",
    ]
    .contains(&word)
        || word.starts_with("@description")
        || word.starts_with("+docs:")
        || word.starts_with("@schema")
}

/// Reports whether a paragraph only leads to the code that was left out.
fn is_lead_in(paragraph: &str) -> bool {
    let words = paragraph.trim_end_matches(':').to_lowercase();
    paragraph.ends_with(':') && words.len() < 24
        || ["e.g", "e.g.", "eg", "example", "examples", "for example", "ref"].contains(&words.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_kept_and_code_is_not() {
        let lines = [
            " Extra labels",
            " ref: https://example.com",
            "",
            " Example:",
            "   labels:",
            "     a: b",
            " ----",
            " They go to all pods.",
        ];
        assert_eq!(
            text(&lines, Code::Neighbour),
            Some("Extra labels ref: https://example.com\nThey go to all pods.".into())
        );
        assert_eq!(
            text(&[" Default values for memcached.", " This is a YAML-formatted file."], Code::Neighbour),
            None
        );
        assert_eq!(text(&[" e.g:", " a: 1"], Code::Neighbour), None);
        assert_eq!(text(&[" @section Net", "@param a b"], Code::Neighbour), None);
    }

    #[test]
    fn what_is_about_a_neighbour_that_is_commented_out_goes_with_it() {
        let lines = [" Retries", " retries: 5", " The address", " of it"];
        assert_eq!(text(&lines, Code::Neighbour), Some("The address of it".into()));
        assert_eq!(text(&[" Labels", " a: b"], Code::Either), Some("Labels".into()));
        assert_eq!(text(&[" Retries", " retries: 5"], Code::Neighbour), None);
        assert_eq!(text(&lines, Code::Nothing), Some("Retries\nThe address of it".into()));
    }

    #[test]
    fn code_is_told_from_words() {
        for code in [" a: b", "a.b/c:", "- name: x", "- x", "{{ x }}"] {
            assert!(is_code(code), "{code}");
        }
        for words in
            ["Note: this", "ref: https://x", "see the docs", "- a list of words", "One of: a, b", "a, b: c"]
        {
            assert!(!is_code(words), "{words}");
        }
    }

    #[test]
    fn long_texts_end_at_a_sentence() {
        let long = "A sentence of words. ".repeat(100);
        let cut = cleaned(&long).unwrap();
        assert!(cut.len() <= LONGEST && cut.ends_with("words."));
        assert!(cleaned(&"ä".repeat(2000)).unwrap().len() <= LONGEST + 4);
    }

    #[test]
    fn headings_are_drawn() {
        for line in ["-----", "____ EXAMPLE _______", "=== Ports ==="] {
            assert!(is_rule(line), "{line}");
        }
        for line in ["(see below)", "...and more", "**bold** words", "--flag is --other"] {
            assert!(!is_rule(line), "{line}");
        }
    }
}
