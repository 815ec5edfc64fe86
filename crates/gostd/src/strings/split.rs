//! Cutting texts into parts.

use super::{edit::index, is_space};
use crate::runes::{decode_rune, runes};

/// Splits around each separator, as `strings.Split`.
pub fn split<'a>(text: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    split_n(text, separator, -1)
}

/// Splits into at most `limit` parts, as `strings.SplitN`: 0 gives none, a negative limit all. An empty separator
/// splits after each character.
pub fn split_n<'a>(text: &'a [u8], separator: &[u8], limit: isize) -> Vec<&'a [u8]> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if separator.is_empty() {
        return explode(text, limit);
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.len() + 1 < limit {
        let Some(at) = index(rest, separator) else { break };
        let (part, tail) = rest.split_at(at);
        parts.push(part);
        rest = tail.get(separator.len()..).unwrap_or_default();
    }
    if limit > 0 {
        parts.push(rest);
    }
    parts
}

/// Splits into at most `limit` characters, the last part holding what is left.
pub fn explode(text: &[u8], limit: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() && parts.len() < limit {
        let width = if parts.len() + 1 == limit { rest.len() } else { decode_rune(rest).1 };
        let (part, tail) = rest.split_at(width);
        parts.push(part);
        rest = tail;
    }
    parts
}

/// Splits around runs of white space, as `strings.Fields`.
pub fn fields(text: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    let mut start = None;
    for (offset, rune, _) in runes(text) {
        match (is_space(rune), start) {
            (false, None) => start = Some(offset),
            (true, Some(from)) => {
                parts.extend(text.get(from..offset));
                start = None;
            }
            _ => {}
        }
    }
    parts.extend(start.and_then(|from| text.get(from..)));
    parts
}
