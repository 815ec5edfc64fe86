//! One comparison.

/// A case: what runs, and how to tell whether it came out right.
pub(crate) struct Case {
    /// The part of the scoreboard it counts for.
    pub(crate) suite: String,
    pub(crate) name: String,
    /// Runs the case; `None` if everything is as it should be.
    pub(crate) check: Box<dyn Fn() -> Option<Difference> + Send>,
}

/// What came out and what should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// What is being compared.
    pub(crate) what: String,
    pub(crate) want: String,
    pub(crate) got: String,
}

impl Difference {
    pub(crate) fn new(what: impl Into<String>, want: impl Into<String>, got: impl Into<String>) -> Self {
        Self { what: what.into(), want: want.into(), got: got.into() }
    }
}
