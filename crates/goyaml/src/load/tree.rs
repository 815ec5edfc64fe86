//! Decoding into trees that know what Go's decoder knows: the types of keys and numbers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use gostd::{GoStr, Value};

use super::MAX_DEPTH;
use super::decoder::{Build, Stop};
use super::gosyntax::write_go_syntax;
use super::values::{Numbers, scalar_key};
use crate::error::{Error, LoadError};
use crate::node::NodeData;
use crate::resolve::Scalar;
use crate::token::Text;

/// Values in one list, each behind the values inside it; they refer to each other by number.
#[derive(Debug)]
pub(super) struct Tree {
    items: Vec<Item>,
    strict: bool,
    duplicates: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Item {
    /// Never [`Scalar::Timestamp`].
    Scalar(Scalar<'static>),
    List(Vec<usize>),
    /// Keys and values.
    Map(Vec<(usize, usize)>),
}

/// A map under way: where each key stands in the entries.
#[derive(Debug, Default)]
pub(super) struct TreeMap {
    entries: Vec<(usize, usize)>,
    places: HashMap<Identity, usize>,
}

/// What makes two keys the same to Go.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Identity {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(u64),
    Text(Vec<u8>),
    /// NaN is not even equal to itself.
    Unique(usize),
}

impl Build for Tree {
    type Value = usize;
    type Key = usize;
    type Map = TreeMap;

    fn scalar(&mut self, scalar: Scalar<'_>, _tagged: bool) -> Result<usize, Stop> {
        let owned = |text: Text<'_>| Text::Owned(text.into_owned());
        Ok(self.add(Item::Scalar(match scalar {
            Scalar::Null => Scalar::Null,
            Scalar::Bool(value) => Scalar::Bool(value),
            Scalar::Int(value) => Scalar::Int(value),
            Scalar::Uint(value) => Scalar::Uint(value),
            Scalar::Float(value) => Scalar::Float(value),
            Scalar::Timestamp(text) | Scalar::String(text) => Scalar::String(owned(text)),
        })))
    }

    fn key(&mut self, scalar: Scalar<'_>, _tagged: bool) -> Result<usize, Stop> {
        self.scalar(scalar, false)
    }

    fn value_as_key(&mut self, value: usize, node: &NodeData<'_>) -> Result<usize, Stop> {
        match self.items.get(value) {
            Some(Item::List(_) | Item::Map(_)) => {
                Err(Error::InvalidMapKey { key: write_go_syntax(self, value), mark: node.start() }.into())
            }
            _ => Ok(value),
        }
    }

    fn list(&mut self, items: Vec<usize>) -> Result<usize, Stop> {
        Ok(self.add(Item::List(items)))
    }

    fn new_map(&mut self) -> TreeMap {
        TreeMap::default()
    }

    fn insert(&mut self, map: &mut TreeMap, key: usize, value: usize, line: u32) {
        let next = map.entries.len();
        match map.places.entry(self.identity(key)) {
            Entry::Vacant(place) => {
                place.insert(next);
                map.entries.push((key, value));
            }
            Entry::Occupied(_) if self.strict => {
                let key = match self.items.get(key) {
                    Some(Item::Scalar(Scalar::Null)) => "<nil>".to_owned(),
                    _ => write_go_syntax(self, key),
                };
                self.duplicates.push(format!("line {}: key {key} already set in map", line + 1));
            }
            Entry::Occupied(place) => {
                if let Some(entry) = map.entries.get_mut(*place.get()) {
                    *entry = (key, value);
                }
            }
        }
    }

    fn map(&mut self, map: TreeMap) -> Result<usize, Stop> {
        Ok(self.add(Item::Map(map.entries)))
    }

    fn check_depth(&self, _depth: usize) -> Result<(), Stop> {
        Ok(())
    }
}

impl Tree {
    pub(super) fn new(strict: bool) -> Self {
        Self { items: Vec::new(), strict, duplicates: Vec::new() }
    }

    fn add(&mut self, item: Item) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    pub(super) fn item(&self, index: usize) -> Option<&Item> {
        self.items.get(index)
    }

    pub(super) fn scalar_at(&self, index: usize) -> Option<&Scalar<'static>> {
        match self.items.get(index) {
            Some(Item::Scalar(scalar)) => Some(scalar),
            _ => None,
        }
    }

    pub(super) fn duplicates(&self) -> &[String] {
        &self.duplicates
    }

    fn identity(&self, key: usize) -> Identity {
        match self.scalar_at(key) {
            None | Some(Scalar::Null) => Identity::Null,
            Some(Scalar::Bool(value)) => Identity::Bool(*value),
            Some(Scalar::Int(value)) => Identity::Int(*value),
            Some(Scalar::Uint(value)) => Identity::Uint(*value),
            Some(Scalar::Float(value)) if value.is_nan() => Identity::Unique(key),
            // Adding zero makes the two zeros one.
            Some(Scalar::Float(value)) => Identity::Float((value + 0.0).to_bits()),
            Some(Scalar::Timestamp(text) | Scalar::String(text)) => Identity::Text(text.to_vec()),
        }
    }

    /// Returns the JSON key, if there is one.
    fn json_key(&self, key: usize) -> Option<GoStr> {
        scalar_key(self.scalar_at(key)?.clone(), true)
    }

    /// Finds what keeps the tree from becoming JSON and a value again.
    pub(super) fn check(&self, root: usize, numbers: Numbers) -> Result<(), LoadError> {
        self.check_keys(root)?;
        self.check_json(root, numbers)
    }

    /// Go finds the first bad key in a random order; here it is the first in the text.
    fn check_keys(&self, root: usize) -> Result<(), LoadError> {
        let mut work = vec![root];
        while let Some(index) = work.pop() {
            match self.items.get(index) {
                Some(Item::List(items)) => work.extend(items.iter().rev()),
                Some(Item::Map(entries)) => {
                    if let Some((key, value)) = entries.iter().find(|(key, _)| self.json_key(*key).is_none())
                    {
                        let null = matches!(self.scalar_at(*key), Some(Scalar::Null));
                        let go = |index: usize| match self.scalar_at(index) {
                            Some(Scalar::Null) => "<nil>".to_owned(),
                            _ => write_go_syntax(self, index),
                        };
                        let ty = if null { "%!s(<nil>)" } else { "uint64" };
                        return Err(LoadError::UnsupportedKey { ty, key: go(*key), value: go(*value) });
                    }
                    work.extend(entries.iter().rev().map(|(_, value)| value));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Finds numbers that JSON cannot hold and brackets that its decoder does not open any more. JSON is written with
    /// sorted keys, so these decide which is the first.
    fn check_json(&self, root: usize, numbers: Numbers) -> Result<(), LoadError> {
        let mut too_deep = None;
        let mut work = vec![(root, 0)];
        while let Some((index, depth)) = work.pop() {
            let inside = depth + 1;
            match self.items.get(index) {
                Some(Item::List(items)) => {
                    work.extend(items.iter().rev().map(|item| (*item, inside)));
                    too_deep = too_deep.or((inside > MAX_DEPTH).then_some('['));
                }
                Some(Item::Map(entries)) => {
                    let keyed = entries.iter().map(|(key, value)| (self.json_key(*key), (*value, inside)));
                    let mut sorted: Vec<_> = keyed.collect();
                    sorted.sort_by(|a, b| b.0.cmp(&a.0));
                    work.extend(sorted.into_iter().map(|(_, value)| value));
                    too_deep = too_deep.or((inside > MAX_DEPTH).then_some('{'));
                }
                Some(Item::Scalar(Scalar::Float(value))) if !value.is_finite() && !numbers.keeps_all() => {
                    return Err(LoadError::UnsupportedValue(if value.is_nan() {
                        "NaN"
                    } else if *value > 0.0 {
                        "+Inf"
                    } else {
                        "-Inf"
                    }));
                }
                _ => {}
            }
        }
        too_deep.map_or(Ok(()), |bracket| Err(LoadError::TooDeep { bracket }))
    }

    /// Makes the value of the last item, which all others are in.
    pub(super) fn into_value(self, numbers: Numbers) -> Value {
        let mut values: Vec<Value> = Vec::with_capacity(self.items.len());
        for item in &self.items {
            let mut take = |index: &usize| values.get_mut(*index).map(std::mem::take).unwrap_or_default();
            let value = match item {
                Item::Scalar(scalar) => scalar_value(scalar, numbers),
                Item::List(items) => Value::list(items.iter().map(take).collect()),
                Item::Map(entries) => Value::map(
                    entries
                        .iter()
                        .filter_map(|(key, value)| Some((self.json_key(*key)?, take(value))))
                        .collect(),
                ),
            };
            values.push(value);
        }
        values.pop().unwrap_or_default()
    }
}

fn scalar_value(scalar: &Scalar<'_>, numbers: Numbers) -> Value {
    match scalar {
        Scalar::Null => Value::Nil,
        Scalar::Bool(value) => Value::Bool(*value),
        Scalar::Int(value) => numbers.int(*value),
        Scalar::Uint(value) => numbers.uint(*value),
        Scalar::Float(value) => Value::Float64(*value),
        Scalar::Timestamp(text) | Scalar::String(text) => Value::from(gostd::value::lossy(text)),
    }
}
