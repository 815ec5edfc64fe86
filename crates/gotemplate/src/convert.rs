//! Which values and literals a parameter takes, and what they become (exec.go `validateType` and `evalArg`).

use gostd::Value;
use gostd::value::{ANY_MAP, Elem, Kind, Signature, Type};

use crate::code::{Constant, zero};
use crate::number::Ideal;
use crate::operand::Operand;

/// Named types over integers: literals are taken as numbers where one of them is wanted.
const NAMED_INTEGERS: &[(&str, Kind)] =
    &[("time.Duration", Kind::Int64), ("time.Month", Kind::Int), ("time.Weekday", Kind::Int)];

/// How literals have to be read for a parameter.
enum Want {
    Anything,
    Bool,
    String,
    Int,
    Int64,
    Unsigned,
    Float,
    /// Literals cannot be of this type.
    Nothing,
}

fn want(ty: Type) -> Want {
    match ty {
        Type::Any | Type::Reflect => Want::Anything,
        Type::Bool => Want::Bool,
        Type::String => Want::String,
        Type::Int => Want::Int,
        Type::Int64 => Want::Int64,
        Type::Uint32 => Want::Unsigned,
        Type::Float64 => Want::Float,
        Type::AnyMap | Type::AnyList | Type::StringList | Type::Bytes => Want::Nothing,
        Type::Named(name) => match NAMED_INTEGERS.iter().find(|(integer, _)| *integer == name) {
            Some((_, Kind::Int)) => Want::Int,
            Some(_) => Want::Int64,
            None => Want::Nothing,
        },
    }
}

/// Reports whether an untyped nil can be assigned to the type.
fn can_be_nil(ty: Type) -> bool {
    match ty {
        Type::Any | Type::Reflect | Type::AnyMap | Type::AnyList | Type::StringList | Type::Bytes => true,
        Type::Named(name) => name.starts_with('*'),
        Type::Bool | Type::String | Type::Int | Type::Int64 | Type::Uint32 | Type::Float64 => false,
    }
}

/// Reads a literal, whose source text is `text`, as an argument of type `ty`.
pub(crate) fn typed_literal(literal: &Constant, text: &[u8], ty: Type) -> Result<Constant, String> {
    if *literal == Constant::Nil {
        return if can_be_nil(ty) {
            Ok(Constant::ZeroOf(ty))
        } else {
            Err(format!("cannot assign nil to {}", ty.name()))
        };
    }
    let number = match literal {
        Constant::Number(number) => Some(&**number),
        _ => None,
    };
    let (typed, expected) = match want(ty) {
        Want::Anything => return untyped_literal(literal, text),
        Want::Bool => (matches!(literal, Constant::Bool(_)).then(|| literal.clone()), "bool"),
        Want::String => (matches!(literal, Constant::String(_)).then(|| literal.clone()), "string"),
        Want::Int => (number.and_then(|number| number.int).map(Constant::Int), "integer"),
        Want::Int64 => (number.and_then(|number| number.int).map(Constant::Int64), "integer"),
        Want::Unsigned => {
            // reflect's SetUint keeps the low bits.
            let low = number.and_then(|number| number.uint).map(|value| value & u64::from(u32::MAX));
            (low.map(Constant::Uint64), "unsigned integer")
        }
        Want::Float => (number.and_then(|number| number.float).map(Constant::Float), "float"),
        Want::Nothing => {
            return Err(format!("can't handle {} for arg of type {}", gostd::value::lossy(text), ty.name()));
        }
    };
    typed.ok_or_else(|| format!("expected {expected}; found {}", gostd::value::lossy(text)))
}

/// Reads a literal where nothing says which type it has (`idealConstant`).
pub(crate) fn untyped_literal(literal: &Constant, text: &[u8]) -> Result<Constant, String> {
    let Constant::Number(number) = literal else { return Ok(literal.clone()) };
    Ok(match number.ideal(text) {
        Some(Ideal::Int(value)) => Constant::Int(value),
        Some(Ideal::Float(value)) => Constant::Float(value),
        Some(Ideal::Complex(re, im)) => Constant::Complex(re, im),
        Some(Ideal::Overflow) => return Err(format!("{} overflows int", gostd::value::lossy(text))),
        None => Constant::Nil,
    })
}

/// Checks that an operand can be passed as an argument of type `ty`, and converts it.
pub(crate) fn validate(operand: Operand, ty: Type) -> Result<Operand, String> {
    let value = match (operand, ty) {
        (operand, Type::Any | Type::Reflect) => return Ok(operand),
        (Operand::Absent, _) if can_be_nil(ty) => return Ok(zero(ty)),
        (Operand::Absent, _) => return Err(format!("invalid value; expected {}", ty.name())),
        (Operand::Boxed(Value::Nil), _) => return Err(wrong_type(ty, "interface {}")),
        (Operand::Boxed(value) | Operand::Bare(value), _) => value,
    };
    let fits = match (&value, ty) {
        // The function sees its own declared type, as after Go's assignment.
        (Value::Map(map), Type::AnyMap) if map.ty().elem == Elem::Any => {
            return Ok(Operand::Bare(Value::Map(map.retyped(&ANY_MAP))));
        }
        (Value::Bool(_), Type::Bool)
        | (Value::String(_), Type::String)
        | (Value::Int(_), Type::Int)
        | (Value::Int64(_), Type::Int64)
        | (Value::Float64(_), Type::Float64)
        | (Value::Bytes(_), Type::Bytes) => true,
        (Value::List(list), Type::AnyList) => list.ty().elem == Elem::Any,
        (Value::List(list), Type::StringList) => list.ty().elem == Elem::String,
        (value, Type::Named(name)) => is_named(value.type_name(), name),
        _ => false,
    };
    if fits { Ok(Operand::Bare(value)) } else { Err(wrong_type(ty, value.type_name())) }
}

/// Reports whether the types agree, at most one dereference or address apart.
fn is_named(actual: &str, wanted: &str) -> bool {
    actual.strip_prefix('*').unwrap_or(actual) == wanted.strip_prefix('*').unwrap_or(wanted)
}

fn wrong_type(expected: Type, got: &str) -> String {
    format!("wrong type for value; expected {}; got {got}", expected.name())
}

/// Returns the type of a parameter; `None` beyond the last.
pub(crate) fn parameter(signature: &Signature, position: usize) -> Option<Type> {
    signature.params.get(position).copied().or(signature.variadic)
}

/// Returns the error for a number of arguments that the signature does not take. `written` does not count a piped one.
pub(crate) fn parameter_count_error(
    name: &str,
    signature: &Signature,
    written: usize,
    piped: bool,
) -> Option<String> {
    let fixed = signature.params.len();
    let given = written + usize::from(piped);
    if signature.variadic.is_some() {
        let too_few = given < fixed;
        // As in Go, this text does not count the piped argument.
        return too_few
            .then(|| format!("wrong number of args for {name}: want at least {fixed} got {written}"));
    }
    (given != fixed).then(|| format!("wrong number of args for {name}: want {fixed} got {given}"))
}
