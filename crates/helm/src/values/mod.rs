//! Values: the user's (`-f`, `--set` and its kin), the charts', and how they combine.

pub(crate) mod coalesce;
mod path;
mod set;

use gostd::value::Frozen;
use gostd::{Map, Value};

pub use path::{PathError, path_value, table};
pub use set::{parse_set, parse_set_file, parse_set_json, parse_set_literal, parse_set_string};

use crate::Error;

/// Values may nest this deep; copies recurse, and no honest chart comes near.
const DEEPEST: usize = 500;

/// The user's values as the command line gives them.
#[derive(Clone, Debug, Default)]
pub struct ValueOptions {
    /// `-f`: name or address of values files, in order.
    pub files: Vec<String>,
    /// `--set-json`.
    pub json: Vec<String>,
    /// `--set`.
    pub set: Vec<String>,
    /// `--set-string`.
    pub set_string: Vec<String>,
    /// `--set-file`.
    pub set_file: Vec<String>,
    /// `--set-literal`.
    pub set_literal: Vec<String>,
}

impl ValueOptions {
    /// Combines all sources in Helm's order of precedence; `read` fetches files by the name given.
    pub fn merge(&self, read: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Frozen, Error> {
        let mut values = Map::new();
        for name in &self.files {
            let text = read(name).map_err(Error::Values)?;
            let file = goyaml::load_map(&text).map_err(|error| Error::File {
                text: format!("failed to parse {name}: {error}"),
                name: name.clone(),
                content: text.as_slice().into(),
            })?;
            check_depth(&Value::Map(file.clone())).map_err(Error::Values)?;
            values = merge_maps(&values, &file);
        }
        for text in &self.json {
            parse_set_json(text, &values)?;
        }
        for text in &self.set {
            parse_set(text, &values)?;
        }
        for text in &self.set_string {
            parse_set_string(text, &values)?;
        }
        for text in &self.set_file {
            parse_set_file(text, &values, read)?;
        }
        for text in &self.set_literal {
            parse_set_literal(text, &values)?;
        }
        freeze(&values).map_err(Error::Values)
    }
}

/// Merges maps recursively into a new map; `over` wins (Helm's `mergeMaps`).
pub fn merge_maps(base: &Map, over: &Map) -> Map {
    let merged: Map = base.snapshot().into_iter().collect();
    for (key, value) in over.snapshot() {
        let value = match (&value, merged.get(&key)) {
            (Value::Map(over), Some(Value::Map(base))) => Value::Map(merge_maps(&base, over)),
            _ => value,
        };
        let _ = merged.insert(key, value); // Never nil: collected above.
    }
    merged
}

/// Makes values shareable, and refuses those that nest too deep to be copied safely.
pub(crate) fn freeze(map: &Map) -> Result<Frozen, String> {
    let value = Value::Map(map.clone());
    check_depth(&value)?;
    Ok(Frozen::from(&value))
}

fn check_depth(value: &Value) -> Result<(), String> {
    let mut level = vec![value.clone()];
    for _ in 0..DEEPEST {
        level = level.iter().flat_map(children).filter(Value::is_container).collect();
        if level.is_empty() {
            return Ok(());
        }
    }
    Err(format!("values nest deeper than {DEEPEST} levels"))
}

fn children(value: &Value) -> Vec<Value> {
    match value {
        Value::Map(map) => {
            map.borrow().map(|entries| entries.values().cloned().collect()).unwrap_or_default()
        }
        Value::List(list) => list.to_vec(),
        _ => Vec::new(),
    }
}
