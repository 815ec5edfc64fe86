//! Compares random calls with Go's standard library.
//!
//! Needs the oracle of tools/oracle/gostd: `GOSTD_ORACLE` names its executable, `GOSTD_FUZZ_CASES` (default 20000) says
//! how many rounds of each group to compare and `GOSTD_FUZZ_SEED` (default 1) where to start. Without the oracle the
//! test is skipped.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

#[path = "differential/values.rs"]
mod values;

use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use gostd::json::DecodeError;
use gostd::strconv::NumError;
use gostd::{List, Map, Value, fmt, json, strconv, strings};
use values::{parse, unhex};

#[test]
fn random_calls_agree_with_go() {
    let Ok(oracle) = std::env::var("GOSTD_ORACLE") else {
        println!("skipped: GOSTD_ORACLE does not name the oracle of tools/oracle/gostd");
        return;
    };
    let setting = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let (seed, cases) = (setting("GOSTD_FUZZ_SEED", "1"), setting("GOSTD_FUZZ_CASES", "20000"));
    let mut differing = 0;
    for group in ["rune", "str", "quote", "num", "float", "fmt", "json"] {
        // One round of the characters is 4096 of them.
        let rounds = if group == "rune" { "272" } else { &cases };
        let command = Command::new(&oracle).args([group, &seed, rounds]).stdout(Stdio::piped()).spawn();
        let mut oracle = command.unwrap();
        let (mut calls, mut wrong) = (0_u64, 0_u64);
        for line in BufReader::new(oracle.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            let mut fields: Vec<&str> = line.split('\t').collect();
            let want = unhex(fields.pop().unwrap());
            let got = Call { operation: fields[0], arguments: &fields[1..] }.run();
            calls += 1;
            if got != want {
                wrong += 1;
                if wrong <= 5 {
                    let [want, got] = [&want, &got].map(|text| String::from_utf8_lossy(text).into_owned());
                    println!("{line}\n  Go:   {want:?}\n  here: {got:?}");
                }
            }
        }
        assert!(oracle.wait().unwrap().success() && calls > 0, "the oracle failed");
        println!("{group}: {calls} calls, {wrong} different");
        differing += wrong;
    }
    assert_eq!(differing, 0);
}

/// One call as the oracle describes it.
struct Call<'a> {
    operation: &'a str,
    arguments: &'a [&'a str],
}

impl Call<'_> {
    fn text(&self, at: usize) -> Vec<u8> {
        unhex(self.arguments[at])
    }

    fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(&self, at: usize) -> T {
        self.arguments[at].parse().unwrap()
    }

    fn value(&self, at: usize) -> Value {
        parse(self.arguments[at])
    }

    fn list(&self, at: usize) -> Vec<Value> {
        self.value(at).elements().unwrap()
    }

    fn run(&self) -> Vec<u8> {
        match self.operation {
            "sprintf" => fmt::sprintf(&self.text(0), &self.list(1)),
            "sprint" => fmt::sprint(&self.list(0)),
            "sprintln" => fmt::sprintln(&self.list(0)),
            "rune" => rune(self.number(0)),
            operation if operation.starts_with("marshal") => {
                self.encode().unwrap_or_else(|error| error.into())
            }
            operation if operation.starts_with("unmarshal") => self.decode(),
            _ => self.number_call().or_else(|| self.text_call()).unwrap(),
        }
    }

    fn encode(&self) -> Result<Vec<u8>, String> {
        let value = self.value(0);
        let text = match self.operation {
            "marshal-indent" => json::marshal_indent(&value, &self.text(1), &self.text(2), true),
            operation => json::marshal(&value, operation == "marshal"),
        };
        text.map_err(|error| error.to_string())
    }

    fn decode(&self) -> Vec<u8> {
        let text = self.text(0);
        match self.operation {
            "unmarshal" => outcome(json::unmarshal(&text), Value::Nil, true),
            "unmarshal-object" => {
                outcome(json::unmarshal_object(&text).map(Value::Map), Value::Map(Map::new()), true)
            }
            _ => {
                outcome(json::unmarshal_array(&text).map(Value::List), Value::List(List::any(vec![])), false)
            }
        }
    }

    fn number_call(&self) -> Option<Vec<u8>> {
        let text = match self.operation {
            "format-float" => {
                let verb = self.arguments[1].as_bytes()[0];
                strconv::format_float(f64::from_bits(self.number(0)), verb, self.number(2), self.number(3))
            }
            "format-int" => strconv::format_int(self.number(0), self.number(1)),
            "parse-int" => {
                both(strconv::parse_int(&self.text(0), self.number(1), self.number(2)), i64::to_string)
            }
            "parse-uint" => {
                both(strconv::parse_uint(&self.text(0), self.number(1), self.number(2)), u64::to_string)
            }
            "atoi" => both(strconv::atoi(&self.text(0)), i64::to_string),
            "parse-float" => match strconv::parse_float(&self.text(0), self.number(1)) {
                Ok(value) if value.is_nan() => "NaN".to_owned(),
                result => both(result, |value| value.to_bits().to_string()),
            },
            _ => return None,
        };
        Some(text.into_bytes())
    }

    fn text_call(&self) -> Option<Vec<u8>> {
        let s = self.text(0);
        Some(match self.operation {
            "quote" => strconv::quote(&s).into_bytes(),
            "quote-to-ascii" => strconv::quote_to_ascii(&s).into_bytes(),
            "can-backquote" => strconv::can_backquote(&s).to_string().into_bytes(),
            "unquote" => match strconv::unquote(&s) {
                Ok(text) => [b"<nil> ", text.as_slice()].concat(),
                Err(error) => format!("{error} ").into_bytes(),
            },
            "to-upper" => strings::to_upper(&s),
            "to-lower" => strings::to_lower(&s),
            "to-title" => strings::to_title(&s),
            "title" => strings::title(&s),
            "trim-space" => strings::trim_space(&s).to_vec(),
            "html-escape" => strings::html_escape(&s),
            "js-escape" => strings::js_escape(&s),
            "url-query-escape" => strings::url_query_escape(&s),
            "fields" => parts(&strings::fields(&s)),
            "trim" => strings::trim(&s, &self.text(1)).to_vec(),
            "trim-left" => strings::trim_left(&s, &self.text(1)).to_vec(),
            "trim-right" => strings::trim_right(&s, &self.text(1)).to_vec(),
            "split-n" => parts(&strings::split_n(&s, &self.text(1), self.number(2))),
            "replace" => strings::replace(&s, &self.text(1), &self.text(2), self.number(3)),
            "repeat" => strings::repeat(&s, self.number(1)).unwrap(),
            "find" => {
                let part = self.text(1);
                let place = |found: Option<usize>| found.map_or(-1, |at| i64::try_from(at).unwrap());
                let (first, last) = (strings::index(&s, &part), strings::last_index(&s, &part));
                format!("{} {} {}", place(first), place(last), strings::count(&s, &part)).into_bytes()
            }
            _ => return None,
        })
    }
}

/// A number and the error beside it, as Go's functions return them.
fn both<T: Copy + Display>(result: Result<T, NumError<T>>, show: impl Fn(&T) -> String) -> String {
    match result {
        Ok(value) => format!("{} <nil>", show(&value)),
        Err(error) => format!("{} {error}", show(&error.value)),
    }
}

/// The error and what was decoded; `keeps` says whether what was decoded beside an error is looked at.
fn outcome(result: Result<Value, DecodeError>, empty: Value, keeps: bool) -> Vec<u8> {
    let (error, value) = match result {
        Ok(value) => ("<nil>".to_owned(), value),
        Err(error) => {
            let text = error.to_string();
            match error {
                DecodeError::Type { partial, .. } if keeps => (text, partial),
                _ => (text, empty),
            }
        }
    };
    fmt::sprintf(b"%s %#v", &[Value::from(error), value])
}

fn parts(list: &[&[u8]]) -> Vec<u8> {
    [list.len().to_string().as_bytes(), &list.join(&0)].join(&0)
}

fn rune(code: u32) -> Vec<u8> {
    type Class = fn(char) -> bool;
    let classes: [Class; 9] = [
        strings::is_letter,
        strings::is_upper,
        strings::is_lower,
        strings::is_title,
        strings::is_digit,
        strings::is_number,
        strings::is_punct,
        strings::is_space,
        strings::is_print,
    ];
    let rune = char::from_u32(code).unwrap();
    let member: String = classes.iter().map(|class| if class(rune) { '1' } else { '0' }).collect();
    let [upper, lower, title] =
        [strings::upper(rune), strings::lower(rune), strings::title_rune(rune)].map(u32::from);
    format!("{member}{upper} {lower} {title}").into_bytes()
}
