//! Deep equality.

use std::collections::HashSet;

use super::{List, Map, Value};

/// Pairs are remembered only after this many, so that common values pay nothing for cycles they do not have.
const UNREMEMBERED: usize = 256;

/// Reports `reflect.DeepEqual`: types must agree, nil and empty containers differ, floats compare as numbers.
pub fn deep_equal(a: &Value, b: &Value) -> bool {
    let mut comparison = Comparison::default();
    if !comparison.alike(a, b) {
        return false;
    }
    while let Some((a, b)) = comparison.work.pop() {
        if !comparison.alike(&a, &b) {
            return false;
        }
    }
    true
}

/// Containers whose insides are still to be compared.
#[derive(Default)]
struct Comparison {
    work: Vec<(Value, Value)>,
    /// As in Go, a pair that has been met before counts as equal (else the comparison were over), which ends cycles.
    seen: HashSet<(usize, usize)>,
    /// Pairs of containers met so far.
    pairs: usize,
}

impl Comparison {
    fn alike(&mut self, a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Map(a), Value::Map(b)) => self.maps_alike(a, b),
            (Value::List(a), Value::List(b)) => self.lists_alike(a, b),
            (Value::Object(a), Value::Object(b)) => a.deep_equal(&**b),
            (a, b) => scalars_equal(a, b),
        }
    }

    /// Compares children right away if they are plain, else later.
    fn child(&mut self, a: &Value, b: &Value) -> bool {
        if a.is_container() && b.is_container() {
            self.work.push((a.clone(), b.clone()));
            return true;
        }
        self.alike(a, b)
    }

    fn met(&mut self, a: usize, b: usize) -> bool {
        self.pairs += 1;
        a == b || self.pairs > UNREMEMBERED && !self.seen.insert((a, b))
    }

    fn maps_alike(&mut self, a: &Map, b: &Map) -> bool {
        if a.ty().name != b.ty().name || a.is_nil() != b.is_nil() || a.len() != b.len() {
            return false;
        }
        if a.is_empty() || self.met(a.address(), b.address()) {
            return true;
        }
        let (Some(entries), Some(others)) = (a.borrow(), b.borrow()) else { return true };
        entries
            .iter()
            .zip(others.iter())
            .all(|((key, value), (other_key, other))| key == other_key && self.child(value, other))
    }

    fn lists_alike(&mut self, a: &List, b: &List) -> bool {
        if a.ty().name != b.ty().name || a.is_nil() != b.is_nil() || a.len() != b.len() {
            return false;
        }
        if a.is_empty() || self.met(a.address(), b.address()) {
            return true;
        }
        a.with(|items| b.with(|others| items.iter().zip(others).all(|(a, b)| self.child(a, b))))
    }
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
