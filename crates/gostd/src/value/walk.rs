//! A walk over nested values without recursion, so that depth costs memory instead of stack.

use std::collections::HashSet;
use std::ops::Bound;

use super::{GoStr, List, Map, Value};

/// What a [`Visitor`] wants to be shown next: the insides of a value it has opened.
#[derive(Clone, Debug)]
pub enum Children {
    /// The elements of a list.
    List(List),
    /// The entries of a map, in key order.
    Map(Map),
    /// The fields of a struct, in declaration order.
    Fields(Vec<(&'static str, Value)>),
}

impl Children {
    fn address(&self) -> usize {
        match self {
            Children::List(list) => list.address(),
            Children::Map(map) => map.address(),
            Children::Fields(_) => 0,
        }
    }
}

/// Receives a value piece by piece, in writing order. Any error ends the walk.
///
/// Values must not be changed while they are shown.
pub trait Visitor {
    /// Why a walk can fail.
    type Error;

    /// Sees a value. If it opens one that holds others, it returns those, and [`Visitor::close`] follows after them.
    fn value(&mut self, value: &Value) -> Result<Option<Children>, Self::Error>;

    /// Comes before each element of a list.
    fn item(&mut self, first: bool) -> Result<(), Self::Error>;

    /// Comes before each value of a map.
    fn key(&mut self, key: &GoStr, first: bool) -> Result<(), Self::Error>;

    /// Comes before each field of a struct.
    fn field(&mut self, name: &'static str, first: bool) -> Result<(), Self::Error>;

    /// Comes after the last child.
    fn close(&mut self, children: &Children) -> Result<(), Self::Error>;

    /// Says what is wrong with a container that is open already: it contains itself.
    fn cycle(&mut self, children: &Children) -> Self::Error;
}

/// Cycles are looked for only this deep, as in Go's `encoding/json`, so that common values pay nothing.
const UNCHECKED_DEPTH: usize = 1000;

/// Shows a value and all it holds to a visitor.
pub fn walk<V: Visitor>(value: &Value, visitor: &mut V) -> Result<(), V::Error> {
    let mut open: Vec<Frame> = Vec::new();
    let mut seen = HashSet::new();
    let mut next = visitor.value(value)?;
    loop {
        if let Some(children) = next {
            if open.len() >= UNCHECKED_DEPTH && children.address() != 0 && !seen.insert(children.address()) {
                return Err(visitor.cycle(&children));
            }
            open.push(Frame { children, shown: 0, last_key: None });
        }
        let Some(frame) = open.last_mut() else { return Ok(()) };
        next = frame.advance(visitor)?;
        if next.is_none() {
            visitor.close(&frame.children)?;
            let address = frame.children.address();
            open.pop();
            if open.len() >= UNCHECKED_DEPTH {
                seen.remove(&address);
            }
        }
    }
}

/// An open container and how far it has been shown.
struct Frame {
    children: Children,
    shown: usize,
    /// Of a map, the key of the entry shown last if that entry was opened.
    last_key: Option<GoStr>,
}

impl Frame {
    /// Shows children up to one that is opened in turn; `None` means all are shown.
    fn advance<V: Visitor>(&mut self, visitor: &mut V) -> Result<Option<Children>, V::Error> {
        match &self.children {
            Children::List(list) => list.with(|items| {
                for item in items.iter().skip(self.shown) {
                    visitor.item(self.shown == 0)?;
                    self.shown += 1;
                    if let Some(children) = visitor.value(item)? {
                        return Ok(Some(children));
                    }
                }
                Ok(None)
            }),
            Children::Map(map) => {
                let Some(entries) = map.borrow() else { return Ok(None) };
                let from = self.last_key.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
                for (key, value) in entries.range::<[u8], _>((from, Bound::Unbounded)) {
                    visitor.key(key, self.shown == 0)?;
                    self.shown += 1;
                    if let Some(children) = visitor.value(value)? {
                        self.last_key = Some(key.clone());
                        return Ok(Some(children));
                    }
                }
                Ok(None)
            }
            Children::Fields(fields) => {
                for (name, value) in fields.iter().skip(self.shown) {
                    visitor.field(name, self.shown == 0)?;
                    self.shown += 1;
                    if let Some(children) = visitor.value(value)? {
                        return Ok(Some(children));
                    }
                }
                Ok(None)
            }
        }
    }
}
