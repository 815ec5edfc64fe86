//! JSON in its variants. The plain forms hide errors behind an empty result, the `must` forms report them.

use gostd::value::Type;
use gostd::{Value, json};
use gotemplate::{FuncError, Function};

use crate::args::{Args, Outcome, fixed};

const ANY: &[Type] = &[Type::Any];
const TEXT: &[Type] = &[Type::String];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("fromJson", TEXT, |_, args| Ok(from_json(args.text(0)?))),
    fixed("mustFromJson", TEXT, |_, args| json::unmarshal(args.text(0)?).map_err(failure)),
    fixed("toJson", ANY, |_, args| Ok(Value::string(json::marshal(args.any(0), true).unwrap_or_default()))),
    fixed("mustToJson", ANY, |_, args| json::marshal(args.any(0), true).map(Value::string).map_err(failure)),
    fixed("toPrettyJson", ANY, |_, args| Ok(pretty(args.any(0)).unwrap_or_else(|_| "".into()))),
    fixed("mustToPrettyJson", ANY, |_, args| pretty(args.any(0))),
    fixed("toRawJson", ANY, |_, args| json::marshal(args.any(0), false).map(Value::string).map_err(failure)),
    fixed("mustToRawJson", ANY, |_, args| {
        json::marshal(args.any(0), false).map(Value::string).map_err(failure)
    }),
];

fn failure(error: impl std::fmt::Display) -> FuncError {
    FuncError::new(error.to_string())
}

/// Reads any JSON value. Of a text that is JSON but holds a number too large, Go has stored the rest.
fn from_json(text: &[u8]) -> Value {
    match json::unmarshal(text) {
        Ok(value) | Err(json::DecodeError::Type { partial: value, .. }) => value,
        Err(_) => Value::Nil,
    }
}

fn pretty(value: &Value) -> Outcome {
    json::marshal_indent(value, b"", b"  ", true).map(Value::string).map_err(failure)
}
