//! `json.Marshal`.

use crate::runes::decode_rune;
use crate::strconv::append_float;
use crate::strings::LONGEST_TEXT;
use crate::value::{Children, GoStr, Object, Value, Visitor, walk};

/// Why a value has no JSON form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// `NaN`, an infinity, or a container within itself; the text says which.
    #[error("json: unsupported value: {0}")]
    UnsupportedValue(String),
    /// JSON has nothing for the type.
    #[error("json: unsupported type: {0}")]
    UnsupportedType(&'static str),
    /// The text an object's own `MarshalJSON` failed with.
    #[error("{0}")]
    Object(String),
    /// The text would pass a limit that Go does not have.
    #[error("json: value takes more than {0} bytes")]
    TooLong(usize),
}

/// Encodes as `json.Marshal`, or with `escape_html` off as an `Encoder` after `SetEscapeHTML(false)` (without the
/// newline it appends).
pub fn marshal(value: &Value, escape_html: bool) -> Result<Vec<u8>, EncodeError> {
    let mut encoder = Encoder { out: Vec::new(), escape_html };
    walk(value, &mut encoder)?;
    Ok(encoder.out)
}

struct Encoder {
    out: Vec<u8>,
    escape_html: bool,
}

impl Encoder {
    fn write(&mut self, text: &[u8]) -> Option<Children> {
        self.out.extend_from_slice(text);
        None
    }

    fn object(&mut self, object: &dyn Object) -> Result<Option<Children>, EncodeError> {
        if let Some(fields) = object.json_fields() {
            self.out.push(b'{');
            return Ok(Some(Children::Fields(fields)));
        }
        let stand_in = object.to_json().map_err(EncodeError::Object)?;
        match &stand_in {
            Value::Object(inner) if inner.type_name() == object.type_name() => {
                Err(EncodeError::UnsupportedType(object.type_name()))
            }
            stand_in => self.value(stand_in),
        }
    }

    /// Writes what comes before a member's value.
    fn member(&mut self, name: &[u8], first: bool) -> Result<(), EncodeError> {
        self.separate(first)?;
        append_string(&mut self.out, name, self.escape_html);
        self.out.push(b':');
        Ok(())
    }

    fn separate(&mut self, first: bool) -> Result<(), EncodeError> {
        if !first {
            self.out.push(b',');
        }
        if self.out.len() > LONGEST_TEXT { Err(EncodeError::TooLong(LONGEST_TEXT)) } else { Ok(()) }
    }
}

impl Visitor for Encoder {
    type Error = EncodeError;

    fn value(&mut self, value: &Value) -> Result<Option<Children>, EncodeError> {
        Ok(match value {
            Value::Nil => self.write(b"null"),
            Value::Bool(true) => self.write(b"true"),
            Value::Bool(false) => self.write(b"false"),
            Value::Int(number) | Value::Int64(number) => self.write(number.to_string().as_bytes()),
            Value::Uint8(number) => self.write(number.to_string().as_bytes()),
            Value::Uint64(number) => self.write(number.to_string().as_bytes()),
            Value::Float64(number) => {
                append_number(&mut self.out, *number)?;
                None
            }
            Value::Complex(..) => return Err(EncodeError::UnsupportedType(value.type_name())),
            Value::String(text) => {
                append_string(&mut self.out, text, self.escape_html);
                None
            }
            Value::Bytes(bytes) => {
                append_base64(&mut self.out, bytes);
                None
            }
            Value::List(list) if list.is_nil() => self.write(b"null"),
            Value::List(list) => {
                self.out.push(b'[');
                Some(Children::List(list.clone()))
            }
            Value::Map(map) if map.is_nil() => self.write(b"null"),
            Value::Map(map) => {
                self.out.push(b'{');
                Some(Children::Map(map.clone()))
            }
            Value::Object(object) => self.object(&**object)?,
        })
    }

    fn item(&mut self, first: bool) -> Result<(), EncodeError> {
        self.separate(first)
    }

    fn key(&mut self, key: &GoStr, first: bool) -> Result<(), EncodeError> {
        self.member(key, first)
    }

    fn field(&mut self, name: &'static str, first: bool) -> Result<(), EncodeError> {
        self.member(name.as_bytes(), first)
    }

    fn close(&mut self, children: &Children) -> Result<(), EncodeError> {
        self.out.push(if matches!(children, Children::List(_)) { b']' } else { b'}' });
        Ok(())
    }

    fn cycle(&mut self, children: &Children) -> EncodeError {
        let type_name = match children {
            Children::List(list) => list.ty().name,
            Children::Map(map) => map.ty().name,
            Children::Fields(_) => "struct",
        };
        EncodeError::UnsupportedValue(format!("encountered a cycle via {type_name}"))
    }
}

/// Appends a number as JSON: plain from 1e-6 up to below 1e21, else with an exponent of no more digits than needed.
fn append_number(out: &mut Vec<u8>, number: f64) -> Result<(), EncodeError> {
    if !number.is_finite() {
        let text = crate::strconv::format_float(number, b'g', -1, 64);
        return Err(EncodeError::UnsupportedValue(text));
    }
    let magnitude = number.abs();
    if magnitude == 0.0 || (1e-6..1e21).contains(&magnitude) {
        append_float(out, number, b'f', -1, 64);
        return Ok(());
    }
    append_float(out, number, b'e', -1, 64);
    // e-09 is written e-9.
    if let Some([b'e', b'-', b'0', digit]) = out.last_chunk::<4>() {
        let digit = *digit;
        out.truncate(out.len() - 2);
        out.push(digit);
    }
    Ok(())
}

/// Returns how many bytes from the start stand in a JSON string as they are.
fn plain_len(text: &[u8], escape_html: bool) -> usize {
    let is_special = |byte: u8| {
        let html = (byte == b'<') | (byte == b'>') | (byte == b'&');
        (byte < b' ') | (byte == b'"') | (byte == b'\\') | !byte.is_ascii() | (html & escape_html)
    };
    // Whole chunks without branches: the compiler makes vector code of them.
    let chunks = text.chunks_exact(16);
    let clean =
        chunks.take_while(|chunk| !chunk.iter().fold(false, |any, byte| any | is_special(*byte))).count();
    let tail = text.get(clean * 16..).unwrap_or_default();
    clean * 16 + tail.iter().position(|byte| is_special(*byte)).unwrap_or(tail.len())
}

/// Appends a JSON string. Invalid bytes are written as `\ufffd`; U+2028 and U+2029 are always escaped.
pub fn append_string(out: &mut Vec<u8>, text: &[u8], escape_html: bool) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    loop {
        let (run, tail) = rest.split_at(plain_len(rest, escape_html));
        out.extend_from_slice(run);
        let Some(byte) = tail.first() else { break };
        let width = if byte.is_ascii() {
            append_escape(out, *byte);
            1
        } else {
            append_wide(out, tail)
        };
        rest = tail.get(width..).unwrap_or_default();
    }
    out.push(b'"');
}

fn append_escape(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.extend_from_slice(br"\u00");
            out.extend([byte >> 4, byte & 15].iter().filter_map(|nibble| HEX.get(usize::from(*nibble))));
            return;
        }
    };
    out.extend([b'\\', letter]);
}

/// Appends the character at the start of a text and returns its width.
fn append_wide(out: &mut Vec<u8>, text: &[u8]) -> usize {
    let (rune, width) = decode_rune(text);
    match (rune, width) {
        (_, 1) => out.extend_from_slice(br"\ufffd"),
        ('\u{2028}', _) => out.extend_from_slice(br"\u2028"),
        ('\u{2029}', _) => out.extend_from_slice(br"\u2029"),
        _ => out.extend_from_slice(text.get(..width).unwrap_or_default()),
    }
    width
}

/// Appends a byte list: a string in standard base64 with padding.
fn append_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(bytes.len().div_ceil(3) * 4 + 2);
    out.push(b'"');
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = ALPHABET.get(bits as usize >> (18 - 6 * at) & 63).copied();
            out.push(digit.filter(|_| at <= chunk.len()).unwrap_or(b'='));
        }
    }
    out.push(b'"');
}
