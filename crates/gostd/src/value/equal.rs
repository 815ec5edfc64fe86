//! Deep equality and deep copies.

use super::{List, Map, Value};

/// How deep containers may nest before a comparison or copy gives up on them (a map can hold itself).
const DEEPEST: usize = 10_000;

/// Reports `reflect.DeepEqual`: types must agree, nil and empty containers differ, floats compare as numbers.
pub fn deep_equal(a: &Value, b: &Value) -> bool {
    let mut work = vec![(a.clone(), b.clone())];
    let mut seen: Vec<(usize, usize)> = Vec::new();
    while let Some((a, b)) = work.pop() {
        let equal = match (&a, &b) {
            (Value::Map(a), Value::Map(b)) => maps_alike(a, b, &mut work, &mut seen),
            (Value::List(a), Value::List(b)) => lists_alike(a, b, &mut work),
            (Value::Object(a), Value::Object(b)) => a.deep_equal(&**b),
            (a, b) => scalars_equal(a, b),
        };
        if !equal || work.len() > DEEPEST * DEEPEST {
            return false;
        }
    }
    true
}

fn maps_alike(a: &Map, b: &Map, work: &mut Vec<(Value, Value)>, seen: &mut Vec<(usize, usize)>) -> bool {
    if a.ty().name != b.ty().name || a.is_nil() != b.is_nil() || a.len() != b.len() {
        return false;
    }
    let pair = (a.address(), b.address());
    // As in Go: a pair that is being compared already counts as equal, which ends cycles.
    if a.same(b) || seen.contains(&pair) {
        return true;
    }
    seen.push(pair);
    let (Some(entries), Some(others)) = (a.borrow(), b.borrow()) else { return true };
    entries.iter().zip(others.iter()).all(|((key, value), (other_key, other))| {
        work.push((value.clone(), other.clone()));
        key == other_key
    })
}

fn lists_alike(a: &List, b: &List, work: &mut Vec<(Value, Value)>) -> bool {
    if a.ty().name != b.ty().name || a.is_nil() != b.is_nil() || a.len() != b.len() {
        return false;
    }
    work.extend(a.to_vec().into_iter().zip(b.to_vec()));
    true
}

fn scalars_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) | (Value::Int64(a), Value::Int64(b)) => a == b,
        (Value::Uint8(a), Value::Uint8(b)) => a == b,
        (Value::Uint64(a), Value::Uint64(b)) => a == b,
        (Value::Float64(a), Value::Float64(b)) => a == b,
        (Value::Complex(a, b), Value::Complex(c, d)) => a == c && b == d,
        (Value::String(a), Value::String(b)) | (Value::Bytes(a), Value::Bytes(b)) => a == b,
        _ => false,
    }
}

/// Copies nested lists and maps, keeping their types; everything else is immutable and shared. A container nested
/// deeper than 2,000 levels, as in a map that holds itself, is an error.
pub fn deep_copy(value: &Value) -> Result<Value, TooDeep> {
    copy(value, 0)
}

/// A value that nests too deep to be copied: most likely a map that holds itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("value nests deeper than {limit} levels; a map may contain itself")]
pub struct TooDeep {
    /// The limit that was passed.
    pub limit: usize,
}

/// Copies recurse, so this limit keeps them well within a small thread's stack.
const DEEPEST_COPY: usize = 2_000;

fn copy(value: &Value, depth: usize) -> Result<Value, TooDeep> {
    if depth > DEEPEST_COPY {
        return Err(TooDeep { limit: DEEPEST_COPY });
    }
    Ok(match value {
        Value::Map(map) if !map.is_nil() => {
            let entries = map.snapshot().into_iter();
            let copied = entries.map(|(key, value)| Ok((key, copy(&value, depth + 1)?)));
            Value::Map(Map::of(map.ty(), copied.collect::<Result<_, _>>()?))
        }
        Value::List(list) if !list.is_nil() => {
            let items = list.to_vec();
            Value::List(List::of(
                list.ty(),
                items.iter().map(|item| copy(item, depth + 1)).collect::<Result<_, _>>()?,
            ))
        }
        other => other.clone(),
    })
}
