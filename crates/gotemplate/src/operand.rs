//! What the interpreter computes with: Go's `reflect.Value`, as far as templates can tell.

use gostd::Value;
use gostd::value::Elem;

/// A value together with what `reflect` knows beyond it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Operand {
    /// No value at all (the zero `reflect.Value`): what a null becomes at the end of a pipeline.
    #[default]
    Absent,
    /// An element of static type `interface {}`: an entry of a map or list. It may hold nil.
    Boxed(Value),
    /// A value of its own type, never nil.
    Bare(Value),
}

impl Operand {
    /// Makes the operand for a value that Go code returns: nil can only be an interface.
    pub(crate) fn returned(value: Value) -> Self {
        if value.is_nil() { Operand::Boxed(value) } else { Operand::Bare(value) }
    }

    /// Makes the operand for an element or field of a container.
    pub(crate) fn element(elem: Elem, value: Value) -> Self {
        if elem == Elem::Any { Operand::Boxed(value) } else { Self::returned(value) }
    }

    /// Makes the operand for the root of a template's data (`reflect.ValueOf`).
    pub(crate) fn root(value: Value) -> Self {
        if value.is_nil() { Operand::Absent } else { Operand::Bare(value) }
    }

    /// Forgets that the value came out of an interface: nil becomes absent (Go's `indirectInterface`).
    pub(crate) fn unwrapped(self) -> Self {
        match self {
            Operand::Boxed(value) => Self::root(value),
            other => other,
        }
    }

    /// Returns the value as an argument of type `interface {}`.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Operand::Absent => Value::Nil,
            Operand::Bare(Value::Object(object)) => object.without_address().unwrap_or(Value::Object(object)),
            Operand::Boxed(value) | Operand::Bare(value) => value,
        }
    }

    /// Returns the value, which is nil if there is none.
    pub(crate) fn value(&self) -> &Value {
        match self {
            Operand::Absent => &Value::Nil,
            Operand::Boxed(value) | Operand::Bare(value) => value,
        }
    }

    /// Reports the truth of the value.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Operand::Absent => false,
            Operand::Boxed(value) | Operand::Bare(value) => value.is_true(),
        }
    }
}
