//! The two loose forms that versions and constraints are written in, read from left to right.

/// The parts of a loosely written version. Each is a slice of the text, without its `.`, `-` or `+`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts<'t> {
    pub(super) numbers: [&'t str; 3],
    pub(super) pre: &'t str,
    pub(super) metadata: &'t str,
    /// How much of the text was read.
    pub(super) len: usize,
}

/// Reads the longest version at the start of the text: an optional `v`, one to three numbers, `-pre`, `+metadata`.
/// `number` says which bytes numbers are made of.
pub(super) fn version(text: &[u8], number: fn(u8) -> bool) -> Option<Parts<'_>> {
    let mut parts = Parts::default();
    let mut at = usize::from(text.first() == Some(&b'v'));
    for (index, part) in parts.numbers.iter_mut().enumerate() {
        let start = at + usize::from(index > 0);
        let dotted = index == 0 || text.get(at) == Some(&b'.');
        let digits = if dotted { run(text, start, number) } else { "" };
        if digits.is_empty() {
            if index == 0 {
                return None;
            }
            break;
        }
        *part = digits;
        at = start + digits.len();
    }
    (parts.pre, at) = identifiers(text, at, b'-');
    (parts.metadata, at) = identifiers(text, at, b'+');
    parts.len = at;
    Some(parts)
}

/// Reads `mark` and the dotted identifiers after it; returns them and where the reading ended.
fn identifiers(text: &[u8], at: usize, mark: u8) -> (&str, usize) {
    if text.get(at) != Some(&mark) {
        return ("", at);
    }
    let start = at + 1;
    let mut end = start + run(text, start, is_identifier).len();
    while end > start && text.get(end) == Some(&b'.') {
        let next = run(text, end + 1, is_identifier).len();
        if next == 0 {
            break;
        }
        end += 1 + next;
    }
    if end == start { ("", at) } else { (ascii(text, start, end), end) }
}

fn run(text: &[u8], start: usize, belongs: fn(u8) -> bool) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let len = rest.iter().take_while(|byte| belongs(**byte)).count();
    ascii(text, start, start + len)
}

/// Every byte read here is ASCII, so the slice always is text.
fn ascii(text: &[u8], start: usize, end: usize) -> &str {
    text.get(start..end).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Letters, digits and hyphens make up prereleases and metadata.
pub(super) fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}
