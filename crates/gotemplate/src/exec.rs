//! Execution: sessions, their limits, and what a function sees of them.

mod call;
mod field;
mod loops;
mod machine;
mod site;

use std::any::{Any, TypeId};
use std::sync::Arc;

use gostd::{GoStr, Value};

use self::field::Method;
use self::loops::Loop;
use self::machine::Machine;
use self::site::Step;
pub use self::site::{Execution, Site};
use crate::code::{NodeId, Template};
use crate::error::{Error, Limit};
use crate::operand::Operand;
use crate::{FuncError, Host, Set};

/// What a missing map entry yields (Go's `missingkey` option).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// No value, printed as `<no value>`: Go's default.
    #[default]
    Invalid,
    /// The zero value of the map's element type.
    Zero,
    /// An error.
    Error,
}

/// Bounds on what one session may use; reaching one is an error of kind [`crate::ErrorKind::Limit`].
///
/// The defaults are far above what sensible templates need: a billion steps (some twenty seconds), 256 MiB of output.
pub struct Limits {
    /// Instructions, and what functions add with [`Call::charge`].
    pub steps: u64,
    /// Bytes of output. What `include` and the like return counts too, and again where it is printed.
    pub output: usize,
    /// Executions nested through functions (`include`, `tpl`).
    pub depth: usize,
    /// Bytes of native stack that nested executions may take. Each takes about 1 KiB in optimised builds and 4 KiB in
    /// others, and what is on the stack below the session is not counted; the default leaves half of the 2 MiB that
    /// threads have.
    pub stack: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1_000_000_000, output: 256 << 20, depth: usize::MAX, stack: 1 << 20 }
    }
}

/// The most that a session has used so far of what is, or can be, limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Instructions, and what functions added.
    pub steps: u64,
    /// Bytes of output, as [`Limits::output`] counts them.
    pub output: usize,
    /// Executions nested through functions.
    pub depth: usize,
    /// Bytes of native stack that nested executions took.
    pub stack: usize,
    /// Bytes of the longest text that one call of a function made, where functions tell ([`Call::note_text`]).
    pub text: usize,
    /// Elements of the longest list that one call of a function made, where functions tell ([`Call::note_list`]).
    pub list: usize,
}

/// How a session executes.
#[derive(Default)]
pub struct Options {
    /// What a missing map entry yields.
    pub missing_key: MissingKey,
    /// Bounds.
    pub limits: Limits,
}

/// One run of many templates: the outside world, limits, and state that functions share.
pub struct Session<'h> {
    host: &'h dyn Host,
    options: Options,
    /// Steps that may be taken before the limits are looked at again.
    free_steps: u64,
    /// Steps that were made free so far.
    granted_steps: u64,
    /// Bytes of output of executions that have ended.
    output: usize,
    depth: usize,
    /// What was the most of all but steps and output.
    most: Usage,
    /// The address of a local variable of the outermost execution.
    stack_base: usize,
    operands: Vec<Operand>,
    /// The variables of all frames, innermost last; `None` is one not set.
    slots: Vec<Option<Operand>>,
    loops: Vec<Loop>,
    /// Methods whose arguments are being evaluated.
    methods: Vec<Method>,
    /// Templates whose argument is being evaluated.
    found: Vec<Arc<Template>>,
    /// Emptied argument lists, kept for their memory.
    spare: Vec<Vec<Value>>,
    /// Executions that wait for one they have started, outermost first.
    waiting: Vec<Step>,
    /// Few enough to look through.
    extensions: Vec<(TypeId, Box<dyn Any>)>,
}

/// How many steps go by between looks at the limits.
const STEPS_AT_ONCE: u64 = 4096;

impl<'h> Session<'h> {
    /// Starts a session.
    pub fn new(host: &'h dyn Host, options: Options) -> Self {
        Self {
            host,
            options,
            free_steps: 0,
            granted_steps: 0,
            output: 0,
            depth: 0,
            most: Usage::default(),
            stack_base: 0,
            operands: Vec::new(),
            slots: Vec::new(),
            loops: Vec::new(),
            methods: Vec::new(),
            found: Vec::new(),
            spare: Vec::new(),
            waiting: Vec::new(),
            extensions: Vec::new(),
        }
    }

    /// Executes the template of that name with `data` as dot and `$`, and returns its output.
    pub fn execute(&mut self, set: &Set, name: &[u8], data: Value) -> Result<Vec<u8>, Error> {
        match set.find(name) {
            Some(template) => self.run(set, Arc::clone(template), data),
            None => Err(Error::no_template(name, set)),
        }
    }

    /// Returns the outside world.
    pub fn host(&self) -> &'h dyn Host {
        self.host
    }

    /// Returns the session's slot for the embedding's state of type `T`, made by `T::default()` when first asked for.
    pub fn extension<T: Default + 'static>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let place = self.extensions.iter().position(|(known, _)| *known == id);
        let place = place.unwrap_or_else(|| {
            self.extensions.push((id, Box::<T>::default()));
            self.extensions.len() - 1
        });
        let slot = self.extensions.get_mut(place).and_then(|(_, slot)| slot.downcast_mut());
        // The slot of a type holds that type; the other branch only spares a panic.
        slot.unwrap_or_else(|| Box::leak(Box::default()))
    }

    /// Returns the number of steps taken so far.
    pub fn steps(&self) -> u64 {
        self.granted_steps - self.free_steps
    }

    /// Returns what was used so far.
    pub fn usage(&self) -> Usage {
        Usage { steps: self.steps(), output: self.output, ..self.most }
    }

    fn run(&mut self, set: &Set, template: Arc<Template>, data: Value) -> Result<Vec<u8>, Error> {
        let lengths = self.lengths();
        self.enter()?;
        let mut machine = Machine::new(self, set, template, data);
        let result = machine.run();
        let output = machine.into_output();
        self.depth -= 1;
        self.output = self.output.saturating_add(output.len());
        if result.is_err() {
            self.truncate(lengths);
        }
        result.map(|()| output)
    }

    /// Counts a nested execution, unless it would pass a limit.
    fn enter(&mut self) -> Result<(), Error> {
        let marker = 0_u8;
        let here = std::ptr::from_ref(&marker).addr();
        if self.depth == 0 {
            self.stack_base = here;
        }
        let limits = &self.options.limits;
        if self.depth >= limits.depth {
            let text = format!("executions nest more than {} deep", limits.depth);
            return Err(Error::limit(Limit::Depth, text));
        }
        let stack = self.stack_base.abs_diff(here);
        if stack > limits.stack {
            let text = format!("executions nest too deep: {} deep they filled the stack", self.depth);
            return Err(Error::limit(Limit::Stack, text));
        }
        self.depth += 1;
        self.most.depth = self.most.depth.max(self.depth);
        self.most.stack = self.most.stack.max(stack);
        Ok(())
    }

    /// Grants the next free steps.
    fn grant_steps(&mut self) -> Result<(), (Limit, String)> {
        let limits = &self.options.limits;
        if self.host.interrupted() {
            return Err((Limit::Interrupt, "the execution was stopped: its time is up".to_owned()));
        }
        let left = limits.steps.saturating_sub(self.granted_steps);
        if left == 0 {
            return Err((Limit::Steps, format!("the execution took more than {} steps", limits.steps)));
        }
        self.free_steps = left.min(STEPS_AT_ONCE);
        self.granted_steps += self.free_steps;
        Ok(())
    }

    /// The lengths of the lists, which an execution leaves as it found them.
    fn lengths(&self) -> [usize; 5] {
        [self.operands.len(), self.slots.len(), self.loops.len(), self.methods.len(), self.found.len()]
    }

    fn truncate(&mut self, [operands, slots, loops, methods, found]: [usize; 5]) {
        self.operands.truncate(operands);
        self.slots.truncate(slots);
        self.loops.truncate(loops);
        self.methods.truncate(methods);
        self.found.truncate(found);
    }
}

/// What a function sees of the execution that calls it.
pub struct Call<'c, 'h> {
    session: &'c mut Session<'h>,
    set: &'c Set,
    function: &'static str,
    place: Place<'c>,
}

/// Where in an execution a call is made.
struct Place<'c> {
    entry: &'c Arc<Template>,
    template: &'c Arc<Template>,
    node: NodeId,
    output: &'c mut Vec<u8>,
}

impl<'h> Call<'_, 'h> {
    /// Returns the outside world.
    pub fn host(&self) -> &'h dyn Host {
        self.session.host
    }

    /// Returns the name by which the function was called.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// Fills `buffer` with random bytes of the outside world, which is told where the call is made.
    pub fn random(&self, arguments: &[Value], buffer: &mut [u8]) {
        let Place { entry, template, node, output } = &self.place;
        let site = Site {
            outer: &self.session.waiting,
            inner: Execution::new(entry, template, Some(*node), output),
            function: self.function,
            arguments,
        };
        self.session.host.random(&site, buffer);
    }

    /// Returns the set whose template makes the call.
    pub fn current_set(&self) -> &Set {
        self.set
    }

    /// Returns the session's slot for the embedding's state of type `T`, made by `T::default()` when first asked for.
    pub fn extension<T: Default + 'static>(&mut self) -> &mut T {
        self.session.extension()
    }

    /// Counts work of a function towards the session's steps: one for about what an instruction does.
    pub fn charge(&mut self, steps: u64) -> Result<(), FuncError> {
        let mut left = steps;
        while left > self.session.free_steps {
            left -= self.session.free_steps;
            self.session.free_steps = 0;
            self.session.grant_steps().map_err(|(limit, text)| nested(Error::limit(limit, text)))?;
        }
        self.session.free_steps -= left;
        Ok(())
    }

    /// Tells of a text that the function makes, for [`Session::usage`].
    pub fn note_text(&mut self, bytes: usize) {
        self.session.most.text = self.session.most.text.max(bytes);
    }

    /// Tells of a list that the function makes, for [`Session::usage`].
    pub fn note_list(&mut self, elements: usize) {
        self.session.most.list = self.session.most.list.max(elements);
    }

    /// Executes a template of the current set and returns its output (the core of `include`). A failure inside is
    /// [`FuncError::Nested`] with an empty context.
    pub fn execute(&mut self, name: &[u8], data: Value) -> Result<GoStr, FuncError> {
        let output = self.wait_for(|session, set| session.execute(set, name, data));
        output
            .map(GoStr::from)
            .map_err(|error| FuncError::Nested { context: String::new(), error: Box::new(error) })
    }

    /// Parses a text as template `name` into a child of the current set, executes it and returns its output (the core
    /// of `tpl`). The error's kind tells a text that does not parse from one that fails when it runs.
    pub fn parse_and_execute(
        &mut self,
        name: impl Into<GoStr>,
        text: impl Into<GoStr>,
        data: Value,
    ) -> Result<GoStr, Error> {
        let (name, mut set) = (name.into(), self.set.child());
        match set.parse_main(&name, &text.into())? {
            Some(template) => self.wait_for(|session, _| session.run(&set, template, data)).map(GoStr::from),
            None => Err(Error::no_template(&name, &set)),
        }
    }

    /// Runs something that starts an execution; the one under way waits, and what it has written can be seen meanwhile.
    fn wait_for<T>(&mut self, run: impl FnOnce(&mut Session<'h>, &Set) -> T) -> T {
        let Place { entry, template, node, output } = &mut self.place;
        self.session.waiting.push(Step {
            entry: Arc::clone(entry),
            template: Arc::clone(template),
            node: Some(*node),
            written: std::mem::take(*output),
        });
        let result = run(self.session, self.set);
        if let Some(step) = self.session.waiting.pop() {
            **output = step.written;
        }
        result
    }
}

fn nested(error: Error) -> FuncError {
    FuncError::Nested { context: String::new(), error: Box::new(error) }
}
