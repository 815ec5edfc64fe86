#![doc = include_str!("../README.md")]

mod base64;
mod chars;
mod emit;
mod error;
mod event;
mod load;
mod node;
mod parser;
mod resolve;
mod scanner;
mod source;
mod timestamp;
mod token;

pub use emit::{EmitError, to_yaml, to_yaml_pretty};
pub use error::{Error, LoadError, Mark, Stage, SyntaxError};
pub use event::{CollectionStyle, Event, EventKind, Properties};
pub use load::{load, load_array, load_entries, load_map, load_strict, load_typed};
pub use node::{Children, Document, Node, NodeKind};
pub use parser::Events;
pub use resolve::Scalar;
pub use scanner::Comment;
pub use source::Source;
pub use token::{ScalarStyle, Text};
