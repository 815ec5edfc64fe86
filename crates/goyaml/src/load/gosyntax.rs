//! Values as Go's `%#v` prints them, for errors that show a map key.

use std::cmp::Ordering;

use gostd::strconv;

use super::tree::{Item, Tree};
use crate::resolve::Scalar;

enum Work {
    Item(usize),
    Text(&'static str),
}

/// Prints an item of a tree.
pub(super) fn write_go_syntax(tree: &Tree, root: usize) -> String {
    let mut out = String::new();
    let mut work = vec![Work::Item(root)];
    while let Some(next) = work.pop() {
        match next {
            Work::Text(text) => out.push_str(text),
            Work::Item(index) => match tree.item(index) {
                None => {}
                Some(Item::Scalar(scalar)) => write_scalar(&mut out, scalar),
                Some(Item::List(items)) => {
                    out.push_str("[]interface {}{");
                    work.push(Work::Text("}"));
                    for (place, item) in items.iter().enumerate().rev() {
                        work.push(Work::Item(*item));
                        if place > 0 {
                            work.push(Work::Text(", "));
                        }
                    }
                }
                Some(Item::Map(entries)) => {
                    out.push_str("map[interface {}]interface {}{");
                    work.push(Work::Text("}"));
                    let mut sorted = entries.clone();
                    sorted.sort_by(|a, b| compare(tree, a.0, b.0));
                    for (place, (key, value)) in sorted.into_iter().enumerate().rev() {
                        work.extend([Work::Item(value), Work::Text(":"), Work::Item(key)]);
                        if place > 0 {
                            work.push(Work::Text(", "));
                        }
                    }
                }
            },
        }
    }
    out
}

fn write_scalar(out: &mut String, scalar: &Scalar<'_>) {
    match scalar {
        Scalar::Null => out.push_str("interface {}(nil)"),
        Scalar::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Scalar::Int(value) => out.push_str(&value.to_string()),
        Scalar::Uint(value) => out.push_str(&format!("{value:#x}")),
        Scalar::Float(value) => out.push_str(&strconv::format_float(*value, b'g', -1, 64)),
        Scalar::Timestamp(text) | Scalar::String(text) => out.push_str(&strconv::quote(text)),
    }
}

/// The order in which Go's `fmt` prints keys. Between types Go goes by addresses; this is what Helm's are.
fn compare(tree: &Tree, a: usize, b: usize) -> Ordering {
    let rank = |scalar: &Scalar<'_>| match scalar {
        Scalar::Null => 0,
        Scalar::Timestamp(_) | Scalar::String(_) => 1,
        Scalar::Uint(_) => 2,
        Scalar::Int(_) => 3,
        Scalar::Float(_) => 4,
        Scalar::Bool(_) => 5,
    };
    let (Some(a), Some(b)) = (tree.scalar_at(a), tree.scalar_at(b)) else { return Ordering::Equal };
    match (a, b) {
        (Scalar::Bool(a), Scalar::Bool(b)) => a.cmp(b),
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(b),
        (Scalar::Uint(a), Scalar::Uint(b)) => a.cmp(b),
        // NaN comes before all numbers.
        (Scalar::Float(a), Scalar::Float(b)) => {
            a.partial_cmp(b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
        }
        (Scalar::String(a), Scalar::String(b)) => a.cmp(b),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}
