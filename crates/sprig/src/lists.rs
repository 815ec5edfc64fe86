//! Lists: building, taking apart, searching. Any slice type is accepted, byte lists included, and results are new
//! lists unless said otherwise.

use std::collections::HashSet;

use gostd::value::{ANY_LIST, LIST_LIST, Type, deep_equal};
use gostd::{GoStr, List, Value};
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, Outcome, fixed, variadic};
use crate::cast::to_int64;
use crate::defaults::is_empty;
use crate::{limits, print};

const ONE: &[Type] = &[Type::Any];
const TWO: &[Type] = &[Type::Any, Type::Any];

pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("list", &[], Type::Any, |_, args| Ok(Value::list(args.to_vec()))),
    variadic("tuple", &[], Type::Any, |_, args| Ok(Value::list(args.to_vec()))),
    fixed("append", TWO, push),
    fixed("push", TWO, push),
    fixed("mustAppend", TWO, push),
    fixed("mustPush", TWO, push),
    fixed("prepend", TWO, prepend),
    fixed("mustPrepend", TWO, prepend),
    fixed("first", ONE, |_, args| first(args)),
    fixed("mustFirst", ONE, |_, args| first(args)),
    fixed("last", ONE, |_, args| last(args)),
    fixed("mustLast", ONE, |_, args| last(args)),
    fixed("rest", ONE, |_, args| rest(args)),
    fixed("mustRest", ONE, |_, args| rest(args)),
    fixed("initial", ONE, |_, args| initial(args)),
    fixed("mustInitial", ONE, |_, args| initial(args)),
    fixed("reverse", ONE, |_, args| reverse(args)),
    fixed("mustReverse", ONE, |_, args| reverse(args)),
    fixed("compact", ONE, |_, args| compact(args)),
    fixed("mustCompact", ONE, |_, args| compact(args)),
    fixed("uniq", ONE, uniq),
    fixed("mustUniq", ONE, uniq),
    variadic("without", ONE, Type::Any, without),
    variadic("mustWithout", ONE, Type::Any, without),
    fixed("has", TWO, has),
    fixed("mustHas", TWO, has),
    variadic("slice", ONE, Type::Any, |_, args| slice(args)),
    variadic("mustSlice", ONE, Type::Any, |_, args| slice(args)),
    variadic("concat", &[], Type::Any, concat),
    fixed("chunk", &[Type::Int, Type::Any], |_, args| chunk(args)),
    fixed("mustChunk", &[Type::Int, Type::Any], |_, args| chunk(args)),
    fixed("join", &[Type::String, Type::Any], join),
    fixed("toStrings", ONE, |_, args| Ok(Value::List(strings_of(args.any(0))))),
    fixed("sortAlpha", ONE, |_, args| Ok(sort_alpha(args.any(0)))),
];

/// The text of Go's nil dereference, which sprig's list functions run into on nil.
pub(crate) const NIL_POINTER: &str = "runtime error: invalid memory address or nil pointer dereference";

/// Returns the elements of any list; `complaint` names the operation as sprig does, such as `Cannot find first on type`.
fn elements(value: &Value, complaint: &str) -> Result<Vec<Value>, FuncError> {
    value.elements().ok_or_else(|| not_a_list(value, complaint))
}

fn not_a_list(value: &Value, complaint: &str) -> FuncError {
    if value.is_nil() {
        return NIL_POINTER.into();
    }
    FuncError::new(format!("{complaint} {}", value.kind().name()))
}

fn nil_list() -> Value {
    Value::List(List::nil(&ANY_LIST))
}

fn push(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let mut items = elements(args.any(0), "Cannot push on type")?;
    limits::list(call, items.len() as u128 + 1)?;
    items.push(args.any(1).clone());
    Ok(Value::list(items))
}

fn prepend(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let mut items = elements(args.any(0), "Cannot prepend on type")?;
    limits::list(call, items.len() as u128 + 1)?;
    items.insert(0, args.any(1).clone());
    Ok(Value::list(items))
}

fn first(args: &[Value]) -> Outcome {
    match args.any(0) {
        Value::List(list) => Ok(list.get(0).unwrap_or_default()),
        other => Ok(elements(other, "Cannot find first on type")?.first().cloned().unwrap_or_default()),
    }
}

fn last(args: &[Value]) -> Outcome {
    match args.any(0) {
        Value::List(list) => Ok(list.with(|items| items.last().cloned()).unwrap_or_default()),
        other => Ok(elements(other, "Cannot find last on type")?.last().cloned().unwrap_or_default()),
    }
}

fn rest(args: &[Value]) -> Outcome {
    let mut items = elements(args.any(0), "Cannot find rest on type")?;
    if items.is_empty() {
        return Ok(nil_list());
    }
    items.remove(0);
    Ok(Value::list(items))
}

fn initial(args: &[Value]) -> Outcome {
    let mut items = elements(args.any(0), "Cannot find initial on type")?;
    if items.pop().is_none() {
        return Ok(nil_list());
    }
    Ok(Value::list(items))
}

fn reverse(args: &[Value]) -> Outcome {
    let mut items = elements(args.any(0), "Cannot find reverse on type")?;
    items.reverse();
    Ok(Value::list(items))
}

fn compact(args: &[Value]) -> Outcome {
    let mut items = elements(args.any(0), "Cannot compact on type")?;
    items.retain(|item| !is_empty(item));
    Ok(Value::list(items))
}

/// A scalar as a hash key: its type and its value. Containers and objects have none and are compared one by one.
#[derive(PartialEq, Eq, Hash)]
enum Scalar {
    Nil,
    Bool(bool),
    Int(i64),
    Int64(i64),
    Float(u64),
    Text(GoStr),
}

impl Scalar {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Nil => Some(Scalar::Nil),
            Value::Bool(value) => Some(Scalar::Bool(*value)),
            Value::Int(value) => Some(Scalar::Int(*value)),
            Value::Int64(value) => Some(Scalar::Int64(*value)),
            // The two zeros are equal; NaN equals nothing and is left to the comparison, which says so.
            Value::Float64(value) if !value.is_nan() => Some(Scalar::Float((value + 0.0).to_bits())),
            Value::String(value) => Some(Scalar::Text(value.clone())),
            _ => None,
        }
    }
}

fn uniq(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let items = elements(args.any(0), "Cannot find uniq on type")?;
    let mut scalars = HashSet::new();
    let mut others: Vec<Value> = Vec::new();
    let mut kept = Vec::new();
    for item in items {
        let new = match Scalar::of(&item) {
            Some(scalar) => scalars.insert(scalar),
            None => {
                limits::comparisons(call, 1, others.len())?;
                let new = !contains(&others, &item);
                if new {
                    others.push(item.clone());
                }
                new
            }
        };
        if new {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

fn contains(haystack: &[Value], needle: &Value) -> bool {
    haystack.iter().any(|item| deep_equal(needle, item))
}

fn without(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let mut items = elements(args.any(0), "Cannot find without on type")?;
    let omitted = args.rest(1);
    limits::comparisons(call, items.len(), omitted.len())?;
    items.retain(|item| !contains(omitted, item));
    Ok(Value::list(items))
}

fn has(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let (needle, haystack) = (args.any(0), args.any(1));
    let found = match haystack {
        Value::Nil => false,
        Value::List(list) => {
            limits::comparisons(call, 1, list.len())?;
            list.with(|items| contains(items, needle))
        }
        other => contains(&elements(other, "Cannot find has on type")?, needle),
    };
    Ok(Value::Bool(found))
}

/// `slice list [start [end]]`: the same elements, shared. Go allows an end up to the capacity, which depends on how
/// the list was grown; here lists have no spare capacity, so any end past the length fails.
fn slice(args: &[Value]) -> Outcome {
    const COMPLAINT: &str = "list should be type of slice or array but";
    let list = args.any(0);
    let length = match list {
        Value::List(list) => list.len(),
        Value::Bytes(bytes) => bytes.len(),
        other => return Err(not_a_list(other, COMPLAINT)),
    };
    if length == 0 {
        return Ok(Value::Nil);
    }
    let index = |at: usize, absent: usize| match args.get(at) {
        Some(value) => usize::try_from(to_int64(value)).ok(),
        None => Some(absent),
    };
    let part = index(1, 0).zip(index(2, length)).and_then(|(start, end)| match list {
        Value::List(list) => list.slice(start, end).map(Value::List),
        Value::Bytes(bytes) => bytes.get(start..end).map(|part| Value::Bytes(part.into())),
        _ => None,
    });
    part.ok_or_else(|| "reflect.Value.Slice: slice index out of bounds".into())
}

fn concat(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let mut joined = Vec::new();
    for list in args {
        let items = match list {
            Value::Nil => return Err(NIL_POINTER.into()),
            other => other.elements().ok_or_else(|| {
                FuncError::new(format!("Cannot concat type {} as list", other.kind().name()))
            })?,
        };
        limits::list(call, joined.len() as u128 + items.len() as u128)?;
        joined.extend(items);
    }
    if joined.is_empty() {
        return Ok(nil_list());
    }
    Ok(Value::list(joined))
}

/// `chunk size list`. The number of chunks is computed in floats as sprig does, which decides what odd sizes give.
fn chunk(args: &[Value]) -> Outcome {
    const BAD_LENGTH: &str = "runtime error: makeslice: len out of range";
    let size = args.int(0)?;
    let items = elements(args.any(1), "Cannot chunk type")?;
    let length = items.len() as f64;
    let count = ((length - 1.0) / size as f64).floor() + 1.0;
    if !(0.0..=limits::LONGEST_LIST as f64).contains(&count) {
        return Err(BAD_LENGTH.into());
    }
    if size < -1 && items.len() == 1 {
        // The size of the last chunk is a remainder, and 1 is what remains.
        return Ok(Value::List(List::of(&LIST_LIST, vec![Value::list(items)])));
    }
    if count == 0.0 {
        return Ok(Value::List(List::of(&LIST_LIST, Vec::new())));
    }
    let size = usize::try_from(size).map_err(|_| BAD_LENGTH)?;
    let chunks = items.chunks(size).map(|part| Value::list(part.to_vec())).collect();
    Ok(Value::List(List::of(&LIST_LIST, chunks)))
}

/// Returns the elements as strings, nils dropped; a `[]string` is returned itself, anything else but nil counts as
/// one element (sprig `strslice`).
pub(crate) fn strings_of(value: &Value) -> List {
    match value {
        Value::List(list) if list.ty().name == "[]string" => list.clone(),
        Value::Nil => List::strings(Vec::<GoStr>::new()),
        other => match other.elements() {
            None => List::strings([print::strval(other)]),
            Some(items) => List::strings(items.iter().filter(|item| !item.is_nil()).map(print::strval)),
        },
    }
}

fn join(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let separator = args.text(0)?;
    strings_of(args.any(1)).with(|items| {
        let parts = || items.iter().filter_map(Value::as_str);
        let length =
            parts().try_fold(0usize, |sum, part| sum.checked_add(part.len())?.checked_add(separator.len()));
        let mut joined = Vec::with_capacity(limits::text(call, length)?);
        for (at, part) in parts().enumerate() {
            if at > 0 {
                joined.extend_from_slice(separator);
            }
            joined.extend_from_slice(part);
        }
        Ok(Value::string(joined))
    })
}

/// Sorts by bytes. A `[]string` is sorted in place, as everybody who holds it sees; other lists are copied.
fn sort_alpha(value: &Value) -> Value {
    if !matches!(value, Value::List(_) | Value::Bytes(_)) {
        return Value::List(List::strings([print::strval(value)]));
    }
    let list = strings_of(value);
    list.modify(|items| items.sort_by(|a, b| a.as_str().cmp(&b.as_str())));
    Value::List(list)
}
