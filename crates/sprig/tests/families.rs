//! Tables of calls, by family. What stands in them was made by Go.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests may panic and print")]

mod common;

#[path = "families"]
mod families {
    /// A template, and its output or what follows the location in its error.
    pub(crate) type Row = (&'static str, Result<&'static str, &'static str>);

    pub(crate) mod dicts;
    pub(crate) mod lists;
    pub(crate) mod numbers;
    pub(crate) mod strings;
    pub(crate) mod texts;
    pub(crate) mod times;
}

use families::Row;

fn check(rows: &[Row]) {
    let mut failed = 0;
    for (template, want) in rows {
        let got = common::sprig(template);
        let got = got.map_err(|error| match error.split_once(">: ") {
            Some((_, cause)) => cause.to_owned(),
            None => error,
        });
        if got.as_deref().map_err(String::as_str) != *want {
            failed += 1;
            println!("{template}\n  want {want:?}\n  got  {got:?}");
        }
    }
    assert_eq!(failed, 0, "of {} rows", rows.len());
}

#[test]
fn strings() {
    check(families::strings::ROWS);
}

#[test]
fn numbers() {
    check(families::numbers::ROWS);
}

#[test]
fn lists() {
    check(families::lists::ROWS);
}

#[test]
fn dicts() {
    check(families::dicts::ROWS);
}

#[test]
fn texts() {
    check(families::texts::ROWS);
}

#[test]
fn times() {
    check(families::times::ROWS);
}
