//! Dicts: maps that templates build, read and change in place.

use std::collections::BTreeSet;

use gostd::value::{ANY_MAP, Entries, Type, deep_copy};
use gostd::{GoStr, List, Map, Value};
use gotemplate::{FuncError, Function};

use crate::args::{Args, Outcome, fixed, variadic};
use crate::merge::{Mode, merge};
use crate::print;

const MAP: Type = Type::AnyMap;
const TEXT: Type = Type::String;

pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("dict", &[], Type::Any, |_, args| Ok(dict(args))),
    fixed("get", &[MAP, TEXT], |_, args| {
        Ok(args.map(0)?.get(args.text(1)?).unwrap_or_else(|| Value::string("")))
    }),
    fixed("set", &[MAP, TEXT, Type::Any], |_, args| set(args)),
    fixed("unset", &[MAP, TEXT], |_, args| unset(args)),
    fixed("hasKey", &[MAP, TEXT], |_, args| Ok(args.map(0)?.contains_key(args.text(1)?).into())),
    variadic("pluck", &[TEXT], MAP, |_, args| pluck(args)),
    variadic("keys", &[], MAP, |_, args| keys(args)),
    fixed("values", &[MAP], |_, args| {
        Ok(args.map(0)?.snapshot().into_iter().map(|(_, value)| value).collect::<List>().into())
    }),
    variadic("pick", &[MAP], TEXT, |_, args| pick(args)),
    variadic("omit", &[MAP], TEXT, |_, args| omit(args)),
    variadic("merge", &[MAP], MAP, |_, args| merge_all(args, Mode::FillEmpty, Failure::Swallowed)),
    variadic("mustMerge", &[MAP], MAP, |_, args| merge_all(args, Mode::FillEmpty, Failure::Reported)),
    variadic("mergeOverwrite", &[MAP], MAP, |_, args| merge_all(args, Mode::Overwrite, Failure::Swallowed)),
    variadic("mustMergeOverwrite", &[MAP], MAP, |_, args| {
        merge_all(args, Mode::Overwrite, Failure::Reported)
    }),
    fixed("deepCopy", &[Type::Any], |_, args| copy(args)),
    fixed("mustDeepCopy", &[Type::Any], |_, args| copy(args)),
    variadic("dig", &[], Type::Any, |_, args| dig(args)),
];

/// `dict k v ...`: keys by strval; a missing last value is "".
fn dict(args: &[Value]) -> Value {
    let entry = |pair: &[Value]| {
        let key = print::strval(pair.any(0));
        (key, pair.get(1).cloned().unwrap_or_else(|| Value::string("")))
    };
    Value::map(args.chunks(2).map(entry).collect())
}

fn set(args: &[Value]) -> Outcome {
    let map = args.map(0)?;
    if !map.insert(args.text(1)?.clone(), args.any(2).clone()) {
        return Err("assignment to entry in nil map".into());
    }
    Ok(Value::Map(map))
}

fn unset(args: &[Value]) -> Outcome {
    let map = args.map(0)?;
    map.remove(args.text(1)?);
    Ok(Value::Map(map))
}

fn pluck(args: &[Value]) -> Outcome {
    let key = args.text(0)?;
    let mut found = Vec::new();
    for at in 1..args.len() {
        found.extend(args.map(at)?.get(key));
    }
    Ok(Value::list(found))
}

/// Go gives map keys and values in random order; here they come sorted, which is one of the possible orders.
fn keys(args: &[Value]) -> Outcome {
    let mut keys = Vec::new();
    for at in 0..args.len() {
        keys.extend(args.map(at)?.keys());
    }
    Ok(Value::List(List::strings(keys)))
}

fn named_keys(args: &[Value]) -> Result<Vec<&GoStr>, FuncError> {
    (1..args.len()).map(|at| args.text(at)).collect()
}

fn pick(args: &[Value]) -> Outcome {
    let map = args.map(0)?;
    let picked = named_keys(args)?.into_iter().filter_map(|key| Some((key.clone(), map.get(key)?)));
    Ok(Value::map(picked.collect()))
}

fn omit(args: &[Value]) -> Outcome {
    let omitted: BTreeSet<&GoStr> = named_keys(args)?.into_iter().collect();
    let kept = args.map(0)?.snapshot().into_iter().filter(|(key, _)| !omitted.contains(key));
    Ok(Value::map(kept.collect::<Entries>()))
}

/// What becomes of a merge error: the plain forms return "" in its place, the `must` forms fail.
enum Failure {
    Swallowed,
    Reported,
}

fn merge_all(args: &[Value], mode: Mode, failure: Failure) -> Outcome {
    let mut target = args.map(0)?;
    for at in 1..args.len() {
        let source = args.map(at)?;
        if target.is_nil() && !source.is_nil() {
            target = Map::new();
        }
        match merge(&target, &source, mode) {
            Ok(()) => {}
            Err(crate::merge::Fault::Refused(_)) if matches!(failure, Failure::Swallowed) => {
                return Ok(Value::string(""));
            }
            Err(fault) => return Err(fault.to_string().into()),
        }
    }
    Ok(Value::Map(target))
}

fn copy(args: &[Value]) -> Outcome {
    match args.any(0) {
        Value::Nil => Err("reflect: call of reflect.Value.Type on zero Value".into()),
        value => deep_copy(value).map_err(|error| error.to_string().into()),
    }
}

/// `dig k1 k2 ... default dict`. As in sprig every map on the way must be a plain `map[string]interface {}`.
fn dig(args: &[Value]) -> Outcome {
    let (Some((dict, front)), true) = (args.split_last(), args.len() >= 3) else {
        return Err("dig needs at least three arguments".into());
    };
    let mut map = plain_map(dict)?;
    let (default, keys) = front.split_last().unwrap_or((&Value::Nil, &[]));
    let keys = keys.iter().map(|key| key.as_str().ok_or_else(|| conversion(key, "string")));
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    let Some((last, path)) = keys.split_last() else { return Ok(Value::Nil) };
    for key in path {
        match map.get(key) {
            None => return Ok(default.clone()),
            Some(step) => map = plain_map(&step)?,
        }
    }
    Ok(map.get(last).unwrap_or_else(|| default.clone()))
}

fn plain_map(value: &Value) -> Result<Map, FuncError> {
    match value {
        Value::Map(map) if map.ty().name == ANY_MAP.name => Ok(map.clone()),
        other => Err(conversion(other, ANY_MAP.name)),
    }
}

/// The text of a failed type assertion.
fn conversion(value: &Value, wanted: &str) -> FuncError {
    let given = if value.is_nil() { "nil" } else { value.type_name() };
    FuncError::new(format!("interface conversion: interface {{}} is {given}, not {wanted}"))
}
