//! Readers of the elements of a layout.

use std::ops::RangeInclusive;

use super::layout::{Offset, Pad};
use super::names::SHORT;

/// Why an element could not be read.
pub(super) enum Miss {
    Mismatch,
    Range(&'static str),
}

pub(super) type Step<'t, T> = Result<(T, &'t [u8]), Miss>;

/// Skips a literal prefix, treating runs of spaces alike; fails with what was left.
pub(super) fn skip<'t>(mut value: &'t [u8], mut prefix: &[u8]) -> Result<&'t [u8], &'t [u8]> {
    while let Some((expected, rest)) = prefix.split_first() {
        if *expected == b' ' {
            if value.first().is_some_and(|byte| *byte != b' ') {
                return Err(value);
            }
            prefix = cut_spaces(prefix);
            value = cut_spaces(value);
            continue;
        }
        match value.split_first() {
            Some((found, left)) if found == expected => value = left,
            _ => return Err(value),
        }
        prefix = rest;
    }
    Ok(value)
}

fn cut_spaces(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(spaces..).unwrap_or_default()
}

fn split(value: &[u8], len: usize) -> Step<'_, &[u8]> {
    value.split_at_checked(len).ok_or(Miss::Mismatch)
}

pub(super) fn some<T>((value, rest): (T, &[u8])) -> (Option<T>, &[u8]) {
    (Some(value), rest)
}

pub(super) fn one_up((index, rest): (i64, &[u8])) -> (i64, &[u8]) {
    (index + 1, rest)
}

pub(super) fn bounded<'t>(
    (value, rest): (i64, &'t [u8]),
    range: RangeInclusive<i64>,
    what: &'static str,
) -> Step<'t, i64> {
    if range.contains(&value) { Ok((value, rest)) } else { Err(Miss::Range(what)) }
}

/// Skips the spaces that may stand for digits.
pub(super) fn cut_padding(value: &[u8], pad: Pad, most: usize) -> &[u8] {
    let spaces = value.iter().take(most).take_while(|byte| **byte == b' ' && pad == Pad::Space).count();
    value.get(spaces..).unwrap_or_default()
}

/// Reads two digits, which stand for 1969 to 2068.
pub(super) fn short_year(value: &[u8]) -> Step<'_, i64> {
    let (text, rest) = split(value, 2)?;
    let year = signed_number(text).ok_or(Miss::Mismatch)?;
    Ok((if year >= 69 { year + 1900 } else { year + 2000 }, rest))
}

pub(super) fn long_year(value: &[u8]) -> Step<'_, i64> {
    let (text, rest) = split(value, 4)?;
    Ok((number(text).ok_or(Miss::Mismatch)?, rest))
}

/// Reads `AM` or `PM`; tells whether it was the latter.
pub(super) fn half_day(value: &[u8], upper: bool) -> Step<'_, bool> {
    let (text, rest) = split(value, 2)?;
    match (text, upper) {
        (b"PM", true) | (b"pm", false) => Ok((true, rest)),
        (b"AM", true) | (b"am", false) => Ok((false, rest)),
        _ => Err(Miss::Mismatch),
    }
}

/// Reads digits only.
fn number(text: &[u8]) -> Option<i64> {
    let digits = text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()
}

/// Reads digits with an optional sign. No digits are zero, as in Go.
pub(super) fn signed_number(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let value = if digits.is_empty() { 0 } else { number(digits)? };
    Some(if text.starts_with(b"-") { -value } else { value })
}

pub(super) fn two_digits(value: &[u8], fixed: bool) -> Step<'_, i64> {
    digits(value, 2, fixed)
}

/// Reads one to `most` digits, or exactly as many if `fixed`.
pub(super) fn digits(value: &[u8], most: usize, fixed: bool) -> Step<'_, i64> {
    let len = value.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
    if len == 0 || fixed && len != most {
        return Err(Miss::Mismatch);
    }
    let (text, rest) = split(value, len)?;
    Ok((number(text).ok_or(Miss::Mismatch)?, rest))
}

/// Reads one of the names, in any case.
pub(super) fn name<'t>(value: &'t [u8], names: &[&str], short: bool) -> Step<'t, i64> {
    let found = (0i64..).zip(names).find_map(|(index, name)| {
        let (head, rest) = value.split_at_checked(if short { SHORT } else { name.len() })?;
        let name = name.as_bytes().get(..head.len())?;
        head.eq_ignore_ascii_case(name).then_some((index, rest))
    });
    found.ok_or(Miss::Mismatch)
}

/// Reads `-07:00` and its variants. Hours of 24 and minutes of 60 are allowed, as some people write them.
pub(super) fn offset(value: &[u8], form: Offset) -> Step<'_, i64> {
    let colon = usize::from(form.colons);
    let minutes_at = 3 + colon;
    let seconds_at = minutes_at + 2 + colon;
    let len = if form.seconds {
        seconds_at + 2
    } else if form.minutes {
        minutes_at + 2
    } else {
        3
    };
    let (text, rest) = split(value, len)?;
    let colons = [(form.minutes, 3), (form.seconds, minutes_at + 2)];
    if form.colons && colons.iter().any(|(used, at)| *used && text.get(*at) != Some(&b':')) {
        return Err(Miss::Mismatch);
    }
    // As in Go, a number too large is reported even where a later part is no number, and the last such counts.
    let (mut faulty, mut too_large) = (false, None);
    let mut field = |used: bool, at: usize, most: i64, what: &'static str| {
        let value = if used && !faulty { text.get(at..at + 2).and_then(number) } else { Some(0) };
        faulty = faulty || value.is_none();
        if value.is_some_and(|value| value > most) {
            too_large = Some(what);
        }
        value.unwrap_or(0)
    };
    let hours = field(true, 1, 24, "time zone offset hour");
    let minutes = field(form.minutes, minutes_at, 60, "time zone offset minute");
    let seconds = field(form.seconds, seconds_at, 60, "time zone offset second");
    if let Some(what) = too_large {
        return Err(Miss::Range(what));
    }
    let size = (hours * 60 + minutes) * 60 + seconds;
    match text.first() {
        Some(b'+') if !faulty => Ok((size, rest)),
        Some(b'-') if !faulty => Ok((-size, rest)),
        _ => Err(Miss::Mismatch),
    }
}

/// Returns the length of a separator and the digits after it, or 0 if there is no such thing.
pub(super) fn fraction_len(value: &[u8]) -> usize {
    match value {
        [b'.' | b',', digits @ ..] => match digits.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => 0,
            len => len + 1,
        },
        _ => 0,
    }
}

/// Reads a separator and digits, `len` bytes in all, as nanoseconds; digits beyond the ninth are dropped.
pub(super) fn fraction(value: &[u8], len: usize) -> Step<'_, i64> {
    let (text, rest) = split(value, len)?;
    let [b'.' | b',', digits @ ..] = text else { return Err(Miss::Mismatch) };
    let digits = digits.get(..9).unwrap_or(digits);
    let value = signed_number(digits).ok_or(Miss::Mismatch)?;
    let scale = (digits.len()..9).fold(1, |scale, _| scale * 10);
    bounded((value * scale, rest), 0..=i64::MAX, "fractional second")
}

/// Reads what looks like an abbreviation of a zone.
pub(super) fn zone_name(value: &[u8]) -> Step<'_, String> {
    let (name, rest) = split(value, zone_name_len(value).ok_or(Miss::Mismatch)?)?;
    Ok((String::from_utf8_lossy(name).into_owned(), rest))
}

/// Returns how much of the text looks like an abbreviation of a zone (Go `parseTimeZone`).
fn zone_name_len(value: &[u8]) -> Option<usize> {
    if value.len() < 3 {
        return None;
    }
    if value.starts_with(b"ChST") || value.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(hours) = value.strip_prefix(b"GMT") {
        return Some(3 + signed_hours_len(hours));
    }
    if matches!(value.first(), Some(b'+' | b'-')) {
        return Some(signed_hours_len(value)).filter(|len| *len > 0);
    }
    let upper = value.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    let ends_in_t = |len: usize| value.get(len - 1) == Some(&b'T');
    match upper {
        3 => Some(3),
        4 if ends_in_t(4) || value.starts_with(b"WITA") => Some(4),
        5 if ends_in_t(5) => Some(5),
        _ => None,
    }
}

/// Returns the length of a signed number of at most 23, or 0.
fn signed_hours_len(value: &[u8]) -> usize {
    let [b'+' | b'-', digits @ ..] = value else { return 0 };
    let len = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let hours = digits.get(..len).and_then(|text| if text.is_empty() { None } else { number(text) });
    if hours.is_some_and(|hours| hours <= 23) { len + 1 } else { 0 }
}
