//! What changes between two structural schemas, and whether it hurts resources that exist.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::describe::named_default;
use crate::types::{Form, Types};
use crate::validate::{keeps_unknown, types};

/// Schemas nest no deeper than the API server takes them; what is deeper is not compared.
const DEEPEST: usize = 200;

/// A difference between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The field, as `spec.a[].b`; `*` stands for any key.
    pub path: String,
    /// What changes.
    pub what: String,
    /// Whether a resource that was good may be refused, or lose something.
    pub breaking: bool,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let effect = if self.breaking { "breaking" } else { "safe" };
        write!(f, "{effect:<9} {}: {}", self.path, self.what)
    }
}

/// Compares two schemas, the old one first. Changes come in the order of their paths.
pub fn compare(old: &Value, new: &Value) -> Vec<Change> {
    let mut comparison = Comparison { changes: Vec::new() };
    comparison.field(old, new, "", 0);
    comparison.changes
}

struct Comparison {
    changes: Vec<Change>,
}

impl Comparison {
    fn note(&mut self, path: &str, breaking: bool, what: impl Into<String>) {
        self.changes.push(Change { path: path.to_owned(), what: what.into(), breaking });
    }

    fn field(&mut self, old: &Value, new: &Value, path: &str, depth: usize) {
        if old == new || depth > DEEPEST {
            return;
        }
        self.types(old, new, path);
        self.choices(old, new, path);
        for (keyword, words, sign) in BOUNDS {
            self.bound(old, new, path, keyword, words, *sign);
        }
        self.rules(old, new, path);
        self.default(old, new, path);
        self.keys(old, new, path, depth);
        if let (Some(old), Some(new)) = (old.get("items"), new.get("items")) {
            self.field(old, new, &format!("{path}[]"), depth + 1);
        }
    }

    fn types(&mut self, old: &Value, new: &Value, path: &str) {
        let (was, is) = (taken(old), taken(new));
        let (before, after) = (was.without(Types::NULL), is.without(Types::NULL));
        if before != after {
            let breaking = !after.has(before);
            self.note(
                path,
                breaking,
                format!("type {} becomes {}", before.form().name(), after.form().name()),
            );
        }
        match (was.has(Types::NULL), is.has(Types::NULL)) {
            (true, false) => self.note(path, true, "null is no longer kept"),
            (false, true) => self.note(path, false, "null is kept"),
            _ => {}
        }
    }

    fn choices(&mut self, old: &Value, new: &Value, path: &str) {
        let (old, new) = (choices(old), choices(new));
        let list = |values: Vec<&&Value>| {
            values.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
        };
        match (old, new) {
            (Some(old), Some(new)) => {
                let gone: Vec<_> = old.iter().filter(|value| !new.contains(value)).collect();
                let added: Vec<_> = new.iter().filter(|value| !old.contains(value)).collect();
                if !gone.is_empty() {
                    self.note(path, true, format!("no longer takes {}", list(gone)));
                }
                if !added.is_empty() {
                    self.note(path, false, format!("takes {}", list(added)));
                }
            }
            (None, Some(new)) => {
                self.note(path, true, format!("takes only {}", list(new.iter().collect())));
            }
            (Some(_), None) => self.note(path, false, "takes more than a choice of values"),
            (None, None) => {}
        }
    }

    fn bound(&mut self, old: &Value, new: &Value, path: &str, keyword: &str, words: &str, sign: f64) {
        let exclusive = format!(
            "exclusive{}{}",
            keyword.get(..1).unwrap_or_default().to_uppercase(),
            keyword.get(1..).unwrap_or_default()
        );
        // A bound that excludes its number is tighter by less than any number.
        let value = |schema: &Value| {
            // Sizes of none only keep lists and maps out of a field without a type.
            let number =
                schema.get(keyword).and_then(Value::as_f64).filter(|_| !keeps_out(schema, keyword))?;
            let excludes = schema.get(&exclusive).and_then(Value::as_bool) == Some(true);
            Some((number, excludes))
        };
        let shown =
            |(number, excludes): (f64, bool)| format!("{number}{}", if excludes { ", excluded" } else { "" });
        let tightness = |(number, excludes): (f64, bool)| (number * sign, excludes);
        match (value(old), value(new)) {
            (Some(old), Some(new)) if old != new => {
                let breaking = tightness(new) > tightness(old);
                self.note(path, breaking, format!("{words} {} becomes {}", shown(old), shown(new)));
            }
            (None, Some(new)) => self.note(path, true, format!("{words} is {}", shown(new))),
            (Some(_), None) => self.note(path, false, format!("{words} is no longer limited")),
            _ => {}
        }
    }

    /// Rules that are equal or not, and nothing between.
    fn rules(&mut self, old: &Value, new: &Value, path: &str) {
        for (keyword, words) in RULES {
            match (old.get(keyword), new.get(keyword)) {
                (old, new) if old == new => {}
                (old, new) if only_choices(keyword, old) && only_choices(keyword, new) => {}
                (Some(_), None) => self.note(path, false, format!("{words} is no longer checked")),
                (_, Some(new)) => self.note(path, true, format!("{words} becomes {new}")),
                (None, None) => {}
            }
        }
    }

    fn default(&mut self, old: &Value, new: &Value, path: &str) {
        let default = |schema: &Value| {
            let text = schema.get("description").and_then(Value::as_str)?;
            named_default(text).map(str::to_owned)
        };
        let (was, is) = (default(old), default(new));
        if was != is {
            let show = |default: Option<String>| default.unwrap_or_else(|| "none".to_owned());
            self.note(path, false, format!("the chart's default {} becomes {}", show(was), show(is)));
        }
    }

    fn keys(&mut self, old: &Value, new: &Value, path: &str, depth: usize) {
        if !taken(old).meets(Types::MAP) || !taken(new).meets(Types::MAP) {
            return;
        }
        let (was_open, is_open) = (takes_others(old), takes_others(new));
        match (was_open, is_open) {
            (true, false) => self.note(path, true, "keys that are not known are no longer kept"),
            (false, true) => self.note(path, false, "keys that are not known are kept"),
            _ => {}
        }
        let required = |schema: &Value| -> BTreeSet<String> {
            let list = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (was, is) = (required(old), required(new));
        for key in was.symmetric_difference(&is) {
            let demanded = is.contains(key);
            let what = if demanded { "must be given" } else { "need no longer be given" };
            self.note(&join(path, key), demanded, what);
        }
        let known = |schema: &Value| -> BTreeSet<String> {
            schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(|(key, _)| key.clone())
                .collect()
        };
        for key in known(old).union(&known(new)) {
            let inner = |schema: &Value| schema.get("properties").and_then(|known| known.get(key)).cloned();
            let below = join(path, key);
            match (inner(old), inner(new)) {
                (Some(old), Some(new)) => self.field(&old, &new, &below, depth + 1),
                (Some(_), None) if is_open => {
                    self.note(&below, false, "is no longer known; it is kept, and the chart may ignore it")
                }
                (Some(_), None) => {
                    self.note(&below, true, "is gone, and what resources hold there is dropped")
                }
                (None, Some(new)) => {
                    self.note(&below, false, format!("is new ({})", taken(&new).form().name()));
                }
                (None, None) => {}
            }
        }
        match (each(old), each(new)) {
            (Some(old), Some(new)) => self.field(old, new, &join(path, "*"), depth + 1),
            (None, Some(new)) if was_open && !matches!(taken(new).form(), Form::Any) => {
                let what = format!("must be of type {}", taken(new).form().name());
                self.note(&join(path, "*"), true, what);
            }
            _ => {}
        }
    }
}

/// Keywords that bound a number, in words, and whether more (1) or less (-1) is tighter.
const BOUNDS: &[(&str, &str, f64)] = &[
    ("minimum", "the least number", 1.0),
    ("maximum", "the greatest number", -1.0),
    ("minLength", "the least length", 1.0),
    ("maxLength", "the greatest length", -1.0),
    ("minItems", "the least number of items", 1.0),
    ("maxItems", "the greatest number of items", -1.0),
    ("minProperties", "the least number of keys", 1.0),
    ("maxProperties", "the greatest number of keys", -1.0),
];

const RULES: &[(&str, &str)] = &[
    ("pattern", "the pattern"),
    ("format", "the format"),
    ("multipleOf", "the step"),
    ("allOf", "what all rules say"),
    ("anyOf", "what one of the rules says"),
    ("oneOf", "what exactly one rule says"),
    ("not", "what it must not be"),
    ("x-kubernetes-validations", "what the CEL rules say"),
];

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Whether a size of none stands for "no list" or "no map".
fn keeps_out(schema: &Value, keyword: &str) -> bool {
    matches!(keyword, "maxItems" | "maxProperties")
        && schema.get("type").is_none()
        && schema.get(keyword).and_then(Value::as_u64) == Some(0)
}

/// The types a schema takes, without those that a size of none keeps out.
fn taken(schema: &Value) -> Types {
    let mut taken = types(schema);
    for (keyword, of) in [("maxItems", Types::LIST), ("maxProperties", Types::MAP)] {
        if keeps_out(schema, keyword) {
            taken = taken.without(of);
        }
    }
    taken
}

fn each(schema: &Value) -> Option<&Value> {
    schema.get("additionalProperties").filter(|each| each.is_object())
}

fn takes_others(schema: &Value) -> bool {
    let each = schema.get("additionalProperties");
    keeps_unknown(schema) || each.is_some_and(|each| each.is_object() || each == &Value::Bool(true))
}

/// The values there are to choose from, wherever they are written.
fn choices(schema: &Value) -> Option<Vec<&Value>> {
    let list = schema.get("enum").or_else(|| match schema.get("anyOf")?.as_array()?.as_slice() {
        [only] => only.get("enum"),
        _ => None,
    });
    Some(list?.as_array()?.iter().collect())
}

/// Whether a rule is there for nothing but choices and types, which are compared on their own.
fn only_choices(keyword: &str, rule: Option<&Value>) -> bool {
    let plain = |branch: &Value| {
        branch
            .as_object()
            .is_some_and(|branch| branch.keys().all(|key| matches!(key.as_str(), "enum" | "type")))
    };
    keyword == "anyOf"
        && rule.is_none_or(|rule| rule.as_array().is_some_and(|branches| branches.iter().all(plain)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changes(old: Value, new: Value) -> Vec<String> {
        compare(
            &json!({"type": "object", "properties": {"f": old}}),
            &json!({"type": "object", "properties": {"f": new}}),
        )
        .iter()
        .map(Change::to_string)
        .collect()
    }

    const OPEN: &str = "x-kubernetes-preserve-unknown-fields";

    #[test]
    fn types_may_widen_but_not_narrow() {
        let either = json!({"x-kubernetes-int-or-string": true});
        let text = json!({"type": "string", "nullable": true});
        assert_eq!(
            changes(text.clone(), either.clone()),
            ["safe      f: type string becomes integer or string", "breaking  f: null is no longer kept"]
        );
        assert_eq!(
            changes(either, text.clone()),
            ["breaking  f: type integer or string becomes string", "safe      f: null is kept"]
        );
        let scalar = json!({OPEN: true, "maxItems": 0, "maxProperties": 0, "nullable": true});
        assert_eq!(changes(text, scalar), ["safe      f: type string becomes string, number or boolean"]);
    }

    #[test]
    fn limits_may_loosen_but_not_tighten() {
        let limits = |minimum: i64, exclusive: bool| json!({"type": "integer", "minimum": minimum, "exclusiveMinimum": exclusive});
        assert_eq!(
            changes(limits(1, false), limits(2, false)),
            ["breaking  f: the least number 1 becomes 2"]
        );
        assert_eq!(
            changes(limits(1, true), limits(1, false)),
            ["safe      f: the least number 1, excluded becomes 1"]
        );
        assert_eq!(
            changes(json!({"type": "string"}), json!({"type": "string", "pattern": "a"})),
            ["breaking  f: the pattern becomes \"a\""]
        );
        assert_eq!(
            changes(
                json!({"type": "string", "enum": ["a", "b"]}),
                json!({"type": "string", "anyOf": [{"enum": ["a", "c"]}]})
            ),
            ["breaking  f: no longer takes \"b\"", "safe      f: takes \"c\""]
        );
    }

    #[test]
    fn keys_come_and_go() {
        let open = |keys: Value| json!({"type": "object", OPEN: true, "properties": keys});
        let closed = |keys: Value| json!({"type": "object", "properties": keys});
        let (a, b) = (json!({"a": {"type": "string"}}), json!({"b": {"type": "string"}}));
        assert_eq!(
            changes(open(a.clone()), open(b.clone())),
            [
                "safe      f.a: is no longer known; it is kept, and the chart may ignore it",
                "safe      f.b: is new (string)"
            ]
        );
        assert_eq!(
            changes(open(a.clone()), closed(b)),
            [
                "breaking  f: keys that are not known are no longer kept",
                "breaking  f.a: is gone, and what resources hold there is dropped",
                "safe      f.b: is new (string)"
            ]
        );
        let mut demanding = open(a.clone());
        demanding["required"] = json!(["a"]);
        assert_eq!(changes(open(a), demanding), ["breaking  f.a: must be given"]);
    }

    #[test]
    fn a_new_default_of_the_chart_is_told() {
        let described = |text: &str| json!({"type": "integer", "description": text});
        assert_eq!(
            changes(described("Count.\nDefault: 1"), described("The count.\nDefault: 2")),
            ["safe      f: the chart's default 1 becomes 2"]
        );
    }
}
