//! Walking a value and writing it. Depth costs memory, not stack.

use std::borrow::Cow;
use std::io::Write as _;

use gostd::strconv::append_float;
use gostd::value::{Kind, Object};
use gostd::{GoStr, Value};

use super::analysis::{Analysis, Style, wanted_style};
use super::writer::Writer;
use super::{EmitError, json, keys};
use crate::base64;
use crate::resolve::Version;

/// How deep go-yaml reads flow collections, hence JSON.
const MAX_DEPTH: usize = 10_000;

/// From here on a value is first searched for endless depth, before text for each level piles up.
const SUSPICIOUS_DEPTH: usize = 1_000;

/// Longer keys are written with `? `.
const LONGEST_SIMPLE_KEY: usize = 128;

const BINARY_TAG: &[u8] = b"!!binary";

/// What a value is written as.
enum Shape {
    /// Whatever the emitter's word buffer holds: a number, `null`, a date.
    Word,
    String(GoStr),
    List(Vec<Value>),
    /// Entries in the order they are written.
    Map(Vec<(GoStr, Value)>),
}

/// A collection being written, and the indentation around it.
struct Frame {
    outer_indent: Option<usize>,
    rest: Rest,
}

enum Rest {
    List(std::vec::IntoIter<Value>),
    Map(std::vec::IntoIter<(GoStr, Value)>),
}

/// Writes a whole document.
pub(super) fn write(value: &Value, version: Version) -> Result<Vec<u8>, EmitError> {
    let mut emitter = Emitter {
        writer: Writer::new(version),
        version,
        frames: Vec::new(),
        base_depth: 0,
        dropped: Vec::new(),
        word: Vec::new(),
    };
    emitter.document(value)?;
    let document = std::mem::replace(&mut emitter.writer, Writer::new(version));
    while let Some((value, depth)) = emitter.dropped.pop() {
        emitter.base_depth = depth;
        emitter.document(&value)?;
    }
    Ok(document.out)
}

struct Emitter {
    writer: Writer,
    version: Version,
    frames: Vec<Frame>,
    /// How many collections are around the document.
    base_depth: usize,
    /// Values that do not show in the end but must be possible to write, and how deep they are.
    dropped: Vec<(Value, usize)>,
    word: Vec<u8>,
}

impl Emitter {
    fn document(&mut self, value: &Value) -> Result<(), EmitError> {
        self.node(value, false)?;
        while let Some(frame) = self.frames.last_mut() {
            match &mut frame.rest {
                Rest::List(items) => match items.next() {
                    Some(item) => self.item(&item)?,
                    None => self.leave(),
                },
                Rest::Map(entries) => match entries.next() {
                    Some((key, value)) => self.entry(&key, &value)?,
                    None => self.leave(),
                },
            }
        }
        self.writer.write_indent();
        Ok(())
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.writer.leave(frame.outer_indent);
        }
    }

    fn item(&mut self, value: &Value) -> Result<(), EmitError> {
        self.writer.write_indent();
        self.writer.write_lead(b'-');
        self.node(value, false)
    }

    fn entry(&mut self, key: &[u8], value: &Value) -> Result<(), EmitError> {
        self.writer.write_indent();
        let text = match self.version {
            Version::V2 => Text::Plain(json::key(key)?),
            Version::V3 => Text::of(key),
        };
        let analysis = Analysis::of(text.bytes(), self.version);
        let simple = !analysis.multiline && text.length() <= LONGEST_SIMPLE_KEY;
        if simple {
            self.text(&text, analysis, true);
            self.writer.write_colon();
        } else {
            self.writer.write_lead(b'?');
            self.text(&text, analysis, false);
            self.writer.write_indent();
            self.writer.write_lead(b':');
        }
        self.node(value, true)
    }

    /// Writes a value, or the start of a collection.
    fn node(&mut self, value: &Value, in_mapping: bool) -> Result<(), EmitError> {
        match self.shape(value)? {
            Shape::Word => self.writer.write_word(&self.word),
            Shape::String(text) => {
                let text = match self.version {
                    Version::V2 => Text::Plain(json::string(&text)?),
                    Version::V3 => Text::of(&text),
                };
                let analysis = Analysis::of(text.bytes(), self.version);
                self.text(&text, analysis, false);
            }
            Shape::List(items) => {
                self.check_depth(value)?;
                if items.is_empty() {
                    self.writer.write_word(b"[]");
                } else {
                    self.enter(Rest::List(items.into_iter()), in_mapping);
                }
            }
            Shape::Map(entries) => {
                self.check_depth(value)?;
                if entries.is_empty() {
                    self.writer.write_word(b"{}");
                } else {
                    self.enter(Rest::Map(entries.into_iter()), false);
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, rest: Rest, sequence_in_mapping: bool) {
        let outer_indent = self.writer.enter(sequence_in_mapping);
        self.frames.push(Frame { outer_indent, rest });
    }

    fn check_depth(&self, value: &Value) -> Result<(), EmitError> {
        match self.base_depth + self.frames.len() {
            SUSPICIOUS_DEPTH if nests_deeper_than(value, MAX_DEPTH - SUSPICIOUS_DEPTH) => {
                Err(EmitError::TooDeep)
            }
            MAX_DEPTH.. => Err(EmitError::TooDeep),
            _ => Ok(()),
        }
    }

    fn text(&mut self, text: &Text<'_>, analysis: Analysis, simple_key: bool) {
        let wanted = match text {
            Text::Plain(text) => wanted_style(text, self.version),
            Text::Binary(text) if text.contains(&b'\n') => Style::Literal,
            Text::Binary(_) => Style::Plain,
        };
        if let Text::Binary(_) = text {
            self.writer.write_word(BINARY_TAG);
        }
        self.writer.write_string(text.bytes(), analysis.style(wanted, simple_key), simple_key);
    }

    fn shape(&mut self, value: &Value) -> Result<Shape, EmitError> {
        self.word.clear();
        let word = &mut self.word;
        // Writing to a Vec cannot fail.
        match value {
            Value::Nil => word.extend_from_slice(b"null"),
            Value::Bool(value) => word.extend_from_slice(if *value { b"true" } else { b"false" }),
            Value::Int(value) | Value::Int64(value) => _ = write!(word, "{value}"),
            Value::Uint8(value) => _ = write!(word, "{value}"),
            Value::Uint64(value) => _ = write!(word, "{value}"),
            Value::Float64(value) if self.version == Version::V2 => json::number(word, *value)?,
            Value::Float64(value) => write_float(word, *value),
            Value::Complex(..) => return Err(EmitError::UnsupportedType(value.type_name())),
            Value::String(text) => return Ok(Shape::String(text.clone())),
            Value::Bytes(bytes) if self.version == Version::V2 => {
                return Ok(Shape::String(base64::encode(bytes).into()));
            }
            Value::Bytes(_) => return Ok(Shape::List(value.elements().unwrap_or_default())),
            Value::List(list) if list.is_nil() && self.version == Version::V2 => {
                word.extend_from_slice(b"null")
            }
            Value::Map(map) if map.is_nil() && self.version == Version::V2 => word.extend_from_slice(b"null"),
            Value::List(list) => return Ok(Shape::List(list.to_vec())),
            Value::Map(map) => {
                let mut entries = map.snapshot();
                if self.version == Version::V2 {
                    let inside = self.base_depth + self.frames.len() + 1;
                    let dropped = json::merge_equal_keys(&mut entries).into_iter();
                    self.dropped.extend(dropped.map(|value| (value, inside)));
                }
                return Ok(Shape::Map(keys::sort(entries, self.version)));
            }
            Value::Object(object) => return self.object_shape(&**object),
        }
        Ok(Shape::Word)
    }

    /// Objects are written as their JSON form, but v3 sees a struct's fields under their lower-cased Go names, and
    /// writes times without quotes.
    fn object_shape(&mut self, object: &dyn Object) -> Result<Shape, EmitError> {
        if self.version == Version::V3 && object.type_name() == "time.Duration" {
            return Ok(Shape::String(object.stringer().unwrap_or_default()));
        }
        if self.version == Version::V3
            && let Some(fields) = object.yaml_fields()
        {
            return Ok(Shape::Map(fields.into_iter().map(|(name, value)| (name.into(), value)).collect()));
        }
        let plain = object.to_json().map_err(EmitError::Object)?;
        match plain {
            Value::Object(_) => Err(EmitError::UnsupportedType(object.type_name())),
            Value::String(time) if self.version == Version::V3 && is_time(object) => {
                self.word.extend_from_slice(&time);
                Ok(Shape::Word)
            }
            Value::Map(_)
                if self.version == Version::V3 && matches!(object.kind(), Kind::Struct | Kind::Ptr) =>
            {
                let exported = |name: &str| name.starts_with(char::is_uppercase);
                let fields = object.fields().into_iter().filter(|(name, _)| exported(name));
                Ok(Shape::Map(fields.map(|(name, value)| (name.to_lowercase().into(), value)).collect()))
            }
            plain => self.shape(&plain),
        }
    }
}

fn is_time(object: &dyn Object) -> bool {
    matches!(object.type_name(), "time.Time" | "*time.Time")
}

/// Text to write; v3 writes what is not UTF-8 in base64.
enum Text<'t> {
    Plain(Cow<'t, [u8]>),
    Binary(Vec<u8>),
}

impl<'t> Text<'t> {
    fn of(text: &'t [u8]) -> Self {
        match std::str::from_utf8(text) {
            Ok(_) => Text::Plain(Cow::Borrowed(text)),
            Err(_) => Text::Binary(base64_lines(text)),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Text::Plain(text) => text,
            Text::Binary(text) => text,
        }
    }

    /// As a key: tag included.
    fn length(&self) -> usize {
        match self {
            Text::Plain(text) => text.len(),
            Text::Binary(text) => text.len() + BINARY_TAG.len(),
        }
    }
}

/// Base64, in lines of 70 characters if it takes more than one.
fn base64_lines(bytes: &[u8]) -> Vec<u8> {
    const LINE: usize = 70;
    let encoded = base64::encode(bytes);
    if encoded.len() < LINE {
        return encoded;
    }
    encoded.chunks(LINE).flat_map(|line| line.iter().chain(b"\n")).copied().collect()
}

fn write_float(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        append_float(out, value, b'g', -1, 64);
    } else if value.is_nan() {
        out.extend_from_slice(b".nan");
    } else {
        out.extend_from_slice(if value > 0.0 { b".inf" } else { b"-.inf" });
    }
}

/// Reports whether there are more levels of collections than that in a value.
fn nests_deeper_than(value: &Value, limit: usize) -> bool {
    let inside = |value: &Value| match value {
        Value::List(list) => list.to_vec().into_iter(),
        Value::Map(map) => map.snapshot().into_iter().map(|(_, value)| value).collect::<Vec<_>>().into_iter(),
        _ => Vec::new().into_iter(),
    };
    let mut open = vec![inside(value)];
    while let Some(items) = open.last_mut() {
        match items.find(Value::is_container) {
            Some(_) if open.len() >= limit => return true,
            Some(item) => open.push(inside(&item)),
            None => _ = open.pop(),
        }
    }
    false
}
