//! Fields, map entries and methods (exec.go `evalField`).

use gostd::Value;
use gostd::value::Kind;

use super::MissingKey;
use super::machine::Machine;
use crate::FuncError;
use crate::code::{Address, NodeId};
use crate::convert::{parameter, parameter_count_error, typed_literal, validate};
use crate::error::Error;
use crate::operand::Operand;

/// A method whose arguments are being evaluated.
pub(super) struct Method {
    method: &'static gostd::value::Method,
    receiver: Value,
}

impl Machine<'_, '_> {
    /// Replaces the top by its field, several times.
    #[inline(never)]
    pub(super) fn fields(&mut self, node: NodeId, name: u32, count: u32) -> Result<(), Error> {
        let mut receiver = self.pop();
        for done in 0..count {
            receiver = self
                .field(receiver, name + done, node)
                .map_err(|error| error.with_names_left((count - done) as usize))?;
        }
        self.push(receiver);
        Ok(())
    }

    fn field(&mut self, receiver: Operand, name: u32, node: NodeId) -> Result<Operand, Error> {
        let (value, is_boxed) = match receiver {
            Operand::Absent => return self.field_of_nothing(name),
            Operand::Boxed(Value::Nil) => return Err(self.nil_receiver(name)),
            Operand::Boxed(value) => (value, true),
            Operand::Bare(value) => (value, false),
        };
        let key = self.name(name);
        if let Some(method) = find_method(&value, key) {
            if let Some(message) = parameter_count_error(method.name, &method.signature, 0, false) {
                return Err(self.error(message));
            }
            return self.finish_method(method, &value, &[], node);
        }
        match &value {
            Value::Map(map) => {
                if let Some(entry) = self.template.names.get(name as usize).and_then(|name| map.get_by(name))
                {
                    return Ok(Operand::element(map.ty().elem, entry));
                }
                match self.session.options.missing_key {
                    MissingKey::Invalid => Ok(Operand::Absent),
                    MissingKey::Zero => Ok(Operand::element(map.ty().elem, map.ty().elem.zero())),
                    MissingKey::Error => {
                        let key = gostd::strconv::quote(key);
                        Err(self.error(format!("map has no entry for key {key}")))
                    }
                }
            }
            Value::Object(object) if let Some(field) = object.field(&String::from_utf8_lossy(key)) => {
                Ok(Operand::returned(field))
            }
            _ => Err(self.no_field(name, &value, is_boxed)),
        }
    }

    fn field_of_nothing(&self, name: u32) -> Result<Operand, Error> {
        if self.session.options.missing_key == MissingKey::Error {
            let name = gostd::strconv::quote(self.name(name));
            return Err(self.error(format!("nil data; no entry for key {name}")));
        }
        Ok(Operand::Absent)
    }

    fn nil_receiver(&self, name: u32) -> Error {
        self.error(format!("nil pointer evaluating interface {{}}.{}", self.name_text(name))).of_type("<nil>")
    }

    fn no_field(&self, name: u32, value: &Value, is_boxed: bool) -> Error {
        let ty = if is_boxed { "interface {}" } else { value.type_name() };
        let message = format!("can't evaluate field {} in type {ty}", self.name_text(name));
        self.error(message).of_type(value.type_name())
    }

    fn name(&self, name: u32) -> &[u8] {
        self.template.names.get(name as usize).map(|name| name.as_bytes()).unwrap_or_default()
    }

    fn name_text(&self, name: u32) -> String {
        gostd::value::lossy(self.name(name))
    }

    /// Starts the call of a method with arguments: its receiver is on top.
    #[inline(never)]
    pub(super) fn start_method(
        &mut self,
        name: u32,
        count: u32,
        piped: bool,
        otherwise: Address,
    ) -> Result<(), Error> {
        let (value, is_boxed) = match self.pop() {
            Operand::Absent => {
                let nothing = self.field_of_nothing(name)?;
                if piped {
                    self.pop();
                }
                self.push(nothing);
                self.jump(otherwise);
                return Ok(());
            }
            Operand::Boxed(Value::Nil) => return Err(self.nil_receiver(name)),
            Operand::Boxed(value) => (value, true),
            Operand::Bare(value) => (value, false),
        };
        let Some(method) = find_method(&value, self.name(name)) else {
            return Err(self.not_a_method(name, &value, is_boxed));
        };
        if let Some(message) = parameter_count_error(method.name, &method.signature, count as usize, piped) {
            return Err(self.error(message));
        }
        self.session.methods.push(Method { method, receiver: value });
        Ok(())
    }

    fn not_a_method(&self, name: u32, value: &Value, is_boxed: bool) -> Error {
        let text = self.name_text(name);
        match value {
            Value::Map(_) => self.error(format!("{text} is not a method but has arguments")),
            Value::Object(object)
                if matches!(object.kind(), Kind::Struct | Kind::Ptr) && object.field(&text).is_some() =>
            {
                self.error(format!("{text} has arguments but cannot be invoked as function"))
            }
            _ => self.no_field(name, value, is_boxed),
        }
    }

    /// Checks the top as an argument of the method under way.
    #[inline(never)]
    pub(super) fn convert_method_argument(&mut self, position: u32) -> Result<(), Error> {
        let operand = self.pop();
        let operand = self.validate_for_method(operand, position)?;
        self.push(operand);
        Ok(())
    }

    fn validate_for_method(&self, operand: Operand, position: u32) -> Result<Operand, Error> {
        let method = self.session.methods.last().map(|method| method.method);
        match method.and_then(|method| parameter(&method.signature, position as usize)) {
            Some(ty) => validate(operand, ty).map_err(|message| self.error(message)),
            None => Ok(operand),
        }
    }

    /// Pushes a literal as an argument of the method under way.
    #[inline(never)]
    pub(super) fn push_method_constant(
        &mut self,
        node: NodeId,
        constant: u32,
        position: u32,
    ) -> Result<(), Error> {
        self.node = Some(node);
        let method = self.session.methods.last().map(|method| method.method);
        let ty = method.and_then(|method| parameter(&method.signature, position as usize));
        let (Some(ty), Some(literal), Some(span)) =
            (ty, self.template.constants.get(constant as usize), self.node_of(node))
        else {
            return Ok(());
        };
        let text = self.template.source.text.get(span.start as usize..span.end as usize);
        match typed_literal(literal, text.unwrap_or_default(), ty) {
            Ok(constant) => {
                self.push(constant.operand());
                Ok(())
            }
            Err(message) => Err(self.error(message)),
        }
    }

    /// Calls the method under way with the topmost operands.
    #[inline(never)]
    pub(super) fn call_method(&mut self, node: NodeId, count: u32, piped: bool) -> Result<(), Error> {
        let mut arguments = self.take_arguments(count as usize);
        if piped {
            let last = self.pop();
            let last = self.validate_for_method(last, count);
            arguments.push(last?.into_value());
        }
        let Some(Method { method, receiver }) = self.session.methods.pop() else { return Ok(()) };
        let result = self.finish_method(method, &receiver, &arguments, node);
        self.give_back(arguments);
        self.push(result?);
        Ok(())
    }

    fn finish_method(
        &mut self,
        method: &'static gostd::value::Method,
        receiver: &Value,
        arguments: &[Value],
        node: NodeId,
    ) -> Result<Operand, Error> {
        match (method.call)(receiver, arguments) {
            Ok(value) => Ok(Operand::returned(value)),
            Err(text) => {
                self.node = Some(node);
                Err(self.error(format!("error calling {}", method.name)).caused_by(FuncError::Message(text)))
            }
        }
    }
}

fn find_method(value: &Value, name: &[u8]) -> Option<&'static gostd::value::Method> {
    value.methods().iter().find(|method| method.name.as_bytes() == name)
}
