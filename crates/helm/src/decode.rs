//! Decoding YAML into structs as sigs.k8s.io/yaml and encoding/json do it together.
//!
//! The input is the YAML value with its numbers still told apart (go-yaml's result before the JSON trip): scalars become
//! strings where strings are wanted, field names match without regard to case, the first mismatch is the error, and
//! decoding into something that holds values already changes only what is mentioned.

use gostd::strconv::format_float;
use gostd::{List, Value};

/// Decodes one document and remembers the first mismatch.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    mismatch: Option<String>,
    /// A number that JSON does not have, where no string takes it.
    unsupported: Option<String>,
    /// Whether the text can hold such numbers; looking for them costs time.
    may_be_unsupported: bool,
    struct_name: &'static str,
    path: Vec<&'static str>,
}

/// A Go struct as `encoding/json` sees it.
pub(crate) struct Struct {
    /// The type as errors print it (`chart.Metadata`).
    pub(crate) go_type: &'static str,
    /// The type's own name, empty for an anonymous one.
    pub(crate) name: &'static str,
    /// The JSON names of its fields.
    pub(crate) fields: &'static [&'static str],
}

impl Struct {
    fn field(&self, key: &[u8]) -> Option<&'static str> {
        let exact = self.fields.iter().find(|name| name.as_bytes() == key);
        let folded = || self.fields.iter().find(|name| folds_to(key, name));
        exact.or_else(folded).copied()
    }
}

/// Go's simple folding also takes the Kelvin sign for k and the long s for s.
fn folds_to(key: &[u8], name: &str) -> bool {
    let Ok(key) = std::str::from_utf8(key) else { return false };
    let plain = key.chars().map(|letter| match letter {
        '\u{212A}' => 'k',
        '\u{17F}' => 's',
        other => other.to_ascii_lowercase(),
    });
    plain.eq(name.chars().map(|letter| letter.to_ascii_lowercase()))
}

/// Reports whether a text holds a word for a number that JSON does not have.
fn may_be_unsupported(text: &[u8]) -> bool {
    let is_word = |word: &[u8]| word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"nan");
    let mut rest = text;
    while let Some(dot) = gostd::strings::index(rest, b".") {
        rest = rest.get(dot + 1..).unwrap_or_default();
        if rest.get(..3).is_some_and(is_word) {
            return true;
        }
    }
    false
}

impl Decoder {
    /// Starts decoding the value of a text.
    pub(crate) fn new(text: &[u8]) -> Self {
        Self { may_be_unsupported: may_be_unsupported(text), ..Self::default() }
    }

    /// Decodes an object of a text: the entries that are fields of `shape`, and of the others what can be an error.
    pub(crate) fn load(&self, text: &[u8], shape: &Struct) -> Result<Value, goyaml::LoadError> {
        if self.may_be_unsupported {
            return goyaml::load_typed(text);
        }
        goyaml::load_entries(text, &|key| shape.field(key).is_some())
    }

    /// Returns the first mismatch as sigs.k8s.io/yaml words it.
    pub(crate) fn finish(self) -> Result<(), String> {
        if let Some(number) = self.unsupported {
            return Err(format!("error converting YAML to JSON: json: unsupported value: {number}"));
        }
        self.mismatch.map_or(Ok(()), |text| Err(json_error(&text)))
    }

    /// Calls `set` for each entry that is a field of `shape`, in the order `encoding/json` meets them. Returns whether
    /// there was an object (null leaves everything as it is).
    pub(crate) fn object(
        &mut self,
        value: &Value,
        shape: &Struct,
        mut set: impl FnMut(&mut Self, &'static str, &Value),
    ) -> bool {
        let Value::Map(map) = value else {
            self.mismatched(value, shape.go_type);
            return false;
        };
        let outer = self.struct_name;
        self.struct_name = shape.name;
        for (key, value) in map.snapshot() {
            if let Some(name) = shape.field(&key) {
                self.path.push(name);
                set(self, name, &value);
                self.path.pop();
            } else {
                self.check_numbers(&value);
            }
        }
        self.struct_name = outer;
        true
    }

    /// Decodes a string.
    pub(crate) fn string(&mut self, value: &Value, target: &mut String) {
        match scalar_text(value) {
            Some(text) => *target = text,
            None => self.mismatched(value, "string"),
        }
    }

    /// Decodes a bool.
    pub(crate) fn boolean(&mut self, value: &Value, target: &mut bool) {
        match value {
            Value::Bool(value) => *target = *value,
            other => self.mismatched(other, "bool"),
        }
    }

    /// Returns the elements of a list; for anything else `None`, with `clear` telling that it was null.
    pub(crate) fn list<'v>(&mut self, value: &'v Value, go_type: &str) -> ListInput<'v> {
        match value {
            Value::List(list) => ListInput::Items(list),
            Value::Nil => ListInput::Null,
            other => {
                self.mismatched(other, go_type);
                ListInput::Other
            }
        }
    }

    /// Decodes a list of strings; null elements keep what stood there.
    pub(crate) fn strings(&mut self, value: &Value, target: &mut Vec<String>) {
        match self.list(value, "[]string") {
            ListInput::Items(items) => {
                target.resize(items.len(), String::new());
                for (item, target) in items.to_vec().iter().zip(target) {
                    self.string(item, target);
                }
            }
            ListInput::Null => target.clear(),
            ListInput::Other => {}
        }
    }

    /// Decodes a map of strings; entries are added to those that are there.
    pub(crate) fn string_map(&mut self, value: &Value, target: &mut Vec<(String, String)>) {
        match value {
            Value::Map(map) => {
                for (key, value) in map.snapshot() {
                    let mut text = String::new();
                    self.string(&value, &mut text);
                    let key = key.to_string();
                    match target.iter_mut().find(|(name, _)| *name == key) {
                        Some(entry) => entry.1 = text,
                        None => target.push((key, text)),
                    }
                }
                target.sort();
            }
            Value::Nil => target.clear(),
            other => self.mismatched(other, "map[string]string"),
        }
    }

    /// Notes numbers that JSON does not have.
    pub(crate) fn check_numbers(&mut self, value: &Value) {
        if !self.may_be_unsupported {
            return;
        }
        let mut work = vec![value.clone()];
        while let Some(value) = work.pop() {
            match value {
                Value::Float64(number) if !number.is_finite() => {
                    let text = || format_float(number, b'g', -1, 64);
                    self.unsupported.get_or_insert_with(text);
                }
                Value::List(list) => work.extend(list.to_vec().into_iter().rev()),
                Value::Map(map) => work.extend(map.snapshot().into_iter().rev().map(|(_, value)| value)),
                _ => {}
            }
        }
    }

    /// Notes that a value does not fit a Go type; null always fits.
    pub(crate) fn mismatched(&mut self, value: &Value, go_type: &str) {
        self.check_numbers(value);
        let found = match value {
            Value::Nil => return,
            Value::Bool(_) => "bool",
            Value::String(_) | Value::Bytes(_) => "string",
            Value::List(_) => "array",
            Value::Map(_) => "object",
            _ => "number",
        };
        let place = if self.path.is_empty() {
            "value".to_owned()
        } else {
            format!("struct field {}.{}", self.struct_name, self.path.join("."))
        };
        let text = || format!("json: cannot unmarshal {found} into Go {place} of type {go_type}");
        self.mismatch.get_or_insert_with(text);
    }

    /// Notes an error of a type that decodes itself.
    pub(crate) fn failed(&mut self, text: String) {
        self.mismatch.get_or_insert(text);
    }
}

/// What stands where a list belongs.
pub(crate) enum ListInput<'v> {
    /// A list.
    Items(&'v List),
    /// Null, which makes the field nil.
    Null,
    /// Something else, noted as the error.
    Other,
}

/// Words an error of the JSON half of decoding YAML.
pub(crate) fn json_error(text: &str) -> String {
    format!("error unmarshaling JSON: while decoding JSON: {text}")
}

/// The text sigs.k8s.io/yaml makes of a scalar that goes into a string. Floats lose precision on the way.
fn scalar_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) | Value::Bytes(text) => text.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Int64(value) => value.to_string(),
        Value::Uint64(value) => value.to_string(),
        Value::Float64(value) => format_float(*value, b'g', -1, 32),
        _ => return None,
    })
}
