//! Values and results as text that the Go program reads.

use std::fmt::Write as _;

use gostd::Value;

/// Writes a value: a letter for its type, then its contents.
pub(crate) fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Nil => out.push(b'n'),
        Value::Bool(true) => out.push(b't'),
        Value::Bool(false) => out.push(b'f'),
        // Go's NaN.
        Value::Float64(number) if number.is_nan() => out.extend(b"d7ff8000000000001;"),
        Value::Float64(number) => out.extend(format!("d{:x};", number.to_bits()).into_bytes()),
        Value::Int(number) | Value::Int64(number) => out.extend(format!("i{number};").into_bytes()),
        Value::Uint64(number) => out.extend(format!("u{number};").into_bytes()),
        Value::String(text) => write_text(out, b's', text),
        Value::Bytes(text) => write_text(out, b'b', text),
        Value::List(list) if list.is_nil() => out.push(b'L'),
        Value::List(list) => {
            out.push(b'[');
            list.with(|items| items.iter().for_each(|item| write_value(out, item)));
            out.push(b']');
        }
        Value::Map(map) => {
            let Some(entries) = map.borrow() else { return out.push(b'N') };
            out.push(b'{');
            for (key, value) in entries.iter() {
                write_text(out, b's', key);
                write_value(out, value);
            }
            out.push(b'}');
        }
        _ => out.push(b'?'),
    }
}

fn write_text(out: &mut Vec<u8>, tag: u8, text: &[u8]) {
    out.push(tag);
    out.extend(format!("{}:", text.len()).into_bytes());
    out.extend_from_slice(text);
}

/// Writes one case as a line.
pub(crate) fn line(kind: &str, input: &[u8], result: &[u8]) -> String {
    let mut line = String::with_capacity(kind.len() + 2 * (input.len() + result.len()) + 3);
    line.push_str(kind);
    for part in [input, result] {
        line.push('\t');
        for byte in part {
            let _ = write!(line, "{byte:02x}");
        }
    }
    line.push('\n');
    line
}
