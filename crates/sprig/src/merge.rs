//! mergo's merge of maps, as sprig's `merge` and `mergeOverwrite` use it (dario.cat/mergo 1.0.1 `deepMerge`).
//!
//! The rules look simple from afar and are not: whether an entry is replaced is decided by emptiness *after* its own
//! entries were merged, replaced values are shared with the source, and some pairs of types fail.

use gostd::value::{Elem, Kind};
use gostd::{GoStr, Map, Value};

/// Which side wins where both have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The target's value stays unless it is empty.
    FillEmpty,
    /// The source's value replaces it.
    Overwrite,
}

/// Why a merge stopped half way.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// An error of mergo's, which `merge` hides and `mustMerge` shows.
    #[error("{0}")]
    Refused(&'static str),
    /// A panic of Go's `reflect`, which always fails the call.
    #[error("{0}")]
    Panicked(String),
    /// Maps nested beyond all reason: most likely one that contains itself. Go would exhaust its stack.
    #[error("dicts nest deeper than {DEEPEST} levels; a dict may contain itself")]
    TooDeep,
}

/// How deep maps may nest.
const DEEPEST: usize = 1_000;

/// Merges the source into the target, in place. A nil target takes nothing; callers replace it first.
pub(crate) fn merge(target: &Map, source: &Map, mode: Mode) -> Result<(), Fault> {
    merge_maps(target, source, mode, 0)
}

fn merge_maps(target: &Map, source: &Map, mode: Mode, depth: usize) -> Result<(), Fault> {
    if depth > DEEPEST {
        return Err(Fault::TooDeep);
    }
    for key in source.keys() {
        // Looked up one by one, since both may be the same map, or one may hold the other.
        if let Some(value) = source.get(&key) {
            merge_entry(target, source, key, value, mode, depth)?;
        }
    }
    Ok(())
}

fn merge_entry(
    target: &Map,
    source: &Map,
    key: GoStr,
    value: Value,
    mode: Mode,
    depth: usize,
) -> Result<(), Fault> {
    let overwrite = mode == Mode::Overwrite;
    let present = target.get(&key);
    if is_nil_entry(&value, source) {
        return if overwrite { put(target, source, key, value) } else { Ok(()) };
    }
    match value.kind() {
        Kind::Map | Kind::Struct | Kind::Ptr => {
            if let Some(present) = present.as_ref().filter(|present| !present.is_nil()) {
                merge_values(present, &value, mode, depth + 1)?;
            }
        }
        Kind::Slice if present.is_some() && target.ty().elem == Elem::String => {
            return Err(Fault::Panicked("reflect: call of reflect.Value.IsNil on string Value".to_owned()));
        }
        _ => {}
    }
    // Emptiness counts now, after the merge of what is inside.
    let keeps = present.as_ref().is_some_and(|present| !is_empty(present));
    let both_maps =
        || present.as_ref().is_some_and(|present| present.kind() == Kind::Map && value.kind() == Kind::Map);
    if keeps && value.kind() == Kind::Slice {
        return if overwrite { put(target, source, key, value) } else { Ok(()) };
    }
    if keeps && (!overwrite || both_maps()) {
        return Ok(());
    }
    put(target, source, key, value)
}

/// Merges below an entry that both sides have. Only maps have an inside that can be changed; a pointer refuses to meet
/// anything else.
fn merge_values(present: &Value, value: &Value, mode: Mode, depth: usize) -> Result<(), Fault> {
    match (present, value) {
        (Value::Map(target), Value::Map(source)) if !target.is_nil() => {
            merge_maps(target, source, mode, depth)
        }
        (Value::Map(target), other) if target.is_nil() && other.kind() == Kind::Struct => {
            Err(Fault::Panicked("reflect: call of reflect.Value.IsNil on struct Value".to_owned()))
        }
        (Value::Object(object), other)
            if object.kind() == Kind::Ptr && other.kind() != Kind::Ptr && mode == Mode::FillEmpty =>
        {
            Err(Fault::Refused("src and dst must be of same type"))
        }
        _ => Ok(()),
    }
}

fn is_nil_entry(value: &Value, source: &Map) -> bool {
    match (source.ty().elem, value) {
        (Elem::AnyList, Value::List(list)) => list.is_nil(),
        (_, value) => value.is_nil(),
    }
}

/// Sets an entry as `reflect.Value.SetMapIndex` does: a map of strings takes no `interface {}`.
fn put(target: &Map, source: &Map, key: GoStr, value: Value) -> Result<(), Fault> {
    let wanted = target.ty().elem.name();
    let given = if value.kind() == Kind::Slice { value.type_name() } else { source.ty().elem.name() };
    if target.ty().elem != Elem::Any && wanted != given {
        let text =
            format!("reflect.Value.SetMapIndex: value of type {given} is not assignable to type {wanted}");
        return Err(Fault::Panicked(text));
    }
    // A nil map below the top stays as it is: mergo cannot set it, and goes on.
    let _ = target.insert(key, value);
    Ok(())
}

/// mergo's `isEmptyValue`: unlike sprig's own, a complex zero is not empty.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Complex(..) => false,
        other => !other.is_true(),
    }
}
