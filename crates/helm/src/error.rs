//! What can go wrong, in Helm's words, with the facts behind the words.

use std::fmt;
use std::sync::Arc;

use gotemplate::Location;

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
    /// A file of the chart, or one of the user's values, is not the YAML that is wanted.
    #[error("{text}")]
    File {
        /// Helm's text.
        text: String,
        /// The file's name.
        name: String,
        /// What is in it.
        content: gostd::GoStr,
    },
    /// Chart.yaml lists dependencies that are not in `charts/`.
    #[error(
        "An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch \
         missing dependencies: found in Chart.yaml, but missing in charts/ directory: {}", .0.join(", ")
    )]
    MissingDependencies(Vec<String>),
    /// The release name is not one Helm accepts.
    #[error("release name {}: {reason}", gostd::strconv::quote(.name.as_bytes()))]
    ReleaseName {
        /// The name as given.
        name: String,
        /// Helm's explanation.
        reason: String,
    },
    /// The user's values cannot be read: `--set` syntax, a values file.
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
    /// The values break a chart's `values.schema.json`, or the schema itself is broken.
    #[error("values don't meet the specifications of the schema(s) in the following chart(s):\n{text}")]
    Schema {
        /// Helm's report: charts and what is wrong with their values.
        text: String,
        /// The same, one by one.
        violations: Vec<SchemaViolation>,
    },
    /// The chart does not support the cluster's version.
    #[error("chart requires kubeVersion: {constraint} which is incompatible with Kubernetes {version}")]
    KubeVersion {
        /// The chart's constraint.
        constraint: String,
        /// The cluster's version.
        version: String,
    },
    /// A template does not parse or fails to run.
    #[error("{0}")]
    Template(Box<TemplateError>),
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
        matches!(self, Error::KubeVersion { .. } | Error::Template(_) | Error::Manifest { .. })
    }
}

/// A template that does not parse or fails to run.
#[derive(Clone, Debug)]
pub struct TemplateError {
    /// Helm's message.
    pub text: String,
    /// The outermost place: a line of the file being rendered (or parsed).
    pub location: Option<Location>,
    /// The words of `fail` or `required`, when the chart's author raised the error.
    pub author_message: Option<String>,
    /// The engine's error, with the places of all nested calls and their source lines.
    pub cause: Arc<gotemplate::Error>,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One thing that is wrong with a chart's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaViolation {
    /// The chart whose schema is broken.
    pub chart: String,
    /// The place in the root chart's values, as a JSON pointer.
    pub path: String,
    /// What is wrong, such as `got string, want integer`.
    pub message: String,
}

impl fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", if self.path.is_empty() { "/" } else { &self.path }, self.message)
    }
}
