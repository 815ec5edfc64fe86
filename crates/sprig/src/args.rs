//! Typed access to the arguments of a call, and the table rows that declare them.

use gostd::value::{ANY_LIST, ANY_MAP, Signature, Type};
use gostd::{GoStr, List, Map, Value};
use gotemplate::{Body, FuncError, Function};

/// What every function body returns.
pub(crate) type Outcome = Result<Value, FuncError>;

/// Declares a function with fixed parameters.
pub(crate) const fn fixed(name: &'static str, params: &'static [Type], body: Body) -> Function {
    Function { name, signature: Signature::fixed(params), body }
}

/// Declares a function whose last parameter is `...rest`.
pub(crate) const fn variadic(
    name: &'static str,
    params: &'static [Type],
    rest: Type,
    body: Body,
) -> Function {
    Function { name, signature: Signature::variadic(params, rest), body }
}

/// Reads arguments by position. The engine has checked them against the signature, so a mismatch is a fault of the
/// table, reported as an error rather than a panic.
pub(crate) trait Args {
    /// Returns any argument; nil where it is missing.
    fn any(&self, at: usize) -> &Value;
    /// Returns the arguments from a position on.
    fn rest(&self, from: usize) -> &[Value];
    /// Returns a `string`.
    fn text(&self, at: usize) -> Result<&GoStr, FuncError>;
    /// Returns an `int`, `int64` or `uint32`.
    fn int(&self, at: usize) -> Result<i64, FuncError>;
    /// Returns a `float64`.
    fn float(&self, at: usize) -> Result<f64, FuncError>;
    /// Returns a `bool`.
    fn bool(&self, at: usize) -> Result<bool, FuncError>;
    /// Returns a map as a `map[string]interface {}`; nil becomes a nil map.
    fn map(&self, at: usize) -> Result<Map, FuncError>;
    /// Returns a `[]interface {}`; nil becomes a nil list.
    fn list(&self, at: usize) -> Result<List, FuncError>;
}

impl Args for [Value] {
    fn any(&self, at: usize) -> &Value {
        self.get(at).unwrap_or(&Value::Nil)
    }

    fn rest(&self, from: usize) -> &[Value] {
        self.get(from..).unwrap_or_default()
    }

    fn text(&self, at: usize) -> Result<&GoStr, FuncError> {
        self.any(at).as_str().ok_or_else(|| mismatch(self, at, Type::String))
    }

    fn int(&self, at: usize) -> Result<i64, FuncError> {
        match self.any(at) {
            Value::Uint8(number) => Ok(i64::from(*number)),
            Value::Uint64(number) => Ok(*number as i64),
            other => other.as_int().ok_or_else(|| mismatch(self, at, Type::Int)),
        }
    }

    fn float(&self, at: usize) -> Result<f64, FuncError> {
        match self.any(at) {
            Value::Float64(number) => Ok(*number),
            _ => Err(mismatch(self, at, Type::Float64)),
        }
    }

    fn bool(&self, at: usize) -> Result<bool, FuncError> {
        match self.any(at) {
            Value::Bool(value) => Ok(*value),
            _ => Err(mismatch(self, at, Type::Bool)),
        }
    }

    fn map(&self, at: usize) -> Result<Map, FuncError> {
        match self.any(at) {
            Value::Map(map) => Ok(map.retyped(&ANY_MAP)),
            Value::Nil => Ok(Map::nil(&ANY_MAP)),
            _ => Err(mismatch(self, at, Type::AnyMap)),
        }
    }

    fn list(&self, at: usize) -> Result<List, FuncError> {
        match self.any(at) {
            Value::List(list) => Ok(list.clone()),
            Value::Nil => Ok(List::nil(&ANY_LIST)),
            _ => Err(mismatch(self, at, Type::AnyList)),
        }
    }
}

fn mismatch(args: &[Value], at: usize, expected: Type) -> FuncError {
    let given = args.any(at).type_name();
    FuncError::new(format!("argument {}: expected {}; got {given}", at + 1, expected.name()))
}
