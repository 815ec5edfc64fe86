//! Hexadecimal and binary-exponent forms of floating-point numbers.

use super::parse_float::Literal;

/// The layout of an IEEE 754 type.
pub(super) struct Layout {
    /// Bits of the fraction.
    pub(super) fraction_bits: u32,
    /// Bits of the exponent.
    pub(super) exponent_bits: u32,
    /// The exponent that a biased exponent of 0 means.
    pub(super) bias: i64,
}

/// `float32`.
pub(super) const FLOAT32: Layout = Layout { fraction_bits: 23, exponent_bits: 8, bias: -127 };
/// `float64`.
pub(super) const FLOAT64: Layout = Layout { fraction_bits: 52, exponent_bits: 11, bias: -1023 };

/// Rounds a hexadecimal literal to the nearest number, as Go's `atofHex`; too large a one gives an infinity.
pub(super) fn assemble(literal: &Literal, bits: u32) -> f64 {
    let layout = if bits == 32 { &FLOAT32 } else { &FLOAT64 };
    let fraction_bits = layout.fraction_bits;
    let largest = (1 << layout.exponent_bits) + layout.bias - 2;
    let smallest = layout.bias + 1;
    // From here on the mantissa counts 2^-fraction_bits of the exponent; two more low bits serve rounding, the lowest
    // standing for all that was shifted out.
    let mut mantissa = literal.mantissa;
    let mut exponent = literal.exponent + i64::from(fraction_bits);
    while mantissa != 0 && mantissa >> (fraction_bits + 2) == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    mantissa |= u64::from(literal.truncated);
    while mantissa >> (fraction_bits + 3) != 0 {
        mantissa = mantissa >> 1 | mantissa & 1;
        exponent += 1;
    }
    // A number too small for the exponent loses low bits instead.
    while mantissa > 1 && exponent < smallest - 2 {
        mantissa = mantissa >> 1 | mantissa & 1;
        exponent += 1;
    }
    let odd = mantissa >> 2 & 1;
    let rounds_up = mantissa & 3 | odd == 3;
    mantissa = (mantissa >> 2) + u64::from(rounds_up);
    exponent += 2;
    if mantissa == 1 << (fraction_bits + 1) {
        mantissa >>= 1;
        exponent += 1;
    }
    if mantissa >> fraction_bits == 0 {
        exponent = layout.bias;
    }
    let magnitude = if exponent > largest { f64::INFINITY } else { scale(mantissa, exponent, layout) };
    if literal.negative { -magnitude } else { magnitude }
}

fn scale(mantissa: u64, exponent: i64, layout: &Layout) -> f64 {
    let biased = u64::try_from(exponent - layout.bias).unwrap_or_default();
    let bits = mantissa & ((1 << layout.fraction_bits) - 1) | biased << layout.fraction_bits;
    match u32::try_from(bits) {
        Ok(bits) if layout.fraction_bits == FLOAT32.fraction_bits => f32::from_bits(bits).into(),
        _ => f64::from_bits(bits),
    }
}

/// Takes a finite number apart: mantissa and the power of two its top bit (bit `fraction_bits`) stands for.
pub(super) fn take_apart(value: f64, layout: &Layout) -> (u64, i64) {
    let bits = if layout.fraction_bits == 23 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
    let fraction = bits & ((1 << layout.fraction_bits) - 1);
    let biased = bits >> layout.fraction_bits & ((1 << layout.exponent_bits) - 1);
    match i64::try_from(biased).unwrap_or_default() {
        0 => (fraction, layout.bias + 1),
        biased => (fraction | 1 << layout.fraction_bits, biased + layout.bias),
    }
}

/// Writes the magnitude in Go's `%b` form: decimal mantissa, `p`, power of two.
pub(super) fn append_binary(out: &mut Vec<u8>, value: f64, layout: &Layout) {
    let (mantissa, exponent) = take_apart(value, layout);
    let exponent = exponent - i64::from(layout.fraction_bits);
    out.extend_from_slice(format!("{mantissa}p{exponent:+}").as_bytes());
}

/// Writes the magnitude in Go's `%x` form, `0x1.8p+01`, with as many digits as needed if `precision` is `None`.
pub(super) fn append_hex(
    out: &mut Vec<u8>,
    value: f64,
    layout: &Layout,
    precision: Option<usize>,
    upper: bool,
) {
    const TOP: u64 = 1 << 60;
    let (mut mantissa, mut exponent) = take_apart(value, layout);
    if mantissa == 0 {
        exponent = 0;
    }
    mantissa <<= 60 - layout.fraction_bits;
    while mantissa != 0 && mantissa & TOP == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    if let Some(digits @ 0..15) = precision {
        let shift = digits as u32 * 4;
        let dropped = mantissa << shift & (TOP - 1);
        mantissa >>= 60 - shift;
        mantissa += u64::from((dropped | mantissa & 1) > TOP / 2);
        mantissa <<= 60 - shift;
        if mantissa & TOP << 1 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let fraction = format!("{:015x}", mantissa & (TOP - 1));
    let digits = match precision {
        None => fraction.trim_end_matches('0'),
        Some(precision) => fraction.get(..precision).unwrap_or(&fraction),
    };
    let zeros = precision.unwrap_or_default().saturating_sub(digits.len());
    let point = if digits.is_empty() { "" } else { "." };
    let start = out.len();
    out.extend_from_slice(format!("0x{}{point}{digits}", mantissa >> 60).as_bytes());
    out.resize(out.len() + zeros, b'0');
    let sign = if exponent < 0 { '-' } else { '+' };
    out.extend_from_slice(format!("p{sign}{:02}", exponent.unsigned_abs()).as_bytes());
    if upper && let Some(written) = out.get_mut(start..) {
        written.make_ascii_uppercase();
    }
}
