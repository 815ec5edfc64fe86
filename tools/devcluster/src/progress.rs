//! What a build is doing, for whoever wants to show it.

use std::time::Duration;

use crate::part::Part;

/// One thing worth showing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Another build holds the lock; this one goes on when it is done.
    WaitingForOtherBuild,
    /// There is no suitable Go; one is being fetched.
    FetchingGo {
        /// Its version.
        version: &'static str,
    },
    /// The build of a part begins.
    Started {
        /// The part.
        part: Part,
        /// The version being built.
        version: &'static str,
        /// Its place in this build, from 1.
        number: usize,
        /// How many parts this build has.
        of: usize,
    },
    /// About a second passed since the last report.
    Working {
        /// The part being built.
        part: Part,
        /// How many Go packages were compiled so far; those compiled earlier are not counted.
        packages: usize,
        /// The latest package, or what is being downloaded.
        latest: String,
        /// Since the part was started.
        elapsed: Duration,
    },
    /// A part is finished and in its place.
    Finished {
        /// The part.
        part: Part,
        /// How long it took.
        elapsed: Duration,
        /// The binary's size.
        bytes: u64,
    },
}
