//! Where random cases come from, and what came of them.

use std::fmt;
use std::time::Duration;

use fuzzing::mutate::Dice;
use gostd::Map;

use super::overrides::Corpus;
use super::{chart, documents, single};
use crate::args::Args;
use crate::error::Error;

/// A generator of cases and the tally of its cases.
pub(crate) struct Source {
    pub(crate) name: &'static str,
    /// Makes the case of a seed.
    pub(crate) case: Box<dyn Fn(u64) -> Map>,
    pub(crate) time: Duration,
    pub(crate) cases: usize,
    /// Helm's answer was an error.
    pub(crate) failing: usize,
    /// Helm gave no answer that means anything.
    pub(crate) unanswered: usize,
    pub(crate) differences: usize,
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, cases, failing, unanswered, differences, .. } = self;
        write!(
            formatter,
            "{name}: {cases} cases, {failing} of them errors of Helm's, {unanswered} without an answer, {differences} differ"
        )
    }
}

/// Returns the generators that the arguments ask for.
pub(crate) fn all(args: &Args) -> Result<Vec<Source>, Error> {
    let corpus = args.fuzz_corpus.as_ref().map(|folder| Corpus::load(folder, args)).transpose()?;
    let texts = corpus.as_ref().map(Corpus::texts).unwrap_or_default();
    let mut sources = vec![
        source("charts", |seed| chart::case(&mut Dice::new(seed))),
        source("templates", |seed| single::case(&mut Dice::new(seed))),
        source("documents", move |seed| documents::case(&mut Dice::new(seed), &texts)),
    ];
    if let Some(corpus) = corpus {
        sources.push(source("overrides", move |seed| corpus.case(seed)));
    }
    if let Some(kinds) = &args.fuzz_kinds {
        let known: Vec<&str> = sources.iter().map(|source| source.name).collect();
        if let Some(unknown) = kinds.split(',').find(|kind| !known.contains(kind)) {
            let known = known.join(", ");
            return Err(Error::Usage(format!(
                "no kind {unknown} to make; known are {known}, and overrides with --fuzz-corpus"
            )));
        }
        sources.retain(|source| kinds.split(',').any(|kind| kind == source.name));
    }
    Ok(sources)
}

fn source(name: &'static str, case: impl Fn(u64) -> Map + 'static) -> Source {
    let case = Box::new(case);
    Source { name, case, time: Duration::ZERO, cases: 0, failing: 0, unanswered: 0, differences: 0 }
}
