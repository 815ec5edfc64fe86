//! Checks IP addresses in brackets with the words of Go's `netip.ParseAddr`.

use crate::strconv::quote;

/// A text that is no IP address. Prints as Go's error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ParseAddr({}): {message}{}", quote(.text), place(.at))]
pub struct AddressError {
    /// The whole text.
    pub text: Vec<u8>,
    /// The fault.
    pub message: &'static str,
    /// What was left to read where the fault lies; empty if it concerns the whole.
    pub at: Vec<u8>,
}

fn place(at: &[u8]) -> String {
    if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) }
}

/// The two kinds of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    V4,
    V6,
}

/// A fault and what was left to read.
type Fault<'t> = (&'static str, &'t [u8]);

/// Tells the kind of an address, with or without a zone.
pub(super) fn check(text: &[u8]) -> Result<Family, AddressError> {
    let result = match text.iter().find(|byte| b".:%".contains(byte)) {
        Some(b'.') => check_v4(text).map(|()| Family::V4),
        Some(b':') => check_v6(text).map(|()| Family::V6),
        Some(_) => Err(("missing IPv6 address", &b""[..])),
        None => Err(("unable to parse IP", &b""[..])),
    };
    result.map_err(|(message, at)| AddressError { text: text.to_vec(), message, at: at.to_vec() })
}

fn check_v4(text: &[u8]) -> Result<(), Fault<'_>> {
    let (mut value, mut digits, mut fields) = (0u16, 0u8, 0u8);
    for (at, &byte) in text.iter().enumerate() {
        let rest = text.get(at..).unwrap_or_default();
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Err(("IPv4 field has octet with leading zero", b""));
                }
                value = value * 10 + u16::from(byte - b'0');
                digits = digits.saturating_add(1);
                if value > 255 {
                    return Err(("IPv4 field has value >255", b""));
                }
            }
            b'.' if digits == 0 || rest.len() == 1 => {
                return Err(("IPv4 field must have at least one digit", rest));
            }
            b'.' if fields == 3 => return Err(("IPv4 address too long", b"")),
            b'.' => (value, digits, fields) = (0, 0, fields + 1),
            _ => return Err(("unexpected character", rest)),
        }
    }
    if fields < 3 { Err(("IPv4 address too short", b"")) } else { Ok(()) }
}

fn check_v6(text: &[u8]) -> Result<(), Fault<'_>> {
    let percent = text.iter().position(|byte| *byte == b'%').unwrap_or(text.len());
    let (mut rest, zone) = text.split_at(percent);
    if zone == b"%" {
        return Err(("zone must be a non-empty string", b""));
    }
    let mut ellipsis = false;
    if let Some(after) = rest.strip_prefix(b"::") {
        ellipsis = true;
        rest = after;
        if rest.is_empty() {
            return Ok(());
        }
    }
    // Fields of 16 bits read so far.
    let mut fields = 0;
    while fields < 8 {
        let digits = count_digits(rest)?;
        let after = rest.get(digits..).unwrap_or_default();
        if after.starts_with(b".") {
            if !ellipsis && fields != 6 {
                return Err(("embedded IPv4 address must replace the final 2 fields of the address", rest));
            }
            if fields > 6 {
                return Err(("too many hex fields to fit an embedded IPv4 at the end of the address", rest));
            }
            check_v4(rest)?;
            rest = b"";
            fields += 2;
            break;
        }
        fields += 1;
        rest = match after {
            [] => after,
            b":" => return Err(("colon must be followed by more characters", after)),
            [b':', b':', ..] if ellipsis => {
                return Err(("multiple :: in address", after.get(1..).unwrap_or_default()));
            }
            [b':', b':', tail @ ..] => {
                ellipsis = true;
                tail
            }
            [b':', tail @ ..] => {
                rest = tail;
                continue;
            }
            _ => return Err(("unexpected character, want colon", after)),
        };
        if rest.is_empty() {
            break;
        }
    }
    match (rest, fields, ellipsis) {
        ([], 8, true) => Err(("the :: must expand to at least one field of zeros", b"")),
        ([], 8, false) | ([], _, true) => Ok(()),
        ([], _, false) => Err(("address string too short", b"")),
        _ => Err(("trailing garbage after address", rest)),
    }
}

/// Counts the hexadecimal digits of a field: one to four.
fn count_digits(text: &[u8]) -> Result<usize, Fault<'_>> {
    match text.iter().take_while(|byte| byte.is_ascii_hexdigit()).take(5).count() {
        0 => Err(("each colon-separated field must have at least one digit", text)),
        5 => Err(("each group must have 4 or less digits", text)),
        digits => Ok(digits),
    }
}
