//! Trimming of both ends.

use super::is_space;
use crate::runes::{decode_last_rune, decode_rune, runes};

/// Drops white space at both ends, as `strings.TrimSpace`.
pub fn trim_space(text: &[u8]) -> &[u8] {
    trim_matches(text, is_space)
}

/// Drops white space at the end.
pub fn trim_space_right(text: &[u8]) -> &[u8] {
    trim_end_matches(text, is_space)
}

/// Drops characters of the set at both ends, as `strings.Trim`. A set with invalid UTF-8 contains U+FFFD, which every
/// invalid byte of the text is.
pub fn trim<'a>(text: &'a [u8], set: &[u8]) -> &'a [u8] {
    trim_left(trim_right(text, set), set)
}

/// Drops leading characters of the set, as `strings.TrimLeft`.
pub fn trim_left<'a>(text: &'a [u8], set: &[u8]) -> &'a [u8] {
    let set: Vec<char> = runes(set).map(|(_, rune, _)| rune).collect();
    trim_start_matches(text, |rune| set.contains(&rune))
}

/// Drops trailing characters of the set, as `strings.TrimRight`.
pub fn trim_right<'a>(text: &'a [u8], set: &[u8]) -> &'a [u8] {
    let set: Vec<char> = runes(set).map(|(_, rune, _)| rune).collect();
    trim_end_matches(text, |rune| set.contains(&rune))
}

/// Drops characters for which `drop` holds at both ends, as `strings.TrimFunc`.
pub fn trim_matches(text: &[u8], drop: impl Fn(char) -> bool) -> &[u8] {
    trim_end_matches(trim_start_matches(text, &drop), &drop)
}

fn trim_start_matches(mut text: &[u8], drop: impl Fn(char) -> bool) -> &[u8] {
    while !text.is_empty() {
        let (rune, width) = decode_rune(text);
        if !drop(rune) {
            break;
        }
        text = text.get(width..).unwrap_or_default();
    }
    text
}

fn trim_end_matches(mut text: &[u8], drop: impl Fn(char) -> bool) -> &[u8] {
    while !text.is_empty() {
        let (rune, width) = decode_last_rune(text);
        if !drop(rune) {
            break;
        }
        text = text.get(..text.len() - width).unwrap_or_default();
    }
    text
}
