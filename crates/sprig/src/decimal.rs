//! Exact decimals, as far as the float functions (`addf`, `divf`, ...) need them (shopspring/decimal 1.4.0).

use num_bigint::{BigInt, Sign};

/// Digits after the point that a quotient keeps.
const QUOTIENT_PLACES: i64 = 16;

/// The number `digits * 10^exponent`.
#[derive(Clone, Debug)]
pub(crate) struct Decimal {
    digits: BigInt,
    exponent: i64,
}

impl Decimal {
    /// Takes the shortest decimal that reads back as the number. NaN and the infinities have none.
    pub(crate) fn from_float(number: f64) -> Result<Self, String> {
        let name = match number {
            number if number.is_nan() => "NaN",
            f64::INFINITY => "+Inf",
            f64::NEG_INFINITY => "-Inf",
            _ => return Ok(Self::parse_shortest(number)),
        };
        Err(format!("Cannot create a Decimal from {name}"))
    }

    fn parse_shortest(number: f64) -> Self {
        // Of two equally near choices the even one, as Go takes it; Rust takes the upper one.
        let text = gostd::strconv::format_float(number, b'e', -1, 64);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: i64 = format!("{whole}{fraction}").parse().unwrap_or_default();
        let exponent: i64 = exponent.parse().unwrap_or_default();
        Self { digits: digits.into(), exponent: exponent - fraction.len() as i64 }
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let (a, b, exponent) = aligned(self, other);
        Self { digits: a + b, exponent }
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        let (a, b, exponent) = aligned(self, other);
        Self { digits: a - b, exponent }
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        Self { digits: &self.digits * &other.digits, exponent: self.exponent + other.exponent }
    }

    /// Divides, rounding the last kept digit half away from zero.
    pub(crate) fn div(&self, other: &Self) -> Result<Self, String> {
        if other.digits.sign() == Sign::NoSign {
            return Err("decimal division by 0".to_owned());
        }
        let shift = self.exponent - other.exponent + QUOTIENT_PLACES;
        let (numerator, denominator) = if shift < 0 {
            (self.digits.clone(), &other.digits * power_of_ten(-shift))
        } else {
            (&self.digits * power_of_ten(shift), other.digits.clone())
        };
        let mut quotient = &numerator / &denominator;
        let remainder = &numerator % &denominator;
        if remainder.magnitude() * 2u32 >= *denominator.magnitude() {
            let negative = (numerator.sign() == Sign::Minus) != (denominator.sign() == Sign::Minus);
            quotient += if negative { -1 } else { 1 };
        }
        Ok(Self { digits: quotient, exponent: -QUOTIENT_PLACES })
    }

    /// Returns the nearest float; too large becomes infinite.
    pub(crate) fn to_float(&self) -> f64 {
        // Rust reads decimal text of any length with correct rounding.
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or_default()
    }
}

fn power_of_ten(exponent: i64) -> BigInt {
    BigInt::from(10).pow(u32::try_from(exponent).unwrap_or_default())
}

/// Returns both numbers' digits at their common (smaller) exponent.
fn aligned(a: &Decimal, b: &Decimal) -> (BigInt, BigInt, i64) {
    let exponent = a.exponent.min(b.exponent);
    let at = |number: &Decimal| &number.digits * power_of_ten(number.exponent - exponent);
    (at(a), at(b), exponent)
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn of(number: f64) -> Decimal {
        Decimal::from_float(number).unwrap()
    }

    #[test]
    fn sums_and_products_are_exact() {
        assert_eq!(of(0.1).add(&of(0.2)).to_float(), 0.3);
        assert_eq!(of(1e308).add(&of(5e-324)).to_float(), 1e308);
        assert_eq!(of(0.3).sub(&of(0.1)).to_float(), 0.2);
        assert_eq!(of(1.1).mul(&of(1.1)).to_float(), 1.21);
        assert_eq!(of(1e300).mul(&of(1e300)).to_float(), f64::INFINITY);
        assert_eq!(of(-1e-300).mul(&of(1e-300)).to_float().to_bits(), (-0.0f64).to_bits());
        assert_eq!(of(-0.0).to_float().to_bits(), 0);
    }

    #[test]
    fn of_two_equally_near_decimals_the_even_one_is_taken() {
        // 770973184529499.25, for which both .2 and .3 would do.
        assert_eq!(of(-770973184529499.2).div(&of(3.0)).unwrap().to_float(), -256991061509833.06);
        assert_eq!(of(-21295813984929.312).add(&of(0.1)).to_float(), -21295813984929.21);
    }

    #[test]
    fn quotients_keep_sixteen_places() {
        let div = |a, b| of(a).div(&of(b)).map(|quotient| quotient.to_float());
        assert_eq!(div(1.0, 3.0), Ok(0.3333333333333333));
        assert_eq!(div(2.0, 3.0), Ok(0.6666666666666667));
        assert_eq!(div(-2.0, 3.0), Ok(-0.6666666666666667));
        assert_eq!(div(1.0, 1e17), Ok(0.0));
        assert_eq!(div(6e-16, 10.0), Ok(1e-16));
        assert_eq!(div(1.0, 0.0), Err("decimal division by 0".to_owned()));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let refused = |number| Decimal::from_float(number).unwrap_err();
        assert_eq!(refused(f64::NAN), "Cannot create a Decimal from NaN");
        assert_eq!(refused(f64::NEG_INFINITY), "Cannot create a Decimal from -Inf");
    }
}
