//! Real charts with small changes of their files: the slips that people make, and what Helm says of them.

use std::fs;
use std::path::Path;

use fuzzing::mutate::{Dice, altered};
use gostd::{Map, Value};

use super::documents::damaged;
use super::expressions::one;
use super::overrides::Corpus;
use super::put;
use super::words::TEXTS;

/// Charts with more bytes are left alone: they take too long.
const LARGEST: u64 = 120_000;

/// The files of a chart and the switches it is rendered with.
pub(super) fn case(corpus: &Corpus, seed: u64) -> Map {
    let dice = &mut Dice::new(seed);
    let case = Map::new();
    let Some((folder, overlay)) = corpus.small_chart(dice, LARGEST) else { return case };
    let files = Map::new();
    read(&folder, "", &files);
    for _ in 0..1 + dice.below(3) {
        edit(dice, &files);
    }
    if dice.below(3) == 0
        && let Some(overlay) = overlay
    {
        let overlay = if dice.below(4) == 0 { damaged(dice, &overlay) } else { overlay };
        put(&case, "values", Value::string(overlay));
    }
    put(&case, "kubeVersion", Value::string(one(dice, &["v1.36.3", "v1.36.3", "1.28", "1.19"])));
    put(&case, "files", Value::Map(files));
    case
}

fn read(folder: &Path, at: &str, files: &Map) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = format!("{at}{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            read(&path, &format!("{name}/"), files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            put(files, name, Value::string(text));
        }
    }
}

fn edit(dice: &mut Dice, files: &Map) {
    let is_read = |name: &str| {
        name.contains("templates/")
            || ["Chart.yaml", "values.yaml", "requirements.yaml"].iter().any(|known| name.ends_with(known))
    };
    let entries = files.snapshot().into_iter();
    let known: Vec<(String, Value)> = entries
        .map(|(name, text)| (gostd::value::lossy(&name), text))
        .filter(|(name, _)| is_read(name))
        .collect();
    let Some((name, text)) = dice.pick(&known) else { return };
    let Some(text) = text.as_str().map(|text| gostd::value::lossy(text)) else { return };
    let is_template = name.contains("templates/");
    let text = match dice.below(10) {
        0 => gostd::value::lossy(&altered(text.as_bytes(), one(dice, TEXTS).as_bytes(), dice)),
        1..=3 => damaged(dice, &text),
        _ if is_template => template(dice, &text),
        _ => damaged(dice, &text),
    };
    put(files, name.as_str(), Value::string(text));
}

/// Words of templates that are taken for each other.
const WORDS: &[&str] = &[
    "quote",
    "squote",
    "toYaml",
    "toJson",
    "toString",
    "include",
    "tpl",
    "template",
    "default",
    "required",
    "nindent 4",
    "nindent 8",
    "indent 2",
    "indent 4",
    "indent 8",
    "nindent 2",
    "nindent 0",
    "trim",
    "if",
    "with",
    "range",
    "else",
    "end",
    "define",
    "and",
    "or",
    "not",
    "eq",
    "ne",
    "lt",
    "upper",
    "trunc 63",
    "b64enc",
    "int",
    "len",
    "first",
    "index",
    "dict",
    "list",
    ".",
    "$",
    ".Values",
    "$.Values",
    ".Release.Name",
    ".Chart.Name",
    ".Values.global",
    "hasKey",
    "ternary",
    "printf",
    "merge",
    "fromYaml",
    "keys",
    "toYaml .",
    ". }}",
    "else if",
];
/// What is put before the end of an action.
const PIPES: &[&str] = &[
    " | quote",
    " | toYaml",
    " | nindent 4",
    " | indent 2",
    " | toJson",
    " | default \"x\"",
    " | trim",
    " | upper",
    " | int",
    " | b64enc",
    " .",
    " | toString",
    " | first",
    " | keys",
    " | fromYaml",
    " | len",
    " | required \"r\"",
    " | replace \".\" \"-\"",
    " | trunc 5",
    " | not",
    " | tpl",
    ".x",
    " | squote",
    " | toYaml | nindent 8",
    " | mustToJson",
    " | sha256sum",
    " | splitList \".\"",
    " | join \",\"",
    " | lower",
    " -",
    "-",
];

/// Changes one place of a template.
fn template(dice: &mut Dice, text: &str) -> String {
    let places = |part: &str| text.match_indices(part).map(|(place, _)| place).collect::<Vec<usize>>();
    let splice = |place: usize, length: usize, with: &str| {
        let (before, after) =
            (text.get(..place).unwrap_or_default(), text.get(place + length..).unwrap_or_default());
        format!("{before}{with}{after}")
    };
    let (from, to) = one(
        dice,
        &[
            ("{{-", "{{"),
            ("{{ ", "{{- "),
            ("-}}", "}}"),
            (" }}", " -}}"),
            (" }}", "@"),
            (" }}", "@"),
            (" }}", "@"),
            ("\n", ""),
            ("\n", "\n\n"),
            ("\n", "\r\n"),
            ("\n", "\n---\n"),
            ("\n  ", "\n"),
            ("\n", "\n  "),
            (": ", ":"),
            (": ", ": \""),
            ("\"", ""),
            ("\"", "'"),
            (".Values.", ".Values."),
            (".Values.", ".Values.x."),
            (".Values.", ".values."),
            (".Values.", "$.Values."),
            ("{{", "{"),
            ("}}", "}"),
            ("(", ""),
            (")", ""),
            (" | ", " "),
            (" ", "\t"),
            (".", ".x."),
            ("end", "end }}{{ end"),
            ("{{", "{{/*"),
            ("*/", ""),
            (" . ", " $ "),
            ("- ", "-"),
            ("\n", "\n# c {{ .Values }}\n"),
            ("?", "#"),
            ("word", "@word"),
        ],
    );
    if from == "word" {
        let found: Vec<(usize, &&str)> =
            WORDS.iter().flat_map(|word| places(word).into_iter().map(move |place| (place, word))).collect();
        let Some((place, word)) = dice.pick(&found) else { return text.to_owned() };
        return splice(*place, word.len(), one(dice, WORDS));
    }
    let found = places(from);
    let Some(place) = dice.pick(&found) else { return text.to_owned() };
    match to {
        "@" => splice(*place, 0, one(dice, PIPES)),
        to => splice(*place, from.len(), to),
    }
}
