//! Copies of nested values: as values again, or frozen.

use super::{Children, Frozen, GoStr, List, Map, Value, Visitor, walk};

/// A value that cannot be copied: a map contains itself, or maps shared many times over add up to too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("value cannot be copied: a map contains itself, or there are more than {limit} parts")]
pub struct TooDeep {
    /// The most parts a value may have.
    pub limit: usize,
}

/// Parts of a value that may be copied. Each costs some 50 bytes at least.
const MOST_PARTS: usize = 10_000_000;

/// Copies nested lists and maps, keeping their types; everything else is immutable and shared.
pub fn deep_copy(value: &Value) -> Result<Value, TooDeep> {
    gather(value)
}

pub(super) fn freeze(value: &Value) -> Result<Frozen, TooDeep> {
    gather(value)
}

fn gather<T: Copied>(value: &Value) -> Result<T, TooDeep> {
    let mut gatherer = Gatherer { open: Vec::new(), keys: Vec::new(), values: Vec::new(), parts: 0 };
    walk(value, &mut gatherer)?;
    Ok(gatherer.values.pop().unwrap_or_default())
}

/// What a value is copied to.
trait Copied: Default {
    /// Copies a value that holds no others.
    fn plain(value: &Value) -> Self;
    /// Puts copied elements into a list like this one.
    fn list(like: &List, items: Vec<Self>) -> Self;
    /// Puts copied entries, in key order, into a map like this one.
    fn map(like: &Map, entries: impl Iterator<Item = (GoStr, Self)>) -> Self;
}

impl Copied for Value {
    fn plain(value: &Value) -> Self {
        value.clone()
    }

    fn list(like: &List, items: Vec<Self>) -> Self {
        Value::List(List::of(like.ty(), items))
    }

    fn map(like: &Map, entries: impl Iterator<Item = (GoStr, Self)>) -> Self {
        Value::Map(Map::of(like.ty(), entries.collect()))
    }
}

impl Copied for Frozen {
    fn plain(value: &Value) -> Self {
        match value {
            Value::Bool(value) => Frozen::Bool(*value),
            Value::Int(value) | Value::Int64(value) => Frozen::Int64(*value),
            Value::Uint8(value) => Frozen::Int64(i64::from(*value)),
            Value::Uint64(value) => {
                i64::try_from(*value).map_or(Frozen::Float64(*value as f64), Frozen::Int64)
            }
            Value::Float64(value) => Frozen::Float64(*value),
            Value::String(text) | Value::Bytes(text) => Frozen::String(text.clone()),
            Value::List(_) => Frozen::List(Vec::new()),
            Value::Map(_) => Frozen::Map(Vec::new()),
            Value::Object(object) => object.to_json().map_or(Frozen::Nil, |value| Frozen::from(&value)),
            Value::Nil | Value::Complex(..) => Frozen::Nil,
        }
    }

    fn list(_like: &List, items: Vec<Self>) -> Self {
        Frozen::List(items)
    }

    fn map(_like: &Map, entries: impl Iterator<Item = (GoStr, Self)>) -> Self {
        Frozen::Map(entries.collect())
    }
}

/// Collects the copies of a container's children until it closes.
struct Gatherer<T> {
    /// For each open container, how many copies and keys belong to those around it.
    open: Vec<(usize, usize)>,
    keys: Vec<GoStr>,
    values: Vec<T>,
    parts: usize,
}

const TOO_DEEP: TooDeep = TooDeep { limit: MOST_PARTS };

impl<T: Copied> Visitor for Gatherer<T> {
    type Error = TooDeep;

    fn value(&mut self, value: &Value) -> Result<Option<Children>, TooDeep> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(TOO_DEEP);
        }
        let children = match value {
            Value::List(list) if !list.is_nil() => Children::List(list.clone()),
            Value::Map(map) if !map.is_nil() => Children::Map(map.clone()),
            _ => {
                self.values.push(T::plain(value));
                return Ok(None);
            }
        };
        self.open.push((self.values.len(), self.keys.len()));
        Ok(Some(children))
    }

    fn item(&mut self, _first: bool) -> Result<(), TooDeep> {
        Ok(())
    }

    fn key(&mut self, key: &GoStr, _first: bool) -> Result<(), TooDeep> {
        self.keys.push(key.clone());
        Ok(())
    }

    fn field(&mut self, _name: &'static str, _first: bool) -> Result<(), TooDeep> {
        Ok(())
    }

    fn close(&mut self, children: &Children) -> Result<(), TooDeep> {
        let (values, keys) = self.open.pop().unwrap_or_default();
        let values = self.values.split_off(values.min(self.values.len()));
        let copy = match children {
            Children::List(list) => T::list(list, values),
            Children::Map(map) => {
                let keys = self.keys.drain(keys.min(self.keys.len())..);
                T::map(map, keys.zip(values))
            }
            Children::Fields(_) => T::default(),
        };
        self.values.push(copy);
        Ok(())
    }

    fn cycle(&mut self, _children: &Children) -> TooDeep {
        TOO_DEEP
    }
}
