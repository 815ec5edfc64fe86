//! Judges values by a structural schema, as the API server does (kube-openapi's `validate`, after strict decoding).

use gostd::regexp::Regexp;
use serde_json::{Map, Value};

use crate::types::Types;

/// Something the API server would say about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as `spec.a[0].b`; empty for the value itself.
    pub path: String,
    /// What is wrong.
    pub problem: String,
}

/// Returns all that is wrong with a value; nothing if the API server takes it as it is.
///
/// Two things that a lenient client is not told count as faults here, since the value would not arrive: a key that the
/// schema does not know and does not keep, and a null that is not nullable. CEL rules are not judged.
pub fn validate(schema: &Value, value: &Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    check(schema, value, "", &mut faults);
    faults
}

fn fault(path: &str, problem: String, faults: &mut Vec<Fault>) {
    faults.push(Fault { path: path.to_owned(), problem });
}

fn flag(schema: &Value, name: &str) -> bool {
    schema.get(name).and_then(Value::as_bool) == Some(true)
}

/// Whether unknown keys are kept.
pub(crate) fn keeps_unknown(schema: &Value) -> bool {
    flag(schema, "x-kubernetes-preserve-unknown-fields")
}

/// The types a schema takes, null included.
pub(crate) fn types(schema: &Value) -> Types {
    let types = match schema.get("type").and_then(Value::as_str) {
        _ if flag(schema, "x-kubernetes-int-or-string") => Types::TEXT_OR_WHOLE,
        Some("boolean") => Types::BOOL,
        Some("integer") => Types::WHOLE,
        Some("number") => Types::NUMBER,
        Some("string") => Types::TEXT,
        Some("array") => Types::LIST,
        Some("object") => Types::MAP,
        _ => Types::ANY.without(Types::NULL),
    };
    if flag(schema, "nullable") { types | Types::NULL } else { types }
}

fn check(schema: &Value, value: &Value, path: &str, faults: &mut Vec<Fault>) {
    let taken = types(schema);
    if value.is_null() {
        if !taken.has(Types::NULL) {
            fault(path, "is null, which would be dropped".into(), faults);
        }
        // Of all other rules only the field's own choices are compared with null, which none of them equals.
        if schema.get("enum").is_some() {
            fault(path, "is null and not one of the choices".into(), faults);
        }
        return;
    }
    if !taken.has(Types::of_json(value)) {
        let wanted = taken.form().name();
        return fault(path, format!("must be of type {wanted}, and is {value}"), faults);
    }
    rules(schema, value, path, faults);
    match value {
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    check(schema, item, &format!("{path}[{index}]"), faults);
                }
            }
        }
        Value::Object(entries) => keys(schema, entries, path, faults),
        _ => {}
    }
}

fn keys(schema: &Value, entries: &Map<String, Value>, path: &str, faults: &mut Vec<Fault>) {
    let properties = schema.get("properties");
    let each = schema.get("additionalProperties").filter(|each| each.is_object());
    let open = keeps_unknown(schema) || schema.get("additionalProperties") == Some(&Value::Bool(true));
    for (key, value) in entries {
        let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match properties.and_then(|properties| properties.get(key)).or(each) {
            Some(schema) => check(schema, value, &below, faults),
            None if open => {}
            None => fault(&below, "is not known".into(), faults),
        }
    }
}

/// The rules that are not about types: those that may stand inside `anyOf` and its kin.
fn rules(schema: &Value, value: &Value, path: &str, faults: &mut Vec<Fault>) {
    let list = |name: &str| schema.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.iter().any(|choice| equal(choice, value))
    {
        fault(path, format!("{value} is not one of the choices"), faults);
    }
    let limit = |name: &str| schema.get(name).and_then(Value::as_u64);
    let mut count = |what: &str, length: usize, least: &str, most: &str| {
        let length = length as u64;
        if limit(least).is_some_and(|least| length < least) || limit(most).is_some_and(|most| length > most) {
            fault(path, format!("has {length} {what}, which is too many or too few"), faults);
        }
    };
    match value {
        Value::String(text) => count("characters", text.chars().count(), "minLength", "maxLength"),
        Value::Array(items) => count("items", items.len(), "minItems", "maxItems"),
        Value::Object(entries) => count("keys", entries.len(), "minProperties", "maxProperties"),
        _ => {}
    }
    if let Value::Number(number) = value {
        numbers(schema, number.as_f64().unwrap_or(f64::NAN), path, faults);
    }
    if let (Value::String(text), Some(pattern)) = (value, schema.get("pattern").and_then(Value::as_str)) {
        let matches = Regexp::compile(pattern).is_ok_and(|regexp| regexp.is_match(text.as_bytes()));
        if !matches {
            fault(path, format!("{text:?} does not match {pattern}"), faults);
        }
    }
    if let Value::Object(entries) = value {
        for key in list("required").iter().filter_map(Value::as_str) {
            if !entries.contains_key(key) {
                fault(path, format!("{key} is missing"), faults);
            }
        }
    }
    // Branches of int-or-string fields name types; the field's own type says the same.
    let fits = |branch: &Value| keeps_to(branch, value);
    let (any, one, all) = (list("anyOf"), list("oneOf"), list("allOf"));
    if !any.is_empty() && !any.iter().any(fits) {
        fault(path, "keeps to none of the alternatives".into(), faults);
    }
    if !one.is_empty() && one.iter().filter(|branch| fits(branch)).count() != 1 {
        fault(path, "does not keep to exactly one of the alternatives".into(), faults);
    }
    if !all.iter().all(fits) {
        fault(path, "does not keep to all of the rules".into(), faults);
    }
    if schema.get("not").is_some_and(fits) {
        fault(path, "is what it must not be".into(), faults);
    }
}

/// Reports whether a value keeps to a branch, which has rules for the values inside as well but knows no types.
fn keeps_to(branch: &Value, value: &Value) -> bool {
    let mut faults = Vec::new();
    rules(branch, value, "", &mut faults);
    let inner = |schema: Option<&Value>, value: &Value| schema.is_none_or(|schema| keeps_to(schema, value));
    faults.is_empty()
        && match value {
            Value::Array(items) => items.iter().all(|item| inner(branch.get("items"), item)),
            Value::Object(entries) => entries
                .iter()
                .all(|(key, value)| inner(branch.get("properties").and_then(|known| known.get(key)), value)),
            _ => true,
        }
}

fn numbers(schema: &Value, number: f64, path: &str, faults: &mut Vec<Fault>) {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    if let Some(least) = bound("minimum")
        && (number < least || (number == least && flag(schema, "exclusiveMinimum")))
    {
        fault(path, format!("{number} is below {least}"), faults);
    }
    if let Some(most) = bound("maximum")
        && (number > most || (number == most && flag(schema, "exclusiveMaximum")))
    {
        fault(path, format!("{number} is above {most}"), faults);
    }
    if let Some(step) = bound("multipleOf")
        && (number / step).fract() != 0.0
    {
        fault(path, format!("{number} is no multiple of {step}"), faults);
    }
}

/// Compares as JSON schema does: 1 and 1.0 are equal.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(schema: &Value, value: Value) -> Vec<String> {
        validate(schema, &value)
            .into_iter()
            .map(|fault| format!("{}: {}", fault.path, fault.problem))
            .collect()
    }

    #[test]
    fn types_are_those_of_the_api_server() {
        let schema = json!({"type": "object", "properties": {
            "whole": {"type": "integer"}, "either": {"x-kubernetes-int-or-string": true},
            "closed": {"type": "object", "nullable": true}, "list": {"type": "array", "items": {"type": "string"}},
            "scalar": {"x-kubernetes-preserve-unknown-fields": true, "maxItems": 0, "maxProperties": 0},
        }});
        assert!(
            validate(&schema, &json!({"whole": 1.0, "either": "x", "closed": null, "scalar": true}))
                .is_empty()
        );
        assert_eq!(
            problems(&schema, json!({"whole": "1", "either": 0.5, "closed": {"a": 1}, "list": ["a", 1]})),
            [
                "closed.a: is not known",
                "either: must be of type integer or string, and is 0.5",
                "list[1]: must be of type string, and is 1",
                "whole: must be of type integer, and is \"1\"",
            ]
        );
        assert_eq!(problems(&schema, json!({"whole": null})), ["whole: is null, which would be dropped"]);
        assert_eq!(problems(&schema, json!({"scalar": [1]})).len(), 1);
    }

    #[test]
    fn rules_bind_values_of_their_type() {
        let schema = json!({"x-kubernetes-int-or-string": true, "nullable": true, "minimum": 80, "pattern": "^h",
            "anyOf": [{"type": "integer"}, {"type": "string"}]});
        for good in [json!(80), json!("http"), json!(null)] {
            assert!(validate(&schema, &good).is_empty(), "{good}");
        }
        assert_eq!(validate(&schema, &json!(79)).len(), 1);
        assert_eq!(validate(&schema, &json!("x")).len(), 1);
        let choices = json!({"type": "string", "nullable": true, "anyOf": [{"enum": ["a"]}]});
        assert!(validate(&choices, &json!(null)).is_empty());
        assert_eq!(validate(&choices, &json!("b")).len(), 1);
    }
}
