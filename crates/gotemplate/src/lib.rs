#![doc = include_str!("../README.md")]

mod builtins;
mod code;
mod convert;
mod emit;
mod error;
mod exec;
mod func;
mod lex;
mod node;
mod number;
mod operand;
mod parse;
mod print;
mod set;
mod tokens;

pub use error::{Error, ErrorKind, Limit, Location, Receiver};
pub use exec::{Call, Execution, Limits, MissingKey, Options, Session, Site, Usage};
pub use func::{Body, FuncError, Function, FunctionSet, Host, Issue};
pub use set::Set;
pub use tokens::{Token, tokens};
