//! Where one document of a rendered file ends and the next begins.

use gostd::strings::trim_space;

/// Splits a text into YAML documents as Helm 3 does: at `(?:^|\s*\n)---\s*`, each part trimmed, empty ones dropped.
///
/// A separator swallows the space behind it, so a second one right there is no separator: it stays at the start of the
/// next document.
///
/// ```
/// let documents: Vec<&[u8]> = helm::manifest::split(b"a: 1\n---\nb: 2\n").collect();
/// assert_eq!(documents, [b"a: 1", b"b: 2"]);
/// ```
pub fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(strip_first_separator(trim_space(text)));
    std::iter::from_fn(move || {
        let text = rest?;
        let (document, after) = match next_separator(text) {
            Some((start, end)) => (text.get(..start)?, text.get(end..)),
            None => (text, None),
        };
        rest = after;
        Some(document)
    })
    .filter(|document| !document.is_empty())
    .map(trim_space)
}

/// Returns where the document of a text stands that has one only. Most rendered files have, and large ones need not be
/// copied then.
pub(super) fn only_document(text: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut documents = split(text);
    let (document, None) = (documents.next()?, documents.next()) else { return None };
    let start = document.as_ptr().addr() - text.as_ptr().addr();
    Some(start..start + document.len())
}

fn strip_first_separator(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"---").map_or(text, trim_start)
}

/// RE2's `\s`.
fn is_space(byte: &u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn trim_start(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| is_space(byte)).count();
    text.get(spaces..).unwrap_or_default()
}

/// Finds the next separator that follows a line break: where it starts and ends.
fn next_separator(text: &[u8]) -> Option<(usize, usize)> {
    let dashes = gostd::strings::index(text, b"\n---")?;
    let spaces = text.get(..dashes)?.iter().rev().take_while(|byte| is_space(byte)).count();
    let end = text.len() - trim_start(text.get(dashes + 4..)?).len();
    Some((dashes - spaces, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        split(text.as_bytes()).map(|part| String::from_utf8(part.to_vec()).unwrap()).collect()
    }

    #[test]
    fn separators_stand_at_line_starts() {
        assert_eq!(parts("a\n---\nb\n  \n---   \n\n c\n"), ["a", "b", "c"]);
        assert_eq!(parts("---\na --- b\n---foo\n"), ["a --- b", "foo"]);
        assert_eq!(parts("---\n"), [""; 0]);
        assert_eq!(parts(" \n "), [""; 0]);
        assert_eq!(parts("a\r\n---\r\nb"), ["a", "b"]);
        assert_eq!(parts("a\n----\nb"), ["a", "-\nb"]);
    }

    #[test]
    fn only_documents_are_found_in_place() {
        for text in ["---\na: 1\n", "  a\n", "a", "\n---\n---\nb\n---\n", "a\n---\nb", "---\n", ""] {
            let documents: Vec<&[u8]> = split(text.as_bytes()).collect();
            let only = only_document(text.as_bytes()).map(|range| &text.as_bytes()[range]);
            assert_eq!(only, (documents.len() == 1).then(|| documents[0]), "{text:?}");
        }
    }

    #[test]
    fn separator_behind_a_separator_is_text() {
        assert_eq!(parts("---\n\n---\na\n---\n---\nb"), ["---\na", "---\nb"]);
    }
}
