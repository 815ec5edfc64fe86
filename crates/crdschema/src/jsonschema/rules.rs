//! Rules about several keys at once, and what a value must not be, where a structural schema can say exactly the same.
//!
//! Structural schemas take such rules inside `allOf`, without types. They say nothing where a default may be merged in
//! for a key they are about, since the API server does not see it.

use serde_json::{Map, Value, json};

use super::{Known, schemas};
use crate::condition::{Choice, Condition};
use crate::json::to_json;
use crate::types::Types;

/// Returns the rules, each a schema for `allOf`.
pub(super) fn rules(keywords: &Map<String, Value>, known: Known<'_>) -> Vec<Value> {
    let mut rules = Vec::new();
    if let Some(defaults) = known.map() {
        let is_free = |keys: &[&str]| {
            keys.iter().all(|key| !defaults.iter().any(|(name, _)| name.as_bytes() == key.as_bytes()))
        };
        rules.extend(dependencies(keywords, &is_free));
        rules
            .extend(["anyOf", "oneOf"].into_iter().filter_map(|name| alternatives(keywords, name, &is_free)));
        rules.extend(forbidden_keys(keywords, &is_free));
    }
    rules.extend(forbidden_values(keywords));
    rules
}

/// Returns what `if`, `then` and `else` say of keys of which the user's word alone decides.
pub(super) fn conditions(keywords: &Map<String, Value>, known: Known<'_>) -> Vec<Condition> {
    let (Some(defaults), Some(premise)) = (known.map(), keywords.get("if")) else { return Vec::new() };
    let default = |key: &str| {
        defaults.iter().find(|(name, _)| name.as_bytes() == key.as_bytes()).map(|(_, value)| to_json(value))
    };
    let Some(when) = premise_of(premise) else { return Vec::new() };
    let mut conditions = Vec::new();
    for (name, otherwise) in [("then", false), ("else", true)] {
        let Some(then) = keywords.get(name) else { continue };
        let required = then.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<_> = required
            .filter_map(Value::as_str)
            .filter(|key| default(key).is_none())
            .map(str::to_owned)
            .collect();
        let choices = choices_of(then)
            .filter(|choice| default(&choice.key).is_none_or(|value| choice.values.contains(&value)));
        let condition = Condition { when: when.clone(), otherwise, required, choices: choices.collect() };
        if !condition.required.is_empty() || !condition.choices.is_empty() {
            conditions.push(condition);
        }
    }
    conditions
}

/// Reads a premise that is about the values of keys and nothing else.
fn premise_of(premise: &Value) -> Option<Vec<Choice>> {
    let keywords = premise.as_object()?;
    let properties = keywords.get("properties")?.as_object()?;
    let choices: Vec<_> = choices_of(premise).collect();
    let is_about = |key: &Value| key.as_str().is_some_and(|key| properties.contains_key(key));
    let is_plain = |(key, value): (&String, &Value)| match key.as_str() {
        "properties" => true,
        "required" => value.as_array().is_some_and(|keys| keys.iter().all(is_about)),
        "type" => value == "object",
        _ => false,
    };
    let all_plain = keywords.iter().all(is_plain) && choices.len() == properties.len();
    let only_choices = properties.values().all(|schema| {
        schema.as_object().is_some_and(|schema| {
            schema
                .keys()
                .all(|key| matches!(key.as_str(), "const" | "enum" | "type" | "description" | "title"))
        })
    });
    (all_plain && only_choices && !choices.is_empty()).then_some(choices)
}

/// Reads which keys have a choice of values.
fn choices_of(schema: &Value) -> impl Iterator<Item = Choice> {
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.filter_map(|(key, schema)| {
        let values = match (schema.get("const"), schema.get("enum")) {
            (Some(value), _) => vec![value.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            _ => return None,
        };
        let is_scalar = |value: &Value| Types::SCALAR.without(Types::NULL).has(Types::of_json(value));
        (!values.is_empty() && values.iter().all(is_scalar)).then(|| Choice { key: key.clone(), values })
    })
}

/// Returns the keys a schema demands, if it says nothing else.
fn demanded(schema: &Value) -> Option<Vec<&str>> {
    let keywords = schema.as_object()?;
    let is_plain =
        |(key, value): (&String, &Value)| key == "required" || (key == "type" && value == "object");
    let required = keywords.get("required")?.as_array()?;
    let keys: Vec<_> = required.iter().filter_map(Value::as_str).collect();
    (keywords.iter().all(is_plain) && keys.len() == required.len()).then_some(keys)
}

/// A key that calls for others.
fn dependencies(keywords: &Map<String, Value>, is_free: &impl Fn(&[&str]) -> bool) -> Vec<Value> {
    let tables =
        ["dependentRequired", "dependencies"].into_iter().filter_map(|name| keywords.get(name)?.as_object());
    tables
        .flatten()
        .filter_map(|(key, wanted)| {
            let wanted: Vec<&str> = wanted.as_array()?.iter().filter_map(Value::as_str).collect();
            let free = !wanted.is_empty() && is_free(&[key.as_str()]) && is_free(&wanted);
            free.then(|| json!({"anyOf": [{"not": {"required": [key]}}, {"required": wanted}]}))
        })
        .collect()
}

/// A choice of keys.
fn alternatives(
    keywords: &Map<String, Value>,
    name: &str,
    is_free: &impl Fn(&[&str]) -> bool,
) -> Option<Value> {
    let branches: Vec<_> = schemas(keywords, name).map(demanded).collect::<Option<_>>()?;
    let free = branches.len() > 1 && branches.iter().all(|keys| !keys.is_empty() && is_free(keys));
    let branches: Vec<_> = branches.iter().map(|keys| json!({"required": keys})).collect();
    free.then(|| json!({ name: branches }))
}

fn forbidden_keys(keywords: &Map<String, Value>, is_free: &impl Fn(&[&str]) -> bool) -> Option<Value> {
    let keys = demanded(keywords.get("not")?)?;
    (!keys.is_empty() && is_free(&keys)).then(|| json!({"not": {"required": keys}}))
}

/// Values that are given whole, so that no default changes them.
fn forbidden_values(keywords: &Map<String, Value>) -> Option<Value> {
    let forbidden = keywords.get("not")?.as_object()?;
    let values = match forbidden.iter().collect::<Vec<_>>().as_slice() {
        [(key, Value::Array(values))] if *key == "enum" => values.clone(),
        [(key, value)] if *key == "const" => vec![(*value).clone()],
        _ => return None,
    };
    let is_scalar = |value: &Value| Types::SCALAR.without(Types::NULL).has(Types::of_json(value));
    (!values.is_empty() && values.iter().all(is_scalar)).then(|| json!({"not": {"enum": values}}))
}
