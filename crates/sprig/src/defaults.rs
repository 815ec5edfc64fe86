//! Emptiness and choice: `default`, `empty`, `coalesce`, `all`, `any`, `ternary`.

use gostd::Value;
use gostd::value::Type;
use gotemplate::Function;

use crate::args::{Args, fixed, variadic};

const ANY: Type = Type::Any;

pub(crate) const FUNCTIONS: &[Function] = &[
    variadic("default", &[ANY], ANY, |_, args| {
        Ok(args.get(1).filter(|given| !is_empty(given)).unwrap_or(args.any(0)).clone())
    }),
    fixed("empty", &[ANY], |_, args| Ok(is_empty(args.any(0)).into())),
    variadic("coalesce", &[], ANY, |_, args| {
        Ok(args.iter().find(|value| !is_empty(value)).cloned().unwrap_or_default())
    }),
    variadic("all", &[], ANY, |_, args| Ok(args.iter().all(|value| !is_empty(value)).into())),
    variadic("any", &[], ANY, |_, args| Ok(args.iter().any(|value| !is_empty(value)).into())),
    fixed("ternary", &[ANY, ANY, Type::Bool], |_, args| {
        Ok(args.any(if args.bool(2)? { 0 } else { 1 }).clone())
    }),
];

/// Reports sprig's emptiness: nil, false, zero, and every empty string, list or map. Structs and pointers never are.
pub(crate) fn is_empty(value: &Value) -> bool {
    !value.is_true()
}
