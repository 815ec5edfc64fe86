//! Go's text/template: parsed once, shared between threads, evaluated with Go's reference semantics.

mod error;
pub mod exec;
mod func;
mod set;

pub use error::{Error, ErrorKind, Location};
pub use exec::{Call, Limits, MissingKey, Options, Session};
pub use func::{Body, FuncError, Function, FunctionSet, Host};
pub use set::Set;
