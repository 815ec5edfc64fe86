//! What becomes of text and numbers on the way through JSON and back.

use std::borrow::Cow;
use std::io::Write as _;

use gostd::strconv::append_float;
use gostd::value::{Entries, lossy};
use gostd::{GoStr, Value};

use super::EmitError;

const CONTROL: EmitError = EmitError::Unreadable("control characters are not allowed");

/// Returns a string as go-yaml reads it from JSON.
///
/// JSON text holds most characters as they are, so go-yaml refuses some, and folds U+0085 as the line break it is.
pub(super) fn string(text: &[u8]) -> Result<Cow<'_, [u8]>, EmitError> {
    if is_plain_ascii(text) {
        return Ok(Cow::Borrowed(text));
    }
    let text = readable(text)?;
    if text.contains(NEXT_LINE) {
        fold(&text).map(|folded| Cow::Owned(folded.into_bytes()))
    } else {
        Ok(bytes(text))
    }
}

/// Returns a key as go-yaml reads it from JSON. It must stay on one line and within 1024 characters.
pub(super) fn key(text: &[u8]) -> Result<Cow<'_, [u8]>, EmitError> {
    const LONGEST: usize = 1022;
    const LONGEST_ESCAPE: usize = 6;
    const PROBLEM: EmitError = EmitError::Unreadable("did not find expected ',' or '}'");
    if text.len() * LONGEST_ESCAPE > LONGEST && json_length(text) > LONGEST {
        return Err(PROBLEM);
    }
    if is_plain_ascii(text) {
        return Ok(Cow::Borrowed(text));
    }
    let text = readable(text)?;
    if text.contains(NEXT_LINE) { Err(PROBLEM) } else { Ok(bytes(text)) }
}

/// Keys that are not UTF-8 may become equal in JSON; then go-yaml keeps the last. Returns the values of the others,
/// which must be fit for JSON all the same.
pub(super) fn merge_equal_keys(entries: &mut Vec<(GoStr, Value)>) -> Vec<Value> {
    if entries.iter().all(|(key, _)| std::str::from_utf8(key).is_ok()) {
        return Vec::new();
    }
    let mut merged = Entries::new();
    let dropped =
        entries.drain(..).filter_map(|(key, value)| merged.insert(GoStr::from(lossy(&key)), value)).collect();
    entries.extend(merged);
    dropped
}

const NEXT_LINE: char = '\u{85}';

fn is_plain_ascii(text: &[u8]) -> bool {
    text.iter().all(|byte| *byte < 0x7f)
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

fn readable(text: &[u8]) -> Result<Cow<'_, str>, EmitError> {
    let text = std::str::from_utf8(text).map_or_else(|_| Cow::Owned(lossy(text)), Cow::Borrowed);
    let unreadable =
        |value: char| matches!(value, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(unreadable) { Err(CONTROL) } else { Ok(text) }
}

/// How many characters JSON needs for a string, without quotes.
fn json_length(text: &[u8]) -> usize {
    let text = std::str::from_utf8(text).map_or_else(|_| Cow::Owned(lossy(text)), Cow::Borrowed);
    let length = |value: char| match value {
        '"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        '<' | '>' | '&' | '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}' => 6,
        _ => 1,
    };
    text.chars().map(length).sum()
}

/// Folds at U+0085 as a double-quoted scalar: spaces around it vanish, one becomes a space, more become one line feed
/// less. Other line breaks and tabs are escaped in JSON, hence ordinary here.
fn fold(text: &str) -> Result<String, EmitError> {
    let mut lines = text.split(NEXT_LINE);
    let mut out = lines.next().unwrap_or_default().trim_end_matches(' ').to_owned();
    let mut breaks = 0;
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        breaks += 1;
        if begins_document(line, lines.peek().is_some()) {
            return Err(EmitError::Unreadable("found unexpected document indicator"));
        }
        let content = line.trim_start_matches(' ');
        let last = lines.peek().is_none();
        if content.is_empty() && !last {
            continue;
        }
        match breaks {
            1 => out.push(' '),
            _ => out.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        breaks = 0;
        out.push_str(if last { content } else { content.trim_end_matches(' ') });
    }
    Ok(out)
}

/// `---` or `...` at the start of a line, with a space or the end of the line behind it, ends the document.
fn begins_document(line: &str, line_ends: bool) -> bool {
    match line.strip_prefix("---").or(line.strip_prefix("...")) {
        Some("") => line_ends,
        Some(rest) => rest.starts_with(' '),
        None => false,
    }
}

/// Writes a number as go-yaml writes what it reads from JSON: whole ones as integers if they fit 64 bits.
pub(super) fn number(out: &mut Vec<u8>, value: f64) -> Result<(), EmitError> {
    if !value.is_finite() {
        let name = if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "+Inf"
        } else {
            "-Inf"
        };
        return Err(EmitError::UnsupportedNumber(name));
    }
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.trunc() == value {
        if value.abs() <= EXACT {
            // Writing to a Vec cannot fail.
            let _ = write!(out, "{}", value as i64);
            return Ok(());
        }
        // JSON shows the shortest digits that read back, then zeros.
        let start = out.len();
        append_float(out, value, b'f', -1, 64);
        let digits = out.get(start..).and_then(|digits| std::str::from_utf8(digits).ok());
        if digits.is_some_and(|digits| digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok()) {
            return Ok(());
        }
        out.truncate(start);
    }
    append_float(out, value, b'g', -1, 64);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_line_folds() {
        for (text, want) in [
            ("\u{85}", " "),
            ("a\u{85}b", "a b"),
            ("a \u{85}  b", "a b"),
            ("a\u{85}\u{85}b", "a\nb"),
            ("a\u{85} \u{85}\u{85}b ", "a\n\nb "),
            ("\u{85}\u{85}", "\n"),
            (" \u{85} ", " "),
            ("a\n\u{85}b", "a\n b"),
            ("a\t\u{85}\tb", "a\t \tb"),
            ("a\u{85}---", "a ---"),
        ] {
            assert_eq!(string(text.as_bytes()).unwrap().as_ref(), want.as_bytes(), "{text:?}");
        }
        assert!(string("a\u{85}--- b".as_bytes()).is_err());
        assert!(key("a\u{85}b".as_bytes()).is_err());
    }

    #[test]
    fn numbers_go_through_json() {
        for (value, want) in [
            (1e6, "1000000"),
            (-0.0, "0"),
            (21_000_000.5, "2.10000005e+07"),
            (1e20, "1e+20"),
            (12_345_678_901_234_567_890.0, "12345678901234567000"),
            (-9_223_372_036_854_775_808.0, "-9.223372036854776e+18"),
            (9_223_372_036_854_775_808.0, "9223372036854776000"),
            (0.1, "0.1"),
            (1e-7, "1e-07"),
        ] {
            let mut out = Vec::new();
            number(&mut out, value).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
        assert!(number(&mut Vec::new(), f64::NAN).is_err());
    }

    #[test]
    fn keys_have_a_longest_form() {
        assert!(key("k".repeat(1022).as_bytes()).is_ok());
        assert!(key("k".repeat(1023).as_bytes()).is_err());
        assert!(key("<".repeat(170).as_bytes()).is_ok());
        assert!(key("<".repeat(171).as_bytes()).is_err());
        assert!(key("é".repeat(1022).as_bytes()).is_ok());
    }
}
