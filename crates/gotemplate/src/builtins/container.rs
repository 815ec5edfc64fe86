//! `index`, `slice`, `len` and `call`.

use gostd::Value;
use gostd::value::Kind;

use crate::operand::Operand;

/// What Go's reflect says of nil where it expects a value.
const TYPE_OF_NIL: &str = "reflect: call of reflect.Value.Type on zero Value";

pub(super) fn index(args: &[Operand]) -> Result<Operand, String> {
    let Some((first, keys)) = args.split_first() else { return Ok(Operand::Absent) };
    let mut item = first.clone().unwrapped();
    if let Operand::Absent = item {
        return Err("index of untyped nil".to_owned());
    }
    for key in keys {
        item = element(item.value(), key.value())?;
    }
    Ok(item)
}

fn element(item: &Value, key: &Value) -> Result<Operand, String> {
    match item {
        Value::Nil => Err("index of nil pointer".to_owned()),
        Value::String(text) => byte(text, key, "string"),
        Value::Bytes(bytes) => byte(bytes, key, "slice"),
        Value::List(list) => {
            let element = list.get(position(key, list.len())?);
            let element = element.ok_or("reflect: slice index out of range")?;
            Ok(Operand::element(list.ty().elem, element))
        }
        Value::Map(map) => match key {
            Value::String(name) => {
                let elem = map.ty().elem;
                Ok(Operand::element(elem, map.get(name).unwrap_or_else(|| elem.zero())))
            }
            Value::Nil => Err("value is nil; should be of type string".to_owned()),
            _ => Err(format!("value has type {}; should be string", key.type_name())),
        },
        _ => Err(format!("can't index item of type {}", pointee_type(item))),
    }
}

fn byte(text: &[u8], key: &Value, kind: &str) -> Result<Operand, String> {
    let byte = text.get(position(key, text.len())?);
    let byte = byte.ok_or_else(|| format!("reflect: {kind} index out of range"))?;
    Ok(Operand::Bare(Value::Uint8(*byte)))
}

/// Reads an index. As in Go, one equal to the length passes here and fails later.
fn position(key: &Value, length: usize) -> Result<usize, String> {
    let position = match key {
        Value::Nil => return Err("cannot index slice/array with nil".to_owned()),
        Value::Uint8(value) => i64::from(*value),
        Value::Uint64(value) => value.cast_signed(),
        other => other
            .as_int()
            .ok_or_else(|| format!("cannot index slice/array with type {}", other.type_name()))?,
    };
    match usize::try_from(position) {
        Ok(position) if position <= length => Ok(position),
        _ => Err(format!("index out of range: {position}")),
    }
}

fn pointee_type(value: &Value) -> &'static str {
    let name = value.type_name();
    if value.kind() == Kind::Ptr { name.strip_prefix('*').unwrap_or(name) } else { name }
}

pub(super) fn slice(args: &[Operand]) -> Result<Operand, String> {
    let Some((item, indexes)) = args.split_first() else { return Ok(Operand::Absent) };
    let item = item.value();
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()));
    }
    let length = match item {
        Value::Nil => return Err("slice of untyped nil".to_owned()),
        Value::String(_) if indexes.len() == 3 => return Err("cannot 3-index slice a string".to_owned()),
        Value::String(text) | Value::Bytes(text) => text.len(),
        Value::List(list) => list.len(),
        _ => return Err(format!("can't slice item of type {}", pointee_type(item))),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = match index {
            // Unlike `index`, Go's `slice` does not look into interfaces.
            Operand::Boxed(_) => return Err("cannot index slice/array with type interface {}".to_owned()),
            index => position(index.value(), length)?,
        };
    }
    let [start, end, capacity] = bounds;
    if start > end {
        return Err(format!("invalid slice index: {start} > {end}"));
    }
    if end > capacity {
        return Err(format!("invalid slice index: {end} > {capacity}"));
    }
    let part = |text: &[u8]| text.get(start..end).unwrap_or_default().into();
    Ok(Operand::Bare(match item {
        Value::String(text) => Value::String(part(text)),
        Value::Bytes(text) => Value::Bytes(part(text)),
        Value::List(list) => Value::List(list.slice(start, end).unwrap_or_else(|| list.clone())),
        other => other.clone(),
    }))
}

pub(super) fn len(args: &[Operand]) -> Result<Operand, String> {
    let length = match args.first() {
        None | Some(Operand::Absent) => return Err(TYPE_OF_NIL.to_owned()),
        Some(Operand::Boxed(value) | Operand::Bare(value)) => match value {
            Value::Nil => return Err("len of nil pointer".to_owned()),
            Value::String(text) | Value::Bytes(text) => text.len(),
            Value::List(list) => list.len(),
            Value::Map(map) => map.len(),
            other => return Err(format!("len of type {}", pointee_type(other))),
        },
    };
    Ok(Operand::Bare(Value::Int(i64::try_from(length).unwrap_or(i64::MAX))))
}

/// Always fails, since no value is a function. The text of the argument's node comes second, if it was written.
pub(super) fn call(args: &[Operand]) -> Result<Operand, String> {
    let function = args.first().map_or(&Value::Nil, Operand::value);
    if function.is_nil() {
        return Err("call of nil".to_owned());
    }
    let name = match (args.get(1).map(Operand::value), function) {
        (Some(Value::String(name)), _) | (_, Value::String(name)) => name.to_string(),
        _ => format!("<{} Value>", function.type_name()),
    };
    Err(format!("non-function {name} of type {}", function.type_name()))
}
