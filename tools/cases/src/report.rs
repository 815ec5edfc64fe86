//! What is printed.

use std::fmt;
use std::io::{self, Write};
use std::ops::Add;
use std::time::Duration;

use crate::case::Case;

/// How much of an output is shown.
const LONGEST: usize = 4000;

/// How many cases passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Totals {
    /// Counts.
    pub(crate) fn of(passed: &[bool]) -> Totals {
        let good = passed.iter().filter(|passed| **passed).count();
        Totals { passed: good, failed: passed.len() - good }
    }

    /// Reads `N passed, M failed`.
    pub(crate) fn read(line: &str) -> Option<Totals> {
        let (passed, failed) = line.trim().split_once(" passed, ")?;
        let failed = failed.strip_suffix(" failed")?;
        Some(Totals { passed: passed.parse().ok()?, failed: failed.parse().ok()? })
    }
}

impl Add for Totals {
    type Output = Totals;

    fn add(self, other: Totals) -> Totals {
        Totals { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Why a case failed.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    /// The step and what went wrong with it.
    pub(crate) what: String,
    /// What may be of use, each with a heading: the command, what was wanted and seen, the operator's log.
    pub(crate) details: Vec<(String, String)>,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>) -> Failure {
        Failure { what: what.into(), details: Vec::new() }
    }

    /// Adds a detail; an empty one is told to be empty.
    pub(crate) fn with(mut self, heading: impl Into<String>, text: impl Into<String>) -> Failure {
        self.details.push((heading.into(), text.into()));
        self
    }
}

/// Prints how a case ended.
pub(crate) fn print(
    out: &mut impl Write,
    case: &Case,
    time: Duration,
    failure: Option<&Failure>,
) -> io::Result<()> {
    let Some(failure) = failure else {
        writeln!(out, "PASS {} ({time:.1?})", case.id)?;
        return out.flush();
    };
    writeln!(out, "FAIL {} ({time:.1?}): {}", case.id, failure.what)?;
    if let Ok(plan) = &case.plan
        && !plan.says.is_empty()
    {
        writeln!(out, "  it says: {}", plan.says)?;
    }
    for (heading, text) in &failure.details {
        let text = shortened(text);
        if text.is_empty() {
            writeln!(out, "  {heading}: (empty)")?;
        } else if text.contains('\n') {
            writeln!(out, "  {heading}:")?;
            for line in text.lines() {
                writeln!(out, "    {line}")?;
            }
        } else {
            writeln!(out, "  {heading}: {text}")?;
        }
    }
    out.flush()
}

/// The start of a long text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => {
            format!("{} ... ({} bytes in all)", text.get(..end).unwrap_or_default(), text.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_read_back() {
        let totals = Totals { passed: 12, failed: 3 };
        assert_eq!(Totals::read(&totals.to_string()), Some(totals));
        assert_eq!(Totals::read("12 passed"), None);
        assert_eq!(Totals::of(&[true, false, true]) + totals, Totals { passed: 14, failed: 4 });
    }
}
