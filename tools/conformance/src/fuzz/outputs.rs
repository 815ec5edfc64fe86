//! Random charts without templates to speak of: which files a chart has, and what becomes of the documents in them.

use std::fmt::Write;

use fuzzing::mutate::Dice;
use gostd::{Map, Value};

use super::expressions::one;
use super::put;
use super::words::{HOOKS, KINDS};

/// Names of files and folders, as patterns may speak of them.
const NAMES: &[&str] = &[
    "a.yaml",
    "b.yml",
    "A.yaml",
    "_p.yaml",
    "_h.tpl",
    ".hidden.yaml",
    "NOTES.txt",
    "xNOTES.txt",
    "notes.txt",
    "c.txt",
    "dd",
    "e.json",
    "README.md",
    "x y.yaml",
    "é.yaml",
    "script.sh",
    "a.bak",
    "values.yaml",
    "Chart.yaml",
    "[x].yaml",
    "a-b.yaml",
    "a.b.yaml",
    "{x}.yaml",
    "empty.yaml",
    "a*.yaml",
    "-.yaml",
    "templates.yaml",
];
const FOLDERS: &[&str] = &[
    "",
    "",
    "",
    "sub/",
    "sub/deep/",
    "_d/",
    ".d/",
    "tests/",
    "charts/",
    "templates/",
    "é/",
    "a b/",
    "files/",
];
const IGNORED: &[&str] = &[
    "*.yaml",
    "a.yaml",
    "/a.yaml",
    "sub/",
    "sub",
    "/sub",
    "sub/*",
    "templates/*.yml",
    "templates/sub/",
    "!a.yaml",
    "!*",
    "*.bak",
    "# comment",
    "  *.txt  ",
    "",
    "?.yaml",
    "[ab].yaml",
    "[^a]*.yaml",
    "*",
    "/",
    "charts/",
    "*.tpl",
    "templates/_*",
    "\\!a.yaml",
    "\\#x",
    "files/",
    "/files/*.txt",
    "*/c.txt",
    "d/",
    "d",
    "**",
    "a**",
    "[a",
    "./a.yaml",
    "é*",
    "README.md",
    "values.yaml",
    "Chart.yaml",
    "crds/",
    ".*",
    "templates",
    "/templates/a.yaml",
    "s/",
    "!sub/",
    "tests/",
    "\\",
    "[]a]",
    "[a-]",
    "[\\]]",
    "a b",
    "/*/c.txt",
    "*[!a]",
    "x/../a.yaml",
];
const GLOBS: &[&str] = &[
    "*",
    "**",
    "files/*",
    "files/**",
    "**/*.txt",
    "*.yaml",
    "**.yaml",
    "{a,b}.y*ml",
    "[a-c]*",
    "[!a]*",
    "files/sub/?.txt",
    "sub/**",
    "**/c.txt",
    "*/*",
    "{files,sub}/*",
    "files/{a,b,c}.*",
    "\\*",
    "c.txt",
    "/c.txt",
    "./c.txt",
    "files/",
    "",
    "*.{txt,json}",
    "**/{c,d}*",
    "?.txt",
    "files/**/c.txt",
    "[[]*",
    "[a",
    "{a",
    "a}",
    "{a,{b,c}}.*",
    "{,files/}c.txt",
];
/// What shows the files of a chart.
const PROBES: &[&str] = &[
    "{{ range $p, $_ := .Files }}{{ $p }};{{ end }}",
    "{{ .Files | len }}",
    "{{ (.Files.Glob \"@\").AsConfig | toJson }}",
    "{{ (.Files.Glob \"@\").AsSecrets | toJson }}",
    "{{ range $p, $b := .Files.Glob \"@\" }}{{ $p }}={{ len $b }};{{ end }}",
    "{{ .Files.Lines \"files/c.txt\" | toJson }}",
    "{{ .Files.Get \"c.txt\" | toJson }}",
    "{{ .Files.GetBytes \"c.txt\" | toJson }}",
    "{{ .Files.Get \"README.md\" | quote }}",
    "{{ .Files.Get \"templates/a.yaml\" | quote }}",
    "{{ .Files.AsConfig | quote }}",
    "{{ (.Files.Glob \"@\") | toJson }}",
    "{{ .Files.Get \"values.yaml\" | quote }}",
    "{{ .Files.Get \"./c.txt\" | quote }}",
    "{{ .Template.Name }} {{ .Template.BasePath }}",
    "{{ range $n, $s := .Subcharts }}{{ $n }}{{ len $s.Files }}{{ end }}",
];
const TEXTS: &[&str] =
    &["", "one\ntwo\n", "one\ntwo", "\n", "a\r\nb\r\n", "x: 1\n", "\u{feff}bom\n", "é\n\n\n", " "];
const LINES: &[&str] = &[
    "---\n",
    "---\n",
    "---\n",
    "--- \n",
    "---\t\n",
    "\n---\n",
    "---\n---\n",
    "---\n\n---\n",
    "--- # c\n",
    "---x: 1\n",
    " ---\n",
    "...\n",
    "...\n---\n",
    "# only a comment\n",
    "\n\n",
    "---\r\n",
    "----\n",
    "---|\n",
    "---\n# c\n---\n",
    "%YAML 1.1\n---\n",
    "\t\n",
    "{{- \"---\\n\" }}",
    "{{ \"\\n---\" }}\n",
    "--- {a: b}\n",
    "---\u{a0}\n",
    "---\u{c}\n",
    "\u{b}\n---\n",
    "  \n---\n",
    "---\n  ---\n",
];
const BODIES: &[&str] = &[
    "x: 1\n",
    "- a\n",
    "text\n",
    "{a: 1\n",
    "null\n",
    "a: |\n  ---\n  x\n",
    "a: \"\n---\n\"\n",
    "# c\nb: 1 # d\n",
    "a: 1\na: 2\n",
    "&x a: *x\n",
    "metadata: x\n",
    "metadata: {name: 1, annotations: null}\n",
    "kind: 5\n",
    "kind: [a]\n",
    "apiVersion: 1.5\nkind: true\n",
    "metadata: null\nkind: Pod\n",
    "KIND: Pod\n",
    "kind: Pod\nKind: Job\n",
    "metadata: {annotations: {a: 1, b: true, c: null}}\n",
    "metadata: {annotations: [a]}\n",
    "metadata: {annotations: {a: {b: c}}}\n",
    "kind: List\nitems:\n- kind: Pod\n",
    "? a\n: b\n",
    "metadata: {name: [x]}\n",
    "metadata: {annotations: x}\n",
    "kind: null\n",
    "1: 2\n",
    "a: !!binary x\n",
    "\"kind\": \"Role\"\n",
    "kind: Pod\nmetadata:\n  name: &n x\n  labels: {a: *n}\n",
    "kind: pod\n",
    "kind: \" Pod\"\n",
    "a: b: c\n",
    "\tx: 1\n",
    "a:\n\tb\n",
    "kind: Pod\nspec: {<<: {a: 1}}\n",
    "!x {kind: Pod}\n",
    "kind: !!str Pod\n",
    "kind: >-\n  Pod\n",
];

/// The files of a chart and the switches it is rendered with.
pub(super) fn case(dice: &mut Dice) -> Map {
    let files = Map::new();
    chart(dice, "", "p", &files);
    let case = Map::new();
    for (key, rarity) in [("includeCRDs", 3), ("skipTests", 6), ("noHooks", 8), ("isUpgrade", 8)] {
        if dice.below(rarity) == 0 {
            put(&case, key, Value::Bool(true));
        }
    }
    if dice.below(6) == 0 {
        let name = path(dice, "templates/");
        let patterns = [
            name.as_str(),
            "templates/*",
            "templates/*.yaml",
            "templates/**",
            "templates/*/*",
            "templates/[a-b].y*",
            "*",
            "crds/*",
            "charts/s/templates/*",
            "charts/*/*/*",
            "templates/a.yaml",
            "templates/[",
            "templates/a\\.yaml",
            "p/templates/a.yaml",
            "",
            "templates/?.yaml",
        ];
        let patterns = (0..1 + dice.below(2)).map(|_| Value::string(one(dice, &patterns))).collect();
        put(&case, "showOnly", Value::list(patterns));
    }
    put(&case, "files", Value::Map(files));
    case
}

fn add(files: &Map, path: String, text: impl Into<String>) {
    put(files, path, Value::string(text.into()));
}

fn path(dice: &mut Dice, at: &str) -> String {
    format!("{at}{}{}", one(dice, FOLDERS), one(dice, NAMES))
}

fn chart(dice: &mut Dice, at: &str, name: &str, files: &Map) {
    for _ in 0..1 + dice.below(4) {
        let text = documents(dice);
        add(files, path(dice, &format!("{at}templates/")), text);
    }
    if dice.below(2) == 0 {
        for _ in 0..1 + dice.below(6) {
            let path =
                format!("{at}{}{}", one(dice, &["", "files/", "files/sub/", "sub/"]), one(dice, NAMES));
            add(files, path, one(dice, TEXTS));
        }
        let mut probe = String::new();
        for index in 0..1 + dice.below(4) {
            let shown = one(dice, PROBES).replace('@', one(dice, GLOBS)).replace("\"\\*", "\"\\\\*");
            let _ = writeln!(probe, "k{index}: '{shown}'");
        }
        add(files, format!("{at}templates/a.yaml"), probe);
    }
    if at.is_empty() && dice.below(4) == 0 {
        let rules: Vec<&str> = (0..1 + dice.below(4)).map(|_| one(dice, IGNORED)).collect();
        let text = rules.join(one(dice, &["\n", "\n", "\r\n"]));
        add(
            files,
            ".helmignore".to_owned(),
            if dice.below(10) == 0 { format!("\u{feff}{text}") } else { text },
        );
    }
    for _ in 0..one(dice, &[0, 0, 0, 1, 2]) {
        let path = format!("{at}crds/{}{}", one(dice, &["", "", "d/"]), one(dice, NAMES));
        add(files, path, documents(dice));
    }
    if at.is_empty() && dice.below(3) == 0 {
        let folder = one(dice, &["s", "s", "other", "_s", ".s", "s.tgz.prov", "é"]);
        chart(dice, &format!("charts/{folder}/"), "s", files);
    }
    // The last word about these has who writes last.
    add(files, format!("{at}Chart.yaml"), format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n"));
    if files.contains_key(format!("{at}values.yaml").as_str()) {
        add(files, format!("{at}values.yaml"), "a: 1\n");
    }
}

fn documents(dice: &mut Dice) -> String {
    let mut text = String::new();
    for index in 0..dice.below(5) {
        if index > 0 || dice.below(3) == 0 {
            text.push_str(one(dice, LINES));
        }
        match dice.below(8) {
            0 => text.push_str(one(dice, BODIES)),
            1 => text.push_str(one(dice, LINES)),
            _ => object(dice, &mut text),
        }
    }
    match dice.below(24) {
        0 => text.replace('\n', "\r\n"),
        1 => format!("\u{feff}{text}"),
        2 => text.trim_end().to_owned(),
        _ => text,
    }
}

fn object(dice: &mut Dice, text: &mut String) {
    if dice.below(5) == 0 {
        text.push_str(one(
            dice,
            &["# comment\n", "\n", "# Source: p/templates/other.yaml\n", "  \n", "#\n\n# x\n"],
        ));
    }
    let kind = one(dice, KINDS);
    let _ = writeln!(
        text,
        "apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {}",
        one(dice, &["b", "a", "c", "\"1\"", "x-y"])
    );
    if dice.below(3) == 0 {
        text.push_str("  annotations:\n");
        let mut annotation = |rarity: usize, key: &str, values: &[&str]| {
            if dice.below(rarity) == 0 {
                let _ = writeln!(text, "    {key}: {}", one(dice, values));
            }
        };
        let hooks: Vec<String> = HOOKS.iter().map(|hook| format!("\"{hook}\"")).collect();
        let mut hooks: Vec<&str> = hooks.iter().map(String::as_str).collect();
        hooks.extend([
            "test",
            "true",
            "1",
            "[test]",
            "null",
            "post-install",
            "pre-delete,test",
            "test, nonsense",
            "\" test \"",
            "TEST",
            "\",test\"",
        ]);
        annotation(1, "helm.sh/hook", &hooks);
        let weights = [
            "\"5\"",
            "\"-3\"",
            "5",
            "-1",
            "1.5",
            "x",
            "\"007\"",
            "\" 1\"",
            "0x1",
            "true",
            "\"99999999999999999999\"",
            "1e3",
            "null",
        ];
        annotation(3, "helm.sh/hook-weight", &weights);
        let policies = [
            "hook-succeeded",
            "\"before-hook-creation, hook-failed\"",
            "nonsense",
            "\"\"",
            "[a]",
            "1",
            "HOOK-FAILED",
        ];
        annotation(3, "helm.sh/hook-delete-policy", &policies);
        annotation(6, "helm.sh/hook-output-log-policy", &policies);
        annotation(6, "helm.sh/resource-policy", &["keep", "\"\"", "1"]);
        annotation(4, "other", &["x", "1", "true", "null", "1.50", "{a: b}", "2024-01-02", "1e400"]);
    }
    if dice.below(3) == 0 {
        text.push_str(one(
            dice,
            &[
                "data: {a: |-\n    x\n}\n",
                "data:\n  a: |\n    x\n\n    y\n",
                "spec: {}\n\n\n",
                "x: \"a\\tb\"\n",
                "data:\n  k: {{ 1 }}\n   \n",
            ],
        ));
    }
}
