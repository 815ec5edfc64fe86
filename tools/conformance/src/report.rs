//! What came of all cases.

use std::collections::BTreeMap;
use std::io::Write;

use crate::args::Args;
use crate::case::Difference;
use crate::run::Outcome;

/// The outcomes of all cases.
#[derive(Default)]
pub(crate) struct Report(Vec<Outcome>);

/// How many cases of a suite passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Score {
    pub(crate) passed: usize,
    pub(crate) total: usize,
}

impl Report {
    pub(crate) fn add(&mut self, outcomes: Vec<Outcome>) {
        self.0.extend(outcomes);
    }

    pub(crate) fn passed(&self) -> usize {
        self.0.len() - self.failed()
    }

    pub(crate) fn failed(&self) -> usize {
        self.0.iter().filter(|outcome| outcome.difference.is_some()).count()
    }

    /// Counts by suite.
    pub(crate) fn scores(&self) -> BTreeMap<&str, Score> {
        let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
        for outcome in &self.0 {
            let score = scores.entry(&outcome.suite).or_default();
            score.total += 1;
            score.passed += usize::from(outcome.difference.is_none());
        }
        scores
    }

    pub(crate) fn print(&self, out: &mut impl Write, args: &Args) -> std::io::Result<()> {
        for outcome in &self.0 {
            if let Some(difference) = &outcome.difference {
                writeln!(out, "FAIL {} {}: {}", outcome.suite, outcome.name, difference.what)?;
                print_difference(out, difference, args.full)?;
            }
        }
        let width = self.scores().keys().map(|suite| suite.len()).max().unwrap_or_default();
        for (suite, score) in self.scores() {
            writeln!(out, "{suite:width$} {:>5}/{}", score.passed, score.total)?;
        }
        if let Some(slowest) = self.0.iter().max_by_key(|outcome| outcome.time) {
            let time: std::time::Duration = self.0.iter().map(|outcome| outcome.time).sum();
            writeln!(out, "{time:.1?} in all; longest: {} with {:.1?}", slowest.name, slowest.time)?;
        }
        Ok(())
    }
}

/// Shows the first line that differs, or everything.
fn print_difference(out: &mut impl Write, difference: &Difference, full: bool) -> std::io::Result<()> {
    if full {
        return writeln!(out, "  want: {}\n  got:  {}", difference.want, difference.got);
    }
    let (mut want, mut got) = (difference.want.split('\n'), difference.got.split('\n'));
    let mut line = 0;
    loop {
        line += 1;
        let (want, got) = (want.next(), got.next());
        if want != got || want.is_none() {
            let show = |text: Option<&str>| match text {
                None => "(nothing more)".to_owned(),
                Some(text) => text.chars().take(400).collect(),
            };
            return writeln!(out, "  line {line} want: {}\n  line {line} got:  {}", show(want), show(got));
        }
    }
}
