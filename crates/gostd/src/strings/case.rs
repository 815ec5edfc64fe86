//! Case changes of whole texts.

use super::{is_digit, is_letter, is_space, unicode};
use crate::runes::{push_rune, runes};

/// Replaces every character as Go's `strings.Map`; invalid bytes are seen, and written back, as U+FFFD.
pub fn map(text: &[u8], mut change: impl FnMut(char) -> char) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (_, rune, _) in runes(text) {
        push_rune(&mut out, change(rune));
    }
    out
}

/// Returns `strings.ToUpper`: one character for one, so `ß` stays.
pub fn to_upper(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() { text.to_ascii_uppercase() } else { map(text, unicode::upper) }
}

/// Returns `strings.ToLower`.
pub fn to_lower(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() { text.to_ascii_lowercase() } else { map(text, unicode::lower) }
}

/// Returns `strings.ToTitle`: every character in title case (`strings.Title`, which is [`title`], changes only the
/// first of each word).
pub fn to_title(text: &[u8]) -> Vec<u8> {
    map(text, unicode::title)
}

/// Returns `strings.Title`: the first letter of each word in title case, the others as they are.
pub fn title(text: &[u8]) -> Vec<u8> {
    let mut previous = ' ';
    map(text, |rune| {
        let starts_word = separates_words(previous);
        previous = rune;
        if starts_word { unicode::title(rune) } else { rune }
    })
}

/// Go's `strings.isSeparator`.
fn separates_words(rune: char) -> bool {
    if rune.is_ascii() {
        return !rune.is_ascii_alphanumeric() && rune != '_';
    }
    !is_letter(rune) && !is_digit(rune) && is_space(rune)
}
