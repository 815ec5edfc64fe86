//! The functions every template has (funcs.go).

mod compare;
mod container;
mod text;

use gostd::Value;
use gostd::value::{Signature, Type};

use crate::operand::Operand;

/// A function of text/template itself. Unlike an embedding's, it tells absent values from nil interfaces.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) signature: Signature,
    pub(crate) special: Option<Special>,
    pub(crate) body: fn(&[Operand]) -> Result<Operand, String>,
}

/// What the compiler has to do for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Evaluates arguments until one is false. The body is never called.
    And,
    /// Evaluates arguments until one is true. The body is never called.
    Or,
    /// Gets the text of its first argument's node as an additional second argument.
    Call,
}

const ANY: Signature = Signature::variadic(&[], Type::Any);
const ONE: Signature = Signature::fixed(&[Type::Reflect]);
const TWO: Signature = Signature::fixed(&[Type::Reflect, Type::Reflect]);
const ONE_OR_MORE: Signature = Signature::variadic(&[Type::Reflect], Type::Reflect);

/// The functions, sorted by name.
pub(crate) static BUILTINS: &[Builtin] = &[
    Builtin { special: Some(Special::And), ..plain("and", ONE_OR_MORE, undecided) },
    Builtin { special: Some(Special::Call), ..plain("call", ONE_OR_MORE, container::call) },
    plain("eq", ONE_OR_MORE, |args| compare::eq(args).map(boolean)),
    plain("ge", TWO, |args| compare::ge(args).map(boolean)),
    plain("gt", TWO, |args| compare::gt(args).map(boolean)),
    plain("html", ANY, |args| Ok(text::escaped(args, gostd::strings::html_escape))),
    plain("index", ONE_OR_MORE, container::index),
    plain("js", ANY, |args| Ok(text::escaped(args, gostd::strings::js_escape))),
    plain("le", TWO, |args| compare::le(args).map(boolean)),
    plain("len", ONE, container::len),
    plain("lt", TWO, |args| compare::lt(args).map(boolean)),
    plain("ne", TWO, |args| compare::eq(args).map(|equal| boolean(!equal))),
    plain("not", ONE, |args| Ok(boolean(!args.iter().any(Operand::is_true)))),
    Builtin { special: Some(Special::Or), ..plain("or", ONE_OR_MORE, undecided) },
    plain("print", ANY, text::print),
    plain("printf", Signature::variadic(&[Type::String], Type::Any), text::printf),
    plain("println", ANY, text::println),
    plain("slice", ONE_OR_MORE, container::slice),
    plain("urlquery", ANY, |args| Ok(text::escaped(args, gostd::strings::url_query_escape))),
];

const fn plain(
    name: &'static str,
    signature: Signature,
    body: fn(&[Operand]) -> Result<Operand, String>,
) -> Builtin {
    Builtin { name, signature, special: None, body }
}

fn boolean(value: bool) -> Operand {
    Operand::Bare(Value::Bool(value))
}

/// Stands in for `and` and `or`, which are compiled to jumps.
fn undecided(args: &[Operand]) -> Result<Operand, String> {
    Ok(args.last().cloned().unwrap_or_default())
}
