//! Templates for replacements.

use crate::runes::decode_rune;
use crate::strings::{is_digit, is_letter};

/// A reference to a group.
enum Reference<'t> {
    Number(usize),
    Name(&'t [u8]),
}

/// Appends a template with its references to groups replaced (Go `Regexp.expand`).
pub(super) fn expand<'t>(
    out: &mut Vec<u8>,
    template: &[u8],
    names: &[Option<String>],
    group: impl Fn(usize) -> Option<&'t [u8]>,
) {
    let mut rest = template;
    while let Some(dollar) = rest.iter().position(|byte| *byte == b'$') {
        let (before, after) = rest.split_at(dollar);
        out.extend_from_slice(before);
        rest = after.get(1..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(b"$") {
            out.push(b'$');
            rest = after;
            continue;
        }
        let Some((reference, after)) = split_reference(rest) else {
            out.push(b'$');
            continue;
        };
        rest = after;
        let value = match reference {
            Reference::Number(index) => group(index),
            // Of several groups of one name the first that took part counts.
            Reference::Name(name) => {
                let named =
                    |known: &Option<String>| known.as_ref().is_some_and(|known| known.as_bytes() == name);
                names.iter().enumerate().filter(|(_, known)| named(known)).find_map(|(index, _)| group(index))
            }
        };
        out.extend_from_slice(value.unwrap_or_default());
    }
    out.extend_from_slice(rest);
}

/// Reads `name` or `{name}`; returns what follows it (Go `extract`).
fn split_reference(text: &[u8]) -> Option<(Reference<'_>, &[u8])> {
    let braced = text.strip_prefix(b"{");
    let text = braced.unwrap_or(text);
    let mut len = 0;
    loop {
        let (rune, width) = decode_rune(text.get(len..).unwrap_or_default());
        if !(rune == '_' || is_letter(rune) || is_digit(rune)) {
            break;
        }
        len += width;
    }
    let (name, rest) = text.split_at_checked(len).filter(|(name, _)| !name.is_empty())?;
    let rest = if braced.is_some() { rest.strip_prefix(b"}")? } else { rest };
    let reference = number(name).map_or(Reference::Name(name), Reference::Number);
    Some((reference, rest))
}

/// Reads a number without leading zeros; numbers of more than nine digits are names, as in Go.
fn number(name: &[u8]) -> Option<usize> {
    let leading_zero = name.len() > 1 && name.starts_with(b"0");
    if leading_zero || name.len() > 9 || !name.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(name).ok()?.parse().ok()
}
