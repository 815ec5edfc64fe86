//! What `unevaluatedProperties` and `unevaluatedItems` have yet to look at.

use std::collections::BTreeSet;

use gostd::{GoStr, Value};

use crate::schema::model::Schema;

/// The properties or items of one value that no schema has looked at; empty where nobody needs to know.
#[derive(Debug, Default)]
pub(super) struct Unevaluated {
    pub(super) properties: BTreeSet<GoStr>,
    pub(super) items: BTreeSet<usize>,
}

impl Unevaluated {
    /// Starts with all of a value's parts that the schema's own keywords may miss, if the schema or whoever applies it
    /// needs to know.
    pub(super) fn of(value: &Value, schema: &Schema, needed: bool) -> Self {
        let mut parts = Self::default();
        match value {
            Value::Map(map) => {
                let keywords = &schema.object;
                if keywords.additional.is_none() && (needed || keywords.unevaluated.is_some()) {
                    parts.properties.extend(map.keys());
                }
            }
            Value::List(list) => {
                let keywords = &schema.array;
                if keywords.rest.is_none() && (needed || keywords.unevaluated.is_some()) {
                    parts.items.extend(keywords.prefix.len()..list.len());
                }
            }
            _ => {}
        }
        parts
    }

    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty() && self.items.is_empty()
    }

    /// Keeps only what the other has not looked at either.
    pub(super) fn keep(&mut self, other: &Self) {
        self.properties.retain(|name| other.properties.contains(name));
        self.items.retain(|index| other.items.contains(index));
    }
}
