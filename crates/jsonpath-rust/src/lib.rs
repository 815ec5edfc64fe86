//! What the Kubernetes client asks of the crate of this name: the token in the answer of a `cmd-path` of a kubeconfig, as
//! `{.credential.access_token}`. It takes that crate's place, which brings a parser generator and a second regular
//! expression engine for what is a walk along names.

use serde_json::Value;

/// Why a path was not followed.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is more than names and numbers, as $.a.b[0]")]
pub struct Unsupported(String);

/// Looking up values by paths.
pub trait JsonPath {
    /// Finds the value at a path of names and numbers; nothing if it leads nowhere.
    ///
    /// # Errors
    /// When the path has anything else.
    fn query(&self, path: &str) -> Result<Vec<&Value>, Unsupported>;
}

impl JsonPath for Value {
    fn query(&self, path: &str) -> Result<Vec<&Value>, Unsupported> {
        let steps = steps(path).ok_or_else(|| Unsupported(path.to_owned()))?;
        let step = |value: &'_ Value, step: &str| match value {
            Value::Array(_) => format!("/{step}"),
            _ => format!("/{}", step.replace('~', "~0").replace('/', "~1")),
        };
        let found = steps.iter().try_fold(self, |value, name| value.pointer(&step(value, name)));
        Ok(found.into_iter().collect())
    }
}

/// Takes a path apart; `None` if it is not of the form that is understood.
fn steps(path: &str) -> Option<Vec<&str>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(name) = rest.strip_prefix('.') {
            name.split_at(name.find(['.', '[']).unwrap_or(name.len()))
        } else {
            rest.strip_prefix('[')?.split_once(']')?
        };
        let quoted = |quote| step.strip_prefix(quote).and_then(|step| step.strip_suffix(quote));
        let step = quoted('\'').or_else(|| quoted('"')).unwrap_or(step);
        if step.is_empty() || step.contains(['*', '?', '(', '@', ':', ',', '\'', '"']) {
            return None;
        }
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_numbers_are_followed() {
        let answer = json!({"credential": {"access_token": "t", "all": ["x", "y"]}, "a/b": 1});
        let at = |path: &str| answer.query(path).unwrap().into_iter().next();
        assert_eq!(at("$.credential.access_token"), Some(&json!("t")));
        assert_eq!(at("$['credential'].all[1]"), Some(&json!("y")));
        assert_eq!(at("$[\"a/b\"]"), Some(&json!(1)));
        assert_eq!(at("$.credential.none.deeper"), None);
        assert_eq!(at("$"), Some(&answer));
    }

    #[test]
    fn everything_else_is_refused() {
        for path in ["", "a.b", "$..a", "$.a[*]", "$.a[?(@.b)]", "$.a[0:2]", "$.", "$[", "$[0]x"] {
            assert!(json!({}).query(path).is_err(), "{path}");
        }
    }
}
