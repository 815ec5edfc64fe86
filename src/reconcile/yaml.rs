//! Rendered YAML → JSON, as sigs.k8s.io/yaml does it: integers stay exact.

use std::borrow::Cow;

use gostd::value::Frozen;
use serde_json::Value;

use crate::convert::to_json as frozen_to_json;

/// Reads one document; a document of only comments is null. Its last line ends, whether or not it is written: Kubernetes'
/// reader (apimachinery's `LineReader`) ends each, and a text of several lines in the last place keeps its end by that.
pub(crate) fn to_json(text: &str) -> Result<Value, String> {
    let text = if text.ends_with('\n') { Cow::Borrowed(text) } else { Cow::Owned(format!("{text}\n")) };
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
        for text in ["a: |\n  b", "a: |\n  b\n", "a: |+\n  b", "a: >\n  b"] {
            assert_eq!(to_json(text), Ok(json!({"a": "b\n"})), "{text:?}");
        }
        assert_eq!(to_json("a: |-\n  b"), Ok(json!({"a": "b"})));
    }
}
