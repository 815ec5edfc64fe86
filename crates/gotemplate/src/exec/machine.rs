//! The stack machine that executes compiled templates (the walk functions of exec.go).
//!
//! [`Machine::run`] is on the native stack once for every nested `include`. What it calls is kept out of line where it
//! is large or rare, so that its own frame stays small.

use std::sync::Arc;

use gostd::Value;

use super::Session;
use crate::Set;
use crate::code::{Address, Form, Node, NodeId, Op, Slot, Template};
use crate::emit::undefined_variable;
use crate::error::{Error, ErrorKind, Limit};
use crate::operand::Operand;
use crate::print;

/// Bytes that an execution may print before its memory has to grow: names and labels, which are included most.
const USUAL_OUTPUT: usize = 256;
/// The same for the outermost execution, where the template's own length tells more.
const USUAL_FILE: usize = 4096;
/// How deep `{{template}}` may nest (Go's `maxExecDepth`).
const DEEPEST_TEMPLATE: usize = 100_000;

/// One execution of a template. `{{template}}` stays within it; functions such as `include` start another.
pub(super) struct Machine<'m, 'h> {
    pub(super) session: &'m mut Session<'h>,
    pub(super) set: &'m Set,
    pub(super) template: Arc<Template>,
    /// The next instruction.
    next: Address,
    /// Where the frame's slots start.
    pub(super) base: usize,
    /// Where an error would be reported.
    pub(super) node: Option<NodeId>,
    pub(super) output: Vec<u8>,
    /// The templates that wait for the one under way.
    pub(super) callers: Vec<Frame>,
}

pub(super) struct Frame {
    pub(super) template: Arc<Template>,
    next: Address,
    base: usize,
    node: Option<NodeId>,
}

impl<'m, 'h> Machine<'m, 'h> {
    pub(super) fn new(
        session: &'m mut Session<'h>,
        set: &'m Set,
        template: Arc<Template>,
        data: Value,
    ) -> Self {
        let base = session.slots.len();
        let capacity = match session.depth {
            1 => template.source.text.len().clamp(USUAL_OUTPUT, USUAL_FILE),
            _ => USUAL_OUTPUT,
        };
        let mut machine = Self {
            session,
            set,
            template,
            next: 0,
            base,
            node: None,
            output: Vec::with_capacity(capacity),
            callers: Vec::new(),
        };
        machine.open_slots(Operand::root(data));
        machine
    }

    pub(super) fn into_output(self) -> Vec<u8> {
        self.output
    }

    /// Makes the variables of a frame: `$`, dot, and those not set yet.
    fn open_slots(&mut self, dot: Operand) {
        let slots = &mut self.session.slots;
        slots.extend([Some(dot.clone()), Some(dot)]);
        slots.resize_with(self.base + self.template.slots as usize, || None);
    }

    /// Executes to the end.
    pub(super) fn run(&mut self) -> Result<(), Error> {
        loop {
            let Some(op) = self.template.ops.get(self.next as usize).copied() else {
                if self.return_to_caller() {
                    continue;
                }
                return Ok(());
            };
            self.next += 1;
            if self.session.free_steps == 0 {
                self.grant_steps()?;
            }
            self.session.free_steps -= 1;
            self.step(op)?;
        }
    }

    #[inline(never)]
    fn grant_steps(&mut self) -> Result<(), Error> {
        self.session.grant_steps().map_err(|(limit, message)| {
            Error::exec(ErrorKind::Limit(limit), &self.template, self.current_node(), message)
        })
    }

    fn step(&mut self, op: Op) -> Result<(), Error> {
        match op {
            Op::Text { start, end } => return self.write(start, end),
            Op::At { node } => self.node = Some(node),
            Op::Constant { node, constant } => {
                self.node = Some(node);
                let operand =
                    self.template.constants.get(constant as usize).map(|constant| constant.operand());
                self.push(operand.unwrap_or_default());
            }
            Op::Load { node, slot } => {
                self.node = Some(node);
                self.load(slot);
            }
            Op::LoadAny { node, candidates } => {
                self.node = Some(node);
                let slot = self.first_set(candidates)?;
                self.load(slot);
            }
            Op::Fields { node, name, count } => return self.fields(node, name, count),
            Op::Unwrap => {
                if let Some(top @ Operand::Boxed(_)) = self.session.operands.last_mut() {
                    *top = std::mem::take(top).unwrapped();
                }
            }
            Op::Convert { callee, parameter } => return self.convert_argument(callee, parameter),
            Op::Call { node, callee, count, piped } => return self.call(node, callee, count, piped),
            Op::Method { name, count, piped, otherwise } => {
                return self.start_method(name, count, piped, otherwise);
            }
            Op::MethodConvert { parameter } => return self.convert_method_argument(parameter),
            Op::MethodConstant { node, constant, parameter } => {
                return self.push_method_constant(node, constant, parameter);
            }
            Op::MethodCall { node, count, piped } => return self.call_method(node, count, piped),
            Op::Decide { when, target } => {
                if self.session.operands.last().is_some_and(Operand::is_true) == when {
                    self.next = target;
                } else {
                    self.pop();
                }
            }
            Op::Nip => {
                let top = self.pop();
                self.pop();
                self.push(top);
            }
            Op::Pop => _ = self.pop(),
            Op::Store { slot } => self.store(slot),
            Op::StoreAny { candidates } => {
                let slot = self.first_set(candidates)?;
                self.store(slot);
            }
            Op::Forget { from, to } => self.forget(from, to),
            Op::Print => return self.print(),
            Op::Jump { target } => self.next = target,
            Op::JumpUnless { target } => {
                if !self.pop().is_true() {
                    self.next = target;
                }
            }
            Op::With { slot, otherwise } => {
                let value = self.pop();
                if value.is_true() {
                    self.set_slot(slot, value);
                } else {
                    self.next = otherwise;
                }
            }
            Op::Loop { plan, otherwise } => return self.start_loop(plan, otherwise),
            Op::Next { plan, end } => return self.next_round(plan, end),
            Op::Break { target } => {
                self.session.loops.pop();
                self.next = target;
            }
            Op::Find { node, name } => return self.find_template(node, name),
            Op::Invoke => self.invoke(),
            Op::Fail { message } => {
                let message = self.template.messages.get(message as usize).cloned();
                return Err(self.error(message.unwrap_or_default()));
            }
        }
        Ok(())
    }

    fn write(&mut self, start: u32, end: u32) -> Result<(), Error> {
        let text = self.template.source.text.get(start as usize..end as usize);
        self.output.extend_from_slice(text.unwrap_or_default());
        self.check_output(Some(Node { position: start, start, end: start, form: Form::Expression }))
    }

    #[inline(never)]
    fn print(&mut self) -> Result<(), Error> {
        let operand = self.pop();
        print::append(&mut self.output, &operand);
        self.check_output(self.current_node())
    }

    fn check_output(&self, node: Option<Node>) -> Result<(), Error> {
        let limit = self.session.options.limits.output;
        if self.session.output.saturating_add(self.output.len()) <= limit {
            return Ok(());
        }
        let message = format!("the output is longer than {limit} bytes");
        Err(Error::exec(ErrorKind::Limit(Limit::Output), &self.template, node, message))
    }

    #[inline(never)]
    fn find_template(&mut self, node: NodeId, name: u32) -> Result<(), Error> {
        self.node = Some(node);
        let name = self.template.names.get(name as usize).map(|name| name.as_bytes()).unwrap_or_default();
        let Some(template) = self.set.find(name) else {
            return Err(self.error(format!("template {} not defined", gostd::strconv::quote(name))));
        };
        if self.callers.len() >= DEEPEST_TEMPLATE {
            return Err(self.error(format!("exceeded maximum template depth ({DEEPEST_TEMPLATE})")));
        }
        self.session.found.push(Arc::clone(template));
        Ok(())
    }

    #[inline(never)]
    fn invoke(&mut self) {
        let dot = self.pop();
        let Some(template) = self.session.found.pop() else { return };
        let base = self.session.slots.len();
        self.callers.push(Frame {
            template: std::mem::replace(&mut self.template, template),
            next: std::mem::replace(&mut self.next, 0),
            base: std::mem::replace(&mut self.base, base),
            node: self.node.take(),
        });
        self.open_slots(dot);
    }

    /// Returns false at the end of the outermost template.
    fn return_to_caller(&mut self) -> bool {
        self.session.slots.truncate(self.base);
        let Some(caller) = self.callers.pop() else { return false };
        self.template = caller.template;
        self.next = caller.next;
        self.base = caller.base;
        self.node = caller.node;
        true
    }

    pub(super) fn jump(&mut self, target: Address) {
        self.next = target;
    }

    pub(super) fn push(&mut self, operand: Operand) {
        self.session.operands.push(operand);
    }

    /// Pops an operand; the compiler leaves none short.
    pub(super) fn pop(&mut self) -> Operand {
        self.session.operands.pop().unwrap_or_default()
    }

    /// Returns a variable's value, if it is set.
    fn slot(&self, slot: Slot) -> Option<&Operand> {
        self.session.slots.get(self.base + slot as usize)?.as_ref()
    }

    pub(super) fn set_slot(&mut self, slot: Slot, value: Operand) {
        if let Some(place) = self.session.slots.get_mut(self.base + slot as usize) {
            *place = Some(value);
        }
    }

    /// Pushes a variable.
    fn load(&mut self, slot: Slot) {
        let value = self.slot(slot).cloned().unwrap_or_default();
        self.push(value);
    }

    /// Copies the top into a variable.
    fn store(&mut self, slot: Slot) {
        let top = self.session.operands.last().cloned().unwrap_or_default();
        self.set_slot(slot, top);
    }

    fn forget(&mut self, from: Slot, to: Slot) {
        let slots = self.base + from as usize..self.base + to as usize;
        if let Some(slots) = self.session.slots.get_mut(slots) {
            slots.fill(None);
        }
    }

    /// Returns the innermost variable of a list that was set.
    pub(super) fn first_set(&self, candidates: u32) -> Result<Slot, Error> {
        let Some(candidates) = self.template.candidates.get(candidates as usize) else { return Ok(0) };
        let found = candidates.slots.iter().find(|slot| self.slot(**slot).is_some());
        found.copied().ok_or_else(|| self.error(undefined_variable(&candidates.name)))
    }

    pub(super) fn node_of(&self, node: NodeId) -> Option<Node> {
        self.template.nodes.get(node as usize).copied()
    }

    /// Makes an error at the current node.
    #[inline(never)]
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        Error::exec(ErrorKind::Exec, &self.template, self.current_node(), message.into())
    }

    fn current_node(&self) -> Option<Node> {
        self.node.and_then(|node| self.node_of(node))
    }
}
