//! Printing and escaping.

use gostd::Value;
use gostd::fmt::{sprint, sprintf, sprintln};

use crate::operand::Operand;
use crate::print;

fn string(text: Vec<u8>) -> Operand {
    Operand::Bare(Value::String(text.into()))
}

fn values(args: &[Operand]) -> Vec<Value> {
    args.iter().map(|arg| arg.clone().into_value()).collect()
}

pub(super) fn print(args: &[Operand]) -> Result<Operand, String> {
    Ok(string(sprint(&values(args))))
}

pub(super) fn println(args: &[Operand]) -> Result<Operand, String> {
    Ok(string(sprintln(&values(args))))
}

pub(super) fn printf(args: &[Operand]) -> Result<Operand, String> {
    let values = values(args);
    let Some((Value::String(format), arguments)) = values.split_first() else { return Ok(Operand::Absent) };
    Ok(string(sprintf(format, arguments)))
}

/// Escapes the printed arguments (Go's `evalArgs`).
pub(super) fn escaped(args: &[Operand], escape: fn(&[u8]) -> Vec<u8>) -> Operand {
    if let [Operand::Boxed(Value::String(text)) | Operand::Bare(Value::String(text))] = args {
        return string(escape(text));
    }
    let mut out = Vec::new();
    let mut after_string = true;
    for arg in args {
        let value = arg.value();
        // A nil has become the text `<no value>` before Go's Sprint looks at the types.
        let is_string = matches!(value, Value::Nil | Value::String(_));
        if !is_string && !after_string {
            out.push(b' ');
        }
        if value.is_nil() {
            out.extend_from_slice(print::NO_VALUE);
        } else {
            print::append_indirected(&mut out, value);
        }
        after_string = is_string;
    }
    string(escape(&out))
}
