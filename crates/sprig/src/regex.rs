//! Regular expressions. The plain forms panic with Go's `MustCompile` text on a bad pattern (`regexMatch` says false),
//! the `must` forms report the pattern's own error.

use std::sync::LazyLock;

use gostd::regexp::{Cache, Regexp, TooLong, quote_meta};
use gostd::value::{STRING_LIST, Type};
use gostd::{List, Value};
use gotemplate::{FuncError, Function};

use crate::args::{Args, Outcome, fixed};

const TEXT: Type = Type::String;
const INT: Type = Type::Int;
const TWO_TEXTS: &[Type] = &[TEXT, TEXT];
const THREE_TEXTS: &[Type] = &[TEXT, TEXT, TEXT];
const TEXTS_AND_COUNT: &[Type] = &[TEXT, TEXT, INT];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("regexMatch", TWO_TEXTS, |_, args| Ok(matches(args).unwrap_or(Value::Bool(false)))),
    fixed("mustRegexMatch", TWO_TEXTS, |_, args| matches(args)),
    fixed("regexFind", TWO_TEXTS, |_, args| find(args, plain)),
    fixed("mustRegexFind", TWO_TEXTS, |_, args| find(args, must)),
    fixed("regexFindAll", TEXTS_AND_COUNT, |_, args| find_all(args, plain)),
    fixed("mustRegexFindAll", TEXTS_AND_COUNT, |_, args| find_all(args, must)),
    fixed("regexReplaceAll", THREE_TEXTS, |_, args| replace(args, plain, Regexp::replace_all)),
    fixed("mustRegexReplaceAll", THREE_TEXTS, |_, args| replace(args, must, Regexp::replace_all)),
    fixed("regexReplaceAllLiteral", THREE_TEXTS, |_, args| replace(args, plain, Regexp::replace_all_literal)),
    fixed("mustRegexReplaceAllLiteral", THREE_TEXTS, |_, args| {
        replace(args, must, Regexp::replace_all_literal)
    }),
    fixed("regexSplit", TEXTS_AND_COUNT, |_, args| split(args, plain)),
    fixed("mustRegexSplit", TEXTS_AND_COUNT, |_, args| split(args, must)),
    fixed("regexQuoteMeta", &[TEXT], |_, args| Ok(Value::string(quote_meta(args.text(0)?)))),
];

/// Charts use few patterns, over and over; compiling one costs far more than matching it.
static COMPILED: LazyLock<Cache> = LazyLock::new(|| Cache::new(256));

/// Returns the size of the largest expression that templates have used in this process, in bytes; an expression may have
/// up to [`gostd::regexp::COMPILED_LIMIT`].
pub fn largest_expression() -> usize {
    COMPILED.largest()
}

type Compile = fn(&[u8]) -> Result<Regexp, FuncError>;

fn plain(pattern: &[u8]) -> Result<Regexp, FuncError> {
    COMPILED.get(pattern).map_err(|error| error.must_compile_text(pattern).into())
}

fn must(pattern: &[u8]) -> Result<Regexp, FuncError> {
    COMPILED.get(pattern).map_err(|error| error.to_string().into())
}

fn matches(args: &[Value]) -> Outcome {
    Ok(must(args.text(0)?)?.is_match(args.text(1)?).into())
}

fn find(args: &[Value], compile: Compile) -> Outcome {
    Ok(Value::string(compile(args.text(0)?)?.find(args.text(1)?).unwrap_or_default()))
}

/// No match gives a nil list.
fn find_all(args: &[Value], compile: Compile) -> Outcome {
    let regexp = compile(args.text(0)?)?;
    let found = regexp.find_all(args.text(1)?, args.int(2)?);
    Ok(Value::List(if found.is_empty() { List::nil(&STRING_LIST) } else { List::strings(found) }))
}

fn split(args: &[Value], compile: Compile) -> Outcome {
    let regexp = compile(args.text(0)?)?;
    let parts = regexp.split(args.text(1)?, args.int(2)?);
    Ok(Value::List(parts.map_or_else(|| List::nil(&STRING_LIST), List::strings)))
}

type Replace = fn(&Regexp, &[u8], &[u8]) -> Result<Vec<u8>, TooLong>;

/// The order is pattern, text, replacement.
fn replace(args: &[Value], compile: Compile, replace: Replace) -> Outcome {
    let regexp = compile(args.text(0)?)?;
    let replaced = replace(&regexp, args.text(1)?, args.text(2)?);
    replaced.map(Value::string).map_err(|error| error.to_string().into())
}
