//! What can keep a measurement from being made.

use std::path::PathBuf;
use std::time::Duration;

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A file or folder is not as expected.
    #[error("cannot use {path}: {reason}")]
    Input {
        /// What was looked at.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A measured command did not succeed, so its time means nothing.
    #[error("`{command}` failed: {reason}")]
    Command {
        /// The command.
        command: String,
        /// What it said.
        reason: String,
    },
    /// The chart does not render in-process.
    #[error(transparent)]
    Helm(#[from] helm::Error),
    /// There is no control plane to measure on.
    #[error(transparent)]
    Cluster(#[from] devcluster::Error),
    /// A request of the bench itself failed.
    #[error("cannot {doing}: {error}")]
    Api {
        /// What it was for.
        doing: &'static str,
        /// The answer.
        error: Box<kube::Error>,
    },
    /// What was waited for did not happen.
    #[error("{what} was not seen within {} s: {seen}", at_most.as_secs())]
    Late {
        /// What was waited for.
        what: &'static str,
        /// How long.
        at_most: Duration,
        /// What was there instead.
        seen: String,
    },
    /// An operator left something undone, so its figures mean nothing.
    #[error("{who} left work undone: {what}")]
    Undone {
        /// The operator.
        who: &'static str,
        /// What is missing.
        what: String,
    },
}

impl BenchError {
    /// Says what a request was for.
    pub(crate) fn api(doing: &'static str) -> impl Fn(kube::Error) -> BenchError {
        move |error| BenchError::Api { doing, error: Box::new(error) }
    }

    /// Says which file it was about.
    pub(crate) fn input(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> BenchError {
        let path = path.into();
        move |error| BenchError::Input { path, reason: error.to_string() }
    }
}
