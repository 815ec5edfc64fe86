//! The compiled form of a template: flat instructions for a stack machine.
//!
//! A [`Template`] is immutable and holds no dynamic values, so that threads can share it. Variables are numbered slots
//! (dot is one of them), functions are resolved, constants have the type their parameter wants.

use std::sync::Arc;

use gostd::GoStr;
use gostd::value::{Map, Type, Value};

use crate::builtins::Builtin;
use crate::func::Function;
use crate::number::Number;
use crate::operand::Operand;

/// A text that was parsed.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: GoStr,
    pub(crate) text: GoStr,
}

/// A variable of a template's frame.
pub(crate) type Slot = u32;

/// The slot of `$`.
pub(crate) const ROOT: Slot = 0;

/// The slot of a template's outermost dot. It starts as `$` does, but `$` can be assigned to.
pub(crate) const DOT: Slot = 1;

/// An index into [`Template::nodes`].
pub(crate) type NodeId = u32;

/// An index into [`Template::ops`].
pub(crate) type Address = u32;

/// A place that error texts point to. Its text is derived from the source only when an error needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The byte whose line and column are reported. For a chain it lies behind the start.
    pub(crate) position: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) form: Form,
}

/// How a node's text comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The span's tokens, normally spaced.
    Expression,
    /// `{{template ...}}` around the span's tokens, the name double-quoted.
    Template,
}

/// A compiled template.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) name: GoStr,
    pub(crate) source: Arc<Source>,
    /// Whether there is nothing but space and comments: such a definition never replaces another.
    pub(crate) is_empty: bool,
    pub(crate) ops: Box<[Op]>,
    pub(crate) nodes: Box<[Node]>,
    /// Field names and template names.
    pub(crate) names: Box<[GoStr]>,
    pub(crate) constants: Box<[Constant]>,
    pub(crate) callees: Box<[Callee]>,
    pub(crate) loops: Box<[LoopPlan]>,
    /// Slots of variables that an `and` or `or` may have skipped, each list innermost first.
    pub(crate) candidates: Box<[Candidates]>,
    /// Texts of errors that are certain once reached.
    pub(crate) messages: Box<[String]>,
    /// The number of slots of a frame.
    pub(crate) slots: u32,
}

/// An instruction. Operands are pushed to and popped from one stack; the "current node" is where an error would be
/// reported (`s.at` in Go's exec.go).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Writes a part of the source text.
    Text {
        start: u32,
        end: u32,
    },
    /// Makes a node current.
    At {
        node: NodeId,
    },
    /// Makes a node current and pushes a constant.
    Constant {
        node: NodeId,
        constant: u32,
    },
    /// Makes a node current and pushes a variable.
    Load {
        node: NodeId,
        slot: Slot,
    },
    /// The same for a variable that may not have been set: the first of the candidates that was.
    LoadAny {
        node: NodeId,
        candidates: u32,
    },
    /// Replaces the top by its field, `count` times.
    Fields {
        node: NodeId,
        name: u32,
        count: u32,
    },
    /// Replaces an interface value on top by what it holds: the end of every command.
    Unwrap,
    /// Checks and converts the top for a parameter of a function.
    Convert {
        callee: u32,
        parameter: u32,
    },
    /// Calls a function with the `count` topmost operands; a piped one lies below them.
    Call {
        node: NodeId,
        callee: u32,
        count: u32,
        piped: bool,
    },
    /// Starts the call of method `name` on the top. If there is no receiver, leaves "no value" and jumps.
    Method {
        name: u32,
        count: u32,
        piped: bool,
        otherwise: Address,
    },
    /// Checks and converts the top for a parameter of the method under way.
    MethodConvert {
        parameter: u32,
    },
    /// Pushes a constant as the type that a parameter of the method under way wants.
    MethodConstant {
        node: NodeId,
        constant: u32,
        parameter: u32,
    },
    /// Calls the method under way.
    MethodCall {
        node: NodeId,
        count: u32,
        piped: bool,
    },
    /// Jumps with the top kept if its truth is `when`; else drops it.
    Decide {
        when: bool,
        target: Address,
    },
    /// Drops the operand below the top.
    Nip,
    /// Drops the top.
    Pop,
    /// Copies the top into a variable.
    Store {
        slot: Slot,
    },
    /// The same for a variable that may not have been set.
    StoreAny {
        candidates: u32,
    },
    /// Unsets the variables from `from` up to, not including, `to`.
    Forget {
        from: Slot,
        to: Slot,
    },
    /// Pops and prints.
    Print,
    Jump {
        target: Address,
    },
    /// Pops and jumps if it is false.
    JumpUnless {
        target: Address,
    },
    /// Pops; jumps if it is false, else stores it (a new dot).
    With {
        slot: Slot,
        otherwise: Address,
    },
    /// Pops and starts a loop over it; jumps if there is nothing to loop over.
    Loop {
        plan: u32,
        otherwise: Address,
    },
    /// Sets the loop's variables for the next round; ends the loop and jumps if there is none.
    Next {
        plan: u32,
        end: Address,
    },
    /// Ends the loop and jumps.
    Break {
        target: Address,
    },
    /// Finds the template `name` and checks the depth.
    Find {
        node: NodeId,
        name: u32,
    },
    /// Pops dot and executes the template found before.
    Invoke,
    /// Fails at the current node.
    Fail {
        message: u32,
    },
}

/// What a loop sets in every round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopPlan {
    /// The body's dot.
    pub(crate) dot: Slot,
    pub(crate) index: Option<Target>,
    pub(crate) element: Option<Target>,
}

/// Where a loop puts an index or element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A declared variable, or an assigned one that is certainly set.
    Slot(Slot),
    /// An assigned variable, by index into [`Template::candidates`].
    Any(u32),
}

/// Where a variable may be found whose declaration an `and` or `or` may have skipped.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// The variable's name, for the error if none is set.
    pub(crate) name: GoStr,
    /// Innermost first.
    pub(crate) slots: Vec<Slot>,
}

/// What a name in function position stands for.
#[derive(Clone, Copy)]
pub(crate) enum Callee {
    Builtin(&'static Builtin),
    Function(&'static Function),
}

impl std::fmt::Debug for Callee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Callee {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Callee::Builtin(builtin) => builtin.name,
            Callee::Function(function) => function.name,
        }
    }

    pub(crate) fn signature(&self) -> &'static gostd::value::Signature {
        match self {
            Callee::Builtin(builtin) => &builtin.signature,
            Callee::Function(function) => &function.signature,
        }
    }
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    /// The literal `nil`.
    Nil,
    /// The zero value of a parameter's type, which `nil` stands for.
    ZeroOf(Type),
    Bool(bool),
    String(GoStr),
    Int(i64),
    Int64(i64),
    Uint64(u64),
    Float(f64),
    Complex(f64, f64),
    /// A number whose type is not decided: the parameter that takes it has to.
    Number(Box<Number>),
}

impl Constant {
    /// Returns the operand. The type of numbers must have been decided.
    pub(crate) fn operand(&self) -> Operand {
        Operand::Bare(match self {
            Constant::Nil | Constant::Number(_) => return Operand::Absent,
            Constant::ZeroOf(ty) => return zero(*ty),
            Constant::Bool(value) => Value::Bool(*value),
            Constant::String(text) => Value::String(text.clone()),
            Constant::Int(value) => Value::Int(*value),
            Constant::Int64(value) => Value::Int64(*value),
            Constant::Uint64(value) => Value::Uint64(*value),
            Constant::Float(value) => Value::Float64(*value),
            Constant::Complex(re, im) => Value::Complex(*re, *im),
        })
    }
}

/// Returns `reflect.Zero` of a type that can be nil.
pub(crate) fn zero(ty: Type) -> Operand {
    use gostd::value::{ANY_LIST, ANY_MAP, List, STRING_LIST};
    Operand::Bare(match ty {
        Type::AnyMap => Value::Map(Map::nil(&ANY_MAP)),
        Type::AnyList => Value::List(List::nil(&ANY_LIST)),
        Type::StringList => Value::List(List::nil(&STRING_LIST)),
        Type::Bytes => Value::Bytes(GoStr::default()),
        Type::Reflect => return Operand::Absent,
        _ => return Operand::Boxed(Value::Nil),
    })
}
