//! Functions that templates can call, and the outside world they may ask.

use std::collections::HashMap;
use std::sync::Arc;

use gostd::Value;
use gostd::value::Signature;

use crate::builtins::BUILTINS;
use crate::code::Callee;
use crate::exec::{Call, Site};
use crate::lex::LoopWords;

/// A function of the template language. Tables of these are static data: they are shared by all threads.
#[derive(Clone, Copy)]
pub struct Function {
    /// The name templates use.
    pub name: &'static str,
    /// The parameters; arguments arrive checked and converted as Go's `reflect` would. An unsigned number arrives as
    /// [`Value::Uint64`], nil for a map or list as a nil map or list, nil for anything else as [`Value::Nil`].
    pub signature: Signature,
    /// The body.
    pub body: Body,
}

/// The code of a function: the call's surroundings, then the arguments.
pub type Body = fn(&mut Call<'_, '_>, &[Value]) -> Result<Value, FuncError>;

/// Why a function failed.
#[derive(Debug, thiserror::Error)]
pub enum FuncError {
    /// The error text; the caller sees `error calling NAME: TEXT`.
    #[error("{0}")]
    Message(String),
    /// A nested execution (`include`, `tpl`) failed; kept whole so that its location and cause stay known.
    #[error("{context}{error}")]
    Nested {
        /// Text put before the inner error (empty for `include`).
        context: String,
        /// The inner error.
        error: Box<crate::Error>,
    },
    /// A deliberate failure by the template's author (`fail`, `required`): the text is meant for the user as it is.
    #[error("{0}")]
    Author(String),
}

impl FuncError {
    /// Makes a plain error.
    pub fn new(text: impl Into<String>) -> Self {
        FuncError::Message(text.into())
    }
}

impl From<String> for FuncError {
    fn from(text: String) -> Self {
        FuncError::Message(text)
    }
}

impl From<&str> for FuncError {
    fn from(text: &str) -> Self {
        FuncError::Message(text.to_owned())
    }
}

/// When a certificate is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The start of its validity, in Unix seconds.
    pub at: i64,
    /// How many times it was renewed: each time it gets other random values.
    pub turn: u64,
}

/// What templates may learn from outside. Everything else about a render is a pure function of its inputs.
///
/// Implementations decide what is real: an embedding that must render the same text twice answers from recorded state.
pub trait Host {
    /// Returns the present time: Unix seconds and nanoseconds.
    fn now(&self) -> (i64, u32);

    /// Fills `buffer` with random bytes for the call at `site`. One function may ask several times.
    fn random(&self, site: &Site<'_>, buffer: &mut [u8]);

    /// Returns when a certificate that is valid for `lifetime` seconds begins to be. A host that keeps certificates takes
    /// note when this one has to be renewed.
    fn issue(&self, lifetime: i64) -> Issue {
        let _ = lifetime;
        Issue { at: self.now().0, turn: 0 }
    }

    /// Returns the name of the local time zone in the IANA database.
    fn local_zone(&self) -> &str {
        "UTC"
    }

    /// Answers a question that the embedding's own functions ask (`lookup`, `getHostByName`): the function's name and its
    /// arguments. An error becomes the function's error.
    fn query(&self, function: &str, args: &[Value]) -> Result<Value, String>;

    /// Asked every few thousand steps; true stops the execution with [`crate::Limit::Interrupt`] (time budgets,
    /// cancellation).
    fn interrupted(&self) -> bool {
        false
    }
}

/// The functions that templates may call, by name. Clones are cheap.
#[derive(Clone)]
pub struct FunctionSet(Arc<HashMap<&'static str, Callee>>);

impl FunctionSet {
    /// Collects functions; of two with one name the later wins. The functions of text/template itself (`and`, `call`,
    /// `eq`, `ge`, `gt`, `html`, `index`, `js`, `le`, `len`, `lt`, `ne`, `not`, `or`, `print`, `printf`, `println`,
    /// `slice`, `urlquery`) are always there, and a function of the same name takes their place.
    pub fn new(functions: impl IntoIterator<Item = &'static Function>) -> Self {
        let builtins = BUILTINS.iter().map(|builtin| (builtin.name, Callee::Builtin(builtin)));
        let functions = functions.into_iter().map(|function| (function.name, Callee::Function(function)));
        Self(Arc::new(builtins.chain(functions).collect()))
    }

    /// Reports whether templates may call a function of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the names of all functions, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Callee> {
        self.0.get(name).copied()
    }

    /// Returns which loop keywords templates have: a function takes the place of the keyword of its name.
    pub(crate) fn loop_words(&self) -> LoopWords {
        LoopWords { has_break: !self.contains("break"), has_continue: !self.contains("continue") }
    }
}

impl Default for FunctionSet {
    /// Returns the functions of text/template alone.
    fn default() -> Self {
        Self::new([])
    }
}
