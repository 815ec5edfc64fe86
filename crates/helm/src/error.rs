//! What can go wrong, in Helm's words, with the facts behind the words.

use std::fmt;

/// An error of loading or rendering. `Display` is exactly what Helm prints after `Error: `, without the hint about
/// `--debug` (see [`Error::is_render_error`]).
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The chart cannot be loaded or is not valid.
    #[error("{0}")]
    Chart(String),
    /// A library chart, or one of a type Helm does not know, stands at the root.
    #[error("{0} charts are not installable")]
    NotInstallable(String),
    /// Chart.yaml lists dependencies that are not in `charts/`.
    #[error(
        "An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch \
         missing dependencies: found in Chart.yaml, but missing in charts/ directory: {}", .0.join(", ")
    )]
    MissingDependencies(Vec<String>),
    /// The release name is not one Helm accepts.
    #[error("release name {name:?}: {reason}")]
    ReleaseName {
        /// The name as given.
        name: String,
        /// Helm's explanation.
        reason: String,
    },
    /// The user's values cannot be read (`--set` syntax, a values file).
    #[error("{0}")]
    Values(String),
    /// The value at a subchart's name is no table.
    #[error("type mismatch on {path}: {shown}")]
    TypeMismatch {
        /// The subchart.
        path: String,
        /// The value as Go prints it with `%t`.
        shown: String,
    },
    /// The values break a chart's `values.schema.json`.
    #[error("values don't meet the specifications of the schema(s) in the following chart(s):\n{0}")]
    Schema(String),
    /// The chart does not support the cluster's version.
    #[error("chart requires kubeVersion: {constraint} which is incompatible with Kubernetes {version}")]
    KubeVersion {
        /// The chart's constraint.
        constraint: String,
        /// The cluster's version.
        version: String,
    },
    /// A template does not parse or fails to run.
    #[error("{text}")]
    Template {
        /// Helm's message.
        text: String,
        /// Where the message points to, if it does.
        location: Option<Location>,
        /// The words of `fail` or `required`, when the chart's author raised the error.
        author_message: Option<String>,
        /// The lines around `location`.
        excerpt: Option<Excerpt>,
    },
    /// A rendered document is not YAML, or not an object.
    #[error("YAML parse error on {path}: {reason}")]
    Manifest {
        /// The template that rendered it.
        path: String,
        /// The YAML or JSON error.
        reason: String,
        /// The rendered document.
        document: String,
    },
    /// `--show-only` names no template of the chart that rendered anything.
    #[error("could not find template {0} in chart")]
    NoSuchTemplate(String),
}

impl Error {
    /// Reports whether a release existed already when the error came: for those, `helm template` appends a hint to use
    /// `--debug`.
    pub fn is_render_error(&self) -> bool {
        matches!(self, Error::KubeVersion { .. } | Error::Template { .. } | Error::Manifest { .. })
    }
}

/// A place in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The template's full name (`chart/templates/x.yaml`).
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The byte offset in the line, from 0; absent for parse errors.
    pub column: Option<u32>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

/// A few lines of a template around an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line.
    pub first_line: u32,
    /// The lines.
    pub lines: Vec<String>,
}
