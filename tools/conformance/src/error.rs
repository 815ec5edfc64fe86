//! Why no comparison could be made.

use std::path::{Path, PathBuf};

/// What keeps the runner from running.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{reason}\n\n{usage}", reason = .0, usage = crate::args::USAGE)]
    Usage(String),
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{}: {reason}", path.display())]
    Data { path: PathBuf, reason: String },
    #[error("cannot print: {0}")]
    Print(#[from] std::io::Error),
}

impl Error {
    pub(crate) fn read(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Read { path, source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    }

    pub(crate) fn data(path: &Path, reason: impl Into<String>) -> Self {
        Error::Data { path: path.to_owned(), reason: reason.into() }
    }
}
