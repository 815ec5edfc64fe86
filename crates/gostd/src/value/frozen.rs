//! Values that may cross threads: plain trees without sharing.

use std::fmt;

use super::{GoStr, List, Map, Value, copy};

/// A value of plain data (what YAML and JSON can hold) that can be shared between threads.
///
/// Charts keep their defaults in this form; each render thaws a copy that templates may change. Nesting may be as deep
/// as memory allows: no operation recurses.
#[derive(Default)]
pub enum Frozen {
    /// nil.
    #[default]
    Nil,
    /// `bool`.
    Bool(bool),
    /// `int64`.
    Int64(i64),
    /// `float64`.
    Float64(f64),
    /// `string`.
    String(GoStr),
    /// `[]interface {}`.
    List(Vec<Frozen>),
    /// `map[string]interface {}`, sorted by key.
    Map(Vec<(GoStr, Frozen)>),
}

impl Frozen {
    /// Makes a fresh, unshared value.
    pub fn thaw(&self) -> Value {
        rebuild(self)
    }

    /// Makes a fresh map; anything but a map gives an empty one.
    pub fn thaw_map(&self) -> Map {
        match self.thaw() {
            Value::Map(map) => map,
            _ => Map::new(),
        }
    }

    fn is_nested(&self) -> bool {
        match self {
            Frozen::List(items) => !items.is_empty(),
            Frozen::Map(entries) => !entries.is_empty(),
            _ => false,
        }
    }

    /// Takes out those children that have children themselves.
    fn take_nested(&mut self, out: &mut Vec<Frozen>) {
        match self {
            Frozen::List(items) => out.extend(items.drain(..).filter(Frozen::is_nested)),
            Frozen::Map(entries) => {
                out.extend(entries.drain(..).map(|(_, value)| value).filter(Frozen::is_nested))
            }
            _ => {}
        }
    }
}

impl From<&Value> for Frozen {
    /// Copies plain data; objects become their JSON form, and values JSON cannot hold become nil, as does a value with
    /// a map that contains itself.
    fn from(value: &Value) -> Self {
        copy::freeze(value).unwrap_or_default()
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        let mut work = Vec::new();
        self.take_nested(&mut work);
        while let Some(mut value) = work.pop() {
            value.take_nested(&mut work);
        }
    }
}

impl Clone for Frozen {
    fn clone(&self) -> Self {
        rebuild(self)
    }
}

impl fmt::Debug for Frozen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.thaw().fmt(f)
    }
}

impl PartialEq for Frozen {
    fn eq(&self, other: &Self) -> bool {
        let mut work = vec![(self, other)];
        while let Some(pair) = work.pop() {
            let equal = match pair {
                (Frozen::Nil, Frozen::Nil) => true,
                (Frozen::Bool(a), Frozen::Bool(b)) => a == b,
                (Frozen::Int64(a), Frozen::Int64(b)) => a == b,
                (Frozen::Float64(a), Frozen::Float64(b)) => a == b,
                (Frozen::String(a), Frozen::String(b)) => a == b,
                (Frozen::List(a), Frozen::List(b)) => {
                    work.extend(a.iter().zip(b));
                    a.len() == b.len()
                }
                (Frozen::Map(a), Frozen::Map(b)) => {
                    work.extend(a.iter().zip(b).map(|((_, a), (_, b))| (a, b)));
                    a.iter().map(|(key, _)| key).eq(b.iter().map(|(key, _)| key))
                }
                _ => false,
            };
            if !equal {
                return false;
            }
        }
        true
    }
}

/// What a frozen tree is rebuilt as.
trait Rebuilt: Default {
    fn plain(value: &Frozen) -> Self;
    fn list(items: Vec<Self>) -> Self;
    fn map(keys: impl Iterator<Item = GoStr>, values: Vec<Self>) -> Self;
}

impl Rebuilt for Value {
    fn plain(value: &Frozen) -> Self {
        match value {
            Frozen::Bool(value) => Value::Bool(*value),
            Frozen::Int64(value) => Value::Int64(*value),
            Frozen::Float64(value) => Value::Float64(*value),
            Frozen::String(text) => Value::String(text.clone()),
            Frozen::Nil | Frozen::List(_) | Frozen::Map(_) => Value::Nil,
        }
    }

    fn list(items: Vec<Self>) -> Self {
        Value::List(List::any(items))
    }

    fn map(keys: impl Iterator<Item = GoStr>, values: Vec<Self>) -> Self {
        Value::Map(keys.zip(values).collect())
    }
}

impl Rebuilt for Frozen {
    fn plain(value: &Frozen) -> Self {
        match value {
            Frozen::Bool(value) => Frozen::Bool(*value),
            Frozen::Int64(value) => Frozen::Int64(*value),
            Frozen::Float64(value) => Frozen::Float64(*value),
            Frozen::String(text) => Frozen::String(text.clone()),
            Frozen::Nil | Frozen::List(_) | Frozen::Map(_) => Frozen::Nil,
        }
    }

    fn list(items: Vec<Self>) -> Self {
        Frozen::List(items)
    }

    fn map(keys: impl Iterator<Item = GoStr>, values: Vec<Self>) -> Self {
        Frozen::Map(keys.zip(values).collect())
    }
}

/// A container whose children are being rebuilt.
struct Open<'a, T> {
    container: &'a Frozen,
    done: Vec<T>,
}

impl<'a, T: Rebuilt> Open<'a, T> {
    fn new(container: &'a Frozen) -> Self {
        let len = match container {
            Frozen::List(items) => items.len(),
            Frozen::Map(entries) => entries.len(),
            _ => 0,
        };
        Self { container, done: Vec::with_capacity(len) }
    }

    fn next_child(&self) -> Option<&'a Frozen> {
        match self.container {
            Frozen::List(items) => items.get(self.done.len()),
            Frozen::Map(entries) => entries.get(self.done.len()).map(|(_, value)| value),
            _ => None,
        }
    }

    fn close(self) -> T {
        match self.container {
            Frozen::Map(entries) => T::map(entries.iter().map(|(key, _)| key.clone()), self.done),
            _ => T::list(self.done),
        }
    }
}

fn rebuild<T: Rebuilt>(root: &Frozen) -> T {
    if !matches!(root, Frozen::List(_) | Frozen::Map(_)) {
        return T::plain(root);
    }
    let mut stack = vec![Open::new(root)];
    while let Some(open) = stack.last_mut() {
        match open.next_child() {
            Some(child @ (Frozen::List(_) | Frozen::Map(_))) => stack.push(Open::new(child)),
            Some(child) => open.done.push(T::plain(child)),
            None => {
                let Some(built) = stack.pop().map(Open::close) else { break };
                match stack.last_mut() {
                    Some(outer) => outer.done.push(built),
                    None => return built,
                }
            }
        }
    }
    T::default()
}
