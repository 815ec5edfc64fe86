//! `@schema` comments: JSON schema beside the value it is about.
//!
//! Two tools have made these a custom. One writes a block of YAML between two `# @schema` lines; the other writes
//! `# @schema type:[string, null];minLength:3` on one line, which may stand behind the value.

use serde_json::{Map, Value};

use crate::json::to_json;

const MARK: &str = "@schema";

/// Short names of the one-line form, and the keyword inside `items` or `additionalProperties` each stands for.
const SHORT: &[(&str, &str, &str)] = &[
    ("item", "items", "type"),
    ("itemProperties", "items", "properties"),
    ("itemEnum", "items", "enum"),
    ("itemRef", "items", "$ref"),
];

/// Splits comment lines into those that are no annotation and the annotation.
pub(super) fn take<'t>(lines: &[&'t str]) -> (Vec<&'t str>, Option<Value>) {
    let mut rest = Vec::new();
    let mut found: Option<Map<String, Value>> = None;
    // Where a block under way began.
    let mut block: Option<usize> = None;
    let inside = |start: usize, end: usize| lines.get(start + 1..end).unwrap_or_default();
    for (index, line) in lines.iter().enumerate() {
        let entries = match (line.trim().strip_prefix(MARK).map(str::trim), block) {
            (None, Some(_)) => None,
            (None, None) => {
                rest.push(*line);
                None
            }
            (Some(""), Some(start)) => {
                block = None;
                yaml_block(inside(start, index))
            }
            (Some(""), None) => {
                block = Some(index);
                None
            }
            // `@schema.root` is about the whole file.
            (Some(inline), _) if inline.starts_with('.') => None,
            (Some(inline), _) => one_line(inline),
        };
        if let Some(entries) = entries {
            found.get_or_insert_default().extend(entries);
        }
    }
    // A block that nobody closed is prose.
    rest.extend(block.map(|start| inside(start, lines.len())).unwrap_or_default());
    (rest, found.map(Value::Object))
}

fn yaml_block(lines: &[&str]) -> Option<Map<String, Value>> {
    // The comment marks leave one column of space, which YAML does not mind as long as all lines have it.
    let text = lines.join("\n");
    match yaml(&text)? {
        Value::Object(entries) => Some(entries),
        _ => None,
    }
}

/// Reads `type:[string, null];minLength:3`.
fn one_line(text: &str) -> Option<Map<String, Value>> {
    let mut entries = Map::new();
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once(':').unwrap_or((part, "true"));
        let value = match yaml(value.trim()) {
            Some(value) => value,
            None => value.trim().into(),
        };
        match SHORT.iter().find(|(short, ..)| *short == key.trim()) {
            Some((_, outer, inner)) => {
                let nested = entries.entry(*outer).or_insert_with(|| Value::Object(Map::new()));
                if let Some(nested) = nested.as_object_mut() {
                    nested.insert((*inner).to_owned(), value);
                }
            }
            None => _ = entries.insert(key.trim().to_owned(), value),
        }
    }
    (!entries.is_empty()).then_some(entries)
}

fn yaml(text: &str) -> Option<Value> {
    let value = goyaml::load(text.as_bytes()).ok()?;
    Some(to_json(&gostd::value::Frozen::from(&value)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn blocks_and_single_lines_are_read() {
        let (rest, schema) = take(&[
            " A port",
            " @schema",
            " type: [integer, \"null\"]",
            " minimum: 80",
            " @schema",
            " of it",
        ]);
        assert_eq!(rest, [" A port", " of it"]);
        assert_eq!(schema, Some(json!({"type": ["integer", "null"], "minimum": 80})));
        let (rest, schema) = take(&[" @schema enum:[a, b]; description: Which one; item: string"]);
        assert!(rest.is_empty());
        assert_eq!(
            schema,
            Some(json!({"enum": ["a", "b"], "description": "Which one", "items": {"type": "string"}}))
        );
    }

    #[test]
    fn a_block_without_end_is_prose() {
        let (rest, schema) = take(&[" @schema", " lost"]);
        assert_eq!((rest, schema), (vec![" lost"], None));
    }

    #[test]
    fn what_is_no_yaml_is_text() {
        let (_, schema) = take(&[" @schema pattern:^[a-z; title: {"]);
        assert_eq!(schema.unwrap()["pattern"], "^[a-z");
    }
}
