//! Writes the instructions of one template while the parser reads its text.

mod command;
mod scope;
mod term;

use std::sync::Arc;

use gostd::GoStr;

pub(crate) use self::command::Command;
pub(crate) use self::scope::Mark;
use self::scope::Scope;
pub(crate) use self::term::{Base, Term};
use crate::code::{
    Address, Callee, Candidates, Constant, DOT, Form, LoopPlan, Node, NodeId, Op, Slot, Source, Target,
    Template,
};

/// A part of the text, and the byte in it that errors point to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) position: usize,
}

/// The code of a template under way.
pub(crate) struct Emitter<'t> {
    text: &'t [u8],
    ops: Vec<Op>,
    nodes: Vec<Node>,
    names: Vec<GoStr>,
    constants: Vec<Constant>,
    callees: Vec<Callee>,
    loops: Vec<LoopPlan>,
    candidates: Vec<Candidates>,
    messages: Vec<String>,
    pub(crate) scope: Scope<'t>,
    /// The variable that is dot.
    pub(crate) dot: Slot,
    is_empty: bool,
}

impl<'t> Emitter<'t> {
    /// Starts a template within a file of that text.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            ops: Vec::new(),
            nodes: Vec::new(),
            names: Vec::new(),
            constants: Vec::new(),
            callees: Vec::new(),
            loops: Vec::new(),
            candidates: Vec::new(),
            messages: Vec::new(),
            scope: Scope::new(),
            dot: DOT,
            is_empty: true,
        }
    }

    /// Reports whether there was nothing but space so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Ends the template.
    pub(crate) fn finish(self, name: GoStr, source: Arc<Source>) -> Template {
        Template {
            name,
            source,
            is_empty: self.is_empty,
            ops: self.ops.into(),
            nodes: self.nodes.into(),
            names: self.names.into(),
            constants: self.constants.into(),
            callees: self.callees.into(),
            loops: self.loops.into(),
            candidates: self.candidates.into(),
            messages: self.messages.into(),
            slots: self.scope.slots(),
        }
    }

    /// Returns the text of a span.
    fn source(&self, span: Span) -> &'t [u8] {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Writes a text.
    pub(crate) fn text(&mut self, text: &[u8], start: usize) {
        if !gostd::strings::trim_space(text).is_empty() {
            self.is_empty = false;
        }
        self.ops.push(Op::Text { start: index(start), end: index(start + text.len()) });
    }

    /// Writes an instruction and returns its address.
    pub(crate) fn op(&mut self, op: Op) -> Address {
        self.is_empty = false;
        self.ops.push(op);
        index(self.ops.len() - 1)
    }

    /// Returns the address of the next instruction.
    pub(crate) fn here(&self) -> Address {
        index(self.ops.len())
    }

    /// Drops all instructions from an address on.
    fn rewind(&mut self, to: Address) {
        self.ops.truncate(to as usize);
    }

    /// Makes the jump at an address lead to the next instruction.
    pub(crate) fn land(&mut self, jump: Address) {
        let here = self.here();
        match self.ops.get_mut(jump as usize) {
            Some(
                Op::Jump { target }
                | Op::JumpUnless { target }
                | Op::Decide { target, .. }
                | Op::Break { target }
                | Op::With { otherwise: target, .. }
                | Op::Loop { otherwise: target, .. }
                | Op::Next { end: target, .. }
                | Op::Method { otherwise: target, .. },
            ) => *target = here,
            _ => debug_assert!(false, "not a jump"),
        }
    }

    /// Registers a node of an expression.
    pub(crate) fn node(&mut self, span: Span) -> NodeId {
        self.node_of(span, Form::Expression)
    }

    fn node_of(&mut self, span: Span, form: Form) -> NodeId {
        let Span { start, end, position } = span;
        self.nodes.push(Node { position: index(position), start: index(start), end: index(end), form });
        index(self.nodes.len() - 1)
    }

    /// Moves the end of a node that was registered before it was read whole.
    pub(crate) fn end_node(&mut self, node: NodeId, end: usize) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.end = index(end);
        }
    }

    fn name(&mut self, name: &[u8]) -> u32 {
        self.names.push(name.into());
        index(self.names.len() - 1)
    }

    fn constant(&mut self, constant: Constant) -> u32 {
        self.constants.push(constant);
        index(self.constants.len() - 1)
    }

    fn callee(&mut self, callee: Callee) -> u32 {
        self.callees.push(callee);
        index(self.callees.len() - 1)
    }

    /// Writes an instruction that fails at the current node.
    pub(crate) fn fail(&mut self, message: String) {
        self.messages.push(message);
        let message = index(self.messages.len() - 1);
        self.op(Op::Fail { message });
    }

    fn fail_at(&mut self, node: NodeId, message: String) {
        self.op(Op::At { node });
        self.fail(message);
    }

    /// Writes the start of `{{template}}`; returns the node, whose end is moved when the argument has been read.
    pub(crate) fn find_template(&mut self, span: Span, name: &[u8]) -> NodeId {
        let node = self.node_of(span, Form::Template);
        let name = self.name(name);
        self.op(Op::Find { node, name });
        node
    }

    /// Copies the top into a newly declared variable.
    pub(crate) fn declare(&mut self, name: &'t [u8]) -> Target {
        let slot = self.scope.declare(name);
        self.op(Op::Store { slot });
        Target::Slot(slot)
    }

    /// Copies the top into a variable that was declared before. Without one, the execution fails here.
    pub(crate) fn assign(&mut self, name: &[u8]) -> Option<Target> {
        match self.find_variable(name) {
            Ok(Target::Slot(slot)) => {
                self.op(Op::Store { slot });
                Some(Target::Slot(slot))
            }
            Ok(Target::Any(candidates)) => {
                self.op(Op::StoreAny { candidates });
                Some(Target::Any(candidates))
            }
            Err(message) => {
                self.fail(message);
                None
            }
        }
    }

    /// Pushes a variable.
    fn load_variable(&mut self, name: &[u8], node: NodeId) {
        match self.find_variable(name) {
            Ok(Target::Slot(slot)) => self.load(slot, node),
            Ok(Target::Any(candidates)) => _ = self.op(Op::LoadAny { node, candidates }),
            Err(message) => self.fail_at(node, message),
        }
    }

    fn load(&mut self, slot: Slot, node: NodeId) {
        self.op(Op::Load { node, slot });
    }

    fn find_variable(&mut self, name: &[u8]) -> Result<Target, String> {
        let slots = self.scope.find(name);
        match (slots.certain, slots.maybe.as_slice()) {
            (Some(slot), []) => Ok(Target::Slot(slot)),
            (None, []) => Err(undefined_variable(name)),
            (certain, _) => {
                let slots = slots.maybe.into_iter().chain(certain).collect();
                self.candidates.push(Candidates { name: name.into(), slots });
                Ok(Target::Any(index(self.candidates.len() - 1)))
            }
        }
    }

    /// Registers a loop; its element becomes dot.
    pub(crate) fn plan_loop(&mut self, index_target: Option<Target>, element: Option<Target>) -> u32 {
        let dot = self.scope.new_slot();
        self.dot = dot;
        self.loops.push(LoopPlan { dot, index: index_target, element });
        index(self.loops.len() - 1)
    }
}

/// The message for a variable that is not there when the template runs.
pub(crate) fn undefined_variable(name: &[u8]) -> String {
    format!("undefined variable: {}", gostd::value::lossy(name))
}

/// Positions and table sizes are bounded by the length of the text, which the parser limits to what fits.
pub(crate) fn index(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
