//! `eq`, `ne`, `lt`, `le`, `gt`, `ge`.

use std::cmp::Ordering;
use std::rc::Rc;

use gostd::Value;
use gostd::value::{Kind, Object};

use crate::operand::Operand;

const BAD_TYPE: &str = "invalid type for comparison";

/// The types that compare by value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Basic<'v> {
    Bool(bool),
    Complex(f64, f64),
    Int(i64),
    Float(f64),
    String(&'v [u8]),
    Uint(u64),
}

impl<'v> Basic<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        Some(match value {
            Value::Bool(value) => Basic::Bool(*value),
            Value::Int(value) | Value::Int64(value) => Basic::Int(*value),
            Value::Uint8(value) => Basic::Uint(u64::from(*value)),
            Value::Uint64(value) => Basic::Uint(*value),
            Value::Float64(value) => Basic::Float(*value),
            Value::Complex(re, im) => Basic::Complex(*re, *im),
            Value::String(text) => Basic::String(text),
            Value::Object(object) => Basic::Int(object.as_int()?),
            Value::Nil | Value::Bytes(_) | Value::List(_) | Value::Map(_) => return None,
        })
    }

    /// Orders two values of one kind, or two integers; the outer `None` means that they are of different kinds, the
    /// inner one that there is no order (a NaN).
    fn order(self, other: Self) -> Option<Option<Ordering>> {
        Some(match (self, other) {
            (Basic::Bool(a), Basic::Bool(b)) => Some(a.cmp(&b)),
            (Basic::Complex(a, b), Basic::Complex(c, d)) => ((a, b) == (c, d)).then_some(Ordering::Equal),
            (Basic::Int(a), Basic::Int(b)) => Some(a.cmp(&b)),
            (Basic::Uint(a), Basic::Uint(b)) => Some(a.cmp(&b)),
            (Basic::Int(a), Basic::Uint(b)) => Some(i128::from(a).cmp(&i128::from(b))),
            (Basic::Uint(a), Basic::Int(b)) => Some(i128::from(a).cmp(&i128::from(b))),
            (Basic::Float(a), Basic::Float(b)) => a.partial_cmp(&b),
            (Basic::String(a), Basic::String(b)) => Some(a.cmp(b)),
            _ => return None,
        })
    }
}

/// Reports whether the first argument equals any other.
pub(super) fn eq(args: &[Operand]) -> Result<bool, String> {
    let Some((first, others @ [_, ..])) = args.split_first() else {
        return Err("missing argument for comparison".to_owned());
    };
    let first = first.value();
    for other in others {
        if equal(first, other.value())? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equal(a: &Value, b: &Value) -> Result<bool, String> {
    let kinds = match (Basic::of(a), Basic::of(b)) {
        (Some(a), Some(b)) => a.order(b).map(|order| order == Some(Ordering::Equal)),
        (None, None) => Some(references_equal(a, b)?),
        _ => None,
    };
    match kinds {
        Some(equal) => Ok(equal),
        None if a.is_nil() || b.is_nil() => Ok(false),
        None => Err(incompatible(a, b)),
    }
}

/// Compares values that are of no basic kind: nil, lists, maps and structs.
fn references_equal(a: &Value, b: &Value) -> Result<bool, String> {
    if a.kind() != b.kind() && !a.is_nil() && !b.is_nil() {
        // The words of Go, in its order, the second value with another verb than the first.
        let (shown_a, shown_b) = (shown(a), gostd::value::lossy(&gostd::fmt::format_v(b)));
        return Err(format!(
            "non-comparable types {shown_a}: {}, {}: {shown_b}",
            a.type_name(),
            b.type_name()
        ));
    }
    if is_nil(a) || is_nil(b) {
        return Ok(is_nil(a) && is_nil(b));
    }
    match (a, b) {
        (Value::Object(a), Value::Object(b)) if b.kind() == Kind::Ptr => Ok(Rc::ptr_eq(a, b)),
        (Value::Object(a), Value::Object(b)) if is_comparable(&**b) => Ok(a.deep_equal(&**b)),
        _ => Err(format!("non-comparable type {}: {}", shown(b), b.type_name())),
    }
}

/// Structs compare unless a field cannot.
fn is_comparable(object: &dyn Object) -> bool {
    object.fields().iter().all(|(_, field)| match field {
        Value::List(_) | Value::Map(_) | Value::Bytes(_) => false,
        Value::Object(inner) => inner.kind() == Kind::Ptr || is_comparable(&**inner),
        _ => true,
    })
}

fn is_nil(value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::List(list) => list.is_nil(),
        Value::Map(map) => map.is_nil(),
        _ => false,
    }
}

fn shown(value: &Value) -> String {
    gostd::value::lossy(&gostd::fmt::sprintf(b"%s", std::slice::from_ref(value)))
}

fn incompatible(a: &Value, b: &Value) -> String {
    format!("incompatible types for comparison: {} and {}", a.type_name(), b.type_name())
}

/// Orders the two arguments; `None` if one is NaN.
fn order(args: &[Operand]) -> Result<Option<Ordering>, String> {
    let [a, b] = args else { return Err(BAD_TYPE.to_owned()) };
    let (a, b) = (a.value(), b.value());
    let (Some(basic_a), Some(basic_b)) = (Basic::of(a), Basic::of(b)) else {
        return Err(BAD_TYPE.to_owned());
    };
    match basic_a.order(basic_b) {
        Some(_) if matches!(basic_a, Basic::Bool(_) | Basic::Complex(..)) => Err(BAD_TYPE.to_owned()),
        Some(order) => Ok(order),
        None => Err(incompatible(a, b)),
    }
}

pub(super) fn lt(args: &[Operand]) -> Result<bool, String> {
    Ok(order(args)? == Some(Ordering::Less))
}

pub(super) fn le(args: &[Operand]) -> Result<bool, String> {
    Ok(matches!(order(args)?, Some(Ordering::Less | Ordering::Equal)))
}

/// As in Go, the opposite of `le`: true if one is NaN.
pub(super) fn gt(args: &[Operand]) -> Result<bool, String> {
    le(args).map(|at_most| !at_most)
}

/// As in Go, the opposite of `lt`: true if one is NaN.
pub(super) fn ge(args: &[Operand]) -> Result<bool, String> {
    lt(args).map(|less| !less)
}
