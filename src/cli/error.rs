//! What a command can fail with.

use std::path::PathBuf;

use thiserror::Error;

use crate::names::NameError;

/// Why a command failed; `Display` is what the user reads after `Error: `.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
    /// A file could not be read.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {error}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The chart does not load, or does not render.
    #[error(transparent)]
    Helm(#[from] helm::Error),
    /// The versions of a chart do not fit together.
    #[error(transparent)]
    Charts(crate::charts::ChartError),
    /// The chart does not render, and what there is of it has been printed.
    #[error(transparent)]
    Shown(helm::Error),
    /// A name Kubernetes would refuse.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is nothing to scale.
    #[error(transparent)]
    Replicas(#[from] crate::crd::NoReplicas),
    /// Something needed was not given.
    #[error("{0}")]
    Usage(String),
    /// A template of ours does not render.
    #[error("cannot render the manifest {name}: {error}")]
    Manifest {
        /// The manifest.
        name: &'static str,
        /// Why.
        error: Box<handlebars::RenderError>,
    },
    /// The operator ended with an error.
    #[error(transparent)]
    Operator(#[from] crate::operator::Error),
    /// A comparison with the cluster failed.
    #[error(transparent)]
    Preview(#[from] crate::preview::PreviewError),
    /// No way to reach a cluster.
    #[error(
        "cannot reach a cluster: {why}{}",
        if *named { "" } else { ". Name a kubeconfig with --kubeconfig or KUBECONFIG, or run in a pod" }
    )]
    Cluster {
        /// Why.
        why: String,
        /// Whether the user said which cluster is meant.
        named: bool,
    },
    /// The runtime did not start.
    #[error("cannot start: {0}")]
    Runtime(std::io::Error),
}

impl From<crate::charts::ChartError> for CliError {
    fn from(error: crate::charts::ChartError) -> Self {
        match error {
            crate::charts::ChartError::Chart { error, .. } => CliError::Helm(error),
            other => CliError::Charts(other),
        }
    }
}
