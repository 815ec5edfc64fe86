//! Calls of functions (exec.go `evalCall`).

use gostd::Value;

use super::machine::Machine;
use super::{Call, Place, Session};
use crate::FuncError;
use crate::code::{Callee, NodeId};
use crate::convert::{parameter, validate};
use crate::error::Error;
use crate::func::Function;
use crate::operand::Operand;

impl Machine<'_, '_> {
    /// Checks the top as an argument of a function.
    #[inline(never)]
    pub(super) fn convert_argument(&mut self, callee: u32, position: u32) -> Result<(), Error> {
        let operand = self.pop();
        let operand = self.validate_for(callee, operand, position)?;
        self.push(operand);
        Ok(())
    }

    #[inline(never)]
    fn validate_for(&self, callee: u32, operand: Operand, position: u32) -> Result<Operand, Error> {
        let callee = self.template.callees.get(callee as usize);
        match callee.and_then(|callee| parameter(callee.signature(), position as usize)) {
            Some(ty) => validate(operand, ty).map_err(|message| self.error(message)),
            None => Ok(operand),
        }
    }

    /// Calls a function with the topmost operands.
    pub(super) fn call(&mut self, node: NodeId, index: u32, count: u32, piped: bool) -> Result<(), Error> {
        let Some(callee) = self.template.callees.get(index as usize).copied() else { return Ok(()) };
        let total = count as usize + usize::from(piped);
        let start = self.session.operands.len().saturating_sub(total);
        if count == 0 {
            // The function's name, which is the whole command, was the last node looked at.
            self.node = Some(node);
        }
        if piped && let Some(arguments) = self.session.operands.get_mut(start..) {
            arguments.rotate_left(1);
            let last = self.pop();
            let last = self.validate_for(index, last, count)?;
            self.push(last);
        }
        let result = match callee {
            Callee::Builtin(builtin) => {
                let arguments = self.session.operands.get(start..).unwrap_or_default();
                let result = (builtin.body)(arguments).map_err(FuncError::Message);
                self.session.operands.truncate(start);
                result
            }
            Callee::Function(function) => self.call_function(node, function, total),
        };
        match result {
            Ok(operand) => {
                self.push(operand);
                Ok(())
            }
            Err(cause) => {
                self.node = Some(node);
                Err(self.error(format!("error calling {}", callee.name())).caused_by(cause))
            }
        }
    }

    fn call_function(
        &mut self,
        node: NodeId,
        function: &'static Function,
        count: usize,
    ) -> Result<Operand, FuncError> {
        let arguments = self.take_arguments(count);
        let entry = self.callers.first().map_or(&self.template, |first| &first.template);
        let place = Place { entry, template: &self.template, node, output: &mut self.output };
        let mut call = Call { session: &mut *self.session, set: self.set, function: function.name, place };
        let result = (function.body)(&mut call, &arguments);
        self.give_back(arguments);
        result.map(Operand::returned)
    }

    /// Pops arguments into a list of values.
    pub(super) fn take_arguments(&mut self, count: usize) -> Vec<Value> {
        let Session { operands, spare, .. } = &mut *self.session;
        let mut arguments = spare.pop().unwrap_or_default();
        let start = operands.len().saturating_sub(count);
        arguments.extend(operands.drain(start..).map(Operand::into_value));
        arguments
    }

    /// Keeps a list's memory for the next call.
    pub(super) fn give_back(&mut self, mut arguments: Vec<Value>) {
        arguments.clear();
        self.session.spare.push(arguments);
    }
}
