//! Values that may cross threads: plain trees without sharing.

use super::{GoStr, List, Map, Value};

/// A value of plain data (what YAML and JSON can hold) that can be shared between threads.
///
/// Charts keep their defaults in this form; each render thaws a copy that templates may change.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Frozen {
    /// nil.
    #[default]
    Nil,
    /// `bool`.
    Bool(bool),
    /// `int64`.
    Int64(i64),
    /// `float64`.
    Float64(f64),
    /// `string`.
    String(GoStr),
    /// `[]interface {}`.
    List(Vec<Frozen>),
    /// `map[string]interface {}`, sorted by key.
    Map(Vec<(GoStr, Frozen)>),
}

impl Frozen {
    /// Makes a fresh, unshared value.
    pub fn thaw(&self) -> Value {
        match self {
            Frozen::Nil => Value::Nil,
            Frozen::Bool(value) => Value::Bool(*value),
            Frozen::Int64(value) => Value::Int64(*value),
            Frozen::Float64(value) => Value::Float64(*value),
            Frozen::String(value) => Value::String(value.clone()),
            Frozen::List(items) => Value::List(items.iter().map(Frozen::thaw).collect()),
            Frozen::Map(_) => Value::Map(self.thaw_map()),
        }
    }

    /// Makes a fresh map; anything but a map gives an empty one.
    pub fn thaw_map(&self) -> Map {
        match self {
            Frozen::Map(entries) => entries.iter().map(|(key, value)| (key.clone(), value.thaw())).collect(),
            _ => Map::new(),
        }
    }
}

impl From<&Value> for Frozen {
    /// Copies plain data; objects become their JSON form, and values JSON cannot hold become nil.
    fn from(value: &Value) -> Self {
        match value {
            Value::Nil | Value::Complex(..) => Frozen::Nil,
            Value::Bool(value) => Frozen::Bool(*value),
            Value::Int(value) | Value::Int64(value) => Frozen::Int64(*value),
            Value::Uint8(value) => Frozen::Int64(i64::from(*value)),
            Value::Uint64(value) => {
                i64::try_from(*value).map_or(Frozen::Float64(*value as f64), Frozen::Int64)
            }
            Value::Float64(value) => Frozen::Float64(*value),
            Value::String(text) | Value::Bytes(text) => Frozen::String(text.clone()),
            Value::List(list) => freeze_list(list),
            Value::Map(map) => freeze_map(map),
            Value::Object(object) => object.to_json().map_or(Frozen::Nil, |value| Frozen::from(&value)),
        }
    }
}

fn freeze_list(list: &List) -> Frozen {
    Frozen::List(list.with(|items| items.iter().map(Frozen::from).collect()))
}

fn freeze_map(map: &Map) -> Frozen {
    let entries = map.snapshot();
    Frozen::Map(entries.iter().map(|(key, value)| (key.clone(), Frozen::from(value))).collect())
}
