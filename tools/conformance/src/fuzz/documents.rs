//! Random YAML documents, and real ones with damages.

use std::fmt::Write;

use fuzzing::mutate::{Dice, altered};
use gostd::{List, Map, Value};

use super::expressions::one;
use super::grammar;
use super::put;
use super::words::TEXTS;

/// A document to read, or a value to write. `real` are texts of real files.
pub(crate) fn case(dice: &mut Dice, real: &[String]) -> Map {
    let case = Map::new();
    let kind = one(dice, &["decode", "decode", "roundtrip", "roundtrip", "decodeArray", "encode", "pretty"]);
    let input = match kind {
        "encode" | "pretty" => value(dice, 3),
        _ => Value::string(text(dice, kind == "decodeArray", real)),
    };
    if dice.below(8) == 0 && input.as_str().is_some() {
        // As values of a chart: there the errors name lines.
        let files = Map::new();
        put(&files, "Chart.yaml", Value::string("apiVersion: v2\nname: c\nversion: 1.2.3\n"));
        put(&files, "templates/t.yaml", Value::string("{{ toYaml .Values }}\n"));
        if dice.below(2) == 0 {
            put(&files, "values.yaml", input);
        } else {
            put(&case, "values", input);
        }
        put(&case, "files", Value::Map(files));
        return case;
    }
    put(&case, "kind", Value::string(kind));
    put(&case, "in", input);
    case
}

fn text(dice: &mut Dice, is_list: bool, real: &[String]) -> String {
    let mut text = match dice.pick(real) {
        Some(real) if dice.below(3) == 0 => part(dice, real),
        _ => document(dice, is_list),
    };
    for _ in 0..one(dice, &[0, 0, 0, 0, 1, 1, 2, 3]) {
        text = damaged(dice, &text);
    }
    match dice.below(40) {
        0 => text.replace('\n', "\r\n"),
        1 => format!("\u{feff}{text}"),
        2 => text.replace('\n', "\r"),
        3 => text.trim_end().to_owned(),
        4 => format!("{text}...\n{text}"),
        5 => format!("{text}---\n{text}"),
        6 => text.replace(": ", ":\t"),
        _ => text,
    }
}

/// Some lines of a real file.
fn part(dice: &mut Dice, real: &str) -> String {
    let lines: Vec<&str> = real.split_inclusive('\n').collect();
    let start = dice.below(lines.len());
    lines.iter().skip(start).take(1 + dice.below(40)).copied().collect()
}

/// Changes a character, a line or its indentation.
pub(super) fn damaged(dice: &mut Dice, text: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let place = dice.below(lines.len());
    let choice = dice.below(9);
    let Some(line) = lines.get_mut(place) else { return one(dice, TEXTS).to_owned() };
    match choice {
        0 => line.insert_str(0, one(dice, &[" ", "  ", "\t", "   ", "- ", "# ", "? ", "a: "])),
        1 => *line = line.strip_prefix(' ').unwrap_or(line).to_owned(),
        2 => *line = line.strip_prefix("  ").unwrap_or(line).to_owned(),
        3 => drop(lines.remove(place)),
        4 => {
            let again = line.clone();
            lines.insert(place, again);
        }
        5 => {
            let extra = one(
                dice,
                &[
                    "\n",
                    "---\n",
                    "...\n",
                    "# c\n",
                    "\t\n",
                    "  \n",
                    "%YAML 1.1\n",
                    "}\n",
                    "- x\n",
                    "x\n",
                    "x: 1\n",
                    "'\n",
                    "\"\n",
                ],
            );
            lines.insert(place, extra.to_owned());
        }
        6 => {
            let cut: String = line.chars().take(dice.below(line.len())).collect();
            *line = cut + one(dice, &["\n", "", ":\n", " \n"]);
        }
        _ => return gostd::value::lossy(&altered(text.as_bytes(), one(dice, TEXTS).as_bytes(), dice)),
    }
    lines.concat()
}

fn document(dice: &mut Dice, is_list: bool) -> String {
    let mut text = String::new();
    if dice.below(8) == 0 {
        text.push_str(one(
            dice,
            &[
                "---\n",
                "--- # c\n",
                "# c\n\n",
                "%YAML 1.1\n---\n",
                "\n",
                "---\n---\n",
                "%TAG !e! tag:e,2000:\n---\n",
                "--- ",
            ],
        ));
    }
    let block = block(dice, 0, 4, if is_list { Shape::List } else { Shape::Dict });
    text.push_str(block.trim_start_matches('\n'));
    if dice.below(12) == 0 {
        text.push_str(one(dice, &["...\n", "# end", "---\n", "\n\n", "---\nx: 1\n", "... # c\n"]));
    }
    text
}

#[derive(Clone, Copy, Default)]
enum Shape {
    #[default]
    Scalar,
    Dict,
    List,
    Flow,
}

/// What follows `key:` or `-`, up to the end of the line that ends it.
fn block(dice: &mut Dice, indent: usize, depth: usize, shape: Shape) -> String {
    let properties = one(
        dice,
        &["", "", "", "", "", "", "", "", "", "", " &n", " !!map", " !x", " !!str", " !!seq", " &n !!map"],
    );
    let mut text = String::new();
    match shape {
        Shape::Dict if depth > 0 => {
            if indent > 0 && dice.below(12) == 0 {
                text.push_str(properties);
            }
            text.push('\n');
            for number in 0..=dice.below(4) {
                if dice.below(12) == 0 {
                    let _ = writeln!(text, "{}# comment", " ".repeat(dice.below(indent + 3)));
                }
                let key = key(dice, number);
                let step = one(dice, &[2, 2, 2, 4, 1, 3]);
                let shape = one(dice, &[Shape::Scalar, Shape::Scalar, Shape::Dict, Shape::List, Shape::Flow]);
                let value = match shape {
                    Shape::List if dice.below(2) == 0 => block(dice, indent, depth - 1, Shape::List),
                    _ => block(dice, indent + step, depth - 1, shape),
                };
                let _ = write!(text, "{}{key}:{value}", " ".repeat(indent));
            }
            text
        }
        Shape::List if depth > 0 => {
            text.push('\n');
            for _ in 0..=dice.below(3) {
                let shape = one(dice, &[Shape::Scalar, Shape::Scalar, Shape::Dict, Shape::List, Shape::Flow]);
                let value = block(dice, indent + 2, depth - 1, shape);
                let inner = value.trim_start_matches('\n');
                let compact = inner.len() < value.len() && dice.below(3) > 0;
                let value = match compact {
                    true => format!(" {}", inner.strip_prefix(&" ".repeat(indent + 2)).unwrap_or(inner)),
                    false => value,
                };
                let _ = write!(text, "{}-{value}", " ".repeat(indent));
            }
            text
        }
        Shape::Flow => {
            let flow = flow(dice, 2, indent);
            format!(
                "{} {flow}{}\n",
                if dice.below(6) == 0 { properties } else { "" },
                one(dice, &["", "", "", " # c", " "])
            )
        }
        _ => scalar(dice, indent),
    }
}

fn key(dice: &mut Dice, number: usize) -> String {
    match dice.below(14) {
        0 => one(
            dice,
            &[
                "1",
                "true",
                "null",
                "~",
                "1.5",
                "'q'",
                "\"d\"",
                "yes",
                "0x1f",
                "010",
                "2024-01-02",
                "<<",
                "? x\n",
                "*n",
                "&n k",
                "!!str 1",
                ".inf",
                "1e3",
                "''",
                "[a]",
                "{a: b}",
                "9223372036854775808",
                "no",
                "on",
                "-1",
                "1_0",
                "=",
            ],
        )
        .to_owned(),
        1 => grammar::text(dice, 'k'),
        2 => grammar::text(dice, '1'),
        _ => format!("{}{number}", one(dice, &["a", "b", "key", "x-y", "a.b/c", "é", "a b"])),
    }
}

fn scalar(dice: &mut Dice, indent: usize) -> String {
    let space = " ".repeat(indent);
    match dice.below(16) {
        0..=6 => format!(" {}\n", grammar::text(dice, 'k')),
        7 => format!(" {}\n", grammar::text(dice, '@').replace(['\n', '\r'], " ")),
        8 => {
            let text = grammar::text(dice, '@').replace('\'', "''");
            format!(
                " '{}'\n",
                text.replace('\n', &format!("{}{space}", one(dice, &["\n", "\n\n", "  \n\t"])))
            )
        }
        9 | 10 => {
            let mut text = String::new();
            for _ in 0..dice.below(5) {
                text.push_str(one(
                    dice,
                    &[
                        "a",
                        " ",
                        "\\n",
                        "\\t",
                        "\\\"",
                        "\\u00e9",
                        "\\x41",
                        "\\\\",
                        "\\/",
                        "\\0",
                        "\\e",
                        "\\_",
                        "\\N",
                        "\\L",
                        "\\U0001F680",
                        "b c",
                        "\\ ",
                        "#",
                        ": ",
                        "'",
                        "\\r",
                        "\\a",
                        "\\ud83d\\ude00",
                    ],
                ));
                if dice.below(6) == 0 {
                    let _ = write!(text, "{}{space} ", one(dice, &["\n", "\\\n", " \n", "\n\n", "\\\n\n"]));
                }
            }
            format!(" \"{text}\"\n")
        }
        11..=13 => {
            let head = format!(
                "{}{}{}",
                one(dice, &["|", ">"]),
                one(dice, &["", "-", "+", "", "-", "1", "2", "+2", "3-", "2+", "9", "0", "-+"]),
                one(dice, &["", "", "", " # c", " ", "#c"])
            );
            let mut text = format!(" {head}\n");
            let deep = " ".repeat(one(dice, &[0, 1, 2, 4]));
            for _ in 0..dice.below(5) {
                let line = one(
                    dice,
                    &[
                        "a",
                        "b c",
                        "",
                        "  more",
                        " x",
                        "# not",
                        "- i",
                        "k: v",
                        "\tt",
                        "---",
                        " ",
                        "\u{e9}",
                        "text with words that go on",
                        "trailing ",
                        "|",
                    ],
                );
                match line {
                    "" => text.push('\n'),
                    line => {
                        let _ = writeln!(text, "{space}{deep}{line}");
                    }
                }
            }
            text
        }
        14 => {
            // A plain text of several lines.
            format!(
                " a b{}{space}c{}\n",
                one(dice, &["\n", "\n\n", " \n ", "\n\t"]),
                one(dice, &["", ": d", " # e", " -", "\n"])
            )
        }
        _ => one(
            dice,
            &[
                "\n",
                " *n\n",
                " &n v\n",
                " !!str\n",
                " !!binary aGk=\n",
                " !!int 3\n",
                " !!float 3\n",
                " !!null x\n",
                " !x y\n",
                " # c\n",
                " !!timestamp 2024-01-02\n",
                " !!bool yes\n",
                " &n\n",
                " !!str true\n",
                " !!int x\n",
                " !!float '1.5'\n",
                " !!bool x\n",
                " ! 12\n",
                " !<tag:yaml.org,2002:str> 5\n",
                " !!binary '*'\n",
            ],
        )
        .to_owned(),
    }
}

fn flow(dice: &mut Dice, depth: usize, indent: usize) -> String {
    if depth == 0 || dice.below(3) == 0 {
        return match dice.below(4) {
            0 => one(
                dice,
                &[
                    "'a, b'",
                    "\"c: d\"",
                    "*n",
                    "&n x",
                    "",
                    "!!str 1",
                    "a:b",
                    "a #",
                    "-1",
                    "[]",
                    "{}",
                    "\"x\":1",
                    "- a",
                    "?",
                    "a?b",
                    "http://x/y",
                ],
            )
            .to_owned(),
            _ => grammar::text(dice, 'k'),
        };
    }
    let breaks = one(dice, &["", "", "", " ", "\n "]).replace('\n', &format!("\n{}", " ".repeat(indent)));
    let items: Vec<String> = (0..dice.below(4))
        .map(|number| {
            let value = flow(dice, depth - 1, indent);
            match dice.below(8) {
                0 => value,
                1 => format!("? k{number} : {value}"),
                2 => format!("\"k{number}\":{value}"),
                3 => format!("k{number}:"),
                4 => format!("<<: {value}"),
                _ => format!("k{number}: {value}"),
            }
        })
        .collect();
    let end = one(dice, &["", "", "", ",", " "]);
    if dice.below(2) == 0 {
        format!("{{{breaks}{}{breaks}{end}}}", items.join(&format!(",{breaks}")))
    } else {
        let items: Vec<String> = items
            .into_iter()
            .map(|item| {
                if dice.below(4) == 0 {
                    item
                } else {
                    item.rsplit(": ").next().unwrap_or_default().to_owned()
                }
            })
            .collect();
        format!("[{breaks}{}{breaks}{end}]", items.join(&format!(", {breaks}")))
    }
}

/// A value as JSON has them.
fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 7 } else { 11 }) {
        0 => Value::Nil,
        1 => Value::Bool(dice.below(2) == 0),
        2 => Value::Float64(number(dice)),
        3 => Value::string(one(dice, TEXTS)),
        4 => Value::string(grammar::text(dice, 'k')),
        5 => Value::string(prose(dice)),
        6 => Value::string(grammar::text(dice, '@')),
        7 | 8 => Value::List(List::any((0..dice.below(4)).map(|_| value(dice, depth - 1)).collect())),
        _ => {
            let map = Map::new();
            for number in 0..dice.below(5) {
                let key = match dice.below(4) {
                    0 => grammar::text(dice, 'k'),
                    1 => grammar::text(dice, '@'),
                    2 => format!("{}{}", one(dice, &["a", "key", "v", "x-", "K", "é"]), dice.below(120)),
                    _ => format!("k{number}"),
                };
                put(&map, key, value(dice, depth - 1));
            }
            Value::Map(map)
        }
    }
}

fn number(dice: &mut Dice) -> f64 {
    const ROUND: &[f64] = &[
        0.0,
        1.0,
        -1.0,
        1e6,
        1e15,
        1e16,
        1e20,
        1e21,
        1e22,
        0.1,
        0.5,
        1e-5,
        1e-6,
        1e-7,
        123456789.0,
        9007199254740993.0,
        4294967296.0,
        -0.0,
    ];
    match dice.below(4) {
        0 => one(dice, ROUND),
        1 => dice.below(100_000) as f64 / 100.0,
        2 => dice.below(usize::MAX) as f64,
        _ => {
            let number = f64::from_bits((dice.below(1 << 32) as u64) << 32 | dice.below(1 << 32) as u64);
            if number.is_finite() { number } else { 2.5 }
        }
    }
}

/// Long and short lines with all that makes an emitter quote, fold or block.
fn prose(dice: &mut Dice) -> String {
    let mut text = String::new();
    for _ in 0..dice.below(24) {
        text.push_str(one(
            dice,
            &[
                "word",
                "longer-word",
                "a",
                "é",
                "世界",
                "🚀",
                "x: y",
                "#no",
                "'",
                "\"",
                "\\",
                "%",
                "{{ x }}",
                "123",
                ":",
                "-",
                "?",
                "[",
                "}",
                ",",
            ],
        ));
        text.push_str(one(
            dice,
            &[
                " ", " ", " ", " ", "\n", "\n", "", "  ", "\t", "\n\n", " \n", "\r\n", "\u{a0}", "\u{85}",
                "\u{2028}", "\u{7f}", "\u{1}", "\n  ", ": ",
            ],
        ));
    }
    text
}
