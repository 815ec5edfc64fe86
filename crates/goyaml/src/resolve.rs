//! What a scalar means: YAML 1.1 types as go-yaml reads them.

use std::borrow::Cow;

use gostd::strconv;

use crate::base64;
use crate::timestamp::is_timestamp;
use crate::token::Text;

/// The prefix that `!!` stands for.
pub(crate) const TAG_PREFIX: &[u8] = b"tag:yaml.org,2002:";

/// What a scalar is read as.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'t> {
    /// `null`, `~`, nothing.
    Null,
    /// `true`, `yes`, `on`, `y` and their opposites.
    Bool(bool),
    /// A number that fits 64 bits with sign.
    Int(i64),
    /// A number above that which fits 64 bits without sign.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A date or time: read as its text, but not written without quotes.
    Timestamp(Text<'t>),
    /// Everything else.
    String(Text<'t>),
}

impl Scalar<'_> {
    fn type_name(&self) -> &'static str {
        match self {
            Scalar::Null => "null",
            Scalar::Bool(_) => "bool",
            Scalar::Int(_) | Scalar::Uint(_) => "int",
            Scalar::Float(_) => "float",
            Scalar::Timestamp(_) => "timestamp",
            Scalar::String(_) => "str",
        }
    }
}

/// Why a scalar with a tag cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagError {
    /// The text is something else (this) than the tag says (that).
    Mismatch(&'static str, &'static str),
    Base64,
}

/// The types with a tag that is checked against the text.
const CHECKED: [&str; 6] = ["str", "bool", "int", "float", "null", "timestamp"];

/// Reads a scalar without tag, or with the tag `!` if `tag` says so.
pub(crate) fn resolve<'t>(tag: Option<&[u8]>, text: Text<'t>) -> Result<Scalar<'t>, TagError> {
    let Some(tag) = tag else { return Ok(resolve_plain(text)) };
    let Some(name) = tag.strip_prefix(TAG_PREFIX) else { return Ok(Scalar::String(text)) };
    if name == b"binary" {
        return base64::decode(&text).map(|bytes| Scalar::String(Cow::Owned(bytes))).ok_or(TagError::Base64);
    }
    let Some(wanted) = CHECKED.into_iter().find(|known| known.as_bytes() == name) else {
        return Ok(Scalar::String(text));
    };
    if wanted == "str" {
        return Ok(Scalar::String(text));
    }
    let scalar = match resolve_plain(text) {
        // Only the tag itself makes a date.
        Scalar::Timestamp(text) if wanted != "timestamp" => resolve_number(text),
        scalar => scalar,
    };
    match (wanted, scalar) {
        ("float", Scalar::Int(value)) => Ok(Scalar::Float(value as f64)),
        (wanted, scalar) if wanted == scalar.type_name() => Ok(scalar),
        (wanted, scalar) => Err(TagError::Mismatch(scalar.type_name(), wanted)),
    }
}

/// The words that mean something. (go-yaml v3 no longer reads `yes` and the like, but still quotes them.)
fn word(text: &[u8]) -> Option<Scalar<'static>> {
    Some(match text {
        b"y" | b"Y" | b"yes" | b"Yes" | b"YES" | b"true" | b"True" | b"TRUE" | b"on" | b"On" | b"ON" => {
            Scalar::Bool(true)
        }
        b"n" | b"N" | b"no" | b"No" | b"NO" | b"false" | b"False" | b"FALSE" | b"off" | b"Off" | b"OFF" => {
            Scalar::Bool(false)
        }
        b"" | b"~" | b"null" | b"Null" | b"NULL" => Scalar::Null,
        b".nan" | b".NaN" | b".NAN" => Scalar::Float(f64::NAN),
        b".inf" | b".Inf" | b".INF" | b"+.inf" | b"+.Inf" | b"+.INF" => Scalar::Float(f64::INFINITY),
        b"-.inf" | b"-.Inf" | b"-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

/// Longer texts are no words.
const LONGEST_WORD: usize = 5;

/// Reads a plain scalar by its text alone.
pub(crate) fn resolve_plain(text: Text<'_>) -> Scalar<'_> {
    match text.first() {
        None => Scalar::Null,
        Some(b'0'..=b'9') if is_timestamp(&text) => Scalar::Timestamp(text),
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => resolve_number(text),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~')
            if text.len() <= LONGEST_WORD =>
        {
            word(&text).unwrap_or(Scalar::String(text))
        }
        Some(_) => Scalar::String(text),
    }
}

fn resolve_number(text: Text<'_>) -> Scalar<'_> {
    if let Some(value) = short_decimal(&text) {
        return Scalar::Int(value);
    }
    if text.len() <= LONGEST_WORD
        && let Some(word) = word(&text)
    {
        return word;
    }
    number(&text).unwrap_or(Scalar::String(text))
}

/// A number without sign, prefix, or need to look twice.
fn short_decimal(text: &[u8]) -> Option<i64> {
    match text {
        [b'0'] => Some(0),
        [b'1'..=b'9', ..] if text.len() <= 18 => text
            .iter()
            .try_fold(0, |value, digit| digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0'))),
        _ => None,
    }
}

fn number(text: &[u8]) -> Option<Scalar<'static>> {
    if text.first() == Some(&b'.') {
        return strconv::parse_float(text, 64).ok().map(Scalar::Float);
    }
    let without_underscores: Cow<'_, [u8]> = match text.contains(&b'_') {
        true => Cow::Owned(text.iter().copied().filter(|byte| *byte != b'_').collect()),
        false => Cow::Borrowed(text),
    };
    let text = &*without_underscores;
    let integer_like = text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'));
    if integer_like && let Some(integer) = integer(text, 0) {
        return Some(integer);
    }
    if is_float(text) {
        // Too large a number is an error to Go, hence a string.
        if let Ok(value) = strconv::parse_float(text, 64) {
            return Some(Scalar::Float(value));
        }
    }
    // `0b-11`: the prefix goes first, then the sign is taken.
    match text {
        [b'0', b'b', digits @ ..] => integer(digits, 2),
        [b'-', b'0', b'b', digits @ ..] => {
            strconv::parse_int(&[b"-", digits].concat(), 2, 64).ok().map(Scalar::Int)
        }
        _ => None,
    }
}

/// Reads an integer of that base, 0 for Go's prefixes.
fn integer(text: &[u8], base: u32) -> Option<Scalar<'static>> {
    strconv::parse_int(text, base, 64)
        .ok()
        .map(Scalar::Int)
        .or_else(|| strconv::parse_uint(text, base, 64).ok().map(Scalar::Uint))
}

/// Matches `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_float(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = match text {
        [b'+' | b'-', rest @ ..] => rest,
        _ => text,
    };
    let whole = digits(text);
    let rest = text.get(whole..).unwrap_or_default();
    let rest = match rest {
        [b'.', fraction @ ..] => {
            let count = digits(fraction);
            if whole + count == 0 {
                return false;
            }
            fraction.get(count..).unwrap_or_default()
        }
        _ if whole == 0 => return false,
        _ => rest,
    };
    match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        _ => false,
    }
}

/// Which go-yaml decides what needs quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V2,
    V3,
}

/// Reports whether a plain scalar of this text would be read as a string, by YAML 1.1's rules for base 60 too.
pub(crate) fn stays_string(text: &[u8], version: Version) -> bool {
    match text.first() {
        None => false,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            text.len() > LONGEST_WORD || word(text).is_none()
        }
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {
            let plain = resolve_plain(Cow::Borrowed(text));
            matches!(plain, Scalar::String(_))
                && !is_base60(text)
                && !(version == Version::V3 && is_v3_octal(text))
        }
        Some(_) => true,
    }
}

/// v3 reads `0o` and a sign behind it as an octal number.
fn is_v3_octal(text: &[u8]) -> bool {
    let plain: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'_').collect();
    match plain.as_slice() {
        [b'0', b'o', digits @ ..] => integer(digits, 8).is_some(),
        [b'-', b'0', b'o', digits @ ..] => strconv::parse_int(&[b"-", digits].concat(), 8, 64).is_ok(),
        _ => false,
    }
}

/// Matches `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`.
fn is_base60(text: &[u8]) -> bool {
    let text = match text {
        [b'+' | b'-', rest @ ..] => rest,
        _ => text,
    };
    let mut parts = text.split(|byte| *byte == b':');
    let whole = parts.next().unwrap_or_default();
    let starts_well =
        matches!(whole, [b'0'..=b'9', rest @ ..] if rest.iter().all(|byte| is_digit_or_underscore(*byte)));
    let mut parts = parts.peekable();
    if !starts_well || parts.peek().is_none() {
        return false;
    }
    while let Some(part) = parts.next() {
        let (number, fraction) = match (parts.peek(), part.iter().position(|byte| *byte == b'.')) {
            (None, Some(point)) => {
                (part.get(..point).unwrap_or_default(), part.get(point + 1..).unwrap_or_default())
            }
            _ => (part, &b""[..]),
        };
        let good = matches!(number, [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        if !good || !fraction.iter().all(|byte| is_digit_or_underscore(*byte)) {
            return false;
        }
    }
    true
}

fn is_digit_or_underscore(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Scalar<'_> {
        resolve_plain(Cow::Borrowed(text.as_bytes()))
    }

    fn tagged<'t>(tag: &str, text: &'t str) -> Result<Scalar<'t>, TagError> {
        resolve(Some(format!("tag:yaml.org,2002:{tag}").as_bytes()), Cow::Borrowed(text.as_bytes()))
    }

    #[test]
    fn words_mean_what_yaml_1_1_says() {
        for text in ["y", "Y", "yes", "YES", "true", "True", "on", "ON"] {
            assert_eq!(plain(text), Scalar::Bool(true), "{text}");
        }
        for text in ["n", "N", "no", "NO", "false", "False", "off", "OFF"] {
            assert_eq!(plain(text), Scalar::Bool(false), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Scalar::Null, "{text}");
        }
        assert_eq!(plain("-.INF"), Scalar::Float(f64::NEG_INFINITY));
        for text in ["yEs", "tRue", "nULL", "<<", "=", ".Nan", "inf", "nan", "on "] {
            assert!(matches!(plain(text), Scalar::String(_)), "{text}");
        }
    }

    #[test]
    fn numbers_are_read_in_every_base() {
        for (text, want) in [
            ("0", 0),
            ("-0", 0),
            ("+12", 12),
            ("1_000", 1000),
            ("0777", 511),
            ("0o17", 15),
            ("0x1F", 31),
            ("-0X1f", -31),
            ("0b101", 5),
            ("0b-11", -3),
            ("-0b11", -3),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(plain(text), Scalar::Int(want), "{text}");
        }
        assert_eq!(plain("9223372036854775808"), Scalar::Uint(1 << 63));
        for (text, want) in [
            ("08", 8.0),
            ("09.5", 9.5),
            ("1.50", 1.5),
            (".5", 0.5),
            (".5_0", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("-1_0.5", -10.5),
            ("1e-400", 0.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ] {
            assert_eq!(plain(text), Scalar::Float(want), "{text}");
        }
        for text in ["1e400", "1.2.3", "12:30", "0x", "0xg", "1e", ".e1", "._5", ".5_", "+", "--1", "1,000"] {
            assert!(matches!(plain(text), Scalar::String(_)), "{text}");
        }
    }

    #[test]
    fn tags_are_checked() {
        assert_eq!(tagged("str", "1"), Ok(Scalar::String(b"1"[..].into())));
        assert_eq!(tagged("float", "1"), Ok(Scalar::Float(1.0)));
        assert_eq!(tagged("binary", "YQ=="), Ok(Scalar::String(b"a"[..].into())));
        assert_eq!(tagged("binary", "?"), Err(TagError::Base64));
        assert_eq!(tagged("int", "x"), Err(TagError::Mismatch("str", "int")));
        assert_eq!(tagged("int", "2001-01-01"), Err(TagError::Mismatch("str", "int")));
        assert_eq!(tagged("null", "1"), Err(TagError::Mismatch("int", "null")));
        assert_eq!(tagged("float", "18446744073709551615"), Err(TagError::Mismatch("int", "float")));
        assert!(matches!(tagged("timestamp", "2001-01-01"), Ok(Scalar::Timestamp(_))));
        assert_eq!(tagged("other", "1"), Ok(Scalar::String(b"1"[..].into())));
        assert_eq!(resolve(Some(b"!"), Cow::Borrowed(b"1")), Ok(Scalar::String(b"1"[..].into())));
    }

    #[test]
    fn strings_need_quotes_when_they_mean_something() {
        let plain = |text: &str, version| stays_string(text.as_bytes(), version);
        for text in ["a", "1.2.3", "1:60", "2001-13-01", "<<", "1e", "-a", "yEs", "0xg"] {
            assert!(plain(text, Version::V2) && plain(text, Version::V3), "{text}");
        }
        for text in ["", "y", "1", "1e3", "12:30", "-1:2.5_", "1_0:59", "2001-01-01", "~", ".inf", "0b-1"] {
            assert!(!plain(text, Version::V2) && !plain(text, Version::V3), "{text}");
        }
        assert!(plain("0o-7", Version::V2) && !plain("0o-7", Version::V3));
    }
}
