//! What the Kubernetes client asks of the crate of this name: kubeconfigs and the answers of credential plugins, read from
//! YAML. It takes that crate's place, so that the program has one YAML reader and not two: the other one is a megabyte.

use serde::de::DeserializeOwned;

/// Why a text could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no YAML.
    #[error(transparent)]
    Syntax(#[from] goyaml::LoadError),
    /// It has values that JSON does not know.
    #[error(transparent)]
    Values(#[from] gostd::json::EncodeError),
    /// It is not what was expected.
    #[error(transparent)]
    Shape(#[from] serde_json::Error),
}

/// Reads the documents of a text that have content.
///
/// # Errors
/// With the first document that is no YAML, or not of the type.
pub fn from_multiple<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, Error> {
    let mut documents = vec![String::new()];
    for line in text.lines() {
        if line == "---" || line.starts_with("--- ") {
            documents.push(String::new());
        } else if let Some(last) = documents.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    let documents = documents.iter().map(|document| document_from(document.as_bytes()));
    documents.filter_map(Result::transpose).collect()
}

/// Reads the first document of a text.
///
/// # Errors
/// When it is no YAML, or not of the type.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    Ok(serde_json::from_slice(&json(text)?)?)
}

fn document_from<T: DeserializeOwned>(text: &[u8]) -> Result<Option<T>, Error> {
    match json(text)?.as_slice() {
        b"null" => Ok(None),
        json => Ok(Some(serde_json::from_slice(json)?)),
    }
}

fn json(text: &[u8]) -> Result<Vec<u8>, Error> {
    Ok(gostd::json::marshal(&goyaml::load(text)?, false)?)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn documents_without_content_are_left_out() {
        let read =
            from_multiple::<Value>("# a comment\n---\na: 1\n--- # next\nb: [x, \"1\"]\n---\n").unwrap();
        assert_eq!(read, [json!({"a": 1}), json!({"b": ["x", "1"]})]);
        assert!(from_multiple::<Value>("").unwrap().is_empty());
    }

    #[test]
    fn mistakes_are_told() {
        assert!(from_multiple::<Value>("a: [").unwrap_err().to_string().contains("yaml"));
        let error = from_slice::<Vec<u8>>(b"a: b").unwrap_err().to_string();
        assert!(error.contains("invalid type: map"), "{error}");
        assert_eq!(from_slice::<Value>(br#"{"kind": "ExecCredential"}"#).unwrap()["kind"], "ExecCredential");
    }
}
