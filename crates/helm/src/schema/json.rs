//! JSON that keeps its numbers as they were written: schemas show them in messages.

use std::collections::BTreeMap;

/// Schemas may nest this deep: compiling and checking them recurse.
const DEEPEST: usize = 200;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// The number's text.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// Reports whether an error is about the end of a text: then one about what follows it would be another.
fn ends_early(text: &[u8], error: &gostd::json::DecodeError) -> bool {
    let longer = gostd::json::unmarshal(&[text, b"\x01"].concat());
    longer.err().map(|longer| longer.to_string()) != Some(error.to_string())
}

impl Json {
    /// Reads a JSON text; errors have Go's words.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let value = match gostd::json::unmarshal(text) {
            Ok(value) => Some(value),
            // A number too large for float64 is no error here.
            Err(gostd::json::DecodeError::Type { .. }) => None,
            // The library that Helm uses reads from a stream.
            Err(_) if text.trim_ascii().is_empty() => return Err("EOF".to_owned()),
            Err(error) if ends_early(text, &error) => return Err("unexpected EOF".to_owned()),
            Err(error) => {
                let text = error.to_string();
                // What stands behind the value is not shown.
                const BEHIND: &str = " after top-level value";
                return Err(if text.ends_with(BEHIND) { format!("invalid character{BEHIND}") } else { text });
            }
        };
        drop(value);
        let text = gostd::value::lossy(text);
        let mut reader = Reader { rest: text.as_str(), depth: 0 };
        reader.value().ok_or_else(|| format!("schema nests deeper than {DEEPEST} levels"))
    }

    /// Returns an entry of an object.
    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => entries.get(key),
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value as templates would see it.
    pub(super) fn to_value(&self) -> gostd::Value {
        use gostd::Value;
        match self {
            Json::Null => Value::Nil,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(text) => Value::Float64(
                gostd::strconv::parse_float(text.as_bytes(), 64).unwrap_or_else(|error| error.value),
            ),
            Json::String(text) => Value::from(text.as_str()),
            Json::Array(items) => Value::list(items.iter().map(Json::to_value).collect()),
            Json::Object(entries) => {
                Value::map(entries.iter().map(|(key, value)| (key.into(), value.to_value())).collect())
            }
        }
    }
}

/// Reads text that is known to be JSON; `None` only for one that nests too deep.
struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.rest.chars().next()
    }

    fn take(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.rest = self.rest.get(expected.len_utf8()..).unwrap_or_default();
        }
        found
    }

    fn value(&mut self) -> Option<Json> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = match self.peek()? {
            '{' => self.object()?,
            '[' => self.array()?,
            '"' => Json::String(self.string()?),
            _ => self.word(),
        };
        self.depth -= 1;
        Some(value)
    }

    fn object(&mut self) -> Option<Json> {
        self.take('{');
        let mut entries = BTreeMap::new();
        while !self.take('}') {
            let key = self.string()?;
            self.take(':');
            entries.insert(key, self.value()?);
            self.take(',');
        }
        Some(Json::Object(entries))
    }

    fn array(&mut self) -> Option<Json> {
        self.take('[');
        let mut items = Vec::new();
        while !self.take(']') {
            items.push(self.value()?);
            self.take(',');
        }
        Some(Json::Array(items))
    }

    fn string(&mut self) -> Option<String> {
        self.peek()?;
        let inner = self.rest.get(1..)?;
        let end = inner.find(['"', '\\'])?;
        if inner.as_bytes().get(end) == Some(&b'"') {
            let (text, rest) = inner.split_at(end);
            self.rest = rest.get(1..).unwrap_or_default();
            return Some(text.to_owned());
        }
        let (value, length) = gostd::json::unmarshal_prefix(self.rest.as_bytes()).ok()?;
        self.rest = self.rest.get(length..).unwrap_or_default();
        Some(value.as_str()?.to_string())
    }

    fn word(&mut self) -> Json {
        let end = self.rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            number => Json::Number(number.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_texts_are_refused_in_the_words_of_a_stream() {
        for (text, want) in [
            ("", "EOF"),
            (" \n", "EOF"),
            ("{", "unexpected EOF"),
            ("nul", "unexpected EOF"),
            ("{\"a\": 1e", "unexpected EOF"),
            ("nul\n", "invalid character '\\n' in literal null (expecting 'l')"),
            ("{} x", "invalid character after top-level value"),
            ("{x", "invalid character 'x' looking for beginning of object key string"),
        ] {
            assert_eq!(Json::parse(text.as_bytes()).err().as_deref(), Some(want), "{text:?}");
        }
    }
}
