//! How an action prints its value (exec.go `printValue`).

use gostd::Value;
use gostd::fmt::append_v;
use gostd::value::Kind;

use crate::operand::Operand;

/// What stands for no value in the output.
pub(crate) const NO_VALUE: &[u8] = b"<no value>";

/// Appends an operand's text.
pub(crate) fn append(out: &mut Vec<u8>, operand: &Operand) {
    match operand {
        Operand::Absent => out.extend_from_slice(NO_VALUE),
        Operand::Boxed(value) | Operand::Bare(value) => match own_text(value) {
            Some(text) => out.extend_from_slice(&text),
            None => append_indirected(out, value),
        },
    }
}

/// Returns the text of a struct whose `Error` or `String` method needs its address. Templates reach such a struct where
/// it can be addressed, so Go calls the method here, though not where the struct is passed to a function.
fn own_text(value: &Value) -> Option<gostd::GoStr> {
    let Value::Object(object) = value else { return None };
    if object.stringer().is_some() {
        return None;
    }
    let methods = object.methods();
    let method = ["Error", "String"].iter().find_map(|name| {
        methods.iter().find(|method| method.name == *name && method.signature.params.is_empty())
    })?;
    match (method.call)(value, &[]) {
        Ok(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Appends a value's text as `%v`; of a pointer, that of what it points to.
pub(crate) fn append_indirected(out: &mut Vec<u8>, value: &Value) {
    let start = out.len();
    append_v(out, value);
    let is_pointer = matches!(value, Value::Object(object) if object.kind() == Kind::Ptr);
    if is_pointer && out.get(start) == Some(&b'&') {
        out.remove(start);
    }
}
