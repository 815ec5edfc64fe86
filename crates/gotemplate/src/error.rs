//! Errors of parsing and execution.

use std::fmt;

use gostd::GoStr;
use gostd::strconv::quote;
use gostd::value::lossy;

use crate::code::{Node, Template};
use crate::{FuncError, Set};

/// A template that does not parse, or whose execution failed. `Display` gives the text of Go's error, with that of the
/// cause.
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
    Limit(Limit),
}

/// Which of [`crate::Limits`] was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The number of instructions.
    Steps,
    /// The size of the output.
    Output,
    /// The nesting of executions.
    Depth,
    /// The native stack.
    Stack,
    /// The embedding asked to stop.
    Interrupt,
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

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

struct Repr {
    kind: ErrorKind,
    place: Option<Place>,
    /// The text without place and cause.
    message: String,
    cause: Option<FuncError>,
    receiver: Option<Misfit>,
    /// The templates that there are, where one was missing.
    defined: Vec<GoStr>,
}

/// A value that has no such field.
#[derive(Clone, Copy)]
struct Misfit {
    type_name: &'static str,
    /// How many names of the node stand behind the value.
    names_left: usize,
}

/// What a field was asked of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    /// As the template writes it: `.Values.a`, `$x`; empty for dot.
    pub path: String,
    /// Its Go type, `<nil>` if nothing is there.
    pub type_name: &'static str,
}

struct Place {
    location: Location,
    /// The file's text.
    text: GoStr,
    /// The template that was executing and the text of its node.
    executing: Option<(String, String)>,
}

impl Error {
    pub(crate) fn parse(file: &GoStr, text: &GoStr, line: usize, message: String) -> Self {
        let location = Location { file: lossy(file), line, column: None };
        let place = Place { location, text: text.clone(), executing: None };
        Self::new(ErrorKind::Parse, Some(place), message)
    }

    fn new(kind: ErrorKind, place: Option<Place>, message: String) -> Self {
        Self(Box::new(Repr { kind, place, message, cause: None, receiver: None, defined: Vec::new() }))
    }

    pub(crate) fn no_template(name: &[u8], set: &Set) -> Self {
        let message =
            format!("template: no template {} associated with template {}", quote(name), quote(set.name()));
        let mut error = Self::new(ErrorKind::NoTemplate, None, message);
        error.0.defined = set.names();
        error
    }

    /// Makes the error of a limit that was reached inside a function.
    pub(crate) fn limit(limit: Limit, message: String) -> Self {
        Self::new(ErrorKind::Limit(limit), None, message)
    }

    /// Makes an error of execution at a node, or at the start of the template if no node is known.
    pub(crate) fn exec(kind: ErrorKind, template: &Template, node: Option<Node>, message: String) -> Self {
        let source = &template.source;
        let position = node.map_or(0, |node| node.position as usize);
        let before = source.text.get(..position).unwrap_or_default();
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let location = Location {
            file: lossy(&source.name),
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: Some(position - line_start),
        };
        let context = node.map(|node| crate::node::text(source, node)).unwrap_or_default();
        let executing = Some((lossy(&template.name), context));
        let place = Place { location, text: source.text.clone(), executing };
        Self::new(kind, Some(place), message)
    }

    /// Adds the type of the value that has no such field.
    pub(crate) fn of_type(mut self, type_name: &'static str) -> Self {
        self.0.receiver = Some(Misfit { type_name, names_left: 1 });
        self
    }

    /// Adds how many names of the node the failure left.
    pub(crate) fn with_names_left(mut self, names_left: usize) -> Self {
        if let Some(receiver) = &mut self.0.receiver {
            receiver.names_left = names_left;
        }
        self
    }

    /// Adds the error of the function that made the execution fail.
    pub(crate) fn caused_by(mut self, cause: FuncError) -> Self {
        self.0.cause = Some(cause);
        self
    }

    /// Returns the sort of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the limit that was reached, in this execution or in a function or an execution it called.
    pub fn reached(&self) -> Option<Limit> {
        let mut error = self;
        loop {
            match (error.kind(), &error.0.cause) {
                (ErrorKind::Limit(limit), _) => return Some(limit),
                (_, Some(FuncError::Nested { error: inner, .. })) => error = inner,
                _ => return None,
            }
        }
    }

    /// Returns where this error (not its cause) happened.
    pub fn location(&self) -> Option<&Location> {
        self.0.place.as_ref().map(|place| &place.location)
    }

    /// Returns the text of the line where it happened, without the line's end.
    pub fn source_line(&self) -> Option<String> {
        let place = self.0.place.as_ref()?;
        let mut lines = place.text.split(|byte| *byte == b'\n');
        lines
            .nth(place.location.line.checked_sub(1)?)
            .map(|line| lossy(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Returns the template that was executing: a file or a definition.
    pub fn template(&self) -> Option<&str> {
        self.0.place.as_ref()?.executing.as_ref().map(|(template, _)| template.as_str())
    }

    /// Returns the text of the node that failed, as Go prints it: `.Values.a.b`, `include "x" .`.
    pub fn node(&self) -> Option<&str> {
        self.0.place.as_ref()?.executing.as_ref().map(|(_, node)| node.as_str())
    }

    /// Returns the whole text of the file or of what `tpl` was given.
    pub fn source(&self) -> Option<&[u8]> {
        self.0.place.as_ref().map(|place| &*place.text)
    }

    /// Returns what a field was asked of, where that is what failed.
    pub fn receiver(&self) -> Option<Receiver> {
        let Misfit { type_name, names_left } = self.0.receiver?;
        let mut path = self.node()?;
        for _ in 0..names_left {
            path = path.rsplit_once('.')?.0;
        }
        Some(Receiver { path: path.to_owned(), type_name })
    }

    /// Returns the names of the templates that there are, where one was asked for that is not.
    pub fn defined(&self) -> &[GoStr] {
        &self.0.defined
    }

    /// Returns the message without location and cause.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the function's error that made the execution fail. Its text follows the message.
    pub fn cause(&self) -> Option<&FuncError> {
        self.0.cause.as_ref()
    }

    /// Returns the error of the nested execution that made this one fail: one step down the chain of `include`s.
    pub fn nested(&self) -> Option<&Error> {
        match self.cause()? {
            FuncError::Nested { error, .. } => Some(error),
            FuncError::Message(_) | FuncError::Author(_) => None,
        }
    }

    /// Returns the error at the end of the chain of nested executions, which is this one if there is no other.
    pub fn innermost(&self) -> &Error {
        let mut error = self;
        while let Some(nested) = error.nested() {
            error = nested;
        }
        error
    }

    /// Returns the message that the template's author gave to a function such as `fail`, at any depth.
    pub fn author_message(&self) -> Option<&str> {
        match self.innermost().cause()? {
            FuncError::Author(text) => Some(text),
            FuncError::Message(_) | FuncError::Nested { .. } => None,
        }
    }
}

/// Writes the chain in a loop: it can be as long as executions nest.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut error = self;
        loop {
            let Repr { place, message, cause, .. } = &*error.0;
            if let Some(place) = place {
                write!(f, "template: {}: ", place.location)?;
                if let Some((template, node)) = &place.executing {
                    write!(f, "executing {} at <{node}>: ", quote(template.as_bytes()))?;
                }
            }
            f.write_str(message)?;
            match cause {
                None => return Ok(()),
                Some(FuncError::Message(text) | FuncError::Author(text)) => return write!(f, ": {text}"),
                Some(FuncError::Nested { context, error: nested }) => {
                    write!(f, ": {context}")?;
                    error = nested;
                }
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.kind())
    }
}

impl std::error::Error for Error {}

/// Frees the chain in a loop, as it is written.
impl Drop for Error {
    fn drop(&mut self) {
        let mut cause = self.0.cause.take();
        while let Some(FuncError::Nested { mut error, .. }) = cause {
            cause = error.0.cause.take();
        }
    }
}
