//! Random YAML: values in all the ways that people write them.

use std::fmt::Write;

use fuzzing::mutate::Dice;

use super::expressions::one;
use super::words::{
    BOOL_KEYS, DICT_KEYS, FLOAT_KEYS, INT_KEYS, LIST_KEYS, OTHER_KEYS, STRING_KEYS, TEXT_LIST_KEYS, TEXTS,
};

const SCALARS: &[&str] = &[
    "null",
    "~",
    "",
    "true",
    "False",
    "yes",
    "NO",
    "on",
    "0",
    "-0",
    "1",
    "42",
    "-17",
    "007",
    "0o14",
    "0x1F",
    "0b101",
    "1_000",
    "+3",
    "1.5",
    "-.5",
    "1e3",
    "1E+2",
    "1.0",
    "100000000000000000000",
    "9223372036854775807",
    "9007199254740993",
    "18446744073709551615",
    "0.1",
    "1:30",
    "190:20:30",
    "2024-01-02",
    "2024-01-02 03:04:05",
    "plain",
    "with space",
    "a#b",
    "'single ''quoted'''",
    "\"double \\\"quoted\\\" \\u00e9\\n\"",
    "\"\"",
    "''",
    "\"0123\"",
    "\"true\"",
    "!!str 12",
    "!!binary YWJj",
    "&anchor v",
    "&anchor {a: 1}",
    "[]",
    "{}",
    "[1, 'two', null, {a: b}]",
    "{a: 1, b: [x, y], \"c\": {d: e}}",
    "|\n$  block\n$   more\n\n$  end",
    "|-\n$  chomped\n$  text",
    ">\n$  folded\n$  text\n\n$  para",
    "12e03",
    "0.0000001",
    "1e21",
    "123456789012345",
    "é",
    "🚀",
];

/// Scalars that are errors, or surprising.
const ODD: &[&str] = &[
    "@x",
    "`x",
    "*anchor",
    "!!int \"3\"",
    "!!float 2",
    "!!float x",
    "!custom x",
    "a: b",
    "=",
    "<<",
    "|2\n$    deep\n$   x",
    ">+\n$  keep\n\n",
    "!!null ''",
    "[a",
    "{a: 1",
    "\"open",
    "'x' y",
    "- x",
    "%x",
    "!!binary \"*\"",
    "&a",
    "\t x",
    "? x",
    "1: 2: 3",
    "{a: 1, a: 2}",
    "{<<: {a: 1}, b: 2}",
    "{? x : y}",
    "{[1]: x}",
    "!!timestamp 2024-01-02",
    "!!set {a}",
];

/// Values under the keys that templates use; few of them of the wrong kind, and few that cannot be read.
pub(crate) fn values(dice: &mut Dice, wrong: usize) -> String {
    let text = text(dice, wrong);
    if goyaml::load_map(text.as_bytes()).is_ok() || dice.below(1000) < wrong {
        return text;
    }
    values(dice, wrong)
}

fn text(dice: &mut Dice, wrong: usize) -> String {
    let mut text = String::new();
    let groups: &[(&[&str], fn(&mut Dice, usize) -> String)] = &[
        (STRING_KEYS, string),
        (INT_KEYS, int),
        (FLOAT_KEYS, float),
        (BOOL_KEYS, truth),
        (DICT_KEYS, dict),
        (LIST_KEYS, list),
        (TEXT_LIST_KEYS, text_list),
    ];
    for (keys, make) in groups {
        for key in *keys {
            if dice.below(200) < wrong {
                continue;
            }
            let value = if dice.below(1000) < wrong { scalar(dice, 1) } else { make(dice, 1) };
            let _ = writeln!(text, "{key}: {value}");
        }
    }
    for _ in 0..dice.below(4) {
        let key = one(dice, OTHER_KEYS);
        if key != "missing" && !text.contains(&format!("{key}: ")) {
            let value = if dice.below(3) == 0 { scalar(dice, 1) } else { dict(dice, 1) };
            let _ = writeln!(text, "{key}: {value}");
        }
    }
    if dice.below(20) == 0 && dice.below(1000) < wrong {
        let _ = writeln!(text, "{}", scalar(dice, 0));
    }
    text
}

/// Any value; continuation lines stand below `indent` levels.
pub(crate) fn scalar(dice: &mut Dice, indent: usize) -> String {
    match dice.below(10) {
        0 => dict(dice, indent),
        1 => list(dice, indent),
        2 => string(dice, indent),
        3 if dice.below(30) == 0 => one(dice, ODD).replace('$', &"  ".repeat(indent.saturating_sub(1))),
        _ => one(dice, SCALARS).replace('$', &"  ".repeat(indent.saturating_sub(1))),
    }
}

fn string(dice: &mut Dice, _: usize) -> String {
    let text = one(dice, TEXTS);
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match dice.below(3) {
        0 if is_plain => text.to_owned(),
        1 if !text.contains(['\n', '\r', '\u{1}', '\u{7f}', '\u{85}', '\u{feff}']) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => gostd::json::marshal(&gostd::Value::string(text), false)
            .map_or_else(|_| "x".to_owned(), |json| gostd::value::lossy(&json)),
    }
}

fn int(dice: &mut Dice, _: usize) -> String {
    one(
        dice,
        &[
            "0",
            "1",
            "3",
            "-2",
            "80",
            "8080",
            "30000",
            "1048576",
            "007",
            "0x1F",
            "1e3",
            "2147483648",
            "9007199254740993",
        ],
    )
    .to_owned()
}

fn float(dice: &mut Dice, _: usize) -> String {
    one(dice, &["0.5", "1.0", "-3.25", "1e6", "1e21", "123456789.5", "0.000001", ".5", "2."]).to_owned()
}

fn truth(dice: &mut Dice, _: usize) -> String {
    one(dice, &["true", "false", "yes", "off", "True"]).to_owned()
}

fn dict(dice: &mut Dice, indent: usize) -> String {
    const KEYS: &[&str] = &["a", "b", "c", "k", "s", "x-y", "\"1\"", "1", "true", "a.b/c", "é", "'q q'"];
    if dice.below(8) == 0 || indent > 3 {
        return one(dice, &["{}", "{a: 1}", "{a: {b: deep, c: [1]}, s: text}", "{a: , b: }"]).to_owned();
    }
    let mut text = String::new();
    for key in KEYS {
        if dice.below(3) == 0 {
            let value = scalar(dice, indent + 1);
            let _ = write!(text, "\n{}{key}: {value}", "  ".repeat(indent));
        }
    }
    if text.is_empty() { "{}".to_owned() } else { text }
}

fn text_list(dice: &mut Dice, _: usize) -> String {
    one(
        dice,
        &["[]", "[a]", "[a, b, a]", "[b.example.com, a.example.com]", "['10', '9', x y]", "[\"\", Z, z]"],
    )
    .to_owned()
}

fn list(dice: &mut Dice, indent: usize) -> String {
    if dice.below(6) == 0 || indent > 3 {
        return one(dice, &["[]", "[a, b, a]", "[3, 1, 2]", "[{a: 1}, {a: 2}]", "[[1, 2], [3]]"]).to_owned();
    }
    let mut text = String::new();
    for _ in 0..=dice.below(4) {
        let value = one(dice, SCALARS).replace('$', &"  ".repeat(indent));
        let _ = write!(text, "\n{}- {value}", "  ".repeat(indent));
    }
    text
}
