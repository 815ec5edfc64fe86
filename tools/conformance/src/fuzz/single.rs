//! Random templates that stand alone: functions with arguments of all kinds.

use fuzzing::mutate::{Dice, altered};
use gostd::{Map, Value};

use super::expressions::{Expressions, Kind, one};
use super::words::TEXTS;
use super::{grammar, put, templates, yaml};

const ALL: &[Kind] = &[
    Kind::Text,
    Kind::Text,
    Kind::Text,
    Kind::Other,
    Kind::Int,
    Kind::Float,
    Kind::Truth,
    Kind::Truth,
    Kind::Dict,
    Kind::List,
    Kind::Texts,
];
const HELPERS: &str = "{{ define \"c.echo\" }}{{ . }}{{ end }}{{ define \"c.yaml\" }}{{ toYaml . }}{{ end }}\
    {{ define \"c.loop\" }}{{ range $k, $v := . }}{{ $k }}={{ $v }};{{ end }}{{ end }}\
    {{ define \"c.dict\" }}{{ .key }}: {{ .value }}{{ end }}\
    {{ define \"c.name\" }}{{ .Chart.Name }}{{ end }}{{ define \"c.labels\" }}{{ .Release.Name }}{{ end }}";

/// A template of one action or a few, with values.
pub(crate) fn case(dice: &mut Dice) -> Map {
    let wrong = one(dice, &[0, 10, 50, 150, 400]);
    let values = goyaml::load_map(yaml::values(dice, wrong).as_bytes()).unwrap_or_default();
    let mut text = action(dice, wrong);
    if text.contains("\"c.") {
        text.insert_str(0, HELPERS);
    }
    if dice.below(30) == 0 {
        let other = one(dice, TEXTS);
        text = gostd::value::lossy(&altered(text.as_bytes(), other.as_bytes(), dice));
    }
    let case = Map::new();
    if text.contains(".Files") && dice.below(2) == 0 {
        let files = Map::new();
        put(&files, "files/a.txt", Value::string(one(dice, TEXTS)));
        put(&files, "files/b.yaml", Value::string("x: 1\ny: [2]\n"));
        put(&case, "files", Value::Map(files));
    }
    put(&case, "template", Value::string(text));
    put(&case, "values", Value::Map(values));
    case
}

fn action(dice: &mut Dice, wrong: usize) -> String {
    let form = dice.below(15);
    match form {
        0 => return templates::template(dice, "c", wrong),
        12..=14 => return grammar::text(dice, '#'),
        _ => {}
    }
    let depth = one(dice, &[0, 0, 1, 1, 2]);
    let kind = one(dice, ALL);
    let mut expressions =
        Expressions { dice, wrong, variables: Vec::new(), blocks: "b".to_owned(), nested: 0 };
    let call = expressions.call(kind, depth);
    match form {
        1 => format!("{{{{ {call} | toJson }}}}"),
        2 => format!("{{{{ {call} | quote }}}}"),
        3 => format!("{{{{ {call} | toYaml }}}}"),
        4 => format!("{{{{ typeOf ({call}) }}}} {{{{ kindOf ({call}) }}}}"),
        5 => format!(
            "{{{{ range $i, $e := {call} }}}}{{{{ $i }}}}:{{{{ $e }}}};{{{{ else }}}}none{{{{ end }}}}"
        ),
        6 => {
            let again = expressions.call(kind, 0);
            format!(
                "{{{{ $x := {call} }}}}{{{{ if $x }}}}{{{{ $x }}}}{{{{ else }}}}{{{{ {again} }}}}{{{{ end }}}}"
            )
        }
        7 => format!("{{{{ printf {} ({call}) }}}}", expressions.format()),
        _ => format!("{{{{ {call} }}}}"),
    }
}
