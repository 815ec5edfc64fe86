//! Integers from text.

use super::{Cause, NumError};

/// Parses as `strconv.ParseInt`. Base 0 reads the prefixes `0x`, `0b`, `0o`, `0` and allows underscores between
/// digits; size 0 is 64 bits.
pub fn parse_int(text: &[u8], base: u32, bits: u32) -> Result<i64, NumError<i64>> {
    signed("ParseInt", text, base, bits)
}

/// Parses as `strconv.ParseUint`: no sign is allowed, else as [`parse_int`].
pub fn parse_uint(text: &[u8], base: u32, bits: u32) -> Result<u64, NumError<u64>> {
    unsigned(text, base, bits).map_err(|failure| NumError {
        value: failure.nearest,
        ..NumError::new("ParseUint", text, failure.cause)
    })
}

/// Parses a decimal integer, as `strconv.Atoi`.
pub fn atoi(text: &[u8]) -> Result<i64, NumError<i64>> {
    signed("Atoi", text, 10, 64)
}

fn signed(function: &'static str, text: &[u8], base: u32, bits: u32) -> Result<i64, NumError<i64>> {
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let magnitude = match unsigned(digits, base, bits) {
        Ok(magnitude) => magnitude,
        Err(Failure { cause: Cause::Range, nearest }) => nearest,
        Err(Failure { cause, .. }) => return Err(NumError::new(function, text, cause)),
    };
    let limit = 1u64 << (if bits == 0 { 63 } else { bits - 1 });
    match (negative, magnitude >= limit) {
        (true, true) if magnitude == limit => Ok((limit as i64).wrapping_neg()),
        (true, true) => Err(NumError::range(function, text, (limit as i64).wrapping_neg())),
        (false, true) => Err(NumError::range(function, text, (limit - 1) as i64)),
        (true, false) => Ok((magnitude as i64).wrapping_neg()),
        (false, false) => Ok(magnitude as i64),
    }
}

struct Failure {
    cause: Cause,
    nearest: u64,
}

impl From<Cause> for Failure {
    fn from(cause: Cause) -> Self {
        Self { cause, nearest: 0 }
    }
}

fn unsigned(text: &[u8], base: u32, bits: u32) -> Result<u64, Failure> {
    if text.is_empty() {
        return Err(Cause::Syntax.into());
    }
    let any_base = base == 0;
    let (base, digits) = match base {
        0 => prefixed(text),
        2..=36 => (base, text),
        _ => return Err(Cause::Base(base).into()),
    };
    let largest = match bits {
        0 | 64 => u64::MAX,
        1..64 => (1 << bits) - 1,
        _ => return Err(Cause::BitSize(bits).into()),
    };
    let mut number = 0u64;
    let mut underscores = false;
    for byte in digits {
        if *byte == b'_' && any_base {
            underscores = true;
            continue;
        }
        let digit = char::from(*byte).to_digit(base).ok_or(Cause::Syntax)?;
        let next = number.checked_mul(base.into()).and_then(|number| number.checked_add(digit.into()));
        // Go stops here too, so that what follows is not looked at.
        number = next
            .filter(|number| *number <= largest)
            .ok_or(Failure { cause: Cause::Range, nearest: largest })?;
    }
    if underscores && !underscores_ok(text) {
        return Err(Cause::Syntax.into());
    }
    Ok(number)
}

fn prefixed(text: &[u8]) -> (u32, &[u8]) {
    match text {
        [b'0', b'b' | b'B', digits @ ..] if !digits.is_empty() => (2, digits),
        [b'0', b'o' | b'O', digits @ ..] if !digits.is_empty() => (8, digits),
        [b'0', b'x' | b'X', digits @ ..] if !digits.is_empty() => (16, digits),
        [b'0', digits @ ..] => (8, digits),
        _ => (10, text),
    }
}

/// Reports whether underscores stand only between digits, or between a base prefix and a digit.
pub(super) fn underscores_ok(text: &[u8]) -> bool {
    #[derive(PartialEq)]
    enum Seen {
        Start,
        Digit,
        Underscore,
        Other,
    }
    let text = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let (mut seen, hex, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (Seen::Digit, true, rest),
        [b'0', b'b' | b'B' | b'o' | b'O', rest @ ..] => (Seen::Digit, false, rest),
        _ => (Seen::Start, false, text),
    };
    for byte in digits {
        seen = match byte {
            b'0'..=b'9' => Seen::Digit,
            b'a'..=b'f' | b'A'..=b'F' if hex => Seen::Digit,
            b'_' if seen == Seen::Digit => Seen::Underscore,
            b'_' => return false,
            _ if seen == Seen::Underscore => return false,
            _ => Seen::Other,
        };
    }
    seen != Seen::Underscore
}
