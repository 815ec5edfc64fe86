//! Floating-point numbers from text.

use super::{NumError, hex_float, parse_int::underscores_ok};

const FUNCTION: &str = "ParseFloat";

/// Parses as `strconv.ParseFloat`, rounding to nearest even: decimal and hexadecimal numbers, `inf`, `infinity`, `nan`
/// in any case. `bits` 32 rounds to a `float32`; anything else is 64. A number too large is an error whose value is an
/// infinity.
pub fn parse_float(text: &[u8], bits: u32) -> Result<f64, NumError<f64>> {
    if let Some(special) = special(text) {
        return Ok(special);
    }
    let syntax = || NumError::syntax(FUNCTION, text);
    let number = Literal::read(text).ok_or_else(syntax)?;
    let value = match number.hex {
        true => hex_float::assemble(&number, bits),
        false => decimal(text, bits).ok_or_else(syntax)?,
    };
    if value.is_infinite() { Err(NumError::range(FUNCTION, text, value)) } else { Ok(value) }
}

fn special(text: &[u8]) -> Option<f64> {
    let (sign, name) = match text.split_first()? {
        (b'-', rest) => (-1.0, rest),
        (b'+', rest) => (1.0, rest),
        _ => (1.0, text),
    };
    if name.eq_ignore_ascii_case(b"inf") || name.eq_ignore_ascii_case(b"infinity") {
        return Some(f64::INFINITY * sign);
    }
    text.eq_ignore_ascii_case(b"nan").then_some(f64::NAN)
}

/// Decimal syntax is a subset of Rust's, once underscores are gone; [`Literal::read`] has checked it.
fn decimal(text: &[u8], bits: u32) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    if text.contains('_') {
        return decimal(text.replace('_', "").as_bytes(), bits);
    }
    if bits == 32 { text.parse::<f32>().ok().map(f64::from) } else { text.parse().ok() }
}

/// A number taken apart: its leading significant digits and exponent.
#[derive(Debug, Default)]
pub(super) struct Literal {
    pub(super) negative: bool,
    pub(super) hex: bool,
    /// The first 16 hexadecimal digits; of decimal numbers nothing is kept.
    pub(super) mantissa: u64,
    /// What the mantissa counts: this power of two.
    pub(super) exponent: i64,
    /// Whether digits other than zero were left out.
    pub(super) truncated: bool,
}

impl Literal {
    /// Checks the whole text, as Go's `readFloat`.
    fn read(text: &[u8]) -> Option<Self> {
        let mut number = Self::default();
        let mut rest = text;
        if let Some((sign @ (b'+' | b'-'), tail)) = rest.split_first() {
            number.negative = *sign == b'-';
            rest = tail;
        }
        if let [b'0', b'x' | b'X', _, ..] = rest {
            number.hex = true;
            rest = rest.get(2..)?;
        }
        let rest = number.read_digits(rest)?;
        let marker = if number.hex { b'p' } else { b'e' };
        match rest.split_first() {
            None if number.hex => return None,
            None => {}
            Some((byte, exponent)) if byte.to_ascii_lowercase() == marker => {
                number.read_exponent(exponent)?
            }
            Some(_) => return None,
        }
        (!text.contains(&b'_') || underscores_ok(text)).then_some(number)
    }

    fn read_digits<'a>(&mut self, mut rest: &'a [u8]) -> Option<&'a [u8]> {
        const KEPT: u32 = 16;
        let (mut dot, mut any, mut kept) = (false, false, 0);
        while let Some((byte, tail)) = rest.split_first() {
            match byte {
                b'_' => {}
                b'.' if !dot => dot = true,
                b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' if self.hex || byte.is_ascii_digit() => {
                    any = true;
                    let digit = char::from(*byte).to_digit(16)?;
                    if kept < KEPT {
                        self.mantissa = self.mantissa << 4 | u64::from(digit);
                        kept += u32::from(self.mantissa != 0);
                        self.exponent -= if dot { 4 } else { 0 };
                    } else {
                        self.truncated |= digit != 0;
                        self.exponent += if dot { 0 } else { 4 };
                    }
                }
                _ => break,
            }
            rest = tail;
        }
        any.then_some(rest)
    }

    fn read_exponent(&mut self, text: &[u8]) -> Option<()> {
        let (negative, digits) = match text.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => (false, text),
        };
        if !digits.first()?.is_ascii_digit() {
            return None;
        }
        let mut exponent = 0;
        for byte in digits {
            match byte {
                b'_' => {}
                b'0'..=b'9' if exponent < 10_000 => exponent = exponent * 10 + i64::from(byte - b'0'),
                b'0'..=b'9' => {}
                _ => return None,
            }
        }
        self.exponent += if negative { -exponent } else { exponent };
        Some(())
    }
}
