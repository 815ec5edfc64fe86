//! Writes fields as a structural schema: the form of OpenAPI v3 that CustomResourceDefinitions take.
//!
//! The rules (apiextensions.k8s.io/v1, checked on a real API server): a node has a type, or is an int-or-string, or keeps
//! whatever it is given; lists say what their items are; known keys and a schema for the others exclude each other; null
//! is dropped unless a node is nullable, and compared with a node's own `enum` but not with that of a branch.

use serde_json::{Map, Value, json};

use crate::condition;
use crate::describe::description;
use crate::field::{Field, Others};
use crate::types::{Form, Types};

/// Keeps what is not specified, for one node.
const OPEN: &str = "x-kubernetes-preserve-unknown-fields";

/// Writes a field, and all below it.
pub(crate) fn schema(field: &Field) -> Value {
    node(field, false)
}

/// Writes a field. Rules in CEL are not repeated for each item or key, for the API server counts what they could cost.
fn node(field: &Field, repeated: bool) -> Value {
    let mut out = Map::new();
    if let Some(text) = description(field) {
        out.insert("description".into(), text.into());
    }
    if field.types.has(Types::NULL) {
        out.insert("nullable".into(), true.into());
    }
    match field.form() {
        Form::Boolean => kind(&mut out, "boolean"),
        Form::Integer => kind(&mut out, "integer"),
        Form::Number => kind(&mut out, "number"),
        Form::String => kind(&mut out, "string"),
        Form::IntOrString => flag(&mut out, "x-kubernetes-int-or-string"),
        Form::Array => {
            kind(&mut out, "array");
            out.insert("items".into(), items(field));
        }
        Form::Object => {
            kind(&mut out, "object");
            keys(field, repeated, &mut out);
            if !repeated {
                condition::write(field, &mut out);
            }
        }
        Form::Scalar | Form::Any => mixed(field, repeated, &mut out),
    }
    field.limits.write(field.types, &mut out);
    Value::Object(out)
}

fn kind(out: &mut Map<String, Value>, name: &str) {
    out.insert("type".into(), name.into());
}

fn flag(out: &mut Map<String, Value>, name: &str) {
    out.insert(name.into(), true.into());
}

fn items(field: &Field) -> Value {
    field.items.as_deref().map_or_else(|| json!({OPEN: true, "nullable": true}), |items| node(items, true))
}

/// A node without a type: lists and maps are kept out by their size where they are not welcome.
fn mixed(field: &Field, repeated: bool, out: &mut Map<String, Value>) {
    flag(out, OPEN);
    if field.types.meets(Types::MAP) {
        keys(field, repeated, out);
        flag(out, OPEN);
    } else {
        out.insert("maxProperties".into(), 0.into());
    }
    if field.types.meets(Types::LIST) {
        out.extend(field.items.as_deref().map(|items| ("items".to_owned(), node(items, true))));
    } else {
        out.insert("maxItems".into(), 0.into());
    }
}

fn keys(field: &Field, repeated: bool, out: &mut Map<String, Value>) {
    if !field.required.is_empty() {
        out.insert("required".into(), field.required.iter().cloned().collect());
    }
    if field.properties.is_empty() {
        match &field.others {
            Others::Each(each) if !each.is_open() => {
                out.insert("additionalProperties".into(), node(each, true));
            }
            // A map without any key is a map nobody described.
            _ => flag(out, OPEN),
        }
        return;
    }
    let properties = field.properties.iter().map(|(name, field)| (name.clone(), node(field, repeated)));
    out.insert("properties".into(), Value::Object(properties.collect()));
    if field.others != Others::Closed {
        flag(out, OPEN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn map(entries: Vec<(&str, Field)>) -> Field {
        let properties = entries.into_iter().map(|(key, field)| (key.to_owned(), field)).collect();
        Field { properties, ..Field::of(Types::MAP | Types::NULL) }
    }

    #[test]
    fn every_form_is_structural() {
        let text = Field { text: Some("A text".into()), ..Field::of(Types::TEXT) };
        let field = map(vec![
            ("list", Field::of(Types::LIST)),
            ("port", Field::of(Types::TEXT_OR_WHOLE | Types::NULL)),
            ("scalar", Field::of(Types::SCALAR)),
            ("text", text),
            ("mixed", map(vec![("a", Field::of(Types::BOOL))]).either(Field::of(Types::TEXT))),
        ]);
        assert_eq!(
            schema(&field),
            json!({
                "type": "object", "nullable": true, OPEN: true,
                "properties": {
                    "list": {"type": "array", "items": {OPEN: true, "nullable": true}},
                    "port": {"nullable": true, "x-kubernetes-int-or-string": true,
                        "description": "Text or whole number."},
                    "scalar": {OPEN: true, "nullable": true, "maxItems": 0, "maxProperties": 0,
                        "description": "Text, number or boolean."},
                    "text": {"type": "string", "description": "A text"},
                    "mixed": {OPEN: true, "nullable": true, "maxItems": 0, "properties": {"a": {"type": "boolean"}}},
                },
            })
        );
    }

    #[test]
    fn known_keys_and_a_schema_for_others_exclude_each_other() {
        let each = Others::Each(Box::new(Field::of(Types::TEXT)));
        let alone = Field { others: each.clone(), ..Field::of(Types::MAP) };
        assert_eq!(schema(&alone), json!({"type": "object", "additionalProperties": {"type": "string"}}));
        let with_keys = Field { others: each, ..map(vec![("a", Field::of(Types::TEXT))]) };
        assert_eq!(
            schema(&with_keys),
            json!({"type": "object", "nullable": true, OPEN: true, "properties": {"a": {"type": "string"}}})
        );
        let closed = Field { others: Others::Closed, ..map(vec![("a", Field::of(Types::TEXT))]) };
        assert_eq!(
            schema(&closed),
            json!({"type": "object", "nullable": true, "properties": {"a": {"type": "string"}}})
        );
    }

    #[test]
    fn limits_of_lists_and_maps_are_written_only_where_these_are_taken() {
        let limits = Limits { max_items: Some(2), min_length: Some(1), ..Limits::default() };
        let field = Field { limits, ..Field::of(Types::TEXT) };
        assert_eq!(schema(&field), json!({"type": "string", "minLength": 1}));
    }
}
