//! A reference of all values in Markdown, from the fields the schema is made of.

use std::fmt::Write as _;

use crate::Api;
use crate::field::{Field, Others};
use crate::limits::Bound;

/// Writes a reference of a chart's values.
pub fn reference(api: &Api, title: &str, about: &str) -> String {
    let mut out = format!("# {title}\n");
    if !about.is_empty() {
        out.push_str(&format!("\n{about}\n"));
    }
    let (single, tables): (Vec<_>, Vec<_>) =
        ordered(&api.spec).into_iter().partition(|(_, field)| field.is_leaf());
    if !single.is_empty() {
        out.push_str("\n## Values\n\n");
        rows(single, "", &mut out);
    }
    for (key, field) in tables {
        out.push_str(&format!("\n## `{key}`\n\n"));
        if let Some(text) = &field.text {
            out.push_str(&format!("{text}\n\n"));
        }
        rows(ordered(field), key, &mut out);
    }
    if !api.report.folded.is_empty() {
        let folded: Vec<_> = api.report.folded.iter().map(|path| format!("`{path}`")).collect();
        out.push_str(&format!("\nNot listed, for their number: what is inside {}.\n", folded.join(", ")));
    }
    out
}

/// The fields of a map in the order of values.yaml, then by name.
fn ordered(field: &Field) -> Vec<(&str, &Field)> {
    let mut fields: Vec<_> = field.properties.iter().map(|(key, field)| (key.as_str(), field)).collect();
    fields.sort_by_key(|(key, field)| (field.order, *key));
    fields
}

fn rows(fields: Vec<(&str, &Field)>, prefix: &str, out: &mut String) {
    out.push_str("| Value | Type | Default | Description |\n| --- | --- | --- | --- |\n");
    fields.into_iter().for_each(|(key, field)| row(&join(prefix, key), field, out));
}

fn join(prefix: &str, key: &str) -> String {
    // A key with a dot would read as two.
    let key = if key.contains('.') { format!("\"{key}\"") } else { key.to_owned() };
    if prefix.is_empty() { key } else { format!("{prefix}.{key}") }
}

fn row(path: &str, field: &Field, out: &mut String) {
    let default = field.default.as_ref().map(|default| format!("`{default}`")).unwrap_or_default();
    let mut text: Vec<String> = field.text.iter().cloned().collect();
    text.extend(limits(field));
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "| {} | {} | {} | {} |",
        cell(&format!("`{path}`")),
        cell(&kind(field)),
        cell(&default),
        cell(&text.join("\n"))
    );
    ordered(field).into_iter().for_each(|(key, field)| row(&join(path, key), field, out));
    if let Some(items) = &field.items {
        ordered(items).into_iter().for_each(|(key, field)| row(&join(&format!("{path}[]"), key), field, out));
    }
}

/// Makes a text fit a cell of a table.
fn cell(text: &str) -> String {
    text.trim().replace('|', "\\|").replace('\n', "<br>")
}

fn kind(field: &Field) -> String {
    let name = field.form().name();
    match (&field.items, &field.others) {
        (Some(items), _) if name == "array" && items.is_leaf() => format!("array of {}", items.form().name()),
        (_, Others::Each(each)) if name == "object" && field.is_leaf() => {
            format!("object of {}", each.form().name())
        }
        _ => name.to_owned(),
    }
}

/// The limits in words.
fn limits(field: &Field) -> Vec<String> {
    let limits = &field.limits;
    let bound = |bound: &Bound, words: &str, strict: &str| {
        format!("{} {}.", if bound.exclusive { strict } else { words }, bound.at)
    };
    let count = |words: &str, count: u64, of: &str| format!("{words} {count} {of}.");
    let mut out = Vec::new();
    if let Some(choices) = &limits.choices {
        let choices: Vec<_> =
            choices.iter().filter(|value| !value.is_null()).map(|value| format!("`{value}`")).collect();
        out.push(format!("One of {}.", choices.join(", ")));
    }
    out.extend(limits.minimum.as_ref().map(|minimum| bound(minimum, "At least", "More than")));
    out.extend(limits.maximum.as_ref().map(|maximum| bound(maximum, "At most", "Less than")));
    out.extend(limits.patterns.iter().map(|pattern| format!("Matches `{pattern}`.")));
    let counts = [
        ("At least", limits.min_length, "characters"),
        ("At most", limits.max_length, "characters"),
        ("At least", limits.min_items, "items"),
        ("At most", limits.max_items, "items"),
    ];
    out.extend(
        counts.into_iter().filter_map(|(words, number, of)| number.map(|number| count(words, number, of))),
    );
    if !field.required.is_empty() {
        let keys: Vec<_> = field.required.iter().map(|key| format!("`{key}`")).collect();
        out.push(format!("Must have {}.", keys.join(", ")));
    }
    out
}
