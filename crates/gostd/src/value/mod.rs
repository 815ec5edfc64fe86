//! The dynamic Go value: what `interface {}` holds, with the Go type still visible.
//!
//! Templates see Go's types (`typeOf`, `%T`, comparison and call rules), so every value carries its own. Maps and lists
//! are references: whoever holds one sees every change. A value stays on one thread; [`Frozen`] crosses threads.

mod copy;
mod debug;
mod equal;
mod frozen;
mod gostr;
mod list;
mod map;
mod object;
mod recent;
mod release;
mod scope;
mod types;
mod walk;

use std::fmt;
use std::rc::Rc;

pub use copy::{TooDeep, deep_copy};
pub use equal::deep_equal;
pub use frozen::Frozen;
pub use gostr::{GoStr, lossy};
pub use list::List;
pub use map::{Entries, Map};
pub use object::Object;
pub use recent::Recent;
pub use scope::Scope;
pub use types::{
    ANY_LIST, ANY_MAP, Elem, INT_LIST, Kind, LIST_LIST, ListType, MapType, Method, STRING_LIST, STRING_MAP,
    Signature, Type,
};
pub use walk::{Children, Visitor, walk};

/// A Go value of a type known only at run time.
#[derive(Clone, Default)]
pub enum Value {
    /// The nil interface: JSON and YAML null, a missing map entry.
    #[default]
    Nil,
    /// `bool`.
    Bool(bool),
    /// `int` (64 bits).
    Int(i64),
    /// `int64`.
    Int64(i64),
    /// `uint8`: an element of a string or byte list.
    Uint8(u8),
    /// `uint64`.
    Uint64(u64),
    /// `float64`.
    Float64(f64),
    /// `complex128`: real and imaginary part.
    Complex(f64, f64),
    /// `string`.
    String(GoStr),
    /// `[]uint8`.
    Bytes(GoStr),
    /// A slice of any other element type.
    List(List),
    /// A map with string keys.
    Map(Map),
    /// A struct, pointer or named number.
    Object(Rc<dyn Object>),
}

impl Value {
    /// Makes a string.
    pub fn string(text: impl Into<GoStr>) -> Self {
        Value::String(text.into())
    }

    /// Makes a `[]interface {}`.
    pub fn list(items: Vec<Value>) -> Self {
        Value::List(List::any(items))
    }

    /// Makes a `map[string]interface {}`.
    pub fn map(entries: Entries) -> Self {
        Value::Map(Map::of(&ANY_MAP, entries))
    }

    /// Wraps an object.
    pub fn object(object: impl Object) -> Self {
        Value::Object(Rc::new(object))
    }

    /// Reports whether this is the nil interface (typed nil lists and maps are not).
    pub fn is_nil(&self) -> bool {
        matches!(self, Value::Nil)
    }

    /// Reports whether other values can live inside this one.
    pub fn is_container(&self) -> bool {
        matches!(self, Value::List(_) | Value::Map(_))
    }

    /// Returns the Go kind.
    pub fn kind(&self) -> Kind {
        match self {
            Value::Nil => Kind::Invalid,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => Kind::Int,
            Value::Int64(_) => Kind::Int64,
            Value::Uint8(_) => Kind::Uint8,
            Value::Uint64(_) => Kind::Uint64,
            Value::Float64(_) => Kind::Float64,
            Value::Complex(..) => Kind::Complex128,
            Value::String(_) => Kind::String,
            Value::Bytes(_) | Value::List(_) => Kind::Slice,
            Value::Map(_) => Kind::Map,
            Value::Object(object) => object.kind(),
        }
    }

    /// Returns what `typeOf` and `%T` print.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Nil => "<nil>",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Int64(_) => "int64",
            Value::Uint8(_) => "uint8",
            Value::Uint64(_) => "uint64",
            Value::Float64(_) => "float64",
            Value::Complex(..) => "complex128",
            Value::String(_) => "string",
            Value::Bytes(_) => "[]uint8",
            Value::List(list) => list.ty().name,
            Value::Map(map) => map.ty().name,
            Value::Object(object) => object.type_name(),
        }
    }

    /// Returns the methods of the value's type.
    pub fn methods(&self) -> &'static [Method] {
        match self {
            Value::List(list) => list.ty().methods,
            Value::Map(map) => map.ty().methods,
            Value::Object(object) => object.methods(),
            _ => &[],
        }
    }

    /// Reports the truth of a value (Go `template.IsTrue`): false for nil, false, zero, and every empty string, list
    /// or map; true for any struct or pointer.
    pub fn is_true(&self) -> bool {
        match self {
            Value::Nil => false,
            Value::Bool(value) => *value,
            Value::Int(value) | Value::Int64(value) => *value != 0,
            Value::Uint8(value) => *value != 0,
            Value::Uint64(value) => *value != 0,
            Value::Float64(value) => *value != 0.0,
            Value::Complex(re, im) => *re != 0.0 || *im != 0.0,
            Value::String(text) | Value::Bytes(text) => !text.is_empty(),
            Value::List(list) => !list.is_empty(),
            Value::Map(map) => !map.is_empty(),
            Value::Object(object) => object.as_int().is_none_or(|number| number != 0),
        }
    }

    /// Returns the bytes of a string.
    pub fn as_str(&self) -> Option<&GoStr> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the map.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the list (byte lists are not among them: see [`Value::elements`]).
    pub fn as_list(&self) -> Option<&List> {
        match self {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the elements of any slice, byte lists included.
    pub fn elements(&self) -> Option<Vec<Value>> {
        match self {
            Value::List(list) => Some(list.to_vec()),
            Value::Bytes(bytes) => Some(bytes.iter().map(|byte| Value::Uint8(*byte)).collect()),
            _ => None,
        }
    }

    /// Returns the object if it is a `T`.
    pub fn downcast<T: Object>(&self) -> Option<&T> {
        match self {
            Value::Object(object) => object.downcast_ref::<T>(),
            _ => None,
        }
    }

    /// Returns a signed integer of any width, named ones included.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(value) | Value::Int64(value) => Some(*value),
            Value::Object(object) => object.as_int(),
            _ => None,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => f.write_str("nil"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "int({value})"),
            Value::Int64(value) => write!(f, "int64({value})"),
            Value::Uint8(value) => write!(f, "uint8({value})"),
            Value::Uint64(value) => write!(f, "uint64({value})"),
            Value::Float64(value) => write!(f, "{value:?}"),
            Value::Complex(re, im) => write!(f, "({re:?}+{im:?}i)"),
            Value::String(text) => write!(f, "{text:?}"),
            Value::Bytes(bytes) => write!(f, "bytes({bytes:?})"),
            Value::List(list) => write!(f, "{list:?}"),
            Value::Map(map) => write!(f, "{map:?}"),
            Value::Object(object) => write!(f, "{object:?}"),
        }
    }
}

macro_rules! from {
    ($($source:ty => $variant:ident),* $(,)?) => { $(
        impl From<$source> for Value {
            fn from(value: $source) -> Self {
                Value::$variant(value)
            }
        }
    )* };
}
from!(bool => Bool, f64 => Float64, GoStr => String, List => List, Map => Map);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text.into())
    }
}

#[cfg(test)]
mod tests;
