//! Where random cases come from, and what came of them.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use fuzzing::mutate::Dice;
use gostd::Map;

use super::overrides::Corpus;
use super::{chart, documents, edits, metadata, outputs, schemas, scopes, single};
use crate::args::Args;
use crate::error::Error;
use crate::vectors;

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
        source("charts", mostly_good(|seed| chart::case(&mut Dice::new(seed)))),
        source("scopes", mostly_good(|seed| scopes::case(&mut Dice::new(seed)))),
        source("outputs", mostly_good(|seed| outputs::case(&mut Dice::new(seed)))),
        source("metadata", mostly_good(|seed| metadata::case(&mut Dice::new(seed)))),
        source("schemas", |seed| schemas::case(&mut Dice::new(seed))),
        source("templates", |seed| single::case(&mut Dice::new(seed))),
        source("documents", move |seed| documents::case(&mut Dice::new(seed), &texts)),
    ];
    if let Some(corpus) = corpus {
        let corpus = Rc::new(corpus);
        let same = corpus.clone();
        sources.push(source("edits", move |seed| edits::case(&same, seed)));
        sources.push(source("overrides", mostly_good(move |seed| corpus.case(seed))));
    }
    if let Some(kinds) = &args.fuzz_kinds {
        let known: Vec<&str> = sources.iter().map(|source| source.name).collect();
        if let Some(unknown) = kinds.split(',').find(|kind| !known.contains(kind)) {
            let known = known.join(", ");
            return Err(Error::Usage(format!(
                "no kind {unknown} to make; known are {known}, and edits and overrides with --fuzz-corpus"
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

/// How often a chart that fails is kept: an error says little of what the rest of the chart would have done.
const KEPT: usize = 8;
/// How often another is made in its place.
const MADE_AGAIN: u64 = 12;

/// Makes cases of seeds that fail less often than those of `make`, by rendering them.
fn mostly_good(make: impl Fn(u64) -> Map) -> impl Fn(u64) -> Map {
    move |seed| {
        let mut dice = Dice::new(!seed);
        let mut case = make(seed);
        for attempt in 1..=MADE_AGAIN {
            // A panic is no error of the case.
            let renders = || catch_unwind(AssertUnwindSafe(|| vectors::renders(&case))).unwrap_or(true);
            if dice.below(KEPT) == 0 || renders() {
                break;
            }
            case = make(seed + (attempt << 40));
        }
        case
    }
}
