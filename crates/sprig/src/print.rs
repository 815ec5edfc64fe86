//! Values as text.

use gostd::value::GoStr;
use gostd::{Value, fmt};

/// Formats as `%v`: 1000000.0 is `1e+06`, nil is `<nil>`.
pub(crate) fn sprint(value: &Value) -> Vec<u8> {
    fmt::format_v(value)
}

/// sprig's `strval`: strings and byte lists as they are, everything else as `%v` (which knows the `String` method).
pub(crate) fn strval(value: &Value) -> GoStr {
    match value {
        Value::String(text) | Value::Bytes(text) => text.clone(),
        other => sprint(other).into(),
    }
}
