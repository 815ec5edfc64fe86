//! Values as JSON.

use gostd::value::Frozen;
use serde_json::{Map, Number, Value};

/// The integers that float64 holds without loss end here.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Turns plain data into JSON, whole numbers without a fraction.
pub fn to_json(value: &Frozen) -> Value {
    match value {
        Frozen::Nil => Value::Null,
        Frozen::Bool(value) => (*value).into(),
        Frozen::Int64(value) => (*value).into(),
        Frozen::Float64(value) if value.fract() == 0.0 && value.abs() <= EXACT => (*value as i64).into(),
        Frozen::Float64(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
        Frozen::String(text) => text.to_lossy().into(),
        Frozen::List(items) => items.iter().map(to_json).collect(),
        Frozen::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.to_lossy().into_owned(), to_json(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
    }
}
