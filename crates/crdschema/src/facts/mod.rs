//! Everything a chart tells about each of its values, gathered before types are decided.

mod annotation;
mod comments;
pub(crate) mod decide;
mod known;
mod prose;

use std::collections::BTreeMap;

use gostd::value::Frozen;
use serde_json::Value;

pub(crate) use comments::Notes;

use crate::describe::shown;
use crate::field::{DEEPEST, Field};
use crate::reads::{EACH, Reads, Uses};
use crate::types::Types;

/// What is known of a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The types of all defaults seen: the chart's own, and those its parents put in their place.
    pub(crate) defaults: Types,
    /// What the texts among them look like.
    pub(crate) looks: Looks,
    /// Whether a parent's or the chart's own values.yaml has it.
    pub(crate) in_values: bool,
    /// The default that counts, as readers are shown it.
    pub(crate) shown: Option<String>,
    /// Its place among its neighbours.
    pub(crate) order: Option<u32>,
    /// The description.
    pub(crate) text: Option<String>,
    /// The types a comment names.
    pub(crate) hint: Option<Types>,
    /// What an `@schema` comment says.
    pub(crate) annotation: Option<Value>,
    /// What templates do with it.
    pub(crate) uses: Uses,
    /// Set when templates only ever write it as part of something larger, so that they take anything in its place.
    pub(crate) free: bool,
    pub(crate) below: BTreeMap<String, Facts>,
    /// Of all items of default lists.
    pub(crate) items: Option<Box<Facts>>,
    /// What values.schema.json of this chart and its parents say.
    pub(crate) schemas: Vec<Field>,
}

/// What default texts look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    /// One is empty.
    pub(crate) empty: bool,
    /// One would be read as a boolean or a fraction without its quotes, so somebody may leave them out.
    pub(crate) bare: bool,
    /// All have characters no number has.
    pub(crate) wordy: bool,
}

impl Looks {
    fn of(text: &str) -> Self {
        let is_bool =
            ["true", "false", "yes", "no", "on", "off"].iter().any(|word| text.eq_ignore_ascii_case(word));
        let is_fraction = text.parse::<f64>().is_ok_and(f64::is_finite) && text.parse::<i64>().is_err();
        let wordy = text.contains(|letter: char| letter.is_whitespace() || "/:{}=,@()\"'*".contains(letter));
        Self { empty: text.is_empty(), bare: is_bool || is_fraction, wordy }
    }
}

impl Facts {
    /// Gathers what values.yaml says of a value. `path` has its keys, each with a zero byte behind it.
    pub(crate) fn of(value: &Frozen, notes: &Notes, path: &mut String, depth: usize) -> Self {
        let mut facts =
            Self { defaults: Types::of(value), shown: shown(value), in_values: true, ..Self::default() };
        if let Some(note) = notes.at(path) {
            facts.order = Some(note.order);
            facts.text = note.text.clone();
            facts.hint = note.hint;
            facts.annotation = note.annotation.clone();
            if note.default.is_some() {
                facts.shown = note.default.clone();
            }
        }
        if let Frozen::String(text) = value {
            facts.looks = Looks::of(&text.to_lossy());
        }
        if depth >= DEEPEST {
            return facts;
        }
        match value {
            Frozen::Map(entries) => {
                for (key, value) in entries {
                    let key = key.to_lossy();
                    let inner = within(path, &key, |path| Self::of(value, notes, path, depth + 1));
                    facts.below.insert(key.into_owned(), inner);
                }
            }
            Frozen::List(items) => {
                let all = items
                    .iter()
                    .map(|item| within(path, EACH, |path| Self::of(item, notes, path, depth + 1)));
                facts.items = all.reduce(Self::over).map(Box::new);
            }
            _ => {}
        }
        facts
    }

    /// Adds what is known of the same value from elsewhere; what this one says goes first.
    pub(crate) fn over(mut self, other: Self) -> Self {
        self.looks = match (self.defaults.meets(Types::TEXT), other.defaults.meets(Types::TEXT)) {
            (_, false) => self.looks,
            (false, true) => other.looks,
            (true, true) => Looks {
                empty: self.looks.empty || other.looks.empty,
                bare: self.looks.bare || other.looks.bare,
                wordy: self.looks.wordy && other.looks.wordy,
            },
        };
        if !self.in_values {
            self.shown = self.shown.or(other.shown);
        }
        self.defaults = self.defaults | other.defaults;
        self.in_values |= other.in_values;
        self.order = self.order.or(other.order);
        self.text = self.text.or(other.text);
        self.hint = self.hint.or(other.hint);
        self.annotation = self.annotation.or(other.annotation);
        self.uses |= other.uses;
        self.free &= other.free;
        self.schemas.extend(other.schemas);
        for (key, facts) in other.below {
            let merged = match self.below.remove(&key) {
                Some(known) => known.over(facts),
                None => facts,
            };
            self.below.insert(key, merged);
        }
        self.items = match (self.items, other.items) {
            (Some(a), Some(b)) => Some(Box::new(a.over(*b))),
            (a, b) => a.or(b),
        };
        self
    }

    /// Notes what templates do with the value and what is inside, keys that values.yaml leaves out included.
    pub(crate) fn read(&mut self, reads: &Reads, depth: usize) {
        self.uses |= reads.uses;
        if depth >= DEEPEST {
            return;
        }
        // Fields of a default that has none show what may stand in its place, but not under which conditions.
        let holds_keys = self.defaults.without(Types::NULL | Types::MAP) == Types::NONE;
        for (key, reads) in &reads.below {
            if key == EACH {
                if let Some(items) = &mut self.items {
                    items.read(reads, depth + 1);
                }
                if self.defaults.has(Types::MAP) {
                    self.below.values_mut().for_each(|facts| facts.read(reads, depth + 1));
                }
            } else if holds_keys || self.below.contains_key(key) {
                self.below.entry(key.clone()).or_default().read(reads, depth + 1);
            }
        }
    }

    /// Notes that all values are written as one: those that templates do not read on their own may be anything.
    pub(crate) fn write_whole(&mut self) {
        for facts in self.below.values_mut() {
            facts.free = facts.uses.is_none();
            facts.write_whole();
        }
        if let Some(items) = &mut self.items {
            items.free = items.uses.is_none();
            items.write_whole();
        }
    }

    /// Returns the facts at a dotted path, made if nothing was known of it.
    pub(crate) fn at_path(&mut self, path: &str) -> &mut Self {
        path.split('.').fold(self, |facts, key| facts.below.entry(key.to_owned()).or_default())
    }
}

/// Calls something with one more key in the path.
fn within<T>(path: &mut String, key: &str, call: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    path.push_str(key);
    path.push('\0');
    let result = call(path);
    path.truncate(length);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_judged_by_their_looks() {
        for (text, bare, wordy) in [
            ("1.25", true, false),
            ("true", true, false),
            ("5432", false, false),
            ("v1.2.3", false, false),
            ("docker.io/x", false, true),
            ("200m", false, false),
            ("a b", false, true),
        ] {
            assert_eq!(Looks::of(text), Looks { empty: false, bare, wordy }, "{text}");
        }
        assert!(Looks::of("").empty);
    }
}
