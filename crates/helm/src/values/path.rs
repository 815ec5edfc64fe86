//! Dotted paths into values (`chartutil.Values.Table` and `PathValue`).

use gostd::{Map, Value};

/// What a path does not lead to. The texts are Helm's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A part of the path is missing or no table.
    #[error("{} is not a table", quoted(.0))]
    NoTable(Vec<u8>),
    /// The last part is missing or a table.
    #[error("{} is not a value", quoted(.0))]
    NoValue(Vec<u8>),
    /// The path is empty.
    #[error("YAML path cannot be empty")]
    Empty,
}

fn quoted(key: &[u8]) -> String {
    gostd::strconv::quote(key)
}

/// Returns the table at a dotted path.
pub fn table(values: &Map, path: impl AsRef<[u8]>) -> Result<Map, PathError> {
    let mut table = values.clone();
    for key in path.as_ref().split(|byte| *byte == b'.') {
        match table.get(key) {
            Some(Value::Map(inner)) => table = inner,
            _ => return Err(PathError::NoTable(key.to_vec())),
        }
    }
    Ok(table)
}

/// Returns the value at the end of a dotted path, null included; a table is no value.
pub fn path_value(values: &Map, path: impl AsRef<[u8]>) -> Result<Value, PathError> {
    let path = path.as_ref();
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    let (parent, key) = match path.iter().rposition(|byte| *byte == b'.') {
        Some(dot) => {
            let (parent, key) =
                (path.get(..dot).unwrap_or_default(), path.get(dot + 1..).unwrap_or_default());
            (table(values, parent).map_err(|_| PathError::NoValue(key.to_vec()))?, key)
        }
        None => (values.clone(), path),
    };
    match parent.get(key) {
        Some(value) if !matches!(value, Value::Map(_)) => Ok(value),
        _ => Err(PathError::NoValue(key.to_vec())),
    }
}
