//! Rules of the kind "if this key has one of these values, then those keys must be given", as CEL has them.
//!
//! A JSON schema says it with `if`, `then` and `else`. Here only what the user gives counts: where a default comes in,
//! the rule says nothing and leaves the judgement to Helm.

use serde_json::{Map, Value, json};

use crate::field::{Field, Others};
use crate::types::{Form, Types};

/// One rule about the keys of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// When it binds: all these keys are given, and have one of the values.
    pub(crate) when: Vec<Choice>,
    /// Whether it binds when the keys are given and `when` does not hold.
    pub(crate) otherwise: bool,
    /// The keys that must be given then.
    pub(crate) required: Vec<String>,
    /// What keys must be then, if they are given.
    pub(crate) choices: Vec<Choice>,
}

/// A key and the values it may have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) key: String,
    pub(crate) values: Vec<Value>,
}

/// The API server allows some more for a whole schema; what is beyond is left to Helm.
const MOST_RULES: usize = 20;

/// Adds the rules of a map to its schema, as far as CEL can see the keys they are about.
pub(crate) fn write(field: &Field, schema: &mut Map<String, Value>) {
    let rules: Vec<_> = field
        .limits
        .conditions
        .iter()
        .filter_map(|condition| condition.rule(field))
        .take(MOST_RULES)
        .collect();
    if !rules.is_empty() {
        schema.insert("x-kubernetes-validations".into(), rules.into());
    }
}

impl Condition {
    fn rule(&self, field: &Field) -> Option<Value> {
        let visible = |choice: &Choice| is_visible(field, &choice.key, &choice.values);
        if self.when.is_empty() || !self.when.iter().chain(&self.choices).all(visible) {
            return None;
        }
        let known = |key: &String| is_name(key) && field.properties.get(key).is_some_and(has_type);
        if !self.required.iter().all(known) {
            return None;
        }
        let given: Vec<_> = self.when.iter().map(|choice| format!("has(self.{})", choice.key)).collect();
        let holds: Vec<_> = self.when.iter().map(Choice::holds).collect();
        let binds = if self.otherwise {
            format!("{} && !({})", given.join(" && "), holds.join(" && "))
        } else {
            let both = given.iter().zip(&holds).map(|(given, holds)| format!("{given} && {holds}"));
            both.collect::<Vec<_>>().join(" && ")
        };
        let required = self.required.iter().map(|key| format!("has(self.{key})"));
        let choices =
            self.choices.iter().map(|choice| format!("(!has(self.{}) || {})", choice.key, choice.holds()));
        let wanted: Vec<_> = required.chain(choices).collect();
        let message = format!("{} {}", self.wanted(), self.reason());
        (!wanted.is_empty())
            .then(|| json!({"rule": format!("!({binds}) || ({})", wanted.join(" && ")), "message": message}))
    }

    fn wanted(&self) -> String {
        let required =
            (!self.required.is_empty()).then(|| format!("{} must be given", self.required.join(", ")));
        let choices = self.choices.iter().map(|choice| format!("{} must be {}", choice.key, choice.words()));
        required.into_iter().chain(choices).collect::<Vec<_>>().join(" and ")
    }

    fn reason(&self) -> String {
        let each: Vec<_> =
            self.when.iter().map(|choice| format!("{} is {}", choice.key, choice.words())).collect();
        format!("{} {}", if self.otherwise { "unless" } else { "when" }, each.join(" and "))
    }
}

impl Choice {
    fn holds(&self) -> String {
        let values: Vec<_> = self.values.iter().map(literal).collect();
        match values.as_slice() {
            [only] => format!("self.{} == {only}", self.key),
            all => format!("self.{} in [{}]", self.key, all.join(", ")),
        }
    }

    fn words(&self) -> String {
        self.values
            .iter()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(" or ")
    }
}

/// Whether CEL sees a field at all: it is blind to what has no type.
fn has_type(field: &Field) -> bool {
    match field.form() {
        Form::Any | Form::Scalar => false,
        Form::Array => field.items.as_deref().is_some_and(has_type),
        Form::Object if field.properties.is_empty() => match &field.others {
            Others::Each(each) => has_type(each),
            _ => true,
        },
        _ => true,
    }
}

/// Whether CEL sees a key, and finds that the values are of its type.
fn is_visible(field: &Field, key: &str, values: &[Value]) -> bool {
    let Some(inner) = field.properties.get(key).filter(|_| is_name(key)) else { return false };
    let all = |of: Types| values.iter().all(|value| of.has(Types::of_json(value)));
    !values.is_empty()
        && match inner.form() {
            Form::Boolean => all(Types::BOOL),
            Form::Integer => all(Types::WHOLE),
            Form::String => all(Types::TEXT),
            // Seen as anything, so whatever is compared with it is only equal or not.
            Form::IntOrString => all(Types::TEXT) || all(Types::WHOLE),
            _ => false,
        }
}

/// Words that CEL and Kubernetes keep for themselves: fields of these names would have to be written otherwise.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

fn is_name(key: &str) -> bool {
    let starts = key.starts_with(|first: char| first.is_ascii_alphabetic());
    // Two underscores begin an escape.
    starts
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !key.contains("__")
        && !RESERVED.contains(&key)
}

/// Writes a value as CEL does. Its strings escape like JSON's.
fn literal(value: &Value) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn choice(key: &str, values: Value) -> Choice {
        Choice { key: key.into(), values: values.as_array().unwrap().clone() }
    }

    fn written(condition: Condition) -> Option<Value> {
        let of = |types| Field::of(types);
        let mut field = Field::of(Types::MAP);
        field.properties.insert("mode".into(), of(Types::TEXT));
        field.properties.insert("size".into(), of(Types::TEXT_OR_WHOLE));
        field.properties.insert("any".into(), of(Types::ANY));
        field.properties.insert("tls".into(), of(Types::MAP));
        field.properties.insert("a-b".into(), of(Types::TEXT));
        field.limits = Limits { conditions: vec![condition], ..Limits::default() };
        let mut schema = Map::new();
        write(&field, &mut schema);
        schema.remove("x-kubernetes-validations").map(|rules| rules[0].clone())
    }

    fn condition() -> Condition {
        Condition {
            when: vec![choice("mode", json!(["a", "b\""]))],
            otherwise: false,
            required: vec!["tls".into()],
            choices: vec![choice("size", json!([3]))],
        }
    }

    #[test]
    fn rules_are_written_with_their_reason() {
        assert_eq!(
            written(condition()).unwrap(),
            json!({
                "rule": r#"!(has(self.mode) && self.mode in ["a", "b\""]) || (has(self.tls) && (!has(self.size) || self.size == 3))"#,
                "message": "tls must be given and size must be 3 when mode is a or b\"",
            })
        );
        let otherwise = Condition { otherwise: true, choices: vec![], ..condition() };
        assert_eq!(
            written(otherwise).unwrap(),
            json!({
                "rule": r#"!(has(self.mode) && !(self.mode in ["a", "b\""])) || (has(self.tls))"#,
                "message": "tls must be given unless mode is a or b\"",
            })
        );
    }

    #[test]
    fn what_cel_cannot_see_is_left_out() {
        for (key, values) in
            [("a-b", json!(["x"])), ("any", json!(["x"])), ("mode", json!([1])), ("none", json!(["x"]))]
        {
            assert_eq!(written(Condition { when: vec![choice(key, values)], ..condition() }), None, "{key}");
        }
        assert_eq!(written(Condition { required: vec!["any".into()], ..condition() }), None);
    }
}
