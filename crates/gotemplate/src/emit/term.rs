//! Code for single operands.

use super::{Emitter, Span, index};
use crate::code::{Callee, Constant, NodeId, Op};
use crate::convert::parameter_count_error;

/// An operand as the parser read it.
#[derive(Debug)]
pub(crate) enum Term<'t> {
    Literal(Constant),
    Dot,
    Variable(&'t [u8]),
    /// A function's name without fields behind it.
    Function(Callee),
    /// A parenthesis, whose code is written already. Where it is the first thing in a pipeline: that pipeline's node.
    Group(Option<NodeId>),
    /// Something with fields behind it.
    Fields(Base<'t>, Vec<&'t [u8]>),
}

/// What a chain of fields starts from.
#[derive(Debug)]
pub(crate) enum Base<'t> {
    Dot,
    Variable(&'t [u8]),
    /// A function, called without arguments, and where its name stands.
    Function(Callee, Span),
    /// A parenthesis, whose code is written already.
    Group,
}

impl<'t> Emitter<'t> {
    /// Writes the code that pushes an operand other than a literal.
    pub(super) fn term(&mut self, term: &Term<'t>, span: Span) -> NodeId {
        let node = self.node(span);
        match term {
            Term::Literal(_) | Term::Group(_) => {}
            Term::Dot => self.load(self.dot, node),
            Term::Variable(name) => self.load_variable(name, node),
            Term::Function(callee) => self.bare_call(*callee, node),
            Term::Fields(base, fields) => {
                match base {
                    Base::Dot => self.load(self.dot, node),
                    Base::Variable(name) => self.load_variable(name, node),
                    Base::Function(callee, name) => {
                        let name = self.node(*name);
                        self.bare_call(*callee, name);
                    }
                    Base::Group => {}
                }
                self.fields(fields, node);
            }
        }
        node
    }

    fn fields(&mut self, fields: &[&[u8]], node: NodeId) {
        let name = index(self.names.len());
        for field in fields {
            self.name(field);
        }
        self.op(Op::Fields { node, name, count: index(fields.len()) });
    }

    pub(crate) fn push_constant(&mut self, constant: Constant, span: Span) {
        let node = self.node(span);
        let constant = self.constant(constant);
        self.op(Op::Constant { node, constant });
    }

    /// Writes the call of a function that stands as an argument or before fields.
    fn bare_call(&mut self, callee: Callee, node: NodeId) {
        if let Some(message) = parameter_count_error(callee.name(), callee.signature(), 0, false) {
            return self.fail_at(node, message);
        }
        let callee = self.callee(callee);
        self.op(Op::Call { node, callee, count: 0, piped: false });
    }
}
