//! A custom resource as written in a file.

use std::path::Path;

use serde_json::Value;

use super::CliError;
use crate::convert::yaml_to_json;

/// One custom resource, read from YAML or JSON.
pub(super) struct ResourceFile {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) json: Value,
}

impl ResourceFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is not YAML, or names no resource; every message says which file.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let text = std::fs::read(path).map_err(|error| CliError::Read { path: path.to_owned(), error })?;
        let json = yaml_to_json(&text).map_err(|reason| unusable(path, &reason))?;
        let name = field(&json, "/metadata/name").ok_or_else(|| unusable(path, "it has no metadata.name"))?;
        Ok(Self { name, namespace: field(&json, "/metadata/namespace"), json })
    }

    /// Returns a field at the top.
    ///
    /// # Errors
    /// When it is missing, or no text.
    pub(super) fn needed(&self, path: &Path, name: &str) -> Result<String, CliError> {
        field(&self.json, &format!("/{name}")).ok_or_else(|| unusable(path, &format!("it has no {name}")))
    }
}

/// Says what is wrong with a file.
pub(super) fn unusable(path: &Path, reason: &str) -> CliError {
    CliError::Usage(format!("cannot use {}: {reason}", path.display()))
}

fn field(json: &Value, pointer: &str) -> Option<String> {
    json.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
}
