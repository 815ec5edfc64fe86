//! Random charts with schemas and values: what is checked, and how the errors read.

use fuzzing::mutate::Dice;
use gostd::{Map, Value};

use super::{grammar, put, yaml};

/// The files of a chart, whose subchart may have a schema too, and the settings it is rendered with.
pub(super) fn case(dice: &mut Dice) -> Map {
    let files = Map::new();
    chart(dice, "", "p", &files);
    if dice.below(3) == 0 {
        chart(dice, "charts/sub/", "sub", &files);
    }
    let case = Map::new();
    if dice.below(3) == 0 {
        let settings = (0..1 + dice.below(2)).map(|_| Value::string(grammar::text(dice, 'M'))).collect();
        put(&case, "setJSON", Value::list(settings));
    }
    put(&case, "files", Value::Map(files));
    case
}

fn chart(dice: &mut Dice, at: &str, name: &str, files: &Map) {
    let add = |path: &str, text: String| put(files, format!("{at}{path}"), Value::string(text));
    add("Chart.yaml", format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n"));
    add("templates/t.yaml", "v: {{ toJson .Values }}\n".to_owned());
    if dice.below(8) > 0 {
        let values = if dice.below(2) == 0 { yaml::values(dice, 0) } else { grammar::text(dice, 'D') };
        add("values.yaml", values);
    }
    if dice.below(8) > 0 {
        add("values.schema.json", grammar::text(dice, 'S'));
    }
}
