//! Floating-point numbers to text.

use std::io::Write as _;

use super::hex_float::{FLOAT32, FLOAT64, append_binary, append_hex};

/// More significant or fractional digits than any `float64` has (767 and 1074); beyond them there are only zeros.
const ALL_DIGITS: usize = 1100;

/// Writes a number as `strconv.FormatFloat`.
///
/// `verb` is one of `b e E f g G x X`; `precision` counts digits after the point (significant ones for `g` and `G`),
/// negative for as few as read back exactly; `bits` is 32 if the number came from a `float32`, else 64 is taken. An
/// unknown verb writes `%` and itself, as Go does.
pub fn format_float(value: f64, verb: u8, precision: i32, bits: u32) -> String {
    let mut out = Vec::with_capacity(24);
    append_float(&mut out, value, verb, precision, bits);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends what [`format_float`] returns.
pub fn append_float(out: &mut Vec<u8>, value: f64, verb: u8, precision: i32, bits: u32) {
    let narrow = bits == 32;
    let value = if narrow { f64::from(value as f32) } else { value };
    if !value.is_finite() {
        out.extend_from_slice(if value.is_nan() {
            b"NaN"
        } else if value > 0.0 {
            b"+Inf"
        } else {
            b"-Inf"
        });
        return;
    }
    if value.is_sign_negative() && matches!(verb, b'b' | b'e' | b'E' | b'f' | b'g' | b'G' | b'x' | b'X') {
        out.push(b'-');
    }
    let value = value.abs();
    let layout = if narrow { &FLOAT32 } else { &FLOAT64 };
    let precision = usize::try_from(precision).ok();
    if precision.is_none() && matches!(verb, b'f' | b'g' | b'G') && value < 1e6 && value.fract() == 0.0 {
        // Most numbers of charts: ports, sizes, counts. Writing to a Vec cannot fail.
        let _ = write!(out, "{}", value as u32);
        return;
    }
    match verb {
        b'b' => append_binary(out, value, layout),
        b'x' | b'X' => append_hex(out, value, layout, precision, verb == b'X'),
        b'e' | b'E' => {
            let digits = match precision {
                None => Digits::shortest(value, narrow),
                Some(precision) => Digits::exact(value, precision.saturating_add(1)),
            };
            digits.append_e(out, precision.unwrap_or_else(|| digits.len().saturating_sub(1)), verb);
        }
        b'f' => append_fixed(out, value, precision, narrow),
        b'g' | b'G' => append_general(out, value, precision, narrow, if verb == b'g' { b'e' } else { b'E' }),
        _ => out.extend([b'%', verb]),
    }
}

fn append_fixed(out: &mut Vec<u8>, value: f64, precision: Option<usize>, narrow: bool) {
    match precision {
        Some(precision) => {
            let exact = precision.min(ALL_DIGITS);
            let _ = write!(out, "{value:.exact$}");
            out.resize(out.len() + precision - exact, b'0');
        }
        None => Digits::shortest(value, narrow).append_plain(out),
    }
}

/// Go's `%g`: the exponent form if the exponent is below -4 or at least the precision (6 if shortest).
fn append_general(
    out: &mut Vec<u8>,
    value: f64,
    precision: Option<usize>,
    narrow: bool,
    exponent_letter: u8,
) {
    let digits = match precision {
        None => Digits::shortest(value, narrow),
        Some(precision) => Digits::exact(value, precision.max(1)),
    };
    let count = digits.len();
    let wanted = precision.map_or(count, |precision| precision.max(1));
    let limit = match precision {
        None => 6,
        Some(_) if wanted > count && count as isize >= digits.point => count as isize,
        Some(_) => isize::try_from(wanted).unwrap_or(isize::MAX),
    };
    let exponent = digits.point - 1;
    if exponent < -4 || exponent >= limit {
        digits.append_e(out, wanted.min(count).saturating_sub(1), exponent_letter);
    } else {
        digits.append_plain(out);
    }
}

/// Decimal digits without trailing zeros, and where the point stands: 0.digits times 10^point. Zero has no digits.
struct Digits {
    /// As `d.ddd`: the leading digit, and the others.
    text: String,
    point: isize,
}

impl Digits {
    /// The fewest digits that read back as the value; of several choices the nearest to it, of two equally near ones
    /// the even one.
    fn shortest(value: f64, narrow: bool) -> Self {
        let digits = Self::parse(if narrow { format!("{:e}", value as f32) } else { format!("{value:e}") });
        // Rust takes the upper one of two equally near choices. There can be two only where decimals of that length
        // lie closer together than the binary numbers do.
        let (sure, smallest) = if narrow { (6, f32::MIN_POSITIVE.into()) } else { (15, f64::MIN_POSITIVE) };
        let is_odd = digits.text.bytes().last().is_some_and(|digit| digit % 2 == 1);
        // Go keeps the upper choice for the one float32 power of two that has two, 2^-12.
        let is_exempt = narrow && (value as f32).to_bits().trailing_zeros() >= 23;
        if is_odd && !is_exempt && (digits.len() > sure || value < smallest) {
            let even = Self::exact(value, digits.len());
            if even.text != digits.text && even.reads_back_as(value, narrow) {
                return even;
            }
        }
        digits
    }

    fn reads_back_as(&self, value: f64, narrow: bool) -> bool {
        let text = format!("0.{}e{}", self.text, self.point);
        if narrow { text.parse() == Ok(value as f32) } else { text.parse() == Ok(value) }
    }

    /// Rounds to so many significant digits, half to even.
    fn exact(value: f64, significant: usize) -> Self {
        Self::parse(format!("{value:.*e}", significant.min(ALL_DIGITS).saturating_sub(1)))
    }

    /// Reads Rust's `d.ddde-x`.
    fn parse(mut text: String) -> Self {
        let marker = text.rfind('e').unwrap_or(text.len());
        let exponent: isize =
            text.get(marker + 1..).and_then(|exponent| exponent.parse().ok()).unwrap_or_default();
        text.truncate(marker);
        text.retain(|digit| digit != '.');
        text.truncate(text.trim_end_matches('0').len());
        let point = if text.is_empty() { 0 } else { exponent + 1 };
        Self { text, point }
    }

    fn len(&self) -> usize {
        self.text.len()
    }

    /// Writes `d.ddde±dd` with so many digits after the point.
    fn append_e(&self, out: &mut Vec<u8>, fraction: usize, letter: u8) {
        let digits = self.text.as_bytes();
        let (first, rest) = digits.split_first().unwrap_or((&b'0', &[]));
        out.push(*first);
        if fraction > 0 {
            out.push(b'.');
            let shown = rest.get(..fraction).unwrap_or(rest);
            out.extend_from_slice(shown);
            out.resize(out.len() + fraction - shown.len(), b'0');
        }
        let exponent = if digits.is_empty() { 0 } else { self.point - 1 };
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{}{sign}{:02}", char::from(letter), exponent.unsigned_abs());
    }

    /// Writes all digits without an exponent.
    fn append_plain(&self, out: &mut Vec<u8>) {
        let digits = self.text.as_bytes();
        match usize::try_from(self.point) {
            Ok(whole @ 1..) => {
                let (before, after) = digits.split_at_checked(whole).unwrap_or((digits, &[]));
                out.extend_from_slice(before);
                out.resize(out.len() + whole - before.len(), b'0');
                if !after.is_empty() {
                    out.push(b'.');
                    out.extend_from_slice(after);
                }
            }
            _ if digits.is_empty() => out.push(b'0'),
            _ => {
                out.extend_from_slice(b"0.");
                out.resize(out.len() + self.point.unsigned_abs(), b'0');
                out.extend_from_slice(digits);
            }
        }
    }
}
