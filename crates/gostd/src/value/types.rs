//! Run-time types: what Go's `reflect` would say of a value, a parameter, or a method.

use super::{GoStr, Value};

/// Go's `reflect.Kind`, as far as values of templates can have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The zero `reflect.Value`: nil.
    Invalid,
    /// `bool`.
    Bool,
    /// `int` and named types over it.
    Int,
    /// `int32`.
    Int32,
    /// `int64` and named types over it.
    Int64,
    /// `uint8`.
    Uint8,
    /// `uint32`.
    Uint32,
    /// `uint64`.
    Uint64,
    /// `float64`.
    Float64,
    /// `complex128`.
    Complex128,
    /// `string`.
    String,
    /// Any slice.
    Slice,
    /// Any map.
    Map,
    /// Any struct.
    Struct,
    /// Any pointer.
    Ptr,
    /// A function.
    Func,
}

impl Kind {
    /// Returns the name `kindOf` prints.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Invalid => "invalid",
            Kind::Bool => "bool",
            Kind::Int => "int",
            Kind::Int32 => "int32",
            Kind::Int64 => "int64",
            Kind::Uint8 => "uint8",
            Kind::Uint32 => "uint32",
            Kind::Uint64 => "uint64",
            Kind::Float64 => "float64",
            Kind::Complex128 => "complex128",
            Kind::String => "string",
            Kind::Slice => "slice",
            Kind::Map => "map",
            Kind::Struct => "struct",
            Kind::Ptr => "ptr",
            Kind::Func => "func",
        }
    }
}

/// The declared type of a parameter of a function or method that templates can call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `interface {}`.
    Any,
    /// `bool`.
    Bool,
    /// `string`.
    String,
    /// `int`.
    Int,
    /// `int64`.
    Int64,
    /// `uint32`.
    Uint32,
    /// `float64`.
    Float64,
    /// `map[string]interface {}`; values of named map types over it are assignable too.
    AnyMap,
    /// `[]interface {}`; values of named slice types over it are assignable too.
    AnyList,
    /// `[]string`.
    StringList,
    /// `[]uint8`.
    Bytes,
    /// `reflect.Value`: takes whatever there is, nil included.
    Reflect,
    /// A named type, by the text `typeOf` prints for its values (`time.Time`, `sprig.certificate`).
    Named(&'static str),
}

impl Type {
    /// Returns the type's text in Go's error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Type::Any => "interface {}",
            Type::Bool => "bool",
            Type::String => "string",
            Type::Int => "int",
            Type::Int64 => "int64",
            Type::Uint32 => "uint32",
            Type::Float64 => "float64",
            Type::AnyMap => "map[string]interface {}",
            Type::AnyList => "[]interface {}",
            Type::StringList => "[]string",
            Type::Bytes => "[]uint8",
            Type::Reflect => "reflect.Value",
            Type::Named(name) => name,
        }
    }
}

/// The parameters a function or method declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The fixed parameters, in order.
    pub params: &'static [Type],
    /// The element type of a final `...T` parameter, if there is one.
    pub variadic: Option<Type>,
}

impl Signature {
    /// Declares fixed parameters only.
    pub const fn fixed(params: &'static [Type]) -> Self {
        Self { params, variadic: None }
    }

    /// Declares fixed parameters followed by any number of `rest`.
    pub const fn variadic(params: &'static [Type], rest: Type) -> Self {
        Self { params, variadic: Some(rest) }
    }
}

/// A method that templates can call on a value; arguments arrive checked against `signature`.
#[derive(Debug)]
pub struct Method {
    /// The exported Go name.
    pub name: &'static str,
    /// What it takes.
    pub signature: Signature,
    /// The body: the receiver, then the arguments. An error is the text Go's method would return or panic with.
    pub call: fn(&Value, &[Value]) -> Result<Value, String>,
}

/// A map type: its name, what a missing entry yields, and its methods.
#[derive(Debug)]
pub struct MapType {
    /// What `typeOf` prints.
    pub name: &'static str,
    /// The element type.
    pub elem: Elem,
    /// Methods of a named type.
    pub methods: &'static [Method],
}

/// A slice type: its name, its elements, and its methods.
#[derive(Debug)]
pub struct ListType {
    /// What `typeOf` prints.
    pub name: &'static str,
    /// The element type.
    pub elem: Elem,
    /// Methods of a named type.
    pub methods: &'static [Method],
}

/// The element type of a map or slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// `interface {}`.
    Any,
    /// `string`.
    String,
    /// `int`.
    Int,
    /// `[]uint8`.
    Bytes,
    /// `[]interface {}`.
    AnyList,
    /// A named type, as in `[]*chart.Maintainer`; its zero value is nil.
    Named(&'static str),
}

impl Elem {
    /// Returns the Go text of the element type.
    pub const fn name(self) -> &'static str {
        match self {
            Elem::Any => "interface {}",
            Elem::String => "string",
            Elem::Int => "int",
            Elem::Bytes => "[]uint8",
            Elem::AnyList => "[]interface {}",
            Elem::Named(name) => name,
        }
    }

    /// Returns Go's zero value of the type: what a missing map entry yields under `missingkey=zero`.
    pub fn zero(self) -> Value {
        match self {
            Elem::Any | Elem::Named(_) => Value::Nil,
            Elem::String => Value::String(GoStr::default()),
            Elem::Int => Value::Int(0),
            Elem::Bytes => Value::Bytes(GoStr::default()),
            Elem::AnyList => Value::List(super::List::nil(&super::ANY_LIST)),
        }
    }
}

/// `map[string]interface {}`.
pub static ANY_MAP: MapType = MapType { name: "map[string]interface {}", elem: Elem::Any, methods: &[] };
/// `map[string]string`.
pub static STRING_MAP: MapType = MapType { name: "map[string]string", elem: Elem::String, methods: &[] };
/// `[]interface {}`.
pub static ANY_LIST: ListType = ListType { name: "[]interface {}", elem: Elem::Any, methods: &[] };
/// `[]string`.
pub static STRING_LIST: ListType = ListType { name: "[]string", elem: Elem::String, methods: &[] };
/// `[]int`.
pub static INT_LIST: ListType = ListType { name: "[]int", elem: Elem::Int, methods: &[] };
/// `[][]interface {}`.
pub static LIST_LIST: ListType = ListType { name: "[][]interface {}", elem: Elem::AnyList, methods: &[] };
