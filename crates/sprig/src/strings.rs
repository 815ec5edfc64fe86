//! Strings: trimming, cutting, searching, splitting, quoting, indenting. Lengths and positions count bytes.

use gostd::value::{Entries, STRING_MAP, Type};
use gostd::{GoStr, List, Map, Value, strconv, strings};
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, Outcome, fixed, variadic};
use crate::{limits, print};

const TEXT: Type = Type::String;
const INT: Type = Type::Int;
const ANY: Type = Type::Any;

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("hello", &[], |_, _| Ok("Hello!".into())),
    fixed("trim", &[TEXT], |_, args| Ok(part(args.text(0)?, strings::trim_space(args.text(0)?)))),
    fixed("trimAll", &[TEXT, TEXT], |_, args| trim_all(args)),
    fixed("trimall", &[TEXT, TEXT], |_, args| trim_all(args)),
    fixed("trimPrefix", &[TEXT, TEXT], |_, args| {
        let (prefix, text) = (args.text(0)?, args.text(1)?);
        Ok(part(text, text.strip_prefix(prefix.as_bytes()).unwrap_or(text)))
    }),
    fixed("trimSuffix", &[TEXT, TEXT], |_, args| {
        let (suffix, text) = (args.text(0)?, args.text(1)?);
        Ok(part(text, text.strip_suffix(suffix.as_bytes()).unwrap_or(text)))
    }),
    fixed("upper", &[TEXT], |_, args| Ok(Value::string(strings::to_upper(args.text(0)?)))),
    fixed("lower", &[TEXT], |_, args| Ok(Value::string(strings::to_lower(args.text(0)?)))),
    fixed("title", &[TEXT], |_, args| Ok(Value::string(strings::title(args.text(0)?)))),
    fixed("substr", &[INT, INT, TEXT], |_, args| substr(args.int(0)?, args.int(1)?, args.text(2)?)),
    fixed("trunc", &[INT, TEXT], |_, args| Ok(trunc(args.int(0)?, args.text(1)?))),
    fixed("contains", &[TEXT, TEXT], |_, args| {
        Ok(strings::index(args.text(1)?, args.text(0)?).is_some().into())
    }),
    fixed("hasPrefix", &[TEXT, TEXT], |_, args| Ok(args.text(1)?.starts_with(args.text(0)?).into())),
    fixed("hasSuffix", &[TEXT, TEXT], |_, args| Ok(args.text(1)?.ends_with(args.text(0)?).into())),
    fixed("replace", &[TEXT, TEXT, TEXT], replace),
    fixed("repeat", &[INT, TEXT], |call, args| repeat(call, args.int(0)?, args.text(1)?)),
    variadic("quote", &[], ANY, |call, args| {
        joined(call, args, |out, value| strconv::append_quote(out, &print::strval(value)))
    }),
    variadic("squote", &[], ANY, |call, args| {
        joined(call, args, |out, value| {
            out.push(b'\'');
            out.extend(print::sprint(value));
            out.push(b'\'');
        })
    }),
    variadic("cat", &[], ANY, |call, args| joined(call, args, |out, value| out.extend(print::sprint(value)))),
    fixed("indent", &[INT, TEXT], |call, args| indent(call, b"", args)),
    fixed("nindent", &[INT, TEXT], |call, args| indent(call, b"\n", args)),
    fixed("plural", &[TEXT, TEXT, INT], |_, args| {
        Ok(Value::String(args.text(if args.int(2)? == 1 { 0 } else { 1 })?.clone()))
    }),
    fixed("split", &[TEXT, TEXT], |_, args| Ok(numbered(strings::split(args.text(1)?, args.text(0)?)))),
    fixed("splitn", &[TEXT, INT, TEXT], |_, args| {
        Ok(numbered(strings::split_n(args.text(2)?, args.text(0)?, args.int(1)? as isize)))
    }),
    fixed("splitList", &[TEXT, TEXT], |_, args| {
        Ok(Value::List(List::strings(strings::split(args.text(1)?, args.text(0)?))))
    }),
    fixed("toString", &[ANY], |_, args| Ok(Value::String(print::strval(args.any(0))))),
];

/// The panic of Go's `strings.Repeat`.
const NEGATIVE_COUNT: &str = "strings: negative Repeat count";

/// A part of a text as a value; the whole is shared, not copied.
fn part(whole: &GoStr, part: &[u8]) -> Value {
    if part.len() == whole.len() { Value::String(whole.clone()) } else { Value::string(part) }
}

fn trim_all(args: &[Value]) -> Outcome {
    let (cutset, text) = (args.text(0)?, args.text(1)?);
    Ok(part(text, strings::trim(text, cutset)))
}

/// `substr start end s`: a negative start means from the beginning, a negative or too large end to the end.
fn substr(start: i64, end: i64, text: &GoStr) -> Outcome {
    let length = text.len() as i64;
    let (start, end) = match (start, end) {
        (start, end) if start < 0 => (None, Some(end)),
        (start, end) if end < 0 || end > length => (Some(start), None),
        (start, end) => (Some(start), Some(end)),
    };
    let (from, to) = (start.unwrap_or(0), end.unwrap_or(length));
    let found =
        usize::try_from(from).ok().zip(usize::try_from(to).ok()).and_then(|(from, to)| text.get(from..to));
    found.map(|found| part(text, found)).ok_or_else(|| out_of_range(start, end, length))
}

/// The run-time error of `s[start:end]`.
fn out_of_range(start: Option<i64>, end: Option<i64>, length: i64) -> FuncError {
    let bounds = match (start, end) {
        (_, Some(end)) if end < 0 => format!("[:{end}]"),
        (_, Some(end)) if end > length => format!("[:{end}] with length {length}"),
        (Some(start), None) => format!("[{start}:{length}]"),
        (Some(start), Some(end)) => format!("[{start}:{end}]"),
        (None, _) => String::new(),
    };
    FuncError::new(format!("runtime error: slice bounds out of range {bounds}"))
}

/// `trunc n s`: the first n bytes, or the last -n.
fn trunc(count: i64, text: &GoStr) -> Value {
    let kept = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let cut = if count < 0 {
        text.len().checked_sub(kept).and_then(|from| text.get(from..))
    } else {
        text.get(..kept)
    };
    part(text, cut.unwrap_or(text))
}

/// Replaces all occurrences; an empty `old` stands before every character and at the end.
fn replace(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let (old, new, text) = (args.text(0)?, args.text(1)?, args.text(2)?);
    let added = strings::count(text, old).checked_mul(new.len());
    limits::text(call, added.and_then(|added| added.checked_add(text.len())))?;
    Ok(Value::string(strings::replace(text, old, new, -1)))
}

/// The parts as a map `_0`, `_1`, ...
fn numbered(parts: Vec<&[u8]>) -> Value {
    let entries = parts.into_iter().enumerate();
    let entries: Entries = entries.map(|(at, part)| (format!("_{at}").into(), Value::string(part))).collect();
    Value::Map(Map::of(&STRING_MAP, entries))
}

fn repeat(call: &mut Call<'_, '_>, count: i64, text: &GoStr) -> Outcome {
    let count = usize::try_from(count).map_err(|_| NEGATIVE_COUNT)?;
    limits::text(call, text.len().checked_mul(count))?;
    Ok(Value::string(text.repeat(count)))
}

/// Joins the texts of all arguments but nil by a space.
fn joined(call: &mut Call<'_, '_>, args: &[Value], append: impl Fn(&mut Vec<u8>, &Value)) -> Outcome {
    let mut joined = Vec::new();
    for (at, part) in args.iter().filter(|arg| !arg.is_nil()).enumerate() {
        if at > 0 {
            joined.push(b' ');
        }
        append(&mut joined, part);
        limits::text_so_far(call, Some(joined.len()))?;
    }
    limits::text(call, Some(joined.len()))?;
    Ok(Value::string(joined))
}

/// Puts spaces before the text and after each of its newlines.
fn indent(call: &mut Call<'_, '_>, lead: &[u8], args: &[Value]) -> Outcome {
    let (width, text) = (args.int(0)?, args.text(1)?);
    let width = usize::try_from(width).map_err(|_| NEGATIVE_COUNT)?;
    let lines = text.iter().filter(|byte| **byte == b'\n').count() + 1;
    let length = lines.checked_mul(width).and_then(|pads| pads.checked_add(text.len() + lead.len()));
    let mut indented = Vec::with_capacity(limits::text(call, length)?);
    indented.extend_from_slice(lead);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        indented.resize(indented.len() + width, b' ');
        indented.extend_from_slice(line);
    }
    if text.last().is_none_or(|byte| *byte == b'\n') {
        indented.resize(indented.len() + width, b' ');
    }
    Ok(Value::string(indented))
}
