//! Compares every deterministic function with the real one on random arguments.
//!
//! Needs the oracle of tools/oracle/sprig: `SPRIG_ORACLE` names its executable, `SPRIG_FUZZ_SECONDS` (default 10) says
//! for how long to compare and `SPRIG_FUZZ_SEED` where to start.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

mod common;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use common::oracle::Oracle;
use common::texts::text;
use common::values::{DUMP, Dice, Plain};
use gostd::value::Type;
use gotemplate::{Function, FunctionSet};

#[derive(Debug)]
struct Case {
    function: &'static str,
    template: String,
    data: Plain,
}

/// Functions whose results differ from run to run or machine to machine, or take long.
const UNSTABLE: &[&str] = &[
    "now",
    "ago",
    "randAlphaNum",
    "randAlpha",
    "randNumeric",
    "randAscii",
    "randBytes",
    "randInt",
    "shuffle",
    "uuidv4",
    "bcrypt",
    "htpasswd",
    "derivePassword",
    "genPrivateKey",
    "genCA",
    "genCAWithKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
    "encryptAES",
    "getHostByName",
    // Random order.
    "keys",
    "values",
];

fn number(dice: &mut Dice) -> i64 {
    match dice.below(12) {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => dice.next() as i64,
        3 => -(dice.below(100) as i64),
        4 => 1 << dice.below(63),
        _ => dice.below(14) as i64 - 2,
    }
}

fn float(dice: &mut Dice) -> f64 {
    match dice.below(14) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => -0.0,
        4 => f64::from_bits(dice.next()),
        5 => 1e6,
        6 => number(dice) as f64,
        7 => dice.below(10_000) as f64 / 100.0,
        8 => -(dice.below(10_000) as f64) / 1000.0,
        9 => 5e-324,
        10 => dice.below(100) as f64 + 0.5,
        _ => dice.below(20) as f64,
    }
}

const LETTERS: &[&str] = &["a", "b", "c", "d"];
const ZONES: &[&str] = &["UTC", "Europe/Paris", "America/New_York"];

fn entries(dice: &mut Dice, function: &str, depth: usize) -> Vec<(String, Plain)> {
    let count = dice.below(4);
    let mut entries: Vec<(String, Plain)> = Vec::new();
    for _ in 0..count {
        let key = dice.pick(LETTERS).to_owned();
        if entries.iter().all(|(known, _)| *known != key) {
            entries.push((key, any(dice, function, depth + 1)));
        }
    }
    entries
}

fn url_dict(dice: &mut Dice) -> Plain {
    const PARTS: &[&str] = &["scheme", "host", "path", "query", "opaque", "fragment", "userinfo", "hostname"];
    let mut entries = Vec::new();
    for part in PARTS {
        if !dice.one_in(3) {
            let value =
                if dice.one_in(20) { any(dice, "urlJoin", 3) } else { Plain::Text(text(dice, "urlJoin", 0)) };
            entries.push(((*part).to_owned(), value));
        }
    }
    Plain::Map(entries)
}

fn list(dice: &mut Dice, function: &str, depth: usize) -> Vec<Plain> {
    (0..dice.below(5)).map(|_| any(dice, function, depth + 1)).collect()
}

/// Any value.
fn any(dice: &mut Dice, function: &str, depth: usize) -> Plain {
    let kinds = if depth < 4 { 26 } else { 15 };
    match dice.below(kinds) {
        0 | 1 => Plain::Nil,
        2 => Plain::Bool(dice.one_in(2)),
        3 | 4 => Plain::Int(number(dice)),
        5 => Plain::Int64(number(dice)),
        6 | 7 => Plain::Float(float(dice)),
        8..=10 => Plain::Text(text(dice, function, 9)),
        11 => match dice.below(6) {
            0 => Plain::Uint64(dice.next()),
            1 => Plain::Uint8(dice.next() as u8),
            2 => Plain::Time(dice.below(2_000_000_000) as i64, dice.pick(ZONES)),
            3 => Plain::Span(number(dice)),
            4 if function != "deepCopy" && function != "mustDeepCopy" && !function.contains("erge") => {
                Plain::Version(dice.pick(&["1.2.3", "2.0.0-rc.1"]))
            }
            _ => Plain::Bytes(text(dice, function, 9)),
        },
        12 => Plain::Int(dice.below(3) as i64),
        13 => Plain::Text(dice.pick(LETTERS).as_bytes().to_vec()),
        14 => Plain::Float(dice.below(3) as f64),
        15..=18 => Plain::List(list(dice, function, depth)),
        19..=22 => Plain::Map(entries(dice, function, depth)),
        23 => Plain::Texts((0..dice.below(5)).map(|_| text(dice, function, 9)).collect()),
        24 => match dice.below(3) {
            0 => Plain::Ints((0..dice.below(5)).map(|_| number(dice)).collect()),
            1 => Plain::NilList,
            _ => Plain::NilMap,
        },
        _ => match dice.below(2) {
            0 => Plain::Values(entries(dice, function, depth)),
            _ => Plain::TextMap(vec![("a".to_owned(), text(dice, function, 9))]),
        },
    }
}

/// A value that mostly fits the parameter.
fn fitting(dice: &mut Dice, function: &'static str, at: usize, ty: Type) -> Plain {
    let takes_the_present = takes_the_present(function, ty);
    // Large numbers would make the oracle fill the memory.
    let counts = matches!(function, "repeat" | "indent" | "nindent" | "until" | "untilStep" | "seq");
    if dice.one_in(25) && !takes_the_present && !counts {
        return any(dice, function, 0);
    }
    match ty {
        Type::Bool => Plain::Bool(dice.one_in(2)),
        Type::String => Plain::Text(text(dice, function, at)),
        Type::Int if counts => Plain::Int(dice.below(40) as i64 - 8),
        Type::Int => Plain::Int(number(dice)),
        Type::Float64 => Plain::Float(float(dice)),
        Type::AnyMap if function == "urlJoin" => url_dict(dice),
        Type::AnyMap if dice.one_in(8) => Plain::Values(entries(dice, function, 0)),
        Type::AnyMap => Plain::Map(entries(dice, function, 0)),
        Type::AnyList => Plain::List(list(dice, function, 0)),
        Type::Named("time.Time") => Plain::Time(dice.below(2_000_000_000) as i64, dice.pick(ZONES)),
        Type::Any if takes_the_present => match dice.below(3) {
            0 => Plain::Int(dice.below(2_000_000_000) as i64),
            1 => Plain::Int64(dice.below(2_000_000_000) as i64 - 1_000_000_000),
            _ => Plain::Time(dice.below(2_000_000_000) as i64, dice.pick(ZONES)),
        },
        Type::Any if function == "durationRound" && dice.one_in(2) => Plain::Text(text(dice, function, at)),
        Type::Any if function == "dig" && !dice.one_in(4) => {
            Plain::Text(dice.pick(LETTERS).as_bytes().to_vec())
        }
        Type::Any if is_for_lists(function) && !dice.one_in(4) => match dice.below(4) {
            0 => Plain::Texts((0..dice.below(6)).map(|_| text(dice, function, 9)).collect()),
            1 => Plain::Ints((0..dice.below(6)).map(|_| dice.below(4) as i64).collect()),
            _ => Plain::List(list(dice, function, 0)),
        },
        _ => any(dice, function, 0),
    }
}

/// Reports that the function formats the present unless the argument is a time.
fn takes_the_present(function: &str, ty: Type) -> bool {
    ty == Type::Any && function.to_lowercase().contains("date")
}

fn is_for_lists(function: &str) -> bool {
    const LISTS: &[&str] = &[
        "append",
        "push",
        "prepend",
        "first",
        "last",
        "rest",
        "initial",
        "reverse",
        "compact",
        "uniq",
        "without",
        "has",
        "slice",
        "concat",
        "chunk",
        "join",
        "toStrings",
        "sortAlpha",
    ];
    let name = function.strip_prefix("must").unwrap_or(function).to_lowercase();
    LISTS.iter().any(|list| list.to_lowercase() == name)
}

/// Arguments for a call.
fn arguments(dice: &mut Dice, function: &'static Function) -> Vec<Plain> {
    let name = function.name;
    let mut args: Vec<Plain> = Vec::new();
    for (at, ty) in function.signature.params.iter().enumerate() {
        args.push(fitting(dice, name, at, *ty));
    }
    if let Some(rest) = function.signature.variadic {
        let most = if matches!(name, "slice" | "mustSlice") { 3 } else { 5 };
        for at in 0..dice.below(most) {
            let arg = match name {
                "slice" | "mustSlice" => Plain::Int(dice.below(3) as i64),
                _ => fitting(dice, name, args.len() + at, rest),
            };
            args.push(arg);
        }
    }
    if name == "dig" && !dice.one_in(6) {
        args.push(Plain::Map(entries(dice, name, 0)));
    }
    args
}

/// A call with its arguments; now and then one of them is the result of another call. What the arguments hold
/// afterwards is shown too, and which maps are the same.
fn case(dice: &mut Dice, function: &'static Function, inner: &'static Function) -> Case {
    let name = function.name;
    let args = arguments(dice, function);
    let mut named: Vec<String> = (0..args.len()).map(|at| format!(".a{at}")).collect();
    let mut data: Vec<(String, Plain)> =
        args.into_iter().enumerate().map(|(at, arg)| (format!("a{at}"), arg)).collect();
    let takes_any = |at: usize| {
        let ty = function.signature.params.get(at).copied().or(function.signature.variadic);
        ty.is_some_and(|ty| ty != Type::Int) && !takes_the_present(name, ty.unwrap_or(Type::Any))
    };
    let mut before = String::new();
    let at = dice.below(named.len().max(1));
    if dice.one_in(3) && takes_any(at) && at < named.len() {
        let inner_args = arguments(dice, inner);
        let inner_named: Vec<String> = (0..inner_args.len()).map(|at| format!(".b{at}")).collect();
        data.extend(inner_args.into_iter().enumerate().map(|(at, arg)| (format!("b{at}"), arg)));
        before = format!("{{{{ $x := {} {} }}}}", inner.name, inner_named.join(" "));
        named[at] = "$x".to_owned();
    }
    let template = match dice.below(4) {
        0 if !named.is_empty() => {
            let (last, front) = named.split_last().unwrap();
            format!("{before}{{{{ {last} | {name} {} | dump }}}} {{{{ dump . }}}}", front.join(" "))
        }
        _ => format!("{before}{{{{ $r := {name} {} }}}}{{{{ dump $r . }}}}", named.join(" ")),
    };
    Case { function: name, template, data: Plain::Map(data) }
}

/// Differences that are known and meant (see the README), and results that depend on the present or on Go's random
/// order of map entries.
fn is_known(case: &Case, want: &Result<Vec<u8>, String>, got: &Result<Vec<u8>, String>) -> bool {
    let printed = |result: &Result<Vec<u8>, String>, part: &str| match result {
        Ok(output) => gostd::strings::index(output, part.as_bytes()).is_some(),
        Err(error) => error.contains(part),
    };
    let both_print = |part: &str| printed(want, part) && printed(got, part);
    match (want, got) {
        // Go may slice up to the capacity, which lists here do not have.
        (Ok(_), Err(error)) if case.template.contains("lice ") => error.contains("slice index out of bounds"),
        // Of several entries that do not fit, the first one met is reported.
        (Err(_), Err(_)) => case.template.contains("erge") && both_print("reflect"),
        (_, Err(error)) => error.contains("one call may produce"),
        _ if case.template.contains("durationRound") => both_print("time.Time"),
        _ if case.template.contains("eepCopy") => both_print("semver.Version"),
        // A merge that fails half way, which pointers can make it, has done a random half.
        _ if case.template.contains("erge") => both_print("semver.Version"),
        _ => false,
    }
}

#[test]
fn functions_do_what_sprigs_do() {
    let Some(mut oracle) = Oracle::start() else { return };
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(setting("SPRIG_FUZZ_SECONDS").unwrap_or(10));
    let mut dice = Dice::new(setting("SPRIG_FUZZ_SEED").unwrap_or(1));
    let only = std::env::var("SPRIG_FUZZ_ONLY").ok();
    let stable: Vec<&'static Function> = sprig::functions()
        .filter(|function| !UNSTABLE.contains(&function.name))
        .filter(|function| only.as_ref().is_none_or(|only| only.split(',').any(|name| name == function.name)))
        .collect();
    let functions = FunctionSet::new(sprig::functions().chain([&DUMP]));
    let mut differences: BTreeMap<&str, usize> = BTreeMap::new();
    let mut spent: BTreeMap<&str, Duration> = BTreeMap::new();
    let (mut compared, mut failed) = (0, 0);
    let start = Instant::now();
    while start.elapsed() < time {
        let cases: Vec<Case> = (0..2000)
            .map(|_| {
                let (outer, inner) = (dice.below(stable.len()), dice.below(stable.len()));
                case(&mut dice, stable[outer], stable[inner])
            })
            .collect();
        let questions: Vec<_> = cases.iter().map(|case| (case.template.as_str(), &case.data)).collect();
        let answers = oracle.ask(&questions);
        for (case, want) in cases.iter().zip(answers) {
            compared += 1;
            failed += usize::from(want.is_err());
            let started = Instant::now();
            let got = common::render(&functions, "t", case.template.as_bytes(), case.data.value());
            *spent.entry(case.function).or_default() += started.elapsed();
            if got == want || is_known(case, &want, &got) {
                continue;
            }
            let seen = differences.entry(case.function).or_default();
            *seen += 1;
            if *seen <= 3 {
                let show = |result: &Result<Vec<u8>, String>| match result {
                    Ok(output) => format!("ok    {}", String::from_utf8_lossy(output)),
                    Err(error) => format!("error {error}"),
                };
                println!(
                    "{}\n  {:?}\n  want {}\n  got  {}",
                    case.template,
                    case.data,
                    show(&want),
                    show(&got)
                );
            }
        }
    }
    let mut slowest: Vec<_> = spent.into_iter().map(|(name, time)| (time, name)).collect();
    slowest.sort();
    println!("slowest: {:?}", slowest.iter().rev().take(6).collect::<Vec<_>>());
    println!("{compared} calls compared, {failed} of them failing ones, {} functions", stable.len());
    assert!(differences.is_empty(), "{differences:?}");
}
