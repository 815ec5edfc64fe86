use serde_json::json;

use super::*;
use crate::structural;

/// The structural schema of a JSON schema whose values have the given defaults.
fn structural(schema: Value, defaults: &str) -> Value {
    let defaults = Frozen::from(&goyaml::load(defaults.as_bytes()).unwrap());
    structural::schema(&convert(&schema, Known::Default(&defaults)))
}

fn of_item(schema: Value) -> Value {
    let list = json!({"type": "array", "items": schema});
    structural(list, "")["items"].clone()
}

const OPEN: &str = "x-kubernetes-preserve-unknown-fields";

#[test]
fn type_lists_become_what_structural_schemas_have() {
    for (types, wanted) in [
        (json!(["string", "null"]), json!({"type": "string", "nullable": true})),
        (json!(["integer", "number"]), json!({"type": "number"})),
        (
            json!(["string", "integer"]),
            json!({"x-kubernetes-int-or-string": true, "description": "Text or whole number."}),
        ),
        (
            json!(["string", "number"]),
            json!({OPEN: true, "maxItems": 0, "maxProperties": 0, "description": "Text, number or boolean."}),
        ),
        (json!(["string", "array"]), json!({OPEN: true, "maxProperties": 0})),
        (json!(["string", "object"]), json!({OPEN: true, "maxItems": 0})),
        (json!("array"), json!({"type": "array", "items": {OPEN: true, "nullable": true}})),
    ] {
        assert_eq!(of_item(json!({"type": types})), wanted, "{types}");
    }
}

#[test]
fn limits_are_carried() {
    assert_eq!(
        of_item(json!({"type": "integer", "minimum": 80, "exclusiveMaximum": 40000, "multipleOf": 2})),
        json!({"type": "integer", "minimum": 80, "maximum": 40000, "exclusiveMaximum": true, "multipleOf": 2})
    );
    assert_eq!(
        of_item(json!({"type": "number", "minimum": 1, "exclusiveMinimum": true})),
        json!({"type": "number", "minimum": 1, "exclusiveMinimum": true})
    );
    assert_eq!(
        of_item(json!({"type": "string", "pattern": "^a", "minLength": 1, "format": "uri"})),
        json!({"type": "string", "pattern": "^a", "minLength": 1})
    );
    // Go would not take it, and neither would the API server.
    assert_eq!(of_item(json!({"type": "string", "pattern": "(?=a)"})), json!({"type": "string"}));
    assert_eq!(of_item(json!({"const": "a"})), json!({"type": "string", "enum": ["a"]}));
    assert_eq!(
        of_item(json!({"enum": ["a", "b", null]})),
        json!({"type": "string", "nullable": true, "anyOf": [{"enum": ["a", "b"]}]})
    );
}

#[test]
fn references_are_followed_until_they_lead_back() {
    let schema = json!({
        "$defs": {
            "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "n": {"$ref": "#count"}}},
            "count": {"$anchor": "count", "type": "integer"},
        },
        "type": "object",
        "properties": {"first": {"$ref": "#/$defs/node", "description": "The first"}, "x": {"$ref": "https://a/b.json"}},
    });
    assert_eq!(
        structural(schema, "")["properties"],
        json!({
            "first": {"type": "object", "description": "The first", OPEN: true, "properties": {
                "next": {"type": "object", OPEN: true},
                "n": {"type": "integer"},
            }},
            "x": {OPEN: true, "nullable": true},
        })
    );
}

#[test]
fn old_drafts_ignore_what_stands_beside_a_reference() {
    for (draft, minimum) in [("http://json-schema.org/draft-07/schema#", None), ("", Some(3))] {
        let schema = json!({"$schema": draft, "definitions": {"n": {"type": "integer"}},
            "properties": {"a": {"$ref": "#/definitions/n", "minimum": 3}}});
        let a = &structural(schema, "")["properties"]["a"];
        assert_eq!(a.get("minimum").and_then(Value::as_i64), minimum);
        assert_eq!(a["type"], "integer");
    }
}

#[test]
fn what_a_default_stands_in_for_is_not_demanded() {
    let schema = json!({"type": "object", "required": ["a", "b"], "properties": {
        "a": {"type": "string"}, "b": {"type": "string"},
        "c": {"type": "object", "required": ["d"]},
        "list": {"type": "array", "items": {"type": "object", "required": ["name"]}},
    }});
    let out = structural(schema, "a: x\nc: {e: 1}\n");
    assert_eq!(out["required"], json!(["b"]));
    assert_eq!(out["properties"]["c"]["required"], json!(["d"]));
    assert_eq!(out["properties"]["list"]["items"]["required"], json!(["name"]));
}

#[test]
fn alternatives_take_what_any_of_them_takes() {
    assert_eq!(
        of_item(json!({"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "integer", "minimum": 1}]})),
        json!({"x-kubernetes-int-or-string": true, "pattern": "^a", "minimum": 1,
            "description": "Text or whole number."})
    );
    assert_eq!(
        of_item(
            json!({"oneOf": [{"type": "null"}, {"type": "object", "properties": {"a": {"type": "string"}},
            "additionalProperties": false}]})
        ),
        json!({"type": "object", "nullable": true, "properties": {"a": {"type": "string"}}})
    );
    // A key that one side knows may be anything on the other.
    assert_eq!(
        of_item(
            json!({"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object"}]})
        ),
        json!({"type": "object", OPEN: true, "properties": {"a": {OPEN: true, "nullable": true}}})
    );
}

#[test]
fn all_parts_bind_together() {
    assert_eq!(
        of_item(json!({"type": "object", "allOf": [
            {"properties": {"a": {"type": "integer", "minimum": 1}}},
            {"properties": {"a": {"maximum": 5}, "b": {"type": "string"}}},
        ]})),
        json!({"type": "object", OPEN: true, "properties": {
            "a": {"type": "integer", "minimum": 1, "maximum": 5}, "b": {"type": "string"}}})
    );
}

#[test]
fn keys_may_be_known_or_patterned_or_neither() {
    let closed =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    assert_eq!(of_item(closed.clone()), json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    let mut patterned = closed;
    patterned["patternProperties"] = json!({"^x-": {}});
    assert_eq!(of_item(patterned)[OPEN], true);
    assert_eq!(
        of_item(json!({"type": "object", "additionalProperties": {"type": "string"}})),
        json!({"type": "object", "additionalProperties": {"type": "string"}})
    );
}

#[test]
fn rules_about_keys_are_carried_where_no_default_can_break_them() {
    let schema = json!({"type": "object", "dependentRequired": {"a": ["b"]}, "not": {"required": ["x", "w"]},
        "anyOf": [{"required": ["c"]}, {"required": ["d"]}]});
    assert_eq!(
        structural(schema.clone(), "z: 1")["allOf"],
        json!([
            {"anyOf": [{"not": {"required": ["a"]}}, {"required": ["b"]}]},
            {"anyOf": [{"required": ["c"]}, {"required": ["d"]}]},
            {"not": {"required": ["x", "w"]}},
        ])
    );
    assert_eq!(structural(schema, "a: 1\nc: 1\nw: 1\n").get("allOf"), None);
    assert_eq!(
        of_item(json!({"type": "string", "not": {"const": "bad"}}))["allOf"],
        json!([{"not": {"enum": ["bad"]}}])
    );
}

#[test]
fn a_schema_that_grows_without_bounds_is_cut() {
    let mut definitions = Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/d/{}", level + 1)});
        definitions.insert(level.to_string(), json!({"properties": {"a": next, "b": next, "c": next}}));
    }
    let schema = json!({"d": definitions, "$ref": "#/d/0"});
    convert(&schema, Known::Nothing);
}

#[test]
fn conditions_become_cel_rules_where_the_users_word_decides() {
    let schema = |draft: &str| {
        json!({"$schema": draft, "type": "object",
            "properties": {"mode": {"type": "string"}, "host": {"type": "string"}, "size": {"type": "integer"}},
            "if": {"properties": {"mode": {"const": "remote"}}},
            "then": {"required": ["host", "size"]},
            "else": {"properties": {"size": {"enum": [1]}}},
        })
    };
    let rules = |defaults: &str| structural(schema(""), defaults)["x-kubernetes-validations"].clone();
    assert_eq!(
        rules("mode: local\nsize: 1\n"),
        json!([
            {"rule": "!(has(self.mode) && self.mode == \"remote\") || (has(self.host))",
                "message": "host must be given when mode is remote"},
            {"rule": "!(has(self.mode) && !(self.mode == \"remote\")) || ((!has(self.size) || self.size == 1))",
                "message": "size must be 1 unless mode is remote"},
        ])
    );
    // A default stands in for what is not given, unless it is what the rule is about.
    assert_eq!(rules("mode: remote\nhost: h\nsize: 2\n"), Value::Null);
    assert_eq!(
        structural(schema("http://json-schema.org/draft-06/schema#"), "").get("x-kubernetes-validations"),
        None
    );
    // Items are many, and each would cost.
    assert_eq!(of_item(schema("")).get("x-kubernetes-validations"), None);
}
