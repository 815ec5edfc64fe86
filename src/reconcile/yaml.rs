//! Rendered YAML → JSON, as sigs.k8s.io/yaml does it: integers stay exact.

use gostd::value::Frozen;
use serde_json::Value;

use crate::convert::to_json as frozen_to_json;

/// Reads one document; a document of only comments is null.
pub(crate) fn to_json(text: &str) -> Result<Value, String> {
    let value = goyaml::load_typed(text.as_bytes()).map_err(|error| error.to_string())?;
    Ok(frozen_to_json(&Frozen::from(&value)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::to_json;

    #[test]
    fn documents_become_json_without_loss() {
        assert_eq!(
            to_json("a: 9007199254740993\nb: 1.0\nc: yes\nd: '1'\n"),
            Ok(json!({"a": 9007199254740993_i64, "b": 1, "c": true, "d": "1"}))
        );
        assert_eq!(to_json("# nothing\n"), Ok(json!(null)));
        assert!(to_json("a: [").is_err());
    }
}
