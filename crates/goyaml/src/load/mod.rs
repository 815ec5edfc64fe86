//! YAML to values, as `sigs.k8s.io/yaml` reads it: go-yaml decodes, the result becomes JSON, JSON is decoded.
//!
//! Nothing takes that detour here. A document is decoded straight into values; what would fail on the way is decoded
//! again into a [`tree`] that still knows the types JSON loses, to find the error Go reports first. And most documents
//! are written so plainly that they are read line by line ([`lines`]), without tokens, events and nodes.

mod block;
mod decoder;
mod gosyntax;
mod inline;
mod lines;
mod tree;
mod values;

use gostd::{List, Map, Value};

use crate::error::{Error, LoadError};
use crate::node::Document;
use crate::source::Source;
use decoder::{Decoder, Stop};
use tree::Tree;
use values::{Numbers, Values};

/// How deep Go's JSON decoder lets values nest.
const MAX_DEPTH: usize = 10_000;

/// Reads the first document as `sigs.k8s.io/yaml.Unmarshal` does into an `interface{}`. Numbers become `float64`, keys
/// strings; of equal keys the last counts. Without a document the result is nil.
///
/// ```
/// let value = goyaml::load(b"on: [0x1F, 1_000, 08]")?;
/// assert_eq!(format!("{value:?}"), r#"{"true": [31.0, 1000.0, 8.0]}"#);
///
/// let error = goyaml::load(b"name: {{ .Values.name }}").unwrap_err();
/// assert!(error.to_string().starts_with("error converting YAML to JSON: yaml: invalid map key: "));
/// assert_eq!(error.mark().map(|mark| mark.column), Some(7));
/// # Ok::<(), goyaml::LoadError>(())
/// ```
pub fn load(text: &[u8]) -> Result<Value, LoadError> {
    load_with(text, Numbers::Json, None)
}

/// Reads as [`load`] but keeps go-yaml's number types: `int`, `uint64` (beyond `int64` only) and `float64`, with infinities
/// and not-a-number among the latter. `sigs.k8s.io/yaml` looks at them when a number is to become a string.
pub fn load_typed(text: &[u8]) -> Result<Value, LoadError> {
    load_with(text, Numbers::Typed, None)
}

/// Reads as [`load_typed`], and of a map only the entries whose keys are wanted; the rest is checked, but takes no memory.
///
/// ```
/// let head = goyaml::load_entries(b"kind: Pod\nspec: {containers: [{name: x}]}", &|key| key == b"kind")?;
/// assert_eq!(format!("{head:?}"), r#"{"kind": "Pod"}"#);
/// # Ok::<(), goyaml::LoadError>(())
/// ```
pub fn load_entries(text: &[u8], wanted: &dyn Fn(&[u8]) -> bool) -> Result<Value, LoadError> {
    load_with(text, Numbers::Typed, Some(wanted))
}

fn load_with(
    text: &[u8],
    numbers: Numbers,
    wanted: Option<&dyn Fn(&[u8]) -> bool>,
) -> Result<Value, LoadError> {
    match lines::read(text, Values::new(numbers, wanted)) {
        Some(value) => Ok(value),
        None => scan(text, numbers, wanted),
    }
}

/// Reads any text.
fn scan(text: &[u8], numbers: Numbers, wanted: Option<&dyn Fn(&[u8]) -> bool>) -> Result<Value, LoadError> {
    let source = Source::new(text);
    let Some(document) = Document::parse(&source)? else { return Ok(Value::Nil) };
    match Decoder::new(&document, Values::new(numbers, wanted)).run() {
        Ok(value) => Ok(value),
        Err(Stop::Error(error)) => Err(error.into()),
        Err(Stop::Irregular) => load_by_tree(&document, false, numbers),
    }
}

/// Reads as [`load`] but refuses equal keys in a map (`sigs.k8s.io/yaml.UnmarshalStrict`).
pub fn load_strict(text: &[u8]) -> Result<Value, LoadError> {
    let source = Source::new(text);
    match Document::parse(&source)? {
        Some(document) => load_by_tree(&document, true, Numbers::Json),
        None => Ok(Value::Nil),
    }
}

/// Reads a map; null and an empty text give an empty one, as in a Go program that fills a map it has made.
pub fn load_map(text: &[u8]) -> Result<Map, LoadError> {
    match load(text)? {
        Value::Map(map) => Ok(map),
        Value::Nil => Ok(Map::new()),
        other => Err(LoadError::WrongType { found: json_kind(&other), wanted: "map[string]interface {}" }),
    }
}

/// Reads a list; null and an empty text give an empty one.
pub fn load_array(text: &[u8]) -> Result<List, LoadError> {
    match load(text)? {
        Value::List(list) => Ok(list),
        Value::Nil => Ok(List::any(Vec::new())),
        other => Err(LoadError::WrongType { found: json_kind(&other), wanted: "[]interface {}" }),
    }
}

fn load_by_tree(document: &Document<'_>, strict: bool, numbers: Numbers) -> Result<Value, LoadError> {
    let mut decoder = Decoder::new(document, Tree::new(strict));
    let root = match decoder.run() {
        Ok(root) => root,
        Err(Stop::Error(error)) => return Err(error.into()),
        // Trees hold whatever there is.
        Err(Stop::Irregular) => return Ok(Value::Nil),
    };
    let tree = decoder.into_builder();
    let duplicates = tree.duplicates();
    if !duplicates.is_empty() {
        return Err(Error::DuplicateKeys(duplicates.to_vec()).into());
    }
    tree.check(root, numbers)?;
    Ok(tree.into_value(numbers))
}

/// Returns what JSON calls a value.
fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Nil => "null",
        Value::Bool(_) => "bool",
        Value::String(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
        _ => "number",
    }
}

#[cfg(test)]
mod tests;
