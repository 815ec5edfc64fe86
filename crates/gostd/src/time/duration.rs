//! Spans of time (Go `time.Duration`).

use std::fmt;

use super::parse::quote;

/// A span of time in nanoseconds, at most about 292 years.
///
/// ```
/// use gostd::time::Duration;
/// let duration = Duration::parse(b"-1h2m3.5s")?;
/// assert_eq!(duration.to_string(), "-1h2m3.5s");
/// assert_eq!(duration.truncate(Duration::MINUTE).minutes(), -62.0);
/// # Ok::<(), gostd::time::DurationError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// A text that is no duration. The texts are those of Go's `time.ParseDuration`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// Not of the form, or out of range.
    #[error("time: invalid duration {}", quote(.0))]
    Invalid(Vec<u8>),
    /// A number without a unit.
    #[error("time: missing unit in duration {}", quote(.0))]
    MissingUnit(Vec<u8>),
    /// A unit other than ns, us, ms, s, m and h.
    #[error("time: unknown unit {} in duration {}", quote(.unit), quote(.text))]
    UnknownUnit {
        /// The unit.
        unit: Vec<u8>,
        /// The whole text.
        text: Vec<u8>,
    },
}

impl Duration {
    /// One nanosecond.
    pub const NANOSECOND: Self = Self(1);
    /// One microsecond.
    pub const MICROSECOND: Self = Self(1_000);
    /// One millisecond.
    pub const MILLISECOND: Self = Self(1_000_000);
    /// One second.
    pub const SECOND: Self = Self(1_000_000_000);
    /// One minute.
    pub const MINUTE: Self = Self(60 * 1_000_000_000);
    /// One hour.
    pub const HOUR: Self = Self(3600 * 1_000_000_000);

    /// Returns whole nanoseconds.
    pub fn nanoseconds(self) -> i64 {
        self.0
    }

    /// Returns whole microseconds.
    pub fn microseconds(self) -> i64 {
        self.0 / Self::MICROSECOND.0
    }

    /// Returns whole milliseconds.
    pub fn milliseconds(self) -> i64 {
        self.0 / Self::MILLISECOND.0
    }

    /// Returns seconds.
    pub fn seconds(self) -> f64 {
        self.in_units(Self::SECOND)
    }

    /// Returns minutes.
    pub fn minutes(self) -> f64 {
        self.in_units(Self::MINUTE)
    }

    /// Returns hours.
    pub fn hours(self) -> f64 {
        self.in_units(Self::HOUR)
    }

    /// Whole units and the rest are converted apart, as Go does, for the same rounding.
    fn in_units(self, unit: Self) -> f64 {
        (self.0 / unit.0) as f64 + (self.0 % unit.0) as f64 / unit.0 as f64
    }

    /// Returns the duration rounded toward zero to a multiple of a unit. Zero and negative units change nothing.
    #[must_use]
    pub fn truncate(self, unit: Self) -> Self {
        if unit.0 <= 0 { self } else { Self(self.0 - self.0 % unit.0) }
    }

    /// Returns the duration rounded to the nearest multiple of a unit, halves away from zero, or the largest duration
    /// where that is out of range.
    #[must_use]
    pub fn round(self, unit: Self) -> Self {
        if unit.0 <= 0 {
            return self;
        }
        let rest = self.0 % unit.0;
        let down = self.0 - rest;
        if rest.unsigned_abs() < unit.0.unsigned_abs() - rest.unsigned_abs() {
            return Self(down);
        }
        Self(if self.0 < 0 { down.saturating_sub(unit.0) } else { down.saturating_add(unit.0) })
    }

    /// Returns the absolute value; that of the smallest duration is the largest.
    #[must_use]
    pub fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// Reads a sequence of decimal numbers with units ns, us, ms, s, m and h, such as `-1.5h` or `1h30m`.
    pub fn parse(text: &[u8]) -> Result<Self, DurationError> {
        let invalid = || DurationError::Invalid(text.to_vec());
        let (negative, mut rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        if rest == b"0" {
            return Ok(Self(0));
        }
        if rest.is_empty() {
            return Err(invalid());
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let (whole, after) = split_digits(rest);
            let (fraction, after) = match after {
                [b'.', after @ ..] => split_digits(after),
                _ => (&b""[..], after),
            };
            if whole.is_empty() && fraction.is_empty() {
                return Err(invalid());
            }
            let whole = leading_int(whole).ok_or_else(invalid)?;
            let unit_end = after.iter().position(|byte| *byte == b'.' || byte.is_ascii_digit());
            let (unit, after) = after.split_at(unit_end.unwrap_or(after.len()));
            let size = unit_size(unit, text)?;
            let part = span(whole, fraction, size).ok_or_else(invalid)?;
            // Go's sum wraps, so that twice the limit is zero and passes.
            total = Some(total.wrapping_add(part)).filter(|sum| *sum <= LIMIT).ok_or_else(invalid)?;
            rest = after;
        }
        if negative {
            return Ok(Self(0i64.wrapping_sub_unsigned(total)));
        }
        i64::try_from(total).map(Self).map_err(|_| invalid())
    }
}

/// The absolute value of the smallest duration.
const LIMIT: u64 = 1 << 63;

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(digits)
}

fn leading_int(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, digit| {
        let value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        (value <= LIMIT).then_some(value)
    })
}

fn unit_size(unit: &[u8], text: &[u8]) -> Result<u64, DurationError> {
    Ok(match unit {
        b"" => return Err(DurationError::MissingUnit(text.to_vec())),
        b"ns" => 1,
        // The micro sign and the Greek letter mu.
        b"us" | b"\xc2\xb5s" | b"\xce\xbcs" => 1_000,
        b"ms" => 1_000_000,
        b"s" => 1_000_000_000,
        b"m" => 60 * 1_000_000_000,
        b"h" => 3600 * 1_000_000_000,
        _ => return Err(DurationError::UnknownUnit { unit: unit.to_vec(), text: text.to_vec() }),
    })
}

/// Multiplies; the fraction goes through a float, as in Go.
fn span(whole: u64, fraction: &[u8], unit: u64) -> Option<u64> {
    let value = whole.checked_mul(unit).filter(|value| *value <= LIMIT)?;
    let (fraction, scale) = leading_fraction(fraction);
    let rest = (fraction as f64 * (unit as f64 / scale)) as u64;
    value.checked_add(rest).filter(|value| *value <= LIMIT)
}

/// Reads digits until precision is used up; returns their value and what to divide it by.
fn leading_fraction(digits: &[u8]) -> (u64, f64) {
    let (mut value, mut scale) = (0u64, 1f64);
    for digit in digits {
        let next = (value <= (LIMIT - 1) / 10).then(|| value * 10 + u64::from(digit - b'0'));
        match next.filter(|next| *next <= LIMIT) {
            Some(next) => value = next,
            None => break,
        }
        scale *= 10.0;
    }
    (value, scale)
}

impl fmt::Display for Duration {
    /// Prints as Go does: `72h3m0.5s`, and durations below a second with a smaller unit (`1.5ms`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        f.write_str(if self.0 < 0 { "-" } else { "" })?;
        match size {
            0 => return f.write_str("0s"),
            1..1_000 => return write!(f, "{size}ns"),
            1_000..1_000_000 => return write_decimal(f, size, 1_000, "µs"),
            1_000_000..1_000_000_000 => return write_decimal(f, size, 1_000_000, "ms"),
            _ => {}
        }
        let minutes = size / 60_000_000_000;
        if minutes >= 60 {
            write!(f, "{}h", minutes / 60)?;
        }
        if minutes > 0 {
            write!(f, "{}m", minutes % 60)?;
        }
        write_decimal(f, size % 60_000_000_000, 1_000_000_000, "s")
    }
}

/// Writes `value / unit` exactly, without trailing zeros.
fn write_decimal(f: &mut fmt::Formatter<'_>, value: u64, unit: u64, name: &str) -> fmt::Result {
    write!(f, "{}", value / unit)?;
    let digits = unit.ilog10() as usize;
    let fraction = format!("{:0digits$}", value % unit);
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        write!(f, ".{fraction}")?;
    }
    f.write_str(name)
}
