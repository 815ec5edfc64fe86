//! Exact decimal numbers, as far as schemas need them, and how messages show numbers.

use std::cmp::Ordering;

/// A decimal number: `0.DIGITS` times ten to the `exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Reads a number in JSON's syntax, or as Go prints a float.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let leading = all.len() - significant.len();
        let digits = significant.trim_end_matches('0').bytes().map(|byte| byte - b'0').collect::<Vec<_>>();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
        let exponent = exponent.checked_add(whole.len() as i64)?.checked_sub(leading as i64)?;
        Some(Self { negative, digits, exponent })
    }

    /// Takes the shortest decimal that reads back as the float.
    pub(super) fn of_float(value: f64) -> Option<Self> {
        Self::parse(&gostd::strconv::format_float(value, b'e', -1, 64))
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= self.digits.len() as i64
    }

    /// Returns the number if it is a whole one that fits.
    pub(super) fn to_usize(&self) -> Option<usize> {
        if self.digits.is_empty() {
            return Some(0);
        }
        if self.negative || !self.is_integer() {
            return None;
        }
        usize::try_from(self.scaled(0)?).ok()
    }

    pub(super) fn to_float(&self) -> f64 {
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let sign = if self.negative { "-" } else { "" };
        let text = format!("{sign}0.{digits}0e{}", self.exponent);
        gostd::strconv::parse_float(text.as_bytes(), 64).unwrap_or_else(|error| error.value)
    }

    /// Returns the digits as a whole number of units of ten to the `unit`, if it fits.
    fn scaled(&self, unit: i64) -> Option<u128> {
        let zeros = self.exponent.checked_sub(self.digits.len() as i64)?.checked_sub(unit)?;
        let whole = self
            .digits
            .iter()
            .try_fold(0u128, |sum, digit| sum.checked_mul(10)?.checked_add(u128::from(*digit)))?;
        whole.checked_mul(10u128.checked_pow(u32::try_from(zeros).ok()?)?)
    }

    /// Reports whether the number is a whole multiple of `factor`.
    pub(super) fn is_multiple_of(&self, factor: &Self) -> bool {
        if self.digits.is_empty() {
            return true;
        }
        let last = |number: &Self| number.exponent - number.digits.len() as i64;
        let unit = last(self).min(last(factor));
        match (self.scaled(unit), factor.scaled(unit)) {
            (_, Some(0)) => false,
            (Some(number), Some(factor)) => number % factor == 0,
            // Beyond 38 digits: as good as floats can tell.
            _ => (self.to_float() / factor.to_float()).fract() == 0.0,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_size = || self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits));
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => by_size(),
            _ => by_size().reverse(),
        })
    }
}

/// Shows a float as Go's `message.Printer` does in English: `1,234.5`, `1.5×10⁰⁶`.
pub(super) fn shown_float(value: f64) -> String {
    let text = gostd::strconv::format_float(value, b'g', -1, 64);
    let Some((mantissa, exponent)) = text.split_once('e') else { return grouped(&text) };
    let raised = exponent.chars().filter_map(|letter| match letter {
        '-' => Some('⁻'),
        '0' => Some('⁰'),
        '1' => Some('¹'),
        '2' => Some('²'),
        '3' => Some('³'),
        '4'..='9' => char::from_u32(u32::from('⁴') + u32::from(letter) - u32::from('4')),
        _ => None,
    });
    format!("{mantissa}×10{}", raised.collect::<String>())
}

/// Shows a count as Go's `message.Printer` does in English.
pub(super) fn shown_count(count: usize) -> String {
    grouped(&count.to_string())
}

/// Puts commas between groups of three digits before the point.
fn grouped(text: &str) -> String {
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut out = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn numbers_compare_exactly() {
        assert!(number("0.1") > number("0.09999999999999999999999"));
        assert!(number("-2") < number("-1.5"));
        assert!(number("1e400") > number("9e399"));
        assert_eq!(number("1.0"), number("10e-1"));
        assert_eq!(number("-0"), number("0.00"));
        assert!(number("100").is_integer() && !number("1.5").is_integer() && number("0").is_integer());
    }

    #[test]
    fn multiples_are_exact() {
        assert!(number("0.3").is_multiple_of(&number("0.1")));
        assert!(!number("0.35").is_multiple_of(&number("0.1")));
        assert!(number("0").is_multiple_of(&number("3")));
        assert!(!number("5").is_multiple_of(&number("10")));
    }

    #[test]
    fn numbers_are_shown_in_english() {
        let shown = [999_999.5, 1e6, 1e-5, -12345.0, 0.5, 1.25e100].map(shown_float);
        assert_eq!(shown, ["999,999.5", "1×10⁰⁶", "1×10⁻⁰⁵", "-12,345", "0.5", "1.25×10¹⁰⁰"]);
        assert_eq!(shown_count(1_234_567), "1,234,567");
    }
}
