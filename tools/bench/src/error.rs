//! What can keep a measurement from being made.

use std::path::PathBuf;

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
}
