//! Between the engine's values and JSON as the Kubernetes client takes it.

use gostd::Value;
use gostd::value::Frozen;
use serde_json::{Map, Number};

/// Reads the first YAML document as JSON, with YAML 1.1's rules as Helm and kubectl apply them.
///
/// # Errors
/// With the parser's message when the text is not YAML.
pub(crate) fn yaml_to_json(text: &[u8]) -> Result<serde_json::Value, String> {
    let value = goyaml::load(text).map_err(|error| error.to_string())?;
    Ok(to_json(&Frozen::from(&value)))
}

/// Turns plain data into JSON. Whole floats become integers, as Go's JSON encoder prints them; invalid UTF-8 becomes
/// U+FFFD.
pub(crate) fn to_json(value: &Frozen) -> serde_json::Value {
    match value {
        Frozen::Nil => serde_json::Value::Null,
        Frozen::Bool(value) => (*value).into(),
        Frozen::Int64(value) => (*value).into(),
        Frozen::Float64(value) => number(*value),
        Frozen::String(text) => text.to_lossy().into(),
        Frozen::List(items) => items.iter().map(to_json).collect(),
        Frozen::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.to_lossy().into_owned(), to_json(value)));
            serde_json::Value::Object(entries.collect::<Map<_, _>>())
        }
    }
}

/// The integers that float64 holds without loss end here.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn number(value: f64) -> serde_json::Value {
    if value.fract() == 0.0 && value.abs() <= EXACT {
        // In range by the check above.
        return (value as i64).into();
    }
    Number::from_f64(value).map_or(serde_json::Value::Null, serde_json::Value::Number)
}

/// Turns JSON from the API server into values: whole numbers are int64, others float64, as client-go decodes them.
pub(crate) fn from_json(value: &serde_json::Value) -> Frozen {
    match value {
        serde_json::Value::Null => Frozen::Nil,
        serde_json::Value::Bool(value) => Frozen::Bool(*value),
        serde_json::Value::Number(number) => number
            .as_i64()
            .map_or_else(|| Frozen::Float64(number.as_f64().unwrap_or(f64::NAN)), Frozen::Int64),
        serde_json::Value::String(text) => Frozen::String(text.as_str().into()),
        serde_json::Value::Array(items) => Frozen::List(items.iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => {
            let mut entries: Vec<_> =
                entries.iter().map(|(key, value)| (key.as_str().into(), from_json(value))).collect();
            entries.sort_by(|(a, _): &(gostd::GoStr, _), (b, _)| a.cmp(b));
            Frozen::Map(entries)
        }
    }
}

/// Writes JSON as YAML, laid out as Helm and kubectl write it, without a newline at the end.
pub(crate) fn json_to_yaml(value: &serde_json::Value) -> String {
    let value: Value = from_json(value).thaw();
    let text = goyaml::to_yaml(&value).unwrap_or_default();
    String::from_utf8_lossy(text.strip_suffix(b"\n").unwrap_or(&text)).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_keep_their_kind() {
        let spec = json!({"whole": 3, "part": 1.5, "big": 9_007_199_254_740_993_i64, "huge": 1e300});
        let frozen = from_json(&spec);
        assert_eq!(to_json(&frozen), spec);
        let Frozen::Map(entries) = &frozen else { panic!("a map") };
        assert!(entries.iter().any(|(key, value)| *key == "whole" && *value == Frozen::Int64(3)));
    }

    #[test]
    fn yaml_numbers_that_are_whole_become_integers() {
        assert_eq!(yaml_to_json(b"a: 3\nb: 1.5\nc: yes\n"), Ok(json!({"a": 3, "b": 1.5, "c": true})));
    }
}
