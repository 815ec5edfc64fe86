//! Code for one command of a pipeline: a function or method with arguments, or a plain value.

use gostd::value::Type;

use super::term::Term;
use super::{Emitter, Span};
use crate::builtins::Special;
use crate::code::{Address, Callee, Constant, NodeId, Op};
use crate::convert::{parameter, parameter_count_error, typed_literal, untyped_literal};
use crate::node::normalize;

/// A command while its operands are read.
#[derive(Debug)]
pub(crate) struct Command<'t> {
    /// Where its code starts.
    start: Address,
    /// From the first byte to the end of the last operand.
    span: Span,
    /// Whether the previous command's result is its last argument. That lies on the stack below everything else.
    is_piped: bool,
    head: Head<'t>,
    head_span: Span,
    /// The number of written arguments.
    arguments: u32,
    /// Jumps of arguments that may decide an `and` or `or`.
    decisions: Vec<Address>,
}

/// The first operand of a command: what is done with the others.
#[derive(Clone, Copy, Debug)]
enum Head<'t> {
    /// Not read yet.
    Missing,
    Function {
        callee: Callee,
        index: u32,
        node: NodeId,
    },
    /// A chain of fields, the last of which is a method if there are arguments.
    Fields {
        node: NodeId,
        method: Option<Address>,
    },
    /// Something that takes no arguments.
    Value(Refusal<'t>),
}

/// How a value fails that is given arguments.
#[derive(Clone, Copy, Debug)]
enum Refusal<'t> {
    /// At a node.
    At(NodeId),
    /// After its variable was looked up.
    Loading(&'t [u8], NodeId),
    /// Wherever the execution stands.
    Here,
}

impl Command<'_> {
    /// Starts a command at `position` of the text.
    pub(crate) fn new(start: Address, position: usize, is_piped: bool) -> Self {
        let span = Span { start: position, end: position, position };
        let (head, head_span) = (Head::Missing, span);
        Self { start, span, is_piped, head, head_span, arguments: 0, decisions: Vec::new() }
    }

    /// Reports whether it has no operand yet.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.head, Head::Missing)
    }

    /// Reports whether it calls the text/template function of that special nature.
    fn special(&self) -> Option<Special> {
        match &self.head {
            Head::Function { callee: Callee::Builtin(builtin), .. } => builtin.special,
            _ => None,
        }
    }

    /// Returns when an argument decides the call, if it is one of `and` or `or`.
    fn decided_by(&self) -> Option<bool> {
        match self.special()? {
            Special::And => Some(false),
            Special::Or => Some(true),
            Special::Call => None,
        }
    }
}

impl<'t> Emitter<'t> {
    /// Prepares for an operand, before any of its code is written.
    pub(crate) fn before_operand(&mut self, command: &mut Command<'t>) {
        match command.head {
            Head::Fields { method: None, .. } => self.start_method(command),
            Head::Function { .. } if command.arguments > 0 => {
                if let Some(when) = command.decided_by() {
                    self.decide(command, when);
                    if command.arguments == 1 {
                        self.scope.enter_skippable();
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds an operand.
    pub(crate) fn operand(&mut self, command: &mut Command<'t>, term: &Term<'t>, span: Span) {
        command.span.end = span.end;
        if let Head::Missing = command.head {
            command.head = self.head(term, span);
            command.head_span = span;
            return;
        }
        let position = command.arguments;
        match command.head {
            Head::Function { callee, index, .. } => {
                self.function_argument(callee, index, position, term, span);
            }
            Head::Fields { .. } => self.method_argument(position, term, span),
            Head::Value(_) | Head::Missing => _ = self.term(term, span),
        }
        command.arguments = command.arguments.saturating_add(1);
        if command.arguments == 1 && command.special() == Some(Special::Call) {
            let name = self.bare_text(span);
            self.push_constant(Constant::String(name.into()), span);
        }
    }

    fn head(&mut self, term: &Term<'t>, span: Span) -> Head<'t> {
        match term {
            Term::Function(callee) => {
                Head::Function { callee: *callee, index: self.callee(*callee), node: self.node(span) }
            }
            Term::Fields(..) => Head::Fields { node: self.term(term, span), method: None },
            Term::Group(pipeline) => Head::Value(pipeline.map_or(Refusal::Here, Refusal::At)),
            Term::Literal(literal) => Head::Value(Refusal::At(self.literal_head(literal, span))),
            Term::Dot | Term::Variable(_) => {
                let node = self.term(term, span);
                self.op(Op::Unwrap);
                Head::Value(match term {
                    Term::Variable(name) => Refusal::Loading(name, node),
                    _ => Refusal::At(node),
                })
            }
        }
    }

    fn literal_head(&mut self, literal: &Constant, span: Span) -> NodeId {
        let node = self.node(span);
        match untyped_literal(literal, self.source(span)) {
            Ok(Constant::Nil) => self.fail_at(node, "nil is not a command".to_owned()),
            Ok(constant) => {
                let constant = self.constant(constant);
                self.op(Op::Constant { node, constant });
            }
            Err(message) => self.fail_at(node, message),
        }
        node
    }

    fn function_argument(&mut self, callee: Callee, index: u32, position: u32, term: &Term<'t>, span: Span) {
        let ty = parameter(callee.signature(), position as usize).unwrap_or(Type::Any);
        if let Term::Literal(literal) = term {
            match typed_literal(literal, self.source(span), ty) {
                Ok(constant) => self.push_constant(constant, span),
                Err(message) => {
                    let node = self.node(span);
                    self.fail_at(node, message);
                }
            }
            return;
        }
        self.term(term, span);
        if !matches!(ty, Type::Any | Type::Reflect) {
            self.op(Op::Convert { callee: index, parameter: position });
        }
    }

    fn method_argument(&mut self, parameter: u32, term: &Term<'t>, span: Span) {
        if let Term::Literal(literal) = term {
            let node = self.node(span);
            let constant = self.constant(literal.clone());
            self.op(Op::MethodConstant { node, constant, parameter });
        } else {
            self.term(term, span);
            self.op(Op::MethodConvert { parameter });
        }
    }

    /// Turns the last of the fields just written into a method that takes arguments.
    fn start_method(&mut self, command: &mut Command<'t>) {
        let Head::Fields { node, method: None } = command.head else { return };
        let Some(Op::Fields { name, count, .. }) = self.ops.last_mut() else { return };
        *count -= 1;
        let (name, is_only) = (*name + *count, *count == 0);
        if is_only {
            self.ops.pop();
        }
        let piped = command.is_piped;
        let method = Some(self.op(Op::Method { name, count: 0, piped, otherwise: 0 }));
        command.head = Head::Fields { node, method };
    }

    fn decide(&mut self, command: &mut Command<'t>, when: bool) {
        let jump = self.op(Op::Decide { when, target: 0 });
        command.decisions.push(jump);
    }

    /// Ends a command: all its operands have been added.
    pub(crate) fn finish_command(&mut self, mut command: Command<'t>) {
        let has_arguments = command.arguments > 0 || command.is_piped;
        match command.head {
            Head::Missing => {}
            Head::Value(refusal) if has_arguments => self.refuse(&command, refusal),
            Head::Value(_) => {}
            Head::Fields { node, .. } => {
                if has_arguments {
                    self.start_method(&mut command);
                    self.finish_method(&command, node);
                }
                self.op(Op::Unwrap);
            }
            Head::Function { callee, index, node } => {
                self.finish_function(&mut command, callee, index, node);
                self.op(Op::Unwrap);
            }
        }
    }

    fn refuse(&mut self, command: &Command<'t>, refusal: Refusal<'t>) {
        self.rewind(command.start);
        match refusal {
            Refusal::At(node) => _ = self.op(Op::At { node }),
            Refusal::Loading(name, node) => self.load_variable(name, node),
            Refusal::Here => {}
        }
        let head = self.bare_text(command.head_span);
        self.fail(format!("can't give argument to non-function {head}"));
    }

    /// Returns the text of an operand on its own: Go prints the pipeline in a parenthesis without it.
    fn bare_text(&self, operand: Span) -> String {
        match self.source(operand) {
            [b'(', pipeline @ .., b')'] => normalize(pipeline),
            other => normalize(other),
        }
    }

    fn finish_method(&mut self, command: &Command<'t>, node: NodeId) {
        let Head::Fields { method: Some(method), .. } = command.head else { return };
        if let Some(Op::Method { count, .. }) = self.ops.get_mut(method as usize) {
            *count = command.arguments;
        }
        self.op(Op::MethodCall { node, count: command.arguments, piped: command.is_piped });
        self.land(method);
    }

    fn finish_function(&mut self, command: &mut Command<'t>, callee: Callee, index: u32, name: NodeId) {
        if command.decided_by().is_some() && command.arguments > 1 {
            self.scope.leave_skippable();
        }
        let Command { arguments: count, is_piped: piped, .. } = *command;
        if let Some(message) = parameter_count_error(callee.name(), callee.signature(), count as usize, piped)
        {
            self.rewind(command.start);
            return self.fail_at(name, message);
        }
        if let Some(when) = command.decided_by() {
            return self.finish_short_circuit(command, when, name);
        }
        let node = self.node(command.span);
        let names = u32::from(count > 0 && command.special() == Some(Special::Call));
        self.op(Op::Call { node, callee: index, count: count + names, piped });
    }

    /// The last argument of `and` and `or` is their result unless one is piped, which then has the last word.
    fn finish_short_circuit(&mut self, command: &mut Command<'t>, when: bool, name: NodeId) {
        if command.arguments == 0 {
            self.op(Op::At { node: name });
        }
        if !command.is_piped {
            command.decisions.iter().for_each(|jump| self.land(*jump));
        } else if command.arguments > 0 {
            self.decide(command, when);
            let end = self.op(Op::Jump { target: 0 });
            command.decisions.iter().for_each(|jump| self.land(*jump));
            self.op(Op::Nip);
            self.land(end);
        }
    }
}
