//! TOML as github.com/BurntSushi/toml 1.6 writes and reads it.

mod decode;
mod encode;
mod lexer;

pub(crate) use decode::{DecodeError, decode};
pub(crate) use encode::{EncodeError, encode};

use gostd::GoStr;

/// Tells characters of keys that need no quotes.
fn is_bare(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

/// Writes a key, in quotes if it needs them.
fn write_key(out: &mut Vec<u8>, key: &GoStr) {
    if !key.is_empty() && key.to_lossy().chars().all(is_bare) {
        out.extend(key.iter());
    } else {
        write_quoted(out, key);
    }
}

/// Writes keys with dots between them.
fn write_path(out: &mut Vec<u8>, path: &[GoStr]) {
    for (index, key) in path.iter().enumerate() {
        if index > 0 {
            out.push(b'.');
        }
        write_key(out, key);
    }
}

fn write_quoted(out: &mut Vec<u8>, text: &GoStr) {
    out.push(b'"');
    for byte in text.iter() {
        match byte {
            b'"' => out.extend(b"\\\""),
            b'\\' => out.extend(b"\\\\"),
            0x08 => out.extend(b"\\b"),
            b'\t' => out.extend(b"\\t"),
            b'\n' => out.extend(b"\\n"),
            0x0C => out.extend(b"\\f"),
            b'\r' => out.extend(b"\\r"),
            0..0x20 | 0x7F => out.extend(format!("\\u{byte:04x}").bytes()),
            byte => out.push(*byte),
        }
    }
    out.push(b'"');
}
