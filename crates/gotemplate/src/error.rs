//! Errors of parsing and execution.

use std::fmt;

use crate::FuncError;

/// A template that does not parse, or whose execution failed. `Display` gives the text of Go's error.
#[derive(Debug)]
pub struct Error(Box<Repr>);

/// What sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a template.
    Parse,
    /// The execution failed.
    Exec,
    /// There is no template of the name asked for.
    NoTemplate,
    /// A limit of the session was reached.
    Limit,
}

/// A place in a template's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name under which the text was parsed.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The byte within the line, from 0; parse errors have none.
    pub column: Option<usize>,
}

#[derive(Debug)]
struct Repr {
    kind: ErrorKind,
    location: Option<Location>,
    template: Option<String>,
    node: Option<String>,
    message: String,
    cause: Option<FuncError>,
}

impl Error {
    /// Returns the sort of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns where this error (not its cause) happened.
    pub fn location(&self) -> Option<&Location> {
        self.0.location.as_ref()
    }

    /// Returns the template that was executing: a file or a definition.
    pub fn template(&self) -> Option<&str> {
        self.0.template.as_deref()
    }

    /// Returns the text of the node that failed, as Go prints it.
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// Returns the message without location and cause.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the function's error that made the execution fail.
    pub fn cause(&self) -> Option<&FuncError> {
        self.0.cause.as_ref()
    }

    /// Returns the message that the template's author gave to `fail` or `required`, at any depth.
    pub fn author_message(&self) -> Option<&str> {
        match self.cause()? {
            FuncError::Author(text) => Some(text),
            FuncError::Nested { error, .. } => error.author_message(),
            FuncError::Message(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}
