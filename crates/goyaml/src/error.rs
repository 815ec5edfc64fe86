//! Errors with the texts go-yaml and sigs.k8s.io/yaml give them.

use std::fmt;

use crate::resolve::TagError;

/// A place in the text, counted from 0 in characters (not bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Characters before the place, in the whole text.
    pub index: u32,
    /// Lines before the place.
    pub line: u32,
    /// Characters before the place, in its line.
    pub column: u32,
}

/// The part of reading that found a syntax error; it decides how go-yaml counts the line it reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Decoding characters.
    Reader,
    /// Finding tokens.
    Scanner,
    /// Arranging tokens.
    Parser,
}

/// Text that is not YAML.
///
/// Displayed as go-yaml words it. Its line numbers are often off by one or missing; [`SyntaxError::mark`] is exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Who found it.
    pub stage: Stage,
    /// go-yaml's sentence.
    pub problem: &'static str,
    /// Where the problem is.
    pub mark: Mark,
    /// Where the construct began in which the problem is.
    pub context: Mark,
}

impl SyntaxError {
    /// The line go-yaml reports, if it reports one.
    fn reported_line(&self) -> Option<u32> {
        let line = match (self.stage, self.mark.line) {
            (Stage::Reader, _) => 0,
            (_, 0) => self.context.line,
            (Stage::Scanner, line) => line + 1,
            (Stage::Parser, line) => line,
        };
        (line != 0).then_some(line)
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("yaml: ")?;
        if let Some(line) = self.reported_line() {
            write!(f, "line {line}: ")?;
        }
        f.write_str(self.problem)
    }
}

impl std::error::Error for SyntaxError {}

/// YAML that go-yaml does not read. Displayed as go-yaml words it, `yaml: ` in front.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not YAML.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// An alias without an anchor before it.
    #[error("yaml: unknown anchor '{name}' referenced")]
    UnknownAnchor {
        /// The alias.
        name: String,
        /// Where it stands.
        mark: Mark,
    },
    /// An alias inside the node it refers to.
    #[error("yaml: anchor '{name}' value contains itself")]
    SelfReference {
        /// The alias.
        name: String,
        /// Where it stands.
        mark: Mark,
    },
    /// Aliases that multiply the document beyond reason.
    #[error("yaml: document contains excessive aliasing")]
    ExcessiveAliasing,
    /// A merge key (`<<`) with something else than mappings behind it.
    #[error("yaml: map merge requires map or sequence of maps as the value")]
    MergeValue {
        /// Where the value stands.
        mark: Mark,
    },
    /// A scalar that does not fit its tag.
    #[error("yaml: cannot decode !!{found} `{text}` as a !!{wanted}")]
    TagMismatch {
        /// What the text is.
        found: &'static str,
        /// The text.
        text: String,
        /// What the tag says.
        wanted: &'static str,
        /// Where the scalar stands.
        mark: Mark,
    },
    /// A scalar with the tag `!!binary` that is not base64.
    #[error("yaml: !!binary value contains invalid base64 data")]
    InvalidBase64 {
        /// Where the scalar stands.
        mark: Mark,
    },
    /// A list or map as key of a map, as an unquoted `{{ x }}` makes.
    #[error("yaml: invalid map key: {key}")]
    InvalidMapKey {
        /// The key in Go syntax.
        key: String,
        /// Where it stands.
        mark: Mark,
    },
    /// Keys that a map has twice, under strict reading: one sentence for each.
    #[error("yaml: unmarshal errors:\n  {}", .0.join("\n  "))]
    DuplicateKeys(Vec<String>),
}

impl Error {
    pub(crate) fn from_tag(error: TagError, text: &[u8], mark: Mark) -> Self {
        match error {
            TagError::Base64 => Error::InvalidBase64 { mark },
            TagError::Mismatch(found, wanted) => {
                Error::TagMismatch { found, text: gostd::value::lossy(text), wanted, mark }
            }
        }
    }

    /// Returns where the problem is, exactly (unlike the line in the text, which is go-yaml's).
    pub fn mark(&self) -> Option<Mark> {
        match self {
            Error::Syntax(error) => Some(error.mark),
            Error::UnknownAnchor { mark, .. }
            | Error::SelfReference { mark, .. }
            | Error::MergeValue { mark }
            | Error::TagMismatch { mark, .. }
            | Error::InvalidBase64 { mark }
            | Error::InvalidMapKey { mark, .. } => Some(*mark),
            Error::ExcessiveAliasing | Error::DuplicateKeys(_) => None,
        }
    }
}

/// Why a text is not read into a value. Displayed as sigs.k8s.io/yaml words it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// go-yaml does not read it.
    #[error("error converting YAML to JSON: {0}")]
    Yaml(#[from] Error),
    /// A null, or an integer above 63 bits, as key.
    #[error("error converting YAML to JSON: unsupported map key of type: {ty}, key: {key}, value: {value}")]
    UnsupportedKey {
        /// The key's Go type.
        ty: &'static str,
        /// The key in Go syntax.
        key: String,
        /// Its value in Go syntax.
        value: String,
    },
    /// A number JSON cannot hold.
    #[error("error converting YAML to JSON: json: unsupported value: {0}")]
    UnsupportedValue(&'static str),
    /// More than 10,000 levels, aliases followed.
    #[error("error unmarshaling JSON: while decoding JSON: invalid character '{bracket}' exceeded max depth")]
    TooDeep {
        /// What the first collection that is too deep begins with in JSON.
        bracket: char,
    },
    /// Something else than the caller needs.
    #[error(
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go value of type {wanted}"
    )]
    WrongType {
        /// What the document is, in JSON's words.
        found: &'static str,
        /// The Go type it should be.
        wanted: &'static str,
    },
}

impl LoadError {
    /// Returns where the problem is, if it is at one place.
    pub fn mark(&self) -> Option<Mark> {
        match self {
            LoadError::Yaml(error) => error.mark(),
            _ => None,
        }
    }
}
