//! Compares random cases with a live Helm (tools/oracle/helm) until the time is up.

mod chart;
mod documents;
mod edits;
mod expressions;
mod forms;
mod grammar;
mod known;
mod metadata;
mod oracle;
mod outputs;
mod overrides;
mod schemas;
mod scopes;
mod shrink;
mod single;
mod sources;
mod templates;
mod words;
mod yaml;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use gostd::{Map, Value};

use crate::args::Args;
use crate::case::Difference;
use crate::compare;
use crate::error::Error;
use crate::vectors;
use oracle::Oracle;
use sources::Source;

/// How often Helm is asked again before a difference counts: some of its answers vary from run to run.
const ASKED_AGAIN: usize = 12;
/// After so many differences there is enough to do.
const ENOUGH: usize = 40;

/// Runs random cases; reports whether none differed.
pub(crate) fn run(program: &std::path::Path, args: &Args, out: &mut impl Write) -> Result<bool, Error> {
    let mut oracle = Oracle::start(program)?;
    let mut sources = sources::all(args)?;
    let start = Instant::now();
    let mut seed = args.seed;
    let differences = |sources: &[Source]| sources.iter().map(|source| source.differences).sum::<usize>();
    while start.elapsed() < Duration::from_secs(args.seconds) && differences(&sources) < ENOUGH {
        // Each gets as much time as the others.
        let Some(source) = sources.iter_mut().min_by_key(|source| source.time) else { break };
        let begin = Instant::now();
        one(seed, &mut oracle, source, args, out)?;
        source.time += begin.elapsed();
        seed += 1;
    }
    for source in &sources {
        writeln!(out, "{source}")?;
    }
    writeln!(out, "{} s, seeds {} to {seed}", start.elapsed().as_secs(), args.seed)?;
    Ok(differences(&sources) == 0)
}

fn one(
    seed: u64,
    oracle: &mut Oracle,
    source: &mut Source,
    args: &Args,
    out: &mut impl Write,
) -> Result<(), Error> {
    let case = (source.case)(seed);
    let answered = oracle.ask(&case)?;
    source.cases += 1;
    if has_no_answer(&answered) {
        source.unanswered += 1;
        return Ok(());
    }
    source.failing += usize::from(answered.contains_key("error"));
    if args.full
        && let Some(Value::String(error)) = answered.get("error")
    {
        writeln!(out, "{} {seed}: {}", source.name, gostd::value::lossy(&error).replace('\n', " "))?;
    }
    let Some(difference) = differs(&case, &answered, oracle, ASKED_AGAIN)? else { return Ok(()) };
    let (small, difference) = shrink::smallest(case, difference, oracle)?;
    source.differences += 1;
    let text = gostd::json::marshal(&Value::Map(small), false).unwrap_or_default();
    writeln!(out, "== {} {seed}: {}", source.name, difference.what)?;
    writeln!(out, "{}", gostd::value::lossy(&text))?;
    let (want, got) = excerpts(&difference.want, &difference.got);
    writeln!(out, "-- want\n{want}\n-- got\n{got}")?;
    out.flush()?;
    Ok(())
}

/// Returns the lines around the first that differ.
fn excerpts<'a>(want: &'a str, got: &'a str) -> (String, String) {
    let first = want.split('\n').zip(got.split('\n')).position(|(want, got)| want != got).unwrap_or_default();
    let part = |text: &'a str| {
        text.split('\n').skip(first.saturating_sub(3)).take(24).collect::<Vec<_>>().join("\n")
    };
    (part(want), part(got))
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

/// Compares with an answer; when they differ, with those that Helm gives when asked again so often, and with what these have in
/// common.
pub(crate) fn differs(
    case: &Map,
    answered: &Map,
    oracle: &mut Oracle,
    again: usize,
) -> Result<Option<Difference>, Error> {
    let Some(difference) = check(answered).filter(|difference| !known::is_known(difference)) else {
        return Ok(None);
    };
    let text =
        |answer: &Map, key: &str| answer.get(key).and_then(|text| Some(gostd::value::lossy(text.as_str()?)));
    let first = text(answered, "want");
    let mut common = first.clone();
    for _ in 0..again {
        let again = oracle.ask(case)?;
        if has_no_answer(&again) || check(&again).is_none() {
            return Ok(None);
        }
        common = match (common, text(&again, "want")) {
            (Some(common), Some(other)) => compare::common(&common, &other),
            _ if text(answered, "error") != text(&again, "error") => return Ok(None),
            (common, _) => common,
        };
        if first.is_some() && common.is_none() {
            // Not even the lines agree in number.
            return Ok(None);
        }
    }
    if common == first {
        return Ok(Some(difference));
    }
    let masked =
        common.and_then(|common| compare::masked("output", common.as_bytes(), difference.got.as_bytes()));
    Ok(masked.filter(|_| difference.what == "result"))
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
