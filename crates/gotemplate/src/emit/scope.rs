//! Variables: which names are known, and which slot each stands for.

use crate::code::{DOT, ROOT, Slot};

/// The variables visible at one point of a template.
///
/// Go keeps variables on a stack and searches it by name when the template runs. The same is decided here once, but
/// for one case: a declaration inside an argument that `and` or `or` may skip is there on some runs only.
pub(crate) struct Scope<'t> {
    variables: Vec<Variable<'t>>,
    /// The names the parser has seen declared or assigned. It may know one before there is a variable: `$x := $x`
    /// parses, and fails when it runs.
    known: Vec<&'t [u8]>,
    next_slot: Slot,
    /// The number of slots used anywhere in the template.
    slots: Slot,
    /// How many arguments under way may be skipped.
    skippable: u32,
    /// How many variables were declared inside such arguments.
    uncertain: u32,
}

struct Variable<'t> {
    name: &'t [u8],
    slot: Slot,
    is_certain: bool,
}

/// What a scope held when a block began.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    variables: usize,
    known: usize,
    next_slot: Slot,
    slots: Slot,
    uncertain: u32,
}

/// Where a name may be found.
pub(crate) struct Slots {
    /// Variables that may not have been set, innermost first.
    pub(crate) maybe: Vec<Slot>,
    /// The variable to use if none of those was set.
    pub(crate) certain: Option<Slot>,
}

impl<'t> Scope<'t> {
    pub(crate) fn new() -> Self {
        let root = Variable { name: b"$", slot: ROOT, is_certain: true };
        let next_slot = DOT + 1;
        Self {
            variables: vec![root],
            known: vec![b"$"],
            next_slot,
            slots: next_slot,
            skippable: 0,
            uncertain: 0,
        }
    }

    /// Returns the number of slots a frame needs.
    pub(crate) fn slots(&self) -> Slot {
        self.slots
    }

    /// Remembers that a name stands on the left of `:=` or `=`.
    pub(crate) fn know(&mut self, name: &'t [u8]) {
        self.known.push(name);
    }

    /// Reports whether a name may be used as far as the parser can tell.
    pub(crate) fn is_known(&self, name: &[u8]) -> bool {
        self.known.contains(&name)
    }

    /// Makes a variable; its value must be stored where this is called.
    pub(crate) fn declare(&mut self, name: &'t [u8]) -> Slot {
        let is_certain = self.skippable == 0;
        if !is_certain {
            // A slot never used before, so that no older value can be taken for the variable's.
            self.next_slot = self.slots;
            self.uncertain += 1;
        }
        let slot = self.new_slot();
        self.variables.push(Variable { name, slot, is_certain });
        slot
    }

    /// Reserves a slot without a name.
    pub(crate) fn new_slot(&mut self) -> Slot {
        let slot = self.next_slot;
        self.next_slot += 1;
        self.slots = self.slots.max(self.next_slot);
        slot
    }

    /// Finds the slots of a name.
    pub(crate) fn find(&self, name: &[u8]) -> Slots {
        let mut maybe = Vec::new();
        for variable in self.variables.iter().rev().filter(|variable| variable.name == name) {
            if variable.is_certain {
                return Slots { maybe, certain: Some(variable.slot) };
            }
            maybe.push(variable.slot);
        }
        Slots { maybe, certain: None }
    }

    /// Starts an argument that may be skipped.
    pub(crate) fn enter_skippable(&mut self) {
        self.skippable += 1;
    }

    pub(crate) fn leave_skippable(&mut self) {
        self.skippable = self.skippable.saturating_sub(1);
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            variables: self.variables.len(),
            known: self.known.len(),
            next_slot: self.next_slot,
            slots: self.slots,
            uncertain: self.uncertain,
        }
    }

    /// Ends a branch: its variables are gone, though the parser still knows their names, as Go's does until the
    /// block's `end`. Returns the slots that have to be unset before the branch runs again.
    pub(crate) fn end_branch(&mut self, mark: Mark) -> Option<(Slot, Slot)> {
        self.variables.truncate(mark.variables);
        if self.uncertain > mark.uncertain {
            // Their slots stay reserved: see `declare`.
            return Some((mark.slots, self.slots));
        }
        self.next_slot = mark.next_slot;
        None
    }

    /// Ends a block: its variables are gone and forgotten.
    pub(crate) fn end_block(&mut self, mark: Mark) {
        self.end_branch(mark);
        self.known.truncate(mark.known);
    }
}
