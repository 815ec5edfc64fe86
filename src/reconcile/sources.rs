//! Where a resource's values come from: its spec, and over it what the operator's configuration says.

use serde_json::Value;

use super::Controller;
use super::error::Error;
use super::values::{Values, ValuesError, at_path, values};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::references::Missing;
use crate::convert::yaml_to_json;
use crate::discretion::Secrets;
use crate::settings::{Holder, ValuesFrom};

/// The most values of a configuration that are told one by one.
const MOST_TOLD: usize = 50;

impl Controller {
    /// The values of a resource.
    pub(crate) fn values(&self, instance: &Instance) -> Result<Values, Error> {
        let mut layers = Vec::new();
        for one in &self.watch.values_from {
            layers.extend(self.layer(instance, one)?);
        }
        if !self.watch.values.is_null() {
            layers.push(self.watch.values.clone());
        }
        Ok(values(&instance.spec, &layers, &self.watch.override_values)?)
    }

    /// The values of a resource that are taken from Secrets: nobody else is to see them.
    pub(super) fn secrets(&self, instance: &Instance) -> Secrets {
        let from = self.watch.values_from.iter().filter(|from| from.holder == Holder::Secret);
        let layers: Vec<_> = from.filter_map(|from| self.layer(instance, from).ok().flatten()).collect();
        Secrets::of(&layers)
    }

    /// What a Secret or ConfigMap says; `None` if it may be missing, and is.
    fn layer(&self, instance: &Instance, from: &ValuesFrom) -> Result<Option<Value>, ValuesError> {
        let namespace = from.namespace.as_deref().unwrap_or_else(|| self.release_namespace(&instance.key));
        let what = format!("{} {namespace}/{}", from.holder.kind(), from.name);
        let wrong = |why: &str| ValuesError::From(format!("{what}: {why}"));
        let texts = match self.references.texts(from.holder, namespace, &from.name) {
            Ok(texts) => texts,
            Err(Missing::Object) if from.optional => return Ok(None),
            Err(Missing::Object) => return Err(wrong("it does not exist")),
            Err(Missing::Unreadable(why)) => return Err(wrong(&format!("it cannot be read: {why}"))),
        };
        let text = match texts.get(&from.key) {
            Some(Some(text)) => text,
            Some(None) => return Err(wrong(&format!("its key {:?} is not UTF-8 text", from.key))),
            None if from.optional => return Ok(None),
            None => return Err(wrong(&format!("it has no key {:?}", from.key))),
        };
        if let Some(path) = &from.target {
            return Ok(Some(at_path(path, text)));
        }
        // The parser's words may show the text, which may be secret: its first line says enough.
        let parsed = yaml_to_json(text.as_bytes());
        match parsed.map_err(|_| wrong(&format!("its key {:?} is not YAML", from.key)))? {
            Value::Null => Ok(None),
            values @ Value::Object(_) => Ok(Some(values)),
            _ => Err(wrong(&format!("its key {:?} is not a mapping of values", from.key))),
        }
    }

    /// Says which values the operator's configuration sets, as helm-operator does.
    pub(super) fn tell_overrides(&self, instance: &Instance) {
        let texts = self.watch.override_values.iter().map(|(key, value)| (key.clone(), value.clone()));
        let mut typed = Vec::new();
        leaves("", &self.watch.values, &mut typed);
        typed.retain(|(path, _)| !self.watch.override_values.keys().any(|over| lies_over(over, path)));
        for (key, value) in texts.chain(typed).take(MOST_TOLD) {
            let value = if self.suppress_override_values { "****" } else { &value };
            let note = format!("Chart value {key:?} overridden to {value:?} by operator's watches.yaml");
            self.events.tell(instance, Severity::Warning, "Override", "OverrideValuesInUse", &note);
        }
    }
}

/// Whether an override takes the place of the value at a path.
fn lies_over(over: &str, path: &str) -> bool {
    path.strip_prefix(over).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The values at the ends of a tree, with their paths.
fn leaves(path: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Null if path.is_empty() => {}
        Value::Object(map) if !map.is_empty() || path.is_empty() => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leaves(&path, value, found);
            }
        }
        Value::String(text) => found.push((path.to_owned(), text.clone())),
        other => found.push((path.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_by_their_paths() {
        let mut found = Vec::new();
        leaves("", &serde_json::json!({"a": {"b": 1, "c": {}}, "d": ["x"], "e": "t"}), &mut found);
        let found: Vec<_> = found.iter().map(|(path, value)| format!("{path}={value}")).collect();
        assert_eq!(found, ["a.b=1", "a.c={}", r#"d=["x"]"#, "e=t"]);
        assert!(lies_over("a", "a") && lies_over("a.b", "a.b.c"));
        assert!(!lies_over("a.b", "a") && !lies_over("a", "ab"));
        let mut none = Vec::new();
        leaves("", &Value::Null, &mut none);
        assert!(none.is_empty());
    }
}
