//! How one verb asks for its argument to be written, and the writing of plain values. Go's fmt/format.go.

use crate::runes::{push_rune, rune_count, runes};
use crate::strconv::{
    append_float, append_quote, append_quote_to_ascii, can_backquote, quote_rune, quote_rune_to_ascii,
};
use crate::strings::is_print;

/// The flags, width and precision of a verb.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    /// Least number of characters.
    pub(super) width: Option<usize>,
    /// Digits of numbers, most characters of strings.
    pub(super) precision: Option<usize>,
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`, in which case `plus` is off: field names are shown.
    pub(super) plus_v: bool,
    /// `%#v`, in which case `sharp` is off: Go syntax.
    pub(super) sharp_v: bool,
}

/// A number base and how its digits look.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Binary,
    Octal,
    /// Octal that always starts with `0o` (`%O`).
    OctalO,
    Decimal,
    Hex,
    HexUpper,
}

impl Spec {
    /// Writes a text, padded to the width.
    pub(super) fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let missing = match self.width {
            None | Some(0) => 0,
            Some(width) => width.saturating_sub(rune_count(text)),
        };
        if !self.minus {
            self.fill(out, missing);
        }
        out.extend_from_slice(text);
        if self.minus {
            self.fill(out, missing);
        }
    }

    /// Zeros pad only to the left.
    fn fill(&self, out: &mut Vec<u8>, count: usize) {
        out.resize(out.len() + count, if self.zero && !self.minus { b'0' } else { b' ' });
    }

    /// This, but padding with spaces.
    fn spaced(&self) -> Self {
        Self { zero: false, ..*self }
    }

    pub(super) fn boolean(&self, out: &mut Vec<u8>, value: bool) {
        self.pad(out, if value { b"true" } else { b"false" });
    }

    /// Cuts a text to as many characters as the precision allows.
    fn truncate<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let cut = self.precision.and_then(|precision| runes(text).nth(precision));
        cut.and_then(|(offset, ..)| text.get(..offset)).unwrap_or(text)
    }

    pub(super) fn string(&self, out: &mut Vec<u8>, text: &[u8]) {
        self.pad(out, self.truncate(text));
    }

    /// Writes a quoted string: with `#` in backquotes if it can be, with `+` in ASCII.
    pub(super) fn quoted(&self, out: &mut Vec<u8>, text: &[u8]) {
        let text = self.truncate(text);
        let mut literal = Vec::with_capacity(text.len() + 2);
        if self.sharp && can_backquote(text) {
            literal.push(b'`');
            literal.extend_from_slice(text);
            literal.push(b'`');
        } else if self.plus {
            append_quote_to_ascii(&mut literal, text);
        } else {
            append_quote(&mut literal, text);
        }
        self.pad(out, &literal);
    }

    /// Writes the bytes of a string in hexadecimal; the precision counts bytes.
    pub(super) fn hex(&self, out: &mut Vec<u8>, bytes: &[u8], upper: bool) {
        let shown = self.precision.and_then(|precision| bytes.get(..precision)).unwrap_or(bytes);
        let prefix = match (self.sharp, upper) {
            (false, _) => "",
            (true, false) => "0x",
            (true, true) => "0X",
        };
        let mut text = String::with_capacity(shown.len() * 2);
        for (at, byte) in shown.iter().enumerate() {
            if self.space && at > 0 {
                text.push(' ');
            }
            if self.space || at == 0 {
                text.push_str(prefix);
            }
            text.push_str(&if upper { format!("{byte:02X}") } else { format!("{byte:02x}") });
        }
        self.pad(out, text.as_bytes());
    }

    /// Writes a character given by its number; numbers that are none give U+FFFD.
    pub(super) fn character(&self, out: &mut Vec<u8>, code: u64) {
        self.pad(out, rune(code).encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Writes a quoted character.
    pub(super) fn quoted_character(&self, out: &mut Vec<u8>, code: u64) {
        let literal = if self.plus { quote_rune_to_ascii(rune(code)) } else { quote_rune(rune(code)) };
        self.pad(out, literal.as_bytes());
    }

    /// Writes `U+0078`, with `#` followed by the character itself.
    pub(super) fn unicode(&self, out: &mut Vec<u8>, code: u64) {
        let digits = self.precision.unwrap_or_default().max(4);
        let hex = format!("{code:X}");
        let mut text = b"U+".to_vec();
        text.resize(text.len() + digits.saturating_sub(hex.len()), b'0');
        text.extend_from_slice(hex.as_bytes());
        if let Some(rune) = u32::try_from(code).ok().and_then(char::from_u32).filter(|rune| is_print(*rune))
            && self.sharp
        {
            text.extend_from_slice(b" '");
            push_rune(&mut text, rune);
            text.push(b'\'');
        }
        self.spaced().pad(out, &text);
    }

    /// Writes an integer given by sign and magnitude.
    pub(super) fn integer(&self, out: &mut Vec<u8>, negative: bool, magnitude: u64, base: Base) {
        if self.precision == Some(0) && magnitude == 0 {
            return self.spaced().fill(out, self.width.unwrap_or_default());
        }
        let signed = negative || self.plus || self.space;
        // Leading zeros come from the precision or, without one, from the width and `0`.
        let least = match (self.precision, self.width) {
            (Some(precision), _) => precision,
            (None, Some(width)) if self.zero && !self.minus => width.saturating_sub(usize::from(signed)),
            _ => 0,
        };
        let digits = match base {
            Base::Binary => format!("{magnitude:b}"),
            Base::Octal | Base::OctalO => format!("{magnitude:o}"),
            Base::Decimal => magnitude.to_string(),
            Base::Hex => format!("{magnitude:x}"),
            Base::HexUpper => format!("{magnitude:X}"),
        };
        let zeros = least.saturating_sub(digits.len());
        let sign = if negative {
            "-"
        } else if self.plus {
            "+"
        } else if self.space {
            " "
        } else {
            ""
        };
        let starts_with_zero = zeros > 0 || digits.starts_with('0');
        let prefix = match base {
            Base::OctalO if self.sharp && !starts_with_zero => "0o0",
            Base::OctalO => "0o",
            _ if !self.sharp => "",
            Base::Binary => "0b",
            Base::Octal if starts_with_zero => "",
            Base::Octal => "0",
            Base::Hex => "0x",
            Base::HexUpper => "0X",
            Base::Decimal => "",
        };
        let mut text = Vec::with_capacity(sign.len() + prefix.len() + zeros + digits.len());
        text.extend_from_slice(sign.as_bytes());
        text.extend_from_slice(prefix.as_bytes());
        text.resize(text.len() + zeros, b'0');
        text.extend_from_slice(digits.as_bytes());
        self.spaced().pad(out, &text);
    }

    /// Writes a float by a verb of `strconv.FormatFloat`; `precision` is the verb's own default.
    pub(super) fn float(&self, out: &mut Vec<u8>, value: f64, verb: u8, precision: i32) {
        let precision =
            self.precision.map_or(precision, |precision| i32::try_from(precision).unwrap_or(i32::MAX));
        let mut number = Vec::with_capacity(24);
        append_float(&mut number, value, verb, precision, 64);
        let sign = match number.first() {
            Some(sign @ (b'-' | b'+')) => {
                let sign = *sign;
                number.remove(0);
                sign
            }
            _ => b'+',
        };
        let sign = if self.space && sign == b'+' && !self.plus { b' ' } else { sign };
        if !value.is_finite() {
            // Infinities always show their sign, NaN only if asked to; neither is padded with zeros.
            if value.is_infinite() || self.space || self.plus {
                number.insert(0, sign);
            }
            return self.spaced().pad(out, &number);
        }
        if self.sharp && verb != b'b' {
            complete_digits(&mut number, verb, precision);
        }
        if sign == b'+' && !self.plus {
            return self.pad(out, &number);
        }
        if let Some(width) = self.width
            && self.zero
            && !self.minus
            && width > number.len() + 1
        {
            // The sign stands before the zeros.
            out.push(sign);
            self.fill(out, width - number.len() - 1);
            out.extend_from_slice(&number);
            return;
        }
        number.insert(0, sign);
        self.pad(out, &number);
    }
}

/// `#` on floats: a point is always there, and trailing zeros that `%g` drops are kept.
fn complete_digits(number: &mut Vec<u8>, verb: u8, precision: i32) {
    let mut missing = match verb {
        b'g' | b'G' | b'x' if precision == -1 => 6,
        b'g' | b'G' | b'x' => precision,
        _ => 0,
    };
    let is_hex = matches!(verb, b'x' | b'X');
    let is_exponent = |byte: &u8| matches!(byte, b'p' | b'P') || !is_hex && matches!(byte, b'e' | b'E');
    let tail = number.split_off(number.iter().position(is_exponent).unwrap_or(number.len()));
    let significant = number.iter().skip_while(|byte| matches!(byte, b'0' | b'.'));
    missing -= i32::try_from(significant.filter(|byte| **byte != b'.').count()).unwrap_or(i32::MAX);
    if !number.contains(&b'.') {
        // A lone zero counts as one digit.
        missing -= i32::from(number.as_slice() == b"0");
        number.push(b'.');
    }
    number.resize(number.len() + usize::try_from(missing).unwrap_or_default(), b'0');
    number.extend_from_slice(&tail);
}

fn rune(code: u64) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}
