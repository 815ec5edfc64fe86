//! Compares random charts with a live Helm (tools/oracle/helm) until the time is up.

mod chart;
mod expressions;
mod oracle;
mod shrink;
mod templates;
mod words;
mod yaml;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fuzzing::mutate::Dice;
use gostd::{Map, Value};

use crate::args::Args;
use crate::case::Difference;
use crate::error::Error;
use crate::vectors;
use oracle::Oracle;

/// How often Helm is asked again before a difference counts: some of its answers vary from run to run.
const ASKED_AGAIN: usize = 12;
/// After so many differences there is enough to do.
const ENOUGH: usize = 40;

/// What came of all cases.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    cases: usize,
    failing: usize,
    unanswered: usize,
    differences: usize,
}

/// Runs random cases; reports whether none differed.
pub(crate) fn run(program: &std::path::Path, args: &Args, out: &mut impl Write) -> Result<bool, Error> {
    let mut oracle = Oracle::start(program)?;
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut seed = args.seed;
    while start.elapsed() < Duration::from_secs(args.seconds) && tally.differences < ENOUGH {
        one(seed, &mut oracle, &mut tally, out)?;
        seed += 1;
    }
    writeln!(
        out,
        "{} cases in {} s (seeds {} to {}), {} of them errors of Helm's, {} without an answer, {} differ",
        tally.cases,
        start.elapsed().as_secs(),
        args.seed,
        seed,
        tally.failing,
        tally.unanswered,
        tally.differences
    )?;
    Ok(tally.differences == 0)
}

fn one(seed: u64, oracle: &mut Oracle, tally: &mut Tally, out: &mut impl Write) -> Result<(), Error> {
    let case = chart::case(&mut Dice::new(seed));
    let answered = oracle.ask(&case)?;
    tally.cases += 1;
    if has_no_answer(&answered) {
        tally.unanswered += 1;
        return Ok(());
    }
    tally.failing += usize::from(answered.contains_key("error"));
    let Some(_) = differs(&case, &answered, oracle, ASKED_AGAIN)? else { return Ok(()) };
    let (small, difference) = shrink::smallest(case, oracle)?;
    tally.differences += 1;
    let text = gostd::json::marshal(&Value::Map(small), false).unwrap_or_default();
    writeln!(out, "== seed {seed}: {}", difference.what)?;
    writeln!(out, "{}", gostd::value::lossy(&text))?;
    writeln!(out, "-- want\n{}\n-- got\n{}", difference.want, difference.got)?;
    out.flush()?;
    Ok(())
}

/// Helm panics at some inputs, at some it never ends, and sometimes it prints addresses.
fn has_no_answer(answered: &Map) -> bool {
    let printed = answered.get("want").and_then(|want| want.as_str().map(|text| gostd::value::lossy(text)));
    let is_address = |rest: &str| rest.bytes().take(12).filter(u8::is_ascii_hexdigit).count() == 12;
    if printed.is_some_and(|text| text.split("0x").skip(1).any(is_address)) {
        return true;
    }
    answered.get("error").is_some_and(|error| {
        error.as_str().is_some_and(|text| {
            let text = gostd::value::lossy(text);
            text.starts_with("oracle: ") || text.contains("runtime error: ")
        })
    })
}

/// Compares with an answer; when they differ, with those that Helm gives when asked again so often.
pub(crate) fn differs(
    case: &Map,
    answered: &Map,
    oracle: &mut Oracle,
    again: usize,
) -> Result<Option<Difference>, Error> {
    let Some(difference) = check(answered) else { return Ok(None) };
    for _ in 0..again {
        let again = oracle.ask(case)?;
        if has_no_answer(&again) || check(&again).is_none() {
            return Ok(None);
        }
    }
    Ok(Some(difference))
}

fn check(answered: &Map) -> Option<Difference> {
    catch_unwind(AssertUnwindSafe(|| vectors::check(answered))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        Some(Difference::new("panic", "no panic", text))
    })
}

/// Adds an entry to a map of this module's own making.
pub(crate) fn put(map: &Map, key: impl Into<gostd::GoStr>, value: Value) {
    let _ = map.insert(key, value); // Only nil maps refuse.
}
