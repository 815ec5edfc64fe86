//! Whatever a text holds, it parses or fails, and what parses runs or fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

mod common;

use common::Case;
use common::generate::{Generator, Random};
use gotemplate::{ErrorKind, FunctionSet, Limits, Set};

const STEPS: u64 = 10_000;

/// Runs a case under limits. Only that it ends counts.
fn run(case: &Case) {
    let limits = Limits { steps: STEPS, output: 1 << 20, ..Limits::default() };
    if let Err(error) = case.run_with(limits) {
        assert!(!error.to_string().is_empty());
        assert!(error.location().is_some() || error.kind() == ErrorKind::NoTemplate, "{error}");
    }
}

fn case_of(text: Vec<u8>) -> Case {
    Case { files: vec![(b"t".to_vec(), text)], ..Case::default() }
}

#[test]
fn arbitrary_bytes_do_no_harm() {
    let mut random = Random::new(1);
    for _ in 0..1_500 {
        let length = random.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        run(&case_of([b"{{ ".as_slice(), &bytes].concat()));
        run(&case_of(bytes));
    }
}

#[test]
fn arbitrary_words_do_no_harm() {
    const WORDS: &[&str] = &[
        "{{",
        "}}",
        "{{-",
        "-}}",
        " ",
        "\n",
        "if",
        "else",
        "end",
        "range",
        "with",
        "define",
        "block",
        "template",
        "break",
        "continue",
        "nil",
        "true",
        ".",
        ".a",
        "$",
        "$x",
        ":=",
        "=",
        ",",
        "|",
        "(",
        ")",
        "\"s\"",
        "`r`",
        "'c'",
        "1",
        "1.5",
        "1i",
        "print",
        "include",
        "{{/*",
        "*/}}",
        "é",
        "\\",
        "and",
        "or",
        "index",
        "{{ if . }}",
        "{{ end }}",
        "{{ else }}",
        "{{ range $i, $e := . }}",
        "{{ define \"t\" }}",
        "{{ template \"t\" . }}",
    ];
    let mut random = Random::new(2);
    for _ in 0..2_000 {
        let count = random.below(30);
        let text: String = (0..count).map(|_| *random.pick(WORDS)).collect();
        run(&case_of(text.into_bytes()));
    }
}

#[test]
fn prefixes_of_templates_do_no_harm() {
    for seed in 0..6 {
        let case = Generator::new(seed).case();
        let (_, text) = case.files.last().unwrap().clone();
        for end in (0..text.len()).step_by(3) {
            run(&Case { files: vec![(b"t".to_vec(), text[..end].to_vec())], ..case.clone() });
        }
    }
}

#[test]
fn text_without_actions_is_printed_as_it_is() {
    let mut random = Random::new(3);
    for _ in 0..1_000 {
        let length = random.below(100);
        let bytes: Vec<u8> =
            (0..length).map(|_| random.below(256) as u8).filter(|byte| *byte != b'{').collect();
        assert_eq!(case_of(bytes.clone()).run().unwrap(), bytes);
    }
}

#[test]
fn sets_cross_threads() {
    let mut set = Set::new("t", FunctionSet::default());
    set.parse("t", "{{ . }}").unwrap();
    let threads: Vec<_> = (0..4_i64)
        .map(|number| {
            let set = set.clone();
            std::thread::spawn(move || {
                let mut session = gotemplate::Session::new(&common::Nowhere, gotemplate::Options::default());
                session.execute(&set, b"t", gostd::Value::Int(number)).unwrap()
            })
        })
        .collect();
    let outputs: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(outputs, [b"0", b"1", b"2", b"3"]);
}
