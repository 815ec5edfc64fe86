//! Loops (exec.go `walkRange`).

use std::vec;

use gostd::Value;
use gostd::value::{Elem, GoStr, List};

use super::machine::Machine;
use crate::code::{Address, LoopPlan, Target};
use crate::error::Error;
use crate::operand::Operand;

/// What is left to loop over.
pub(super) enum Loop {
    Integers {
        next: i64,
        end: i64,
        make: fn(i64) -> Value,
    },
    /// The elements are read round by round, so that the body's changes show; the length is that at the start.
    List {
        list: List,
        next: usize,
    },
    Bytes {
        bytes: GoStr,
        next: usize,
    },
    /// The entries at the start, in order; changes of the body do not show.
    Map {
        entries: vec::IntoIter<(GoStr, Value)>,
        elem: Elem,
    },
}

impl Loop {
    /// Makes the loop over a value; `None` if there is no such loop.
    fn over(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Nil => Loop::Integers { next: 0, end: 0, make: Value::Int },
            Value::Int(end) => Loop::Integers { next: 0, end: *end, make: Value::Int },
            Value::Int64(end) => Loop::Integers { next: 0, end: *end, make: Value::Int64 },
            Value::Uint8(end) => {
                Loop::Integers { next: 0, end: i64::from(*end), make: |number| Value::Uint8(number as u8) }
            }
            Value::Uint64(end) => {
                let end = i64::try_from(*end).unwrap_or(i64::MAX);
                Loop::Integers { next: 0, end, make: |number| Value::Uint64(number.cast_unsigned()) }
            }
            Value::List(list) => Loop::List { list: list.clone(), next: 0 },
            Value::Bytes(bytes) => Loop::Bytes { bytes: bytes.clone(), next: 0 },
            Value::Map(map) => Loop::Map { entries: map.snapshot().into_iter(), elem: map.ty().elem },
            Value::Object(object) => Loop::Integers { next: 0, end: object.as_int()?, make: Value::Int },
            Value::Bool(_) | Value::Float64(_) | Value::Complex(..) | Value::String(_) => return None,
        })
    }

    fn is_empty(&self) -> bool {
        match self {
            Loop::Integers { next, end, .. } => next >= end,
            Loop::List { list, next } => *next >= list.len(),
            Loop::Bytes { bytes, next } => *next >= bytes.len(),
            Loop::Map { entries, .. } => entries.as_slice().is_empty(),
        }
    }

    /// Returns the next index and element.
    fn round(&mut self) -> Option<(Operand, Operand)> {
        match self {
            Loop::Integers { next, end, make } => {
                let number = (*next < *end).then_some(*next)?;
                *next += 1;
                Some((Operand::Absent, Operand::Bare(make(number))))
            }
            Loop::List { list, next } => {
                let element = list.get(*next)?;
                Some((count(next), Operand::element(list.ty().elem, element)))
            }
            Loop::Bytes { bytes, next } => {
                let byte = *bytes.get(*next)?;
                Some((count(next), Operand::Bare(Value::Uint8(byte))))
            }
            Loop::Map { entries, elem } => {
                let (key, value) = entries.next()?;
                Some((Operand::Bare(Value::String(key)), Operand::element(*elem, value)))
            }
        }
    }
}

/// Returns an index and moves on.
fn count(next: &mut usize) -> Operand {
    let index = i64::try_from(*next).unwrap_or(i64::MAX);
    *next += 1;
    Operand::Bare(Value::Int(index))
}

impl Machine<'_, '_> {
    /// Starts a loop over the top, or jumps if there is nothing to loop over.
    #[inline(never)]
    pub(super) fn start_loop(&mut self, plan: u32, otherwise: Address) -> Result<(), Error> {
        let operand = self.pop();
        let value = operand.value();
        let Some(rounds) = Loop::over(value) else {
            return Err(self.error(format!("range can't iterate over {}", shown(value))));
        };
        let has_index = self.plan(plan).is_some_and(|plan| plan.index.is_some());
        if has_index && !value.is_nil() && matches!(rounds, Loop::Integers { .. }) {
            let shown = shown(value);
            return Err(self.error(format!("can't use {shown} to iterate over more than one variable")));
        }
        if rounds.is_empty() {
            self.jump(otherwise);
        } else {
            self.session.loops.push(rounds);
        }
        Ok(())
    }

    /// Sets the variables for the next round, or ends the loop.
    #[inline(never)]
    pub(super) fn next_round(&mut self, plan: u32, end: Address) -> Result<(), Error> {
        let (Some(plan), Some(round)) =
            (self.plan(plan), self.session.loops.last_mut().and_then(Loop::round))
        else {
            self.session.loops.pop();
            self.jump(end);
            return Ok(());
        };
        let (index, element) = round;
        if let Some(target) = plan.index {
            self.set_target(target, index)?;
        }
        if let Some(target) = plan.element {
            self.set_target(target, element.clone())?;
        }
        self.set_slot(plan.dot, element);
        Ok(())
    }

    fn plan(&self, plan: u32) -> Option<LoopPlan> {
        self.template.loops.get(plan as usize).copied()
    }

    fn set_target(&mut self, target: Target, value: Operand) -> Result<(), Error> {
        let slot = match target {
            Target::Slot(slot) => slot,
            Target::Any(candidates) => self.first_set(candidates)?,
        };
        self.set_slot(slot, value);
        Ok(())
    }
}

fn shown(value: &Value) -> String {
    let mut text = Vec::new();
    crate::print::append_indirected(&mut text, value);
    gostd::value::lossy(&text)
}
