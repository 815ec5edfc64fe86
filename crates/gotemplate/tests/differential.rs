//! Compares random templates with Go's text/template.
//!
//! Needs the oracle and is therefore run by hand:
//!
//! ```text
//! (cd tools/oracle/gotemplate && go build -o /tmp/oracle .)
//! GOTEMPLATE_ORACLE=/tmp/oracle FUZZ_SECONDS=60 FUZZ_SEED=1 cargo test -p gotemplate --test differential -- --ignored --nocapture
//! ```
//!
//! `FUZZ_DAMAGE` is the percentage of texts that are damaged; at 100 it is mostly the parser's errors that are compared.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

mod common;

use std::time::{Duration, Instant};

use common::generate::Generator;
use common::oracle::Oracle;
use common::{Case, Failure};
use gotemplate::{ErrorKind, Limits};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().map_or(default, |text| text.parse().unwrap())
}

#[test]
#[ignore = "needs the oracle: set GOTEMPLATE_ORACLE"]
fn random_templates_agree_with_go() {
    let mut oracle =
        Oracle::start(&std::env::var("GOTEMPLATE_ORACLE").expect("GOTEMPLATE_ORACLE is not set"));
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS", 60));
    let mut seed = number("FUZZ_SEED", 1);
    let most = number("FUZZ_MOST", 5);
    let damage = number("FUZZ_DAMAGE", 15) as usize;
    let (mut count, mut failing, mut differing) = (0_u64, 0_u64, 0);
    while Instant::now() < end && differing < most {
        let case = Generator::new(seed).damaging(damage).case();
        let want = oracle.ask(&case);
        failing += u64::from(want.is_err());
        if std::env::var_os("FUZZ_SHOW").is_some()
            && let Err(failure) = &want
        {
            println!("{}", failure.text.replace('\n', " "));
        }
        count += 1;
        if differs(&want, &run(&case)) {
            differing += 1;
            let small = shrink(case, &mut oracle);
            report(seed, &small, &mut oracle);
        }
        seed += 1;
    }
    println!("{count} cases up to seed {seed}, {failing} of them errors, {differing} different");
    assert_eq!(differing, 0);
}

fn run(case: &Case) -> Option<Result<Vec<u8>, Failure>> {
    let limits = Limits { steps: 2_000_000, ..Limits::default() };
    match case.run_with(limits) {
        Err(error) if matches!(error.innermost().kind(), ErrorKind::Limit(_)) => None,
        result => Some(result.map_err(Failure::from)),
    }
}

fn differs(want: &Result<Vec<u8>, Failure>, got: &Option<Result<Vec<u8>, Failure>>) -> bool {
    let same = |want: &Result<Vec<u8>, Failure>, got: &Result<Vec<u8>, Failure>| match (want, got) {
        (Ok(want), Ok(got)) => without_addresses(want) == without_addresses(got),
        (Err(want), Err(got)) => {
            let texts = without_addresses(want.text.as_bytes()) == without_addresses(got.text.as_bytes());
            texts && want.is_parse == got.is_parse
        }
        _ => false,
    };
    got.as_ref().is_some_and(|got| !same(want, got))
}

/// Drops what looks like the address of a pointer, which differs from run to run.
fn without_addresses(text: &[u8]) -> Vec<u8> {
    const SHORTEST: usize = 9;
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(byte) = rest.first() {
        let digits = rest
            .strip_prefix(b"0x")
            .map_or(0, |number| number.iter().take_while(|digit| digit.is_ascii_hexdigit()).count());
        let taken = if digits >= SHORTEST { 2 + digits } else { 1 };
        if taken == 1 {
            out.push(*byte);
        }
        rest = &rest[taken..];
    }
    out
}

/// Drops parts of the texts as long as the results differ.
fn shrink(mut case: Case, oracle: &mut Oracle) -> Case {
    let mut still_differs = |case: &Case| differs(&oracle.ask(case), &run(case));
    for file in (0..case.files.len()).rev() {
        let mut size = case.files[file].1.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < case.files[file].1.len() {
                let mut smaller = case.clone();
                let end = (at + size).min(smaller.files[file].1.len());
                smaller.files[file].1.drain(at..end);
                if still_differs(&smaller) {
                    case = smaller;
                } else {
                    at += size;
                }
            }
            size /= 2;
        }
    }
    case
}

fn report(seed: u64, case: &Case, oracle: &mut Oracle) {
    println!("seed {seed}, missing key {:?}", case.missing_key);
    for (name, text) in &case.files {
        println!("  {}: {:?}", name.escape_ascii(), String::from_utf8_lossy(text));
    }
    let show = |result: &Result<Vec<u8>, Failure>| match result {
        Ok(output) => format!("output {:?}", String::from_utf8_lossy(output)),
        Err(failure) => format!("error {failure:?}"),
    };
    println!("  want {}", show(&oracle.ask(case)));
    println!("  got  {}", run(case).map_or("limit".to_owned(), |got| show(&got)));
}
