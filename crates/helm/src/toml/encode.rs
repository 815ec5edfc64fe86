//! Writing TOML: plain values before tables, keys sorted, tables indented by two spaces a level.

use gostd::value::{Kind, Object};
use gostd::{GoStr, List, Value};

use sprig::times::GoTime;

use super::{write_key, write_path, write_quoted};

/// The zones of dates and times without a zone, and how those are written.
pub(super) const LOCAL_ZONES: &[(&str, &str)] = &[
    ("datetime-local", "2006-01-02T15:04:05.999999999"),
    ("date-local", "2006-01-02"),
    ("time-local", "15:04:05.999999999"),
];
/// Values may nest this deep.
const DEEPEST: usize = 100;

/// Why a value is not TOML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EncodeError {
    /// A nil in a list.
    #[error("toml: cannot encode array with nil element")]
    NilElement,
    /// A list of tables at the top.
    #[error("toml: top-level values must be Go maps or structs")]
    NoKey,
    /// A kind of value TOML does not have.
    #[error("unsupported type: {0}")]
    Unsupported(&'static str),
    /// A value that may contain itself.
    #[error("toml: value nests deeper than {DEEPEST} levels")]
    TooDeep,
    /// Go panics on nil.
    #[error("reflect: call of reflect.Value.Type on zero Value")]
    Nil,
}

/// Writes a value as TOML.
pub(crate) fn encode(value: &Value) -> Result<Vec<u8>, EncodeError> {
    if value.is_nil() {
        return Err(EncodeError::Nil);
    }
    let mut encoder = Encoder::default();
    encoder.value(&mut Vec::new(), value)?;
    Ok(encoder.out)
}

/// What a value is to TOML.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Nil,
    Scalar,
    List,
    Table,
    ListOfTables,
}

#[derive(Default)]
struct Encoder {
    out: Vec<u8>,
    depth: usize,
}

impl Encoder {
    /// Writes a value under a key; at the top the key is empty.
    fn value(&mut self, key: &mut Vec<GoStr>, value: &Value) -> Result<(), EncodeError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(EncodeError::TooDeep);
        }
        match sort_of(value)? {
            Sort::Nil if key.is_empty() && matches!(value, Value::List(_)) => self.out.extend(b"[]"),
            Sort::Nil => {}
            Sort::Scalar | Sort::List => self.key_value(key, value)?,
            Sort::Table => {
                if key.len() == 1 {
                    self.blank_line();
                }
                if !key.is_empty() {
                    self.header(key, "[", "]");
                }
                self.table(key, value)?;
            }
            Sort::ListOfTables if key.is_empty() => return Err(EncodeError::NoKey),
            Sort::ListOfTables => {
                for item in value.elements().unwrap_or_default() {
                    if sort_of(&item)? != Sort::Nil {
                        self.blank_line();
                        self.header(key, "[[", "]]");
                        self.table(key, &item)?;
                    }
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn header(&mut self, key: &[GoStr], open: &str, close: &str) {
        self.indent(key);
        self.out.extend(open.bytes());
        write_path(&mut self.out, key);
        self.out.extend(close.bytes());
        self.out.push(b'\n');
    }

    fn indent(&mut self, key: &[GoStr]) {
        self.out.extend(std::iter::repeat_n(b' ', 2 * key.len().saturating_sub(1)));
    }

    fn blank_line(&mut self) {
        if !self.out.is_empty() {
            self.out.push(b'\n');
        }
    }

    /// Writes the entries of a table, tables last.
    fn table(&mut self, key: &mut Vec<GoStr>, value: &Value) -> Result<(), EncodeError> {
        for (name, value) in ordered_entries(value)? {
            key.push(name);
            self.value(key, &value)?;
            key.pop();
        }
        Ok(())
    }

    fn key_value(&mut self, key: &[GoStr], value: &Value) -> Result<(), EncodeError> {
        let Some(name) = key.last() else { return self.element(value) };
        self.indent(key);
        write_key(&mut self.out, name);
        self.out.extend(b" = ");
        self.element(value)?;
        self.out.push(b'\n');
        Ok(())
    }

    /// Writes a value on one line.
    fn element(&mut self, value: &Value) -> Result<(), EncodeError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(EncodeError::TooDeep);
        }
        match value {
            Value::String(text) => write_quoted(&mut self.out, text),
            Value::Float64(number) => self.out.extend(float_text(*number).bytes()),
            Value::List(_) | Value::Bytes(_) => {
                self.out.push(b'[');
                for (index, item) in value.elements().unwrap_or_default().iter().enumerate() {
                    if index > 0 {
                        self.out.extend(b", ");
                    }
                    self.element(item)?;
                }
                self.out.push(b']');
            }
            Value::Object(object) if is_scalar(&**object) => self.object(&**object),
            Value::Map(_) | Value::Object(_) => self.inline_table(value)?,
            other => gostd::fmt::append_v(&mut self.out, other),
        }
        self.depth -= 1;
        Ok(())
    }

    fn inline_table(&mut self, value: &Value) -> Result<(), EncodeError> {
        let entries = ordered_entries(value)?;
        self.out.push(b'{');
        for (index, (name, value)) in entries.iter().enumerate() {
            // A nil at the end leaves the comma before it behind, as in the original.
            if sort_of(value)? == Sort::Nil {
                continue;
            }
            write_key(&mut self.out, name);
            self.out.extend(b" = ");
            self.element(value)?;
            if index + 1 < entries.len() {
                self.out.extend(b", ");
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Writes an object that has a text or number of its own.
    fn object(&mut self, object: &dyn Object) {
        if let Some(time) = object.downcast_ref::<GoTime>() {
            return self.out.extend(time_text(time));
        }
        match (object.type_name(), object.to_json()) {
            (_, Ok(Value::String(text))) => write_quoted(&mut self.out, &text),
            _ => match (object.stringer(), object.as_int()) {
                (Some(text), _) if object.type_name() == "time.Duration" => {
                    write_quoted(&mut self.out, &text)
                }
                (_, Some(number)) => self.out.extend(number.to_string().bytes()),
                _ => {}
            },
        }
    }
}

/// Times that were read without a zone are written without one.
fn time_text(time: &GoTime) -> Vec<u8> {
    let time = time.time();
    let layout = LOCAL_ZONES.iter().find(|(name, _)| time.zone().name() == *name).map(|(_, layout)| *layout);
    time.format(layout.unwrap_or("2006-01-02T15:04:05.999999999Z07:00").as_bytes())
}

fn is_scalar(object: &dyn Object) -> bool {
    object.as_int().is_some() || matches!(object.to_json(), Ok(Value::String(_)))
}

fn sort_of(value: &Value) -> Result<Sort, EncodeError> {
    Ok(match value {
        Value::Nil => Sort::Nil,
        Value::Map(map) if map.is_nil() => Sort::Nil,
        Value::List(list) if list.is_nil() => Sort::Nil,
        Value::Map(_) => Sort::Table,
        Value::List(list) => sort_of_list(list)?,
        Value::Complex(..) => return Err(EncodeError::Unsupported(Kind::Complex128.name())),
        Value::Object(object) if !is_scalar(&**object) => Sort::Table,
        _ => Sort::Scalar,
    })
}

fn sort_of_list(list: &List) -> Result<Sort, EncodeError> {
    let items = list.to_vec();
    let mut tables = !items.is_empty();
    for item in &items {
        match sort_of(item)? {
            Sort::Nil => return Err(EncodeError::NilElement),
            Sort::Table => {}
            _ => tables = false,
        }
    }
    Ok(if tables { Sort::ListOfTables } else { Sort::List })
}

/// Returns the entries of a table: plain ones, then tables. Maps are sorted, structs keep their order.
fn ordered_entries(value: &Value) -> Result<Vec<(GoStr, Value)>, EncodeError> {
    let entries = match value {
        Value::Map(map) => map.snapshot(),
        Value::Object(object) => fields(&**object),
        _ => Vec::new(),
    };
    let (mut plain, mut tables) = (Vec::new(), Vec::new());
    for entry in entries {
        match sort_of(&entry.1)? {
            Sort::Table | Sort::ListOfTables => tables.push(entry),
            _ => plain.push(entry),
        }
    }
    plain.append(&mut tables);
    Ok(plain)
}

/// Returns a struct's fields; those of an embedded struct stand in its place.
fn fields(object: &dyn Object) -> Vec<(GoStr, Value)> {
    let mut out = Vec::new();
    for (name, value) in object.fields() {
        match &value {
            Value::Object(inner)
                if inner.type_name().rsplit('.').next() == Some(name) && inner.kind() == Kind::Struct =>
            {
                out.extend(fields(&**inner));
            }
            _ => out.push((GoStr::from(name), value)),
        }
    }
    out
}

fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let text = gostd::strconv::format_float(number, b'g', -1, 64);
    if text.contains(['e', '.']) { text } else { text + ".0" }
}
