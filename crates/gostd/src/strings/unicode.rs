//! Character classes and case mappings by Go's tables, which lag behind Rust's by some Unicode versions.

use super::tables;

/// Looks a character up in a list of places where membership of a class changes.
fn member(edges: &[u32], rune: char) -> bool {
    edges.partition_point(|edge| *edge <= u32::from(rune)) % 2 == 1
}

/// Reports `unicode.IsLetter`: category L.
pub fn is_letter(rune: char) -> bool {
    if rune.is_ascii() { rune.is_ascii_alphabetic() } else { member(&tables::LETTER, rune) }
}

/// Reports `unicode.IsUpper`: category Lu.
pub fn is_upper(rune: char) -> bool {
    if rune.is_ascii() { rune.is_ascii_uppercase() } else { member(&tables::UPPER, rune) }
}

/// Reports `unicode.IsLower`: category Ll.
pub fn is_lower(rune: char) -> bool {
    if rune.is_ascii() { rune.is_ascii_lowercase() } else { member(&tables::LOWER, rune) }
}

/// Reports `unicode.IsTitle`: category Lt.
pub fn is_title(rune: char) -> bool {
    !rune.is_ascii() && member(&tables::TITLE, rune)
}

/// Reports `unicode.IsDigit`: category Nd.
pub fn is_digit(rune: char) -> bool {
    if rune.is_ascii() { rune.is_ascii_digit() } else { member(&tables::DIGIT, rune) }
}

/// Reports `unicode.IsNumber`: category N.
pub fn is_number(rune: char) -> bool {
    if rune.is_ascii() { rune.is_ascii_digit() } else { member(&tables::NUMBER, rune) }
}

/// Reports `unicode.IsPunct`: category P.
pub fn is_punct(rune: char) -> bool {
    member(&tables::PUNCT, rune)
}

/// Reports `unicode.IsSpace`: the property White_Space.
pub fn is_space(rune: char) -> bool {
    match rune {
        '\t'..='\r' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' => true,
        _ => matches!(rune, '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'),
    }
}

/// Reports `unicode.IsPrint` (and `strconv.IsPrint`): letters, marks, numbers, punctuation, symbols, ASCII space.
pub fn is_print(rune: char) -> bool {
    if rune.is_ascii() { !rune.is_ascii_control() } else { member(&tables::PRINT, rune) }
}

/// The case a character is mapped to; the number is the column of [`tables::CASES`].
#[derive(Clone, Copy)]
enum Case {
    Upper = 2,
    Lower = 3,
    Title = 4,
}

/// Maps one character to one character (`unicode.To`).
fn map(case: Case, rune: char) -> char {
    let code = i32::try_from(u32::from(rune)).unwrap_or_default();
    let at = tables::CASES.partition_point(|[_, last, ..]| *last < code);
    let Some(range @ [first, ..]) = tables::CASES.get(at).filter(|[first, ..]| *first <= code) else {
        return rune;
    };
    let delta = range.get(case as usize).copied().unwrap_or_default();
    let mapped = if delta == tables::ALTERNATING {
        let lower = i32::from(matches!(case, Case::Lower));
        first + ((code - first) & !1 | lower)
    } else {
        code + delta
    };
    u32::try_from(mapped).ok().and_then(char::from_u32).unwrap_or(rune)
}

/// Maps as `unicode.ToUpper`: always to one character, so `ß` stays.
pub fn upper(rune: char) -> char {
    if rune.is_ascii() { rune.to_ascii_uppercase() } else { map(Case::Upper, rune) }
}

/// Maps as `unicode.ToLower`.
pub fn lower(rune: char) -> char {
    if rune.is_ascii() { rune.to_ascii_lowercase() } else { map(Case::Lower, rune) }
}

/// Maps as `unicode.ToTitle`.
pub fn title(rune: char) -> char {
    if rune.is_ascii() { rune.to_ascii_uppercase() } else { map(Case::Title, rune) }
}
