//! Go's `fmt`: values as text.
//!
//! Printing never fails, as in Go: what is wrong with a format or argument shows in the text, such as
//! `%!d(string=x)`. Where Go would exhaust its stack or memory, on a map that holds itself or a text above 256 MiB,
//! the text ends with `%!v(CYCLE)` or `%!v(TOOLONG)`.
//!
//! ```
//! use gostd::{Value, fmt};
//!
//! let list = Value::list(vec![Value::Nil, Value::from("a"), Value::Float64(1e6)]);
//! assert_eq!(fmt::sprintf(b"%v|%5.2f|%-4d|%q", &[list, Value::Float64(2.0), Value::Int(7), Value::from("x")]),
//!            b"[<nil> a 1e+06]| 2.00|7   |\"x\"");
//! assert_eq!(fmt::sprintf(b"%d", &[Value::from("x")]), b"%!d(string=x)");
//! ```

mod printer;
mod spec;
mod sprintf;
mod verbs;

use printer::Printer;
use std::io::Write as _;

use crate::strconv::append_float;
use crate::value::{Kind, Value};

/// Formats with the default formats, as `fmt.Sprint`: a space stands between two arguments that are both no strings.
pub fn sprint(arguments: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut after_string = true;
    for argument in arguments {
        let is_string = argument.kind() == Kind::String;
        if !is_string && !after_string {
            out.push(b' ');
        }
        append_v(&mut out, argument);
        after_string = is_string;
    }
    out
}

/// Formats with the default formats, as `fmt.Sprintln`: spaces between all arguments and a newline at the end.
pub fn sprintln(arguments: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        append_v(&mut out, argument);
    }
    out.push(b'\n');
    out
}

/// Formats by a format text, as `fmt.Sprintf`.
pub fn sprintf(format: &[u8], arguments: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len() + 16);
    sprintf::append(&mut out, format, arguments);
    out
}

/// Formats one value as `%v` does.
pub fn format_v(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    append_v(&mut out, value);
    out
}

/// Appends what [`format_v`] returns.
pub fn append_v(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::String(text) => out.extend_from_slice(text),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        // Writing to a Vec cannot fail.
        Value::Int(number) | Value::Int64(number) => _ = write!(out, "{number}"),
        Value::Float64(number) => append_float(out, *number, b'g', -1, 64),
        _ => Printer::new(out).argument(value, 'v'),
    }
}

#[cfg(test)]
mod tests;
