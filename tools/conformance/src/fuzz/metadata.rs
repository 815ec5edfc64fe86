//! Random Chart.yaml files: what of them is refused, and what templates see of the rest and of their surroundings.

use std::fmt::Write;

use fuzzing::mutate::Dice;
use gostd::{Map, Value};

use super::expressions::one;
use super::{grammar, put};

/// Fields with values that are mostly fine.
const FIELDS: &[(&str, &[&str])] = &[
    ("apiVersion", &["v2", "v1", "v3", "\"\"", "2", "null", "V2"]),
    (
        "name",
        &[
            "p",
            "P",
            "p.q",
            "a b",
            "\"\"",
            "5",
            "true",
            "null",
            "a/b",
            ".",
            "..",
            "é",
            "\"a\\tb\"",
            "\"a\\u200bb\"",
            "[a]",
            "~",
        ],
    ),
    ("type", &["application", "\"\"", "library", "odd", "Application", "null", "1"]),
    (
        "appVersion",
        &[
            "1.16",
            "1.10",
            "\"1.10\"",
            "0x10",
            "1e3",
            "v1",
            "null",
            "true",
            "2024-01-02",
            "[1]",
            "1.0000000001",
            "~",
            "12345678901234567890",
        ],
    ),
    (
        "description",
        &[
            "A chart",
            "\"a\\nb\"",
            ">\n  folded\n  text\n",
            "|\n  kept\n  lines\n",
            "5",
            "\"\"",
            "\"é\\u0007x\"",
            "[a]",
        ],
    ),
    ("home", &["https://x", "5", "null"]),
    ("icon", &["https://x/y.png", "\"\"", "true"]),
    ("sources", &["[https://y]", "[]", "https://y", "[1, true, null]", "null", "[\"a\\tb\"]"]),
    ("keywords", &["[a, b]", "[1, 2.50, true]", "x", "[]", "[[a]]", "[null]"]),
    (
        "maintainers",
        &[
            "[{name: M, email: m@x.y, url: https://z}]",
            "[]",
            "[null]",
            "[{}]",
            "[M]",
            "[{name: 5}]",
            "[{Name: M, EMAIL: x}]",
            "null",
            "[{name: \"a\\tb\", more: 1}]",
        ],
    ),
    (
        "annotations",
        &[
            "{a/b: c, n: \"1\"}",
            "{a: 1}",
            "{a: true, b: null}",
            "{}",
            "null",
            "[a]",
            "x",
            "{1: x}",
            "{a: {b: c}}",
        ],
    ),
    ("deprecated", &["true", "false", "yes", "\"true\"", "1", "null"]),
    ("condition", &["a", "a,b", "5", "null"]),
    ("tags", &["a", "a,b", "[a]"]),
    ("dependencies", &["[]", "null", "[null]", "[{}]", "[{name: zz}]", "x", "{}"]),
    ("engine", &["gotpl", "x"]),
    ("unknown", &["field", "[1]"]),
    ("KEYWORDS", &["[up]"]),
    ("AppVersion", &["\"9\""]),
    ("<<", &["{icon: merged}"]),
];
/// What templates see.
const SHOWN: &[&str] = &[
    ".Chart",
    "toYaml .Chart",
    ".Chart.Name",
    ".Chart.AppVersion",
    ".Chart.Description",
    ".Chart.Keywords",
    ".Chart.Maintainers",
    ".Chart.Annotations",
    ".Chart.KubeVersion",
    ".Chart.Type",
    ".Chart.Deprecated",
    ".Chart.Sources",
    ".Chart.Home",
    ".Chart.Icon",
    ".Chart.Condition",
    ".Chart.Tags",
    ".Chart.APIVersion",
    ".Chart.Dependencies",
    ".Chart.IsRoot",
    ".Chart.Version",
    "printf \"%v|%+v\" .Chart.Maintainers .Chart.Annotations",
    "printf \"%T\" .Chart",
    "printf \"%T %T\" .Chart.Maintainers .Chart.Metadata",
    ".Chart.Metadata",
    ".Chart.engine",
    ".Chart.Engine",
    ".Chart.name",
    ".Chart.Unknown",
    "index .Chart.Annotations \"a\"",
    ".Chart.Annotations.n",
    "kindOf .Chart",
    "typeOf .Chart.Maintainers",
    "range .Chart.Maintainers }}{{ .Name }}{{ .Email }}{{ end",
    "(first .Chart.Maintainers).Name",
    "with .Chart.AppVersion }}{{ . }}{{ else }}none{{ end",
    ".Capabilities.KubeVersion",
    ".Capabilities.KubeVersion.Major",
    ".Capabilities.KubeVersion.Minor",
    ".Capabilities.KubeVersion.GitVersion",
    ".Capabilities.KubeVersion.String",
    ".Capabilities.APIVersions | len",
    "last .Capabilities.APIVersions",
    ".Capabilities.APIVersions.Has \"x.io/v1\"",
    ".Capabilities.APIVersions.Has \"x.io/v1/Widget\"",
    ".Capabilities.HelmVersion.Version",
    ".Capabilities.HelmVersion",
    "toYaml .Capabilities.KubeVersion",
    "toJson .Capabilities.HelmVersion",
    "semverCompare \">=1.29-0\" .Capabilities.KubeVersion.Version",
    "toYaml .Release",
    ".Release.Revision",
    "typeOf .Release.Revision",
    ".Release.IsUpgrade",
    ".Release.Time",
    ".Release",
    "default .Chart.Name .Chart.AppVersion",
    "semver .Chart.Version",
    "semver .Chart.AppVersion",
    "toYaml .Template",
    "deepCopy .Chart",
    "hasKey .Release \"Name\"",
    "toJson .Chart.Metadata",
    "empty .Chart.Annotations",
    "keys .Chart.Annotations",
    "len .Chart.Keywords",
    "tpl .Chart.Description .",
];
const VERSIONS: &[&str] = &[
    "0.1.0",
    "1.2.3-rc.1+build",
    "v1.0",
    "\"1\"",
    "1.2",
    "1.10",
    "x.y",
    "\"\"",
    "null",
    "1.2.3.4",
    "01.2.3",
    "1.2.3-01",
    "5",
    "\" 1.0.0\"",
    "1.0.0+a_b",
];

/// The files of a chart and the switches it is rendered with.
pub(super) fn case(dice: &mut Dice) -> Map {
    let case = Map::new();
    let mut text = String::new();
    for (field, values) in FIELDS {
        let rarity = if ["apiVersion", "name"].contains(field) { 1 } else { 3 };
        if dice.below(rarity) == 0 {
            // The first ones are the usual ones.
            let usual = values.get(..2).unwrap_or(values);
            let from = if dice.below(6) == 0 { values } else { usual };
            let _ = writeln!(text, "{field}: {}", one(dice, from));
        }
    }
    let usual = VERSIONS.get(..6).unwrap_or(VERSIONS);
    let versions = if dice.below(6) == 0 { VERSIONS } else { usual };
    let _ = writeln!(text, "version: {}", one(dice, versions));
    if dice.below(3) == 0 {
        let constraint = if dice.below(2) == 0 {
            grammar::text(dice, 'c')
        } else {
            one(dice, &[">=1.20.0-0", ">=1.19", "^1", "*", ""]).to_owned()
        };
        let _ = writeln!(text, "kubeVersion: '{}'", constraint.replace('\'', "''"));
    }
    match dice.below(30) {
        0 => text = text.replace('\n', "\r\n"),
        1 => text.insert(0, '\u{feff}'),
        2 => text.push_str("name: again\n"),
        3 => text.insert_str(0, "---\n"),
        4 => text.push_str("---\nname: other\n"),
        5 => text.insert_str(0, "# comment\n\n"),
        _ => {}
    }
    let mut template = String::new();
    for index in 0..1 + dice.below(5) {
        let _ = writeln!(template, "k{index}: {{{{ {} }}}}", one(dice, SHOWN));
    }
    let template = template.replace("{{ ", "|\n  {{ ");
    let files = Map::new();
    put(&files, "Chart.yaml", Value::string(text));
    put(&files, "templates/t.yaml", Value::string(template));
    put(&case, "files", Value::Map(files));
    if dice.below(3) == 0 {
        let version = if dice.below(3) == 0 {
            grammar::text(dice, 'v')
        } else {
            one(dice, &["1.29.3-gke.100", "1.20", "v1.31", "1.31.2+k3s1", "v1.24.0", "1", "v2.0"]).to_owned()
        };
        put(&case, "kubeVersion", Value::string(version));
    }
    if dice.below(4) == 0 {
        let versions = ["x.io/v1", "x.io/v1/Widget", "", "a,b", "v1"];
        put(
            &case,
            "apiVersions",
            Value::list((0..1 + dice.below(2)).map(|_| Value::string(one(dice, &versions))).collect()),
        );
    }
    if dice.below(4) == 0 {
        put(&case, "namespace", Value::string(one(dice, &["ns", "other", "UPPER", "a b"])));
    }
    if dice.below(4) == 0 {
        put(&case, "isUpgrade", Value::Bool(true));
    }
    case
}
