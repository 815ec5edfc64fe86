//! Number and character literals: one text, and every Go type that can hold it.

use gostd::strconv::{parse_float, parse_int, parse_uint, quote, unquote_char};

use crate::lex::Kind;

/// A literal under all the types that can represent it, which is how text/template treats Go's untyped constants.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Number {
    pub(crate) int: Option<i64>,
    pub(crate) uint: Option<u64>,
    pub(crate) float: Option<f64>,
    /// Present for imaginary literals only, zero ones included.
    pub(crate) complex: Option<(f64, f64)>,
}

/// The type a literal takes where nothing asks for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ideal {
    Int(i64),
    Float(f64),
    Complex(f64, f64),
    /// An integer above the range of `int`.
    Overflow,
}

impl Number {
    /// Reads a literal; `kind` says how it was scanned. The error is the message of Go's parser.
    pub(crate) fn parse(text: &[u8], kind: Kind) -> Result<Self, String> {
        match kind {
            Kind::CharConstant => Self::character(text),
            Kind::Complex => {
                let (re, im) = complex(text)?;
                Ok(Self::imaginary(re, im))
            }
            _ => match text.split_last() {
                Some((b'i', number)) if let Ok(im) = parse_float(number, 64) => Ok(Self::imaginary(0.0, im)),
                _ => Self::real(text),
            },
        }
    }

    fn character(text: &[u8]) -> Result<Self, String> {
        let body = text.get(1..).unwrap_or_default();
        let (unit, rest) = unquote_char(body, b'\'').map_err(|error| error.to_string())?;
        if rest != b"'" {
            return Err(format!("malformed character constant: {}", gostd::value::lossy(text)));
        }
        let code = unit.code();
        Ok(Self { int: Some(code.into()), uint: Some(code.into()), float: Some(code.into()), complex: None })
    }

    /// A complex number is also every simpler number, if its imaginary part is zero.
    fn imaginary(re: f64, im: f64) -> Self {
        let mut number = Self { complex: Some((re, im)), ..Self::default() };
        if im == 0.0 {
            number.float = Some(re);
            number.int = exact_int(re);
            number.uint = exact_uint(re);
        }
        number
    }

    fn real(text: &[u8]) -> Result<Self, String> {
        let int = parse_int(text, 0, 64).ok();
        // Go's ParseUint takes no sign, so -0 needs a word.
        let uint = parse_uint(text, 0, 64).ok().or((int == Some(0)).then_some(0));
        let exact = int.map(|value| value as f64).or(uint.map(|value| value as f64));
        if exact.is_some() {
            return Ok(Self { int, uint, float: exact, complex: None });
        }
        let Ok(float) = parse_float(text, 64) else {
            return Err(format!("illegal number syntax: {}", quote(text)));
        };
        if !has_float_mark(text) {
            return Err(format!("integer overflow: {}", quote(text)));
        }
        Ok(Self { int: exact_int(float), uint: exact_uint(float), float: Some(float), complex: None })
    }

    /// Returns the value under the type that the literal's own text suggests.
    pub(crate) fn ideal(&self, text: &[u8]) -> Option<Ideal> {
        if let Some((re, im)) = self.complex {
            return Some(Ideal::Complex(re, im));
        }
        let looks_like_float = !is_hex_int(text) && !text.starts_with(b"'") && has_float_mark(text);
        match (self.float, self.int, self.uint) {
            (Some(float), ..) if looks_like_float => Some(Ideal::Float(float)),
            (_, Some(int), _) => Some(Ideal::Int(int)),
            (_, None, Some(_)) => Some(Ideal::Overflow),
            _ => None,
        }
    }
}

fn has_float_mark(text: &[u8]) -> bool {
    text.iter().any(|byte| b".eEpP".contains(byte))
}

/// As in Go, a sign before the prefix hides it.
fn is_hex_int(text: &[u8]) -> bool {
    matches!(text, [b'0', b'x' | b'X', _, ..]) && !text.iter().any(|byte| b"pP".contains(byte))
}

/// Go converts a float outside the range of the integer to its lowest value (amd64), which then differs.
fn exact_int(float: f64) -> Option<i64> {
    let in_range = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    (in_range && float.trunc() == float).then_some(float as i64)
}

fn exact_uint(float: f64) -> Option<u64> {
    let in_range = (0.0..18_446_744_073_709_551_616.0).contains(&float);
    (in_range && float.trunc() == float).then_some(float as u64)
}

/// Reads `1+2i` as `fmt.Sscan` reads a complex number.
fn complex(text: &[u8]) -> Result<(f64, f64), String> {
    const BAD: &str = "syntax error scanning complex number";
    let (re, rest) = text.split_at(float_length(text));
    let sign = usize::from(matches!(rest, [b'+' | b'-', ..]));
    let digits = rest.get(sign..).unwrap_or_default();
    let (im, end) = rest.split_at(sign + float_length(digits));
    if sign == 0 || digits.starts_with(b"i") || !end.starts_with(b"i") {
        return Err(BAD.to_owned());
    }
    let convert = |part: &[u8]| parse_float(part, 64).map_err(|error| error.to_string());
    Ok((convert(re)?, convert(im)?))
}

/// Returns the length of the number at the start, as `fmt` scans floats.
fn float_length(text: &[u8]) -> usize {
    let mut rest = text;
    let mut take = |set: &[u8], many: bool| {
        let limit = if many { rest.len() } else { 1 };
        let count = rest.iter().take(limit).take_while(|byte| set.contains(byte)).count();
        rest = rest.get(count..).unwrap_or_default();
        count > 0
    };
    take(b"+-", false);
    let hex = take(b"0", false) && take(b"xX", false);
    let digits: &[u8] = if hex { b"0123456789abcdefABCDEF_" } else { b"0123456789_" };
    take(digits, true);
    if take(b".", false) {
        take(digits, true);
    }
    if take(if hex { b"pP" } else { b"eEpP" }, false) {
        take(b"+-", false);
        take(b"0123456789_", true);
    }
    text.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ideal(text: &str) -> Option<Ideal> {
        Number::parse(text.as_bytes(), Kind::Number).unwrap().ideal(text.as_bytes())
    }

    #[test]
    fn text_decides_the_type_of_a_bare_literal() {
        assert_eq!(ideal("017"), Some(Ideal::Int(15)));
        assert_eq!(ideal("0x1F"), Some(Ideal::Int(31)));
        assert_eq!(ideal("0x1e"), Some(Ideal::Int(30)));
        assert_eq!(ideal("-0x1e"), Some(Ideal::Float(-30.0)));
        assert_eq!(ideal("1_000"), Some(Ideal::Int(1000)));
        assert_eq!(ideal("1e3"), Some(Ideal::Float(1000.0)));
        assert_eq!(ideal("0x1p4"), Some(Ideal::Float(16.0)));
        assert_eq!(ideal("9223372036854775807"), Some(Ideal::Int(i64::MAX)));
        assert_eq!(ideal("9223372036854775808"), Some(Ideal::Overflow));
        assert_eq!(ideal("2i"), Some(Ideal::Complex(0.0, 2.0)));
        assert_eq!(ideal("0i"), Some(Ideal::Complex(0.0, 0.0)));
    }

    #[test]
    fn a_literal_knows_every_type_that_holds_it() {
        let ten = Number::parse(b"1e1", Kind::Number).unwrap();
        assert_eq!((ten.int, ten.uint, ten.float), (Some(10), Some(10), Some(10.0)));
        let half = Number::parse(b"1.5", Kind::Number).unwrap();
        assert_eq!((half.int, half.uint, half.float), (None, None, Some(1.5)));
        let minus_zero = Number::parse(b"-0", Kind::Number).unwrap();
        assert_eq!((minus_zero.int, minus_zero.uint), (Some(0), Some(0)));
        let real = Number::parse(b"3+0i", Kind::Complex).unwrap();
        assert_eq!((real.int, real.float), (Some(3), Some(3.0)));
        let letter = Number::parse(b"'a'", Kind::CharConstant).unwrap();
        assert_eq!((letter.int, letter.ideal(b"'a'")), (Some(97), Some(Ideal::Int(97))));
    }

    #[test]
    fn bad_literals_give_the_words_of_go() {
        let error = |text: &str, kind| Number::parse(text.as_bytes(), kind).unwrap_err();
        assert_eq!(error("089", Kind::Number), "integer overflow: \"089\"");
        assert_eq!(error("0x", Kind::Number), "illegal number syntax: \"0x\"");
        assert_eq!(error("99999999999999999999", Kind::Number), "integer overflow: \"99999999999999999999\"");
        assert_eq!(error("'ab'", Kind::CharConstant), "malformed character constant: 'ab'");
        assert_eq!(error("'\\z'", Kind::CharConstant), "invalid syntax");
        assert_eq!(error("1+i", Kind::Complex), "syntax error scanning complex number");
    }
}
