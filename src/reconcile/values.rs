//! A resource's `spec` + the operator's overrides → the values Helm gets.

use std::collections::BTreeMap;

use gostd::value::Frozen;
use serde_json::Value;
use thiserror::Error;

use super::identity::Digest;
use crate::convert::{from_json, to_json};
use crate::json;

/// The user's values of one release.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    /// As the engine wants them.
    pub(crate) frozen: Frozen,
    /// As the release record keeps them.
    pub(crate) config: Value,
    /// Of everything above.
    pub(crate) digest: Digest,
}

/// Why there are no values.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum ValuesError {
    /// The spec is something else than a mapping.
    #[error("spec must be a mapping of values, as in the chart's values.yaml, and is {0}")]
    NotAMapping(&'static str),
    /// The spec is nested too deeply.
    #[error("spec cannot be read as values: {0}")]
    Unreadable(String),
    /// A Secret or ConfigMap that values are taken from cannot be used.
    #[error("valuesFrom {0}")]
    From(String),
    /// An override of the operator's configuration cannot be used.
    #[error("override value {key}={value}: {why}")]
    Override {
        /// The path in Helm's `--set` grammar.
        key: String,
        /// The value.
        value: String,
        /// What the parser says.
        why: String,
    },
}

/// Makes the values of a spec given as JSON text, with others laid over it: first `layers` in their order, then
/// `--set-string` assignments.
pub(crate) fn values(
    spec: &str,
    layers: &[Value],
    overrides: &BTreeMap<String, String>,
) -> Result<Values, ValuesError> {
    let unreadable = |error: serde_json::Error| ValuesError::Unreadable(error.to_string());
    let spec: Value =
        if spec.is_empty() { Value::Null } else { json::from_slice(spec.as_bytes()).map_err(unreadable)? };
    let what = match &spec {
        Value::Null | Value::Object(_) => None,
        Value::Bool(_) => Some("true or false"),
        Value::Number(_) => Some("a number"),
        Value::String(_) => Some("a text"),
        Value::Array(_) => Some("a list"),
    };
    if let Some(what) = what {
        return Err(ValuesError::NotAMapping(what));
    }
    let spec = layers.iter().fold(spec, over);
    let mut frozen = match spec {
        Value::Null => Frozen::Map(Vec::new()),
        _ => from_json(&spec),
    };
    let config = if overrides.is_empty() {
        match spec {
            Value::Null => Value::Object(serde_json::Map::new()),
            spec => spec,
        }
    } else {
        frozen = overridden(&frozen, overrides)?;
        to_json(&frozen)
    };
    let digest = Digest::of([config.to_string()]);
    Ok(Values { frozen, config, digest })
}

/// Lays values over others: mappings are merged, everything else takes the place of what was there. A null stays, so that
/// Helm drops the chart's default for it.
fn over(below: Value, above: &Value) -> Value {
    match (below, above) {
        (Value::Object(mut below), Value::Object(above)) => {
            for (key, above) in above {
                let merged = over(below.remove(key).unwrap_or_default(), above);
                below.insert(key.clone(), merged);
            }
            below.into()
        }
        (_, above) => above.clone(),
    }
}

/// Puts a text where a path such as `db.password` leads.
pub(crate) fn at_path(path: &str, text: &str) -> Value {
    path.rsplit('.').fold(Value::from(text), |inner, key| serde_json::json!({ key: inner }))
}

/// Lays `--set-string` assignments over values.
fn overridden(values: &Frozen, overrides: &BTreeMap<String, String>) -> Result<Frozen, ValuesError> {
    let map = values.thaw_map();
    for (key, value) in overrides {
        helm::values::parse_set_string(&format!("{key}={value}"), &map).map_err(|error| {
            ValuesError::Override { key: key.clone(), value: value.clone(), why: error.to_string() }
        })?;
    }
    Ok(Frozen::from(&gostd::Value::Map(map)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_the_api_server_means() {
        let values = values(
            r#"{"n": 3, "f": 1.5, "big": 9007199254740993, "huge": 18446744073709551615}"#,
            &[],
            &BTreeMap::new(),
        )
        .unwrap();
        let Frozen::Map(entries) = &values.frozen else { panic!() };
        let of = |key: &str| entries.iter().find(|(k, _)| k.as_bytes() == key.as_bytes()).unwrap().1.clone();
        assert_eq!(of("n"), Frozen::Int64(3));
        assert_eq!(of("f"), Frozen::Float64(1.5));
        assert_eq!(of("big"), Frozen::Int64(9007199254740993));
        assert_eq!(of("huge"), Frozen::Float64(18446744073709551615.0));
    }

    #[test]
    fn what_the_operator_says_lies_over_the_spec() {
        let layers = [
            serde_json::json!({"a": {"x": 1, "y": [2]}, "on": true}),
            at_path("db.password", "1234"),
            serde_json::json!({"a": {"y": null}}),
        ];
        let overrides = BTreeMap::from([("a.x".to_owned(), "3".to_owned())]);
        let of = |spec: &str| values(spec, &layers, &overrides).unwrap().config;
        assert_eq!(
            of(r#"{"a": {"x": 0, "z": 9}, "on": {"b": 1}, "kept": 1}"#),
            serde_json::json!({
                "a": {"x": "3", "y": null, "z": 9}, "db": {"password": "1234"}, "kept": 1, "on": true,
            })
        );
        assert_eq!(of("")["on"], true);
    }

    #[test]
    fn what_cannot_be_read_is_no_excuse_for_defaults() {
        let deep = format!("{{\"a\": {}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
        let error = values(&deep, &[], &BTreeMap::new()).unwrap_err().to_string();
        assert!(
            error.contains(
                "spec cannot be read as values: it nests 10001 levels deep, and 10000 are the most"
            ),
            "{error}"
        );
    }

    #[test]
    fn no_spec_means_no_values() {
        for text in ["", "null", "{}"] {
            assert_eq!(values(text, &[], &BTreeMap::new()).unwrap().config, serde_json::json!({}));
        }
        let error = values("[1]", &[], &BTreeMap::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "spec must be a mapping of values, as in the chart's values.yaml, and is a list"
        );
    }
}
