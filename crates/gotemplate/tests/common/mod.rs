//! What the tests share: data and functions that have twins in the oracle (tools/oracle/gotemplate).

#![allow(dead_code, reason = "no test uses everything")]

pub(crate) mod functions;
pub(crate) mod generate;
pub(crate) mod golden;
pub(crate) mod oracle;
pub(crate) mod types;
mod words;

use gostd::value::{ANY_LIST, ANY_MAP, Entries, INT_LIST, List, Map, STRING_LIST, STRING_MAP};
use gostd::{GoStr, Value};
use gotemplate::{Error, ErrorKind, FunctionSet, Host, Limits, MissingKey, Options, Session, Set};

use self::types::{Level, Thing, VALUES};

/// A host that answers nothing.
pub(crate) struct Nowhere;

impl Host for Nowhere {
    fn now(&self) -> (i64, u32) {
        (0, 0)
    }

    fn random(&self, _: &gotemplate::Site<'_>, buffer: &mut [u8]) {
        buffer.fill(0);
    }

    fn query(&self, function: &str, _args: &[Value]) -> Result<Value, String> {
        Err(format!("{function} is out of reach"))
    }
}

/// A set of files, the last of which is executed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    pub(crate) files: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) data: serde_json::Value,
    pub(crate) missing_key: MissingKey,
}

/// A failure as the oracle reports it.
#[derive(Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) text: String,
    pub(crate) is_parse: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { text: error.to_string(), is_parse: error.kind() == ErrorKind::Parse }
    }
}

impl Case {
    pub(crate) fn run(&self) -> Result<Vec<u8>, Failure> {
        self.run_with(Limits::default()).map_err(Failure::from)
    }

    pub(crate) fn run_with(&self, limits: Limits) -> Result<Vec<u8>, Error> {
        let mut set = Set::new("gotpl", FunctionSet::new(functions::FUNCTIONS));
        for (name, text) in &self.files {
            set.parse(name.as_slice(), text.as_slice())?;
        }
        let name = self.files.last().map(|(name, _)| name.clone()).unwrap_or_default();
        let _scope = gostd::value::Scope::enter();
        let options = Options { missing_key: self.missing_key, limits };
        Session::new(&Nowhere, options).execute(&set, &name, value(&self.data))
    }
}

/// Makes the value that a JSON text stands for in the oracle.
pub(crate) fn value(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Float64(number.as_f64().unwrap()),
        Json::String(text) => Value::string(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(value).collect()),
        Json::Object(entries) => match entries.get("$t").and_then(Json::as_str) {
            Some(kind) => typed(kind, entries.get("v").unwrap_or(&Json::Null)),
            None => Value::Map(Map::of(&ANY_MAP, mapping(json))),
        },
    }
}

fn mapping(json: &serde_json::Value) -> Entries {
    let entries = json.as_object().into_iter().flatten();
    entries.map(|(key, item)| (GoStr::from(key), value(item))).collect()
}

fn typed(kind: &str, json: &serde_json::Value) -> Value {
    let word = json.as_str().unwrap_or_default();
    let items = json.as_array().cloned().unwrap_or_default();
    match kind {
        "int" => Value::Int(word.parse().unwrap()),
        "int64" => Value::Int64(word.parse().unwrap()),
        "uint8" => Value::Uint8(word.parse().unwrap()),
        "uint64" => Value::Uint64(word.parse().unwrap()),
        "float64" => Value::Float64(word.parse().unwrap()),
        "complex128" => Value::Complex(items[0].as_f64().unwrap(), items[1].as_f64().unwrap()),
        "nan" => Value::Float64(f64::NAN),
        "hex" => Value::string(unhex(word)),
        "[]uint8" => Value::Bytes(word.into()),
        "[]string" => Value::List(List::strings(items.iter().map(|item| item.as_str().unwrap()))),
        "[]int" => {
            let numbers = items.iter().map(|item| Value::Int(item.as_i64().unwrap()));
            Value::List(List::of(&INT_LIST, numbers.collect()))
        }
        "map[string]string" => Value::Map(Map::of(&STRING_MAP, mapping(json))),
        "nil []interface {}" => Value::List(List::nil(&ANY_LIST)),
        "nil map[string]interface {}" => Value::Map(Map::nil(&ANY_MAP)),
        "main.Values" => Value::Map(Map::of(&VALUES, mapping(json))),
        "main.Level" => Value::object(Level(word.parse().unwrap())),
        "main.Thing" => Value::object(Thing { is_pointer: false, map: Map::of(&ANY_MAP, mapping(json)) }),
        "*main.Thing" => Value::object(Thing { is_pointer: true, map: Map::of(&ANY_MAP, mapping(json)) }),
        other => panic!("unknown type {other}"),
    }
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().map(|digit| char::from(digit).to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The list type that functions returning `[]string` use.
pub(crate) fn string_list(items: Vec<Value>) -> Value {
    Value::List(List::of(&STRING_LIST, items))
}
