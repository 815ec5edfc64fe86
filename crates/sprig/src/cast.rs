//! Conversions to numbers as spf13/cast 1.7.0 makes them: whatever cannot be converted is 0.

use gostd::Value;
use gostd::strconv;
use gostd::value::Kind;

/// cast's `ToInt64` (and `ToInt`, the same on 64-bit machines).
pub(crate) fn to_int64(value: &Value) -> i64 {
    match value {
        Value::Int(number) | Value::Int64(number) => *number,
        Value::Uint8(number) => i64::from(*number),
        Value::Uint64(number) => *number as i64,
        Value::Float64(number) => truncate(*number),
        Value::Bool(value) => i64::from(*value),
        Value::String(text) => strconv::parse_int(without_zero_fraction(text), 0, 64).unwrap_or_default(),
        named => named_int(named).unwrap_or_default(),
    }
}

/// cast's `ToFloat64`.
pub(crate) fn to_float64(value: &Value) -> f64 {
    match value {
        Value::Int(number) | Value::Int64(number) => *number as f64,
        Value::Uint8(number) => f64::from(*number),
        Value::Uint64(number) => *number as f64,
        Value::Float64(number) => *number,
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::String(text) => strconv::parse_float(text, 64).unwrap_or_default(),
        named => named_int(named).unwrap_or_default() as f64,
    }
}

/// Of the named integers cast knows `time.Month` and `time.Weekday`, both of kind int; a duration counts as 0.
fn named_int(value: &Value) -> Option<i64> {
    if value.kind() == Kind::Int { value.as_int() } else { None }
}

/// Converts as the processor does for Go: what does not fit becomes the smallest number.
fn truncate(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) { number as i64 } else { i64::MIN }
}

/// Cuts off `.0`, `.00` and so on (and, as cast happens to do, points after the zeros).
fn without_zero_fraction(text: &[u8]) -> &[u8] {
    let mut zero_seen = false;
    for (at, byte) in text.iter().enumerate().rev() {
        match byte {
            b'.' if zero_seen => return text.get(..at).unwrap_or_default(),
            b'.' => {}
            b'0' => zero_seen = true,
            _ => return text,
        }
    }
    text
}
