//! `json.Unmarshal` into `interface {}`, `map[string]interface {}` and `[]interface {}`.

use super::scan::{Scanner, SyntaxError};
use crate::value::{ANY_LIST, ANY_MAP, GoStr, List, Map, Value};

/// How deep arrays and objects may nest.
const DEEPEST: usize = 10_000;

/// Why a text cannot be decoded. It prints as Go's error.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DecodeError {
    /// The text is not JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A value does not fit where it should go.
    #[error("json: cannot unmarshal {found} into Go value of type {wanted}")]
    Type {
        /// What there is, such as `array` or `number 1e999`.
        found: String,
        /// The Go type it should go into.
        wanted: &'static str,
        /// What Go has stored by then, for callers that go on: everything that does fit.
        partial: Value,
    },
}

/// Decodes into an `interface {}`: numbers become `float64`, the last of several equal keys counts.
pub fn unmarshal(text: &[u8]) -> Result<Value, DecodeError> {
    let (value, misfit) = Decoder::new(text).run()?;
    match misfit {
        None => Ok(value),
        Some(number) => {
            Err(DecodeError::Type { found: format!("number {number}"), wanted: "float64", partial: value })
        }
    }
}

/// Decodes the value at the start of a text, as a `json.Decoder` does, and returns it with the number of bytes it takes.
pub fn unmarshal_prefix(text: &[u8]) -> Result<(Value, usize), DecodeError> {
    let mut decoder = Decoder::new(text);
    let value = decoder.value()?;
    match decoder.misfit {
        None => Ok((value, decoder.scanner.position())),
        Some(number) => {
            Err(DecodeError::Type { found: format!("number {number}"), wanted: "float64", partial: value })
        }
    }
}

/// Decodes into a `map[string]interface {}`; `null` gives a nil map.
pub fn unmarshal_object(text: &[u8]) -> Result<Map, DecodeError> {
    match unmarshal(text) {
        Ok(Value::Map(map)) => Ok(map),
        Ok(Value::Nil) => Ok(Map::nil(&ANY_MAP)),
        Err(DecodeError::Type { partial, .. }) if !matches!(partial, Value::Map(_)) => {
            Err(mismatch(&partial, ANY_MAP.name, Value::Map(Map::new())))
        }
        Err(error) => Err(error),
        Ok(other) => Err(mismatch(&other, ANY_MAP.name, Value::Map(Map::new()))),
    }
}

/// Decodes into a `[]interface {}`; `null` gives a nil list.
pub fn unmarshal_array(text: &[u8]) -> Result<List, DecodeError> {
    match unmarshal(text) {
        Ok(Value::List(list)) => Ok(list),
        Ok(Value::Nil) => Ok(List::nil(&ANY_LIST)),
        Err(DecodeError::Type { partial, .. }) if !matches!(partial, Value::List(_)) => {
            Err(mismatch(&partial, ANY_LIST.name, Value::list(Vec::new())))
        }
        Err(error) => Err(error),
        Ok(other) => Err(mismatch(&other, ANY_LIST.name, Value::list(Vec::new()))),
    }
}

fn mismatch(found: &Value, wanted: &'static str, partial: Value) -> DecodeError {
    let found = match found {
        Value::Map(_) => "object",
        Value::List(_) => "array",
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        // A number too large for float64 has left nil behind; null itself fits everywhere.
        _ => "number",
    };
    DecodeError::Type { found: found.to_owned(), wanted, partial }
}

/// An array or object that is being read.
enum Open {
    List(Vec<Value>),
    Map { entries: Vec<(GoStr, Value)>, key: GoStr },
}

struct Decoder<'a> {
    scanner: Scanner<'a>,
    open: Vec<Open>,
    /// The first number beyond float64's range. Go reports it only if the whole text is valid.
    misfit: Option<String>,
}

impl<'a> Decoder<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { scanner: Scanner::new(text), open: Vec::new(), misfit: None }
    }

    fn run(mut self) -> Result<(Value, Option<String>), SyntaxError> {
        let value = self.value()?;
        match self.scanner.peek() {
            None => Ok((value, self.misfit)),
            Some(_) => Err(self.scanner.unexpected("after top-level value")),
        }
    }

    /// Reads one value and nothing behind it.
    fn value(&mut self) -> Result<Value, SyntaxError> {
        loop {
            let mut done = self.begin_value()?;
            // A value that is complete may complete those around it.
            while let Some(value) = done {
                match self.open.pop() {
                    None => return Ok(value),
                    Some(open) => done = self.end_child(open, value)?,
                }
            }
        }
    }

    /// Reads a scalar or empty container, or opens a container and returns nothing.
    fn begin_value(&mut self) -> Result<Option<Value>, SyntaxError> {
        let scanner = &mut self.scanner;
        let value = match scanner.peek() {
            Some(b'{') => return self.begin_object(),
            Some(b'[') => return self.begin_array(),
            Some(b'"') => Value::String(scanner.string()?),
            Some(b'-' | b'0'..=b'9') => {
                let text = scanner.number()?;
                self.number(text)
            }
            Some(b't') => {
                const CONTEXTS: &[&str] = &[
                    "in literal true (expecting 'r')",
                    "in literal true (expecting 'u')",
                    "in literal true (expecting 'e')",
                ];
                scanner.literal(b"true", CONTEXTS)?;
                Value::Bool(true)
            }
            Some(b'f') => {
                const CONTEXTS: &[&str] = &[
                    "in literal false (expecting 'a')",
                    "in literal false (expecting 'l')",
                    "in literal false (expecting 's')",
                    "in literal false (expecting 'e')",
                ];
                scanner.literal(b"false", CONTEXTS)?;
                Value::Bool(false)
            }
            Some(b'n') => {
                const CONTEXTS: &[&str] = &[
                    "in literal null (expecting 'u')",
                    "in literal null (expecting 'l')",
                    "in literal null (expecting 'l')",
                ];
                scanner.literal(b"null", CONTEXTS)?;
                Value::Nil
            }
            _ => return Err(scanner.unexpected("looking for beginning of value")),
        };
        Ok(Some(value))
    }

    fn begin_object(&mut self) -> Result<Option<Value>, SyntaxError> {
        self.check_depth()?;
        self.scanner.advance();
        if self.scanner.peek() == Some(b'}') {
            self.scanner.advance();
            return Ok(Some(Value::Map(Map::new())));
        }
        let key = self.key()?;
        self.open.push(Open::Map { entries: Vec::new(), key });
        Ok(None)
    }

    fn begin_array(&mut self) -> Result<Option<Value>, SyntaxError> {
        self.check_depth()?;
        self.scanner.advance();
        if self.scanner.peek() == Some(b']') {
            self.scanner.advance();
            return Ok(Some(Value::list(Vec::new())));
        }
        self.open.push(Open::List(Vec::new()));
        Ok(None)
    }

    fn check_depth(&mut self) -> Result<(), SyntaxError> {
        if self.open.len() < DEEPEST { Ok(()) } else { Err(self.scanner.unexpected("exceeded max depth")) }
    }

    fn key(&mut self) -> Result<GoStr, SyntaxError> {
        if self.scanner.peek() != Some(b'"') {
            return Err(self.scanner.unexpected("looking for beginning of object key string"));
        }
        let key = self.scanner.string()?;
        if self.scanner.peek() != Some(b':') {
            return Err(self.scanner.unexpected("after object key"));
        }
        self.scanner.advance();
        Ok(key)
    }

    /// Adds a child to its container, which is complete and returned if its bracket follows.
    fn end_child(&mut self, open: Open, child: Value) -> Result<Option<Value>, SyntaxError> {
        match open {
            Open::List(mut items) => {
                items.push(child);
                match self.scanner.peek() {
                    Some(b',') => {
                        self.scanner.advance();
                        self.open.push(Open::List(items));
                        Ok(None)
                    }
                    Some(b']') => {
                        self.scanner.advance();
                        Ok(Some(Value::list(items)))
                    }
                    _ => Err(self.scanner.unexpected("after array element")),
                }
            }
            Open::Map { mut entries, key } => {
                entries.push((key, child));
                match self.scanner.peek() {
                    Some(b',') => {
                        self.scanner.advance();
                        let key = self.key()?;
                        self.open.push(Open::Map { entries, key });
                        Ok(None)
                    }
                    Some(b'}') => {
                        self.scanner.advance();
                        Ok(Some(Value::Map(entries.into_iter().collect())))
                    }
                    _ => Err(self.scanner.unexpected("after object key:value pair")),
                }
            }
        }
    }

    fn number(&mut self, text: &[u8]) -> Value {
        // JSON's numbers are a subset of Rust's.
        let text = std::str::from_utf8(text).unwrap_or_default();
        let number: f64 = text.parse().unwrap_or_default();
        if number.is_finite() {
            return Value::Float64(number);
        }
        self.misfit.get_or_insert_with(|| text.to_owned());
        Value::Nil
    }
}
