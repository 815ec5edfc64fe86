//! Random charts that show their values: how defaults, settings, globals, subcharts, conditions and imports come together.

use std::fmt::Write;

use fuzzing::mutate::Dice;
use gostd::{Map, Value};

use super::expressions::one;
use super::put;

/// Keys of values; some are names or aliases of subcharts, some mean something to Helm.
const KEYS: &[&str] =
    &["a", "b", "c", "d", "s", "t", "al", "r", "global", "tags", "exports", "data", "on", "x.y", "1"];
const SUBCHARTS: &[&str] = &["s", "t", "r"];
/// Paths that conditions and imports name.
const PATHS: &[&str] = &[
    "a",
    "b",
    "on",
    "s.on",
    "al.on",
    "s.t.on",
    "global.on",
    "a.b",
    "data",
    "exports.data",
    "t.a",
    "s",
    ".",
    "",
];
/// What a chart shows of its surroundings.
const SHOWN: &[&str] = &[
    ".Chart",
    ".Chart.Dependencies",
    ".Chart.IsRoot",
    ".Chart.Metadata",
    ".Release",
    ".Template",
    ".Subcharts",
    "keys .Subcharts | sortAlpha",
    ".Values.global",
    ".Values.s",
    ".Values.tags",
    "include \"who\" .",
    "tpl \"{{ .Values | toJson }}\" .",
    "tpl \"{{ define \\\"who\\\" }}mine{{ end }}{{ include \\\"who\\\" . }}\" .",
    "list .Template.Name .Template.BasePath",
    ".Files",
    ".Capabilities.KubeVersion",
    ".Capabilities.APIVersions.Has \"x/v1\"",
    "set .Values \"seen\" .Chart.Name",
    "mergeOverwrite .Values (dict \"global\" (dict \"seen\" true))",
    "unset .Values \"a\"",
];

/// The files of a chart and the settings it is rendered with.
pub(super) fn case(dice: &mut Dice) -> Map {
    let files = Map::new();
    chart(dice, "", "p", 0, &files);
    let case = Map::new();
    if dice.below(2) == 0 {
        put(&case, "values", Value::string(text(dice, 2)));
        if dice.below(3) == 0 {
            put(&case, "moreValues", Value::list(vec![Value::string(text(dice, 2))]));
        }
    }
    for (key, rarity) in [("set", 3), ("setString", 8), ("setJSON", 6), ("setLiteral", 10)] {
        if dice.below(rarity) == 0 {
            let settings = (0..1 + dice.below(3)).map(|_| setting(dice, key == "setJSON")).collect();
            put(&case, key, Value::list(settings));
        }
    }
    put(&case, "files", Value::Map(files));
    case
}

fn add(files: &Map, path: String, text: impl Into<String>) {
    put(files, path, Value::string(text.into()));
}

/// Adds a chart's files below `at`.
fn chart(dice: &mut Dice, at: &str, name: &str, depth: usize, files: &Map) {
    let is_old = dice.below(6) == 0;
    let version = one(dice, &["0.1.0", "0.1.0", "1.2.3", "2.0.0-rc.1", "v1.0", "1.2.3+b.1"]);
    let mut metadata =
        format!("apiVersion: {}\nname: {name}\nversion: {version}\n", if is_old { "v1" } else { "v2" });
    if depth > 0 && dice.below(8) == 0 {
        metadata.push_str("type: library\n");
    }
    let mut required = String::new();
    if depth < 3 && dice.below(depth + 1) == 0 {
        for subchart in SUBCHARTS.iter().filter(|subchart| **subchart != name) {
            if dice.below(2) == 0 {
                continue;
            }
            for _ in 0..one(dice, &[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]) {
                dependency(dice, subchart, &mut required);
            }
            chart(dice, &format!("{at}charts/{subchart}/"), subchart, depth + 1, files);
        }
    }
    if !required.is_empty() {
        required.insert_str(0, "dependencies:\n");
    }
    if is_old && dice.below(4) > 0 {
        add(files, format!("{at}requirements.yaml"), required);
    } else {
        metadata.push_str(&required);
    }
    add(files, format!("{at}Chart.yaml"), metadata);
    if dice.below(6) > 0 {
        add(files, format!("{at}values.yaml"), text(dice, 2));
    }
    let mut template = "v: {{ .Values | toJson }}\n".to_owned();
    for index in 0..dice.below(4) {
        let _ = writeln!(template, "k{index}: {{{{ {} | toJson }}}}", one(dice, SHOWN));
    }
    if dice.below(3) == 0 {
        let _ = write!(template, "{{{{ define \"who\" }}}}{name}-{{{{ .Template.Name }}}}{{{{ end }}}}");
    }
    if depth == 0 {
        add(files, "templates/_who.tpl".to_owned(), "{{ define \"who\" }}root-{{ .Chart.Name }}{{ end }}");
    }
    add(files, format!("{at}templates/t.yaml"), template);
}

fn dependency(dice: &mut Dice, name: &str, text: &mut String) {
    const VERSIONS: &[&str] = &[
        "\"*\"",
        "\">0\"",
        "0.1.0",
        "~0.1",
        "\">=0.0.0-0\"",
        "^1",
        "\"\"",
        "1.x",
        "9.9.9",
        "\"*-0\"",
        "x.y.z",
    ];
    let _ = writeln!(text, "- name: {name}\n  version: {}", one(dice, VERSIONS));
    if dice.below(3) == 0 {
        let _ =
            writeln!(text, "  alias: {}", one(dice, &["al", "al2", "a", "global", "s", "t", "A-b_1", "b"]));
    }
    if dice.below(3) == 0 {
        let paths: Vec<&str> = (0..1 + dice.below(2)).map(|_| one(dice, PATHS)).collect();
        let _ = writeln!(text, "  condition: \"{}\"", paths.join(one(dice, &[",", ", "])));
    }
    if dice.below(4) == 0 {
        let _ = writeln!(text, "  tags: {}", one(dice, &["[a]", "[b, a]", "[on]", "[none]", "[]"]));
    }
    if dice.below(8) == 0 {
        let _ = writeln!(text, "  enabled: {}", one(dice, &["true", "false"]));
    }
    if dice.below(3) == 0 {
        text.push_str("  import-values:\n");
        for _ in 0..1 + dice.below(2) {
            let _ = match dice.below(3) {
                0 => writeln!(text, "  - {}", one(dice, &["data", "a", "exports", "none", "a.b", "1"])),
                _ => writeln!(
                    text,
                    "  - {{child: \"{}\", parent: \"{}\"}}",
                    one(dice, PATHS),
                    one(dice, PATHS)
                ),
            };
        }
    }
}

/// A file of values.
fn text(dice: &mut Dice, depth: usize) -> String {
    const ODD: &[&str] = &[
        "",
        "# nothing\n",
        "{}\n",
        "---\na: 1\n---\nb: 2\n",
        "x: &x {a: 1, on: true}\na: {<<: *x, b: 2}\ns: *x\n",
        "a: 1\nb: 2\na: {c: 3}\n",
        "null\n",
        "a: &n null\nb: *n\n",
        "1: one\ntrue: two\nnull: three\n1.5: four\n",
        "a: 9223372036854775808\nb: 1e3\nc: 0o17\nd: 1_000\n",
    ];
    if dice.below(12) == 0 {
        return one(dice, ODD).to_owned();
    }
    let values = Value::Map(map(dice, depth));
    let text = if dice.below(3) == 0 {
        gostd::json::marshal(&values, false).map(|text| gostd::value::lossy(&text)).ok()
    } else {
        goyaml::to_yaml(&values).map(|text| gostd::value::lossy(&text)).ok()
    };
    text.unwrap_or_default()
}

fn map(dice: &mut Dice, depth: usize) -> Map {
    let map = Map::new();
    for key in KEYS {
        if dice.below(4) > 0 {
            continue;
        }
        // What stands under these names is a map in most charts.
        let is_table = ["s", "t", "r", "al", "global", "exports", "tags"].contains(key) && dice.below(20) > 0;
        let value = match depth {
            1.. if is_table => Value::Map(self::map(dice, depth - 1)),
            0 if is_table => Value::Map(Map::new()),
            _ => value(dice, depth),
        };
        put(&map, *key, value);
    }
    map
}

fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 7 } else { 10 }) {
        0 | 1 => Value::Nil,
        2 => Value::Bool(dice.below(2) == 0),
        3 => Value::Float64(one(dice, &[0.0, 1.0, 2.5, 1e6, 12_345_678.0])),
        4 => Value::string(one(dice, &["", "x", "true", "1", "null", "{{ .Values.a }}"])),
        5 => Value::list(Vec::new()),
        6 => Value::Bool(true),
        7 => Value::list((0..1 + dice.below(3)).map(|_| value(dice, depth - 1)).collect()),
        _ => Value::Map(map(dice, depth - 1)),
    }
}

/// A setting: a path that may lead through lists, and a value.
fn setting(dice: &mut Dice, is_json: bool) -> Value {
    const VALUES: &[&str] = &[
        "1",
        "x",
        "true",
        "null",
        "",
        "{}",
        "{a,b}",
        "{a,null,1}",
        "1.5",
        "007",
        "a\\,b",
        "x,b=2",
        "a=b",
        "{x},a.c=1",
        "[1]",
        "-1",
        "{a,{b},c}",
        "\\{a\\}",
        "9223372036854775808",
        "{a,},b=1",
        "null,a=null",
    ];
    const JSON: &[&str] = &[
        "1",
        "null",
        "{}",
        "{\"a\": null}",
        "[1,null]",
        "\"x\"",
        "{\"on\": false, \"b\": {\"c\": 1}}",
        "true",
        "1.50",
        "[]",
    ];
    let mut path = String::new();
    for index in 0..1 + dice.below(3) {
        if index > 0 {
            path.push('.');
        }
        path.push_str(&one(dice, KEYS).replace('.', "\\."));
        while dice.below(16) == 0 {
            let _ = write!(path, "[{}]", dice.below(3));
        }
    }
    if is_json && dice.below(20) == 0 {
        return Value::string(one(
            dice,
            &["{\"a\": {\"b\": null}, \"s\": {\"on\": true}}", "{}", "{\"global\": {\"x\": 1}}"],
        ));
    }
    Value::string(format!("{path}={}", one(dice, if is_json { JSON } else { VALUES })))
}
