//! What a value must keep to besides its type.

use serde_json::{Map, Number, Value, json};

use crate::condition::Condition;
use crate::types::Types;

/// Limits that a structural schema can carry; each binds only values of its own type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// The values there are to choose from.
    pub choices: Option<Vec<Value>>,
    /// The least number.
    pub minimum: Option<Bound>,
    /// The greatest number.
    pub maximum: Option<Bound>,
    /// Numbers must be multiples of it.
    pub multiple_of: Option<Number>,
    /// The least number of characters.
    pub min_length: Option<u64>,
    /// The greatest number of characters.
    pub max_length: Option<u64>,
    /// Regular expressions that all must match, unanchored.
    pub patterns: Vec<String>,
    /// The least number of items.
    pub min_items: Option<u64>,
    /// The greatest number of items.
    pub max_items: Option<u64>,
    /// The least number of keys.
    pub min_properties: Option<u64>,
    /// The greatest number of keys.
    pub max_properties: Option<u64>,
    /// Rules of other kinds, each a schema without types.
    pub rules: Vec<Value>,
    /// Rules that bind under a condition.
    pub conditions: Vec<Condition>,
}

/// A bound of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The number.
    pub at: Number,
    /// Whether the number itself is outside.
    pub exclusive: bool,
}

impl Bound {
    fn number(&self) -> f64 {
        self.at.as_f64().unwrap_or(f64::NAN)
    }

    /// Returns the one that leaves less room; `sign` is 1 for minima and -1 for maxima.
    fn tighter(self, other: Self, sign: f64) -> Self {
        let (a, b) = (self.number() * sign, other.number() * sign);
        if a > b || (a == b && self.exclusive) { self } else { other }
    }

    fn looser(self, other: Self, sign: f64) -> Self {
        let tighter = self.clone().tighter(other.clone(), sign);
        if tighter == self { other } else { self }
    }
}

impl Limits {
    /// Reports whether nothing is limited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the limits of what keeps to both.
    pub fn both(self, other: Self) -> Self {
        let choices = match (self.choices, other.choices) {
            (Some(a), Some(b)) => {
                let common: Vec<_> = a.iter().filter(|value| b.contains(value)).cloned().collect();
                // Nothing would fit: leave it to Helm to say so.
                Some(if common.is_empty() { a } else { common })
            }
            (a, b) => a.or(b),
        };
        let mut patterns = self.patterns;
        for pattern in other.patterns {
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        Self {
            choices,
            minimum: join(self.minimum, other.minimum, |a, b| a.tighter(b, 1.0)),
            maximum: join(self.maximum, other.maximum, |a, b| a.tighter(b, -1.0)),
            multiple_of: self.multiple_of.or(other.multiple_of),
            min_length: join(self.min_length, other.min_length, u64::max),
            max_length: join(self.max_length, other.max_length, u64::min),
            patterns,
            min_items: join(self.min_items, other.min_items, u64::max),
            max_items: join(self.max_items, other.max_items, u64::min),
            min_properties: join(self.min_properties, other.min_properties, u64::max),
            max_properties: join(self.max_properties, other.max_properties, u64::min),
            rules: self.rules.into_iter().chain(other.rules).collect(),
            conditions: self.conditions.into_iter().chain(other.conditions).collect(),
        }
    }

    /// Returns limits that nothing breaks which keeps to one of the two, given the types each side takes.
    pub fn either(self, types: Types, other: Self, other_types: Types) -> Self {
        // A limit survives whole where the other side takes no value it binds.
        let alone = |of: Types| (!other_types.meets(of), !types.meets(of));
        let choices = match (self.choices, other.choices) {
            (Some(mut a), Some(b)) => {
                let new: Vec<_> = b.into_iter().filter(|value| !a.contains(value)).collect();
                a.extend(new);
                Some(a)
            }
            _ => None,
        };
        let numbers = alone(Types::NUMBER);
        let texts = alone(Types::TEXT);
        let lists = alone(Types::LIST);
        let maps = alone(Types::MAP);
        let patterns = match texts {
            (true, _) => self.patterns,
            (_, true) => other.patterns,
            _ if self.patterns == other.patterns => self.patterns,
            _ => Vec::new(),
        };
        Self {
            choices,
            minimum: meet(self.minimum, other.minimum, numbers, |a, b| a.looser(b, 1.0)),
            maximum: meet(self.maximum, other.maximum, numbers, |a, b| a.looser(b, -1.0)),
            multiple_of: match numbers {
                (true, _) => self.multiple_of,
                (_, true) => other.multiple_of,
                _ => self.multiple_of.filter(|number| other.multiple_of.as_ref() == Some(number)),
            },
            min_length: meet(self.min_length, other.min_length, texts, u64::min),
            max_length: meet(self.max_length, other.max_length, texts, u64::max),
            patterns,
            min_items: meet(self.min_items, other.min_items, lists, u64::min),
            max_items: meet(self.max_items, other.max_items, lists, u64::max),
            min_properties: meet(self.min_properties, other.min_properties, maps, u64::min),
            max_properties: meet(self.max_properties, other.max_properties, maps, u64::max),
            rules: if self.rules == other.rules { self.rules } else { Vec::new() },
            conditions: if self.conditions == other.conditions { self.conditions } else { Vec::new() },
        }
    }

    /// Writes the limits into a schema that takes `types`. Limits of types it does not take are left out.
    pub fn write(&self, types: Types, schema: &mut Map<String, Value>) {
        let mut all_of = self.rules.clone();
        if let Some(choices) = &self.choices {
            let choices: Vec<_> = choices.iter().filter(|value| !value.is_null()).collect();
            if types.has(Types::NULL) {
                // The API server compares null with the choices of the field itself, but not with those of a branch.
                schema.insert("anyOf".into(), json!([{"enum": choices}]));
            } else {
                schema.insert("enum".into(), json!(choices));
            }
        }
        if types.meets(Types::NUMBER) {
            write_bound(&self.minimum, "minimum", "exclusiveMinimum", schema);
            write_bound(&self.maximum, "maximum", "exclusiveMaximum", schema);
            if let Some(number) = &self.multiple_of {
                schema.insert("multipleOf".into(), Value::Number(number.clone()));
            }
        }
        let mut count = |binds: Types, name: &str, number: Option<u64>| {
            if let Some(number) = number.filter(|_| types.meets(binds)) {
                schema.insert(name.into(), number.into());
            }
        };
        count(Types::TEXT, "minLength", self.min_length);
        count(Types::TEXT, "maxLength", self.max_length);
        count(Types::LIST, "minItems", self.min_items);
        count(Types::LIST, "maxItems", self.max_items);
        count(Types::MAP, "minProperties", self.min_properties);
        count(Types::MAP, "maxProperties", self.max_properties);
        if types.meets(Types::TEXT)
            && let Some((first, rest)) = self.patterns.split_first()
        {
            schema.insert("pattern".into(), first.as_str().into());
            all_of.extend(rest.iter().map(|pattern| json!({"pattern": pattern})));
        }
        if !all_of.is_empty() {
            schema.insert("allOf".into(), all_of.into());
        }
    }
}

fn join<T>(a: Option<T>, b: Option<T>, pick: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(pick(a, b)),
        (a, b) => a.or(b),
    }
}

/// Keeps a limit that stands alone, or the looser of two.
fn meet<T>(a: Option<T>, b: Option<T>, alone: (bool, bool), pick: impl Fn(T, T) -> T) -> Option<T> {
    match (alone, a, b) {
        ((true, _), a, _) => a,
        ((_, true), _, b) => b,
        (_, Some(a), Some(b)) => Some(pick(a, b)),
        _ => None,
    }
}

fn write_bound(bound: &Option<Bound>, name: &str, exclusive: &str, schema: &mut Map<String, Value>) {
    if let Some(bound) = bound {
        schema.insert(name.into(), Value::Number(bound.at.clone()));
        if bound.exclusive {
            schema.insert(exclusive.into(), true.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(minimum: i64, exclusive: bool) -> Limits {
        Limits { minimum: Some(Bound { at: minimum.into(), exclusive }), ..Limits::default() }
    }

    #[test]
    fn both_takes_the_tighter_and_either_the_looser() {
        assert_eq!(from(1, true).both(from(1, false)), from(1, true));
        assert_eq!(from(3, false).both(from(1, true)), from(3, false));
        let either = |a: Limits, b: Limits| a.either(Types::NUMBER, b, Types::NUMBER);
        assert_eq!(either(from(3, false), from(1, true)), from(1, true));
        assert_eq!(either(from(3, false), Limits::default()), Limits::default());
    }

    #[test]
    fn a_limit_stands_where_the_other_side_takes_nothing_it_binds() {
        let text = Limits { patterns: vec!["^a".into()], ..Limits::default() };
        let both = text.clone().either(Types::TEXT, from(80, false), Types::WHOLE);
        assert_eq!(both.patterns, ["^a"]);
        assert_eq!(both.minimum, from(80, false).minimum);
        assert!(text.either(Types::TEXT, Limits::default(), Types::TEXT).is_empty());
    }

    #[test]
    fn choices_leave_room_for_null() {
        let limits = Limits { choices: Some(vec![json!("a"), json!(null)]), ..Limits::default() };
        let written = |types| {
            let mut schema = Map::new();
            limits.write(types, &mut schema);
            Value::Object(schema)
        };
        assert_eq!(written(Types::TEXT), json!({"enum": ["a"]}));
        assert_eq!(written(Types::TEXT | Types::NULL), json!({"anyOf": [{"enum": ["a"]}]}));
    }
}
