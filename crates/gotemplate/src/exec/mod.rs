//! Execution: sessions, their limits, and what a function sees of them.

use gostd::{GoStr, Value};

use crate::{Error, FuncError, Host, Set};

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
pub struct Limits {
    /// Instructions.
    pub steps: u64,
    /// Bytes of output, intermediate results of `include` and the like counted too.
    pub output: usize,
    /// Executions nested through functions (`include`, `tpl`).
    pub depth: usize,
    /// Bytes of native stack that nested executions may take.
    pub stack: usize,
    /// Asked now and then; true stops the execution (time budgets, cancellation).
    pub interrupt: Option<Box<dyn Fn() -> bool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: u64::MAX, output: usize::MAX, depth: 10_000, stack: 1 << 20, interrupt: None }
    }
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
}

impl<'h> Session<'h> {
    /// Starts a session.
    pub fn new(host: &'h dyn Host, _options: Options) -> Self {
        Self { host }
    }

    /// Executes the template of that name with `data` as dot and `$`, and returns its output.
    pub fn execute(&mut self, _set: &Set, _name: &[u8], _data: Value) -> Result<Vec<u8>, Error> {
        Ok(Vec::new())
    }

    /// Returns the session's slot for the embedding's state of type `T`, made by `T::default()` when first asked for.
    pub fn extension<T: Default + 'static>(&mut self) -> &mut T {
        Box::leak(Box::default())
    }
}

/// What a function sees of the execution that calls it.
pub struct Call<'c, 'h> {
    session: &'c mut Session<'h>,
    set: &'c Set,
    function: &'static str,
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

    /// Returns the set whose template makes the call.
    pub fn current_set(&self) -> &Set {
        self.set
    }

    /// Returns the session's slot for the embedding's state of type `T`, made by `T::default()` when first asked for.
    pub fn extension<T: Default + 'static>(&mut self) -> &mut T {
        self.session.extension()
    }

    /// Executes a template of the current set and returns its output (the core of `include`). A failure inside is
    /// [`FuncError::Nested`] with an empty context.
    pub fn execute(&mut self, name: &[u8], data: Value) -> Result<GoStr, FuncError> {
        let output = self.session.execute(self.set, name, data);
        output
            .map(GoStr::from)
            .map_err(|error| FuncError::Nested { context: String::new(), error: Box::new(error) })
    }

    /// Parses a text as template `name` into a child of the current set, executes it and returns its output (the core
    /// of `tpl`). The error's kind tells a text that does not parse from one that fails when it runs.
    pub fn parse_and_execute(&mut self, name: &str, text: &GoStr, data: Value) -> Result<GoStr, Error> {
        let mut set = self.set.child();
        set.parse(name, text.clone())?;
        self.session.execute(&set, name.as_bytes(), data).map(GoStr::from)
    }
}
