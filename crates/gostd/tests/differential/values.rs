//! Reads the oracle's notation of values: tag, colon, content, then the elements.

use std::str::SplitAsciiWhitespace;

use gostd::value::{
    ANY_LIST, ANY_MAP, Entries, INT_LIST, Kind, LIST_LIST, MapType, Object, STRING_LIST, STRING_MAP,
};
use gostd::{GoStr, List, Map, Value};

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    digits.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

pub(crate) fn parse(text: &str) -> Value {
    let mut words = text.split_ascii_whitespace();
    let value = next(&mut words);
    assert_eq!(words.next(), None);
    value
}

fn next(words: &mut SplitAsciiWhitespace) -> Value {
    let word = words.next().unwrap();
    let (tag, content) = word.split_once(':').unwrap_or((word, ""));
    let float = |text: &str| f64::from_bits(text.parse().unwrap());
    let text = |text: &str| GoStr::from(unhex(text));
    match tag {
        "nil" => Value::Nil,
        "bool" => Value::Bool(content == "true"),
        "int" => Value::Int(content.parse().unwrap()),
        "int64" => Value::Int64(content.parse().unwrap()),
        "uint8" => Value::Uint8(content.parse().unwrap()),
        "uint64" => Value::Uint64(content.parse().unwrap()),
        "float64" => Value::Float64(float(content)),
        "complex128" => {
            let (re, im) = content.split_once(':').unwrap();
            Value::Complex(float(re), float(im))
        }
        "string" => Value::String(text(content)),
        "bytes" => Value::Bytes(text(content)),
        "duration" => {
            let (number, shown) = content.split_once(':').unwrap();
            Value::object(Duration { number: number.parse().unwrap(), shown: text(shown) })
        }
        "nil-any-list" => Value::List(List::nil(&ANY_LIST)),
        "nil-string-list" => Value::List(List::nil(&STRING_LIST)),
        "nil-any-map" => Value::Map(Map::nil(&ANY_MAP)),
        "any-map" => map(&ANY_MAP, content, words),
        "string-map" => map(&STRING_MAP, content, words),
        "pair" | "pointer" => {
            let type_name = if tag == "pair" { "main.Pair" } else { "*main.Pointer" };
            Value::object(Pair { type_name, name: text(content), value: next(words) })
        }
        _ => {
            let ty = match tag {
                "any-list" => &ANY_LIST,
                "string-list" => &STRING_LIST,
                "int-list" => &INT_LIST,
                "list-list" => &LIST_LIST,
                _ => panic!("unknown tag {tag}"),
            };
            let count = content.parse().unwrap();
            Value::List(List::of(ty, (0..count).map(|_: usize| next(words)).collect()))
        }
    }
}

fn map(ty: &'static MapType, content: &str, words: &mut SplitAsciiWhitespace) -> Value {
    let mut entries = Entries::new();
    for _ in 0..content.parse().unwrap() {
        let key = next(words).as_str().unwrap().clone();
        entries.insert(key, next(words));
    }
    Value::Map(Map::of(ty, entries))
}

/// `time.Duration`: a named number with a `String` method.
#[derive(Debug)]
struct Duration {
    number: i64,
    shown: GoStr,
}

impl Object for Duration {
    fn type_name(&self) -> &'static str {
        "time.Duration"
    }

    fn kind(&self) -> Kind {
        Kind::Int64
    }

    fn stringer(&self) -> Option<GoStr> {
        Some(self.shown.clone())
    }

    fn to_json(&self) -> Result<Value, String> {
        Ok(Value::Int64(self.number))
    }

    fn as_int(&self) -> Option<i64> {
        Some(self.number)
    }
}

/// A struct with two fields, or a pointer to one.
#[derive(Debug)]
struct Pair {
    type_name: &'static str,
    name: GoStr,
    value: Value,
}

impl Object for Pair {
    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn kind(&self) -> Kind {
        if self.type_name.starts_with('*') { Kind::Ptr } else { Kind::Struct }
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("Name", Value::String(self.name.clone())), ("Value", self.value.clone())]
    }
}
