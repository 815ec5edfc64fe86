//! Why no case could be run at all.

use std::io;
use std::path::{Path, PathBuf};

/// What keeps the program from running cases. What goes wrong within a case is its failure instead.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("there is no case to run in {}", .0.display())]
    Nothing(PathBuf),
    #[error("cannot {doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("there is no operator at {}: build it (cargo build -p chartwright) or name it with --operator", .0.display())]
    NoOperator(PathBuf),
    #[error(transparent)]
    Cluster(#[from] devcluster::Error),
    #[error("the rendering cases could not be run: {program} {problem}")]
    Render { program: String, problem: String },
    #[error("cannot print: {0}")]
    Print(io::Error),
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Io { doing, path, source }
    }
}
