//! Two states of an object → the fields in which they differ, for people to read. Secrets are never shown.

use serde_json::{Map, Value};

/// What the server keeps for itself: no difference to anybody.
const SERVERS_OWN: &[&str] =
    &["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];

/// Keys by which the members of lists are told apart, the first that all of them have.
const LIST_KEYS: &[&str] = &["name", "mountPath", "containerPort", "port", "key", "type", "ip", "uid"];

/// The longest value that is shown whole.
const LONGEST: usize = 400;

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// As `.spec.template.spec.containers[name=web].image`.
    pub(crate) path: String,
    /// `None` if it is not there.
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// Lists the fields in which two states of an object differ; null stands for an object that is not there.
pub(crate) fn fields(before: &Value, after: &Value) -> Vec<Field> {
    let is_secret = [before, after].iter().any(|object| {
        object.get("kind").is_some_and(|kind| kind == "Secret")
            && object.get("apiVersion").is_some_and(|version| version == "v1")
    });
    let (before, after) = (comparable(before), comparable(after));
    let mut found = Vec::new();
    for key in keys(&before, &after) {
        let (old, new) = (before.get(key), after.get(key));
        let masked = is_secret && matches!(key.as_str(), "data" | "stringData");
        compare(&format!(".{}", quoted(key)), old, new, masked, &mut found);
    }
    found
}

/// An object without what only the server says.
fn comparable(object: &Value) -> Map<String, Value> {
    let mut object = object.as_object().cloned().unwrap_or_default();
    object.remove("status");
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|key, _| !SERVERS_OWN.contains(&key.as_str()));
    }
    object
}

/// The keys of both, sorted, each once.
fn keys<'a>(before: &'a Map<String, Value>, after: &'a Map<String, Value>) -> Vec<&'a String> {
    let mut keys: Vec<_> = before.keys().chain(after.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn compare(path: &str, before: Option<&Value>, after: Option<&Value>, masked: bool, found: &mut Vec<Field>) {
    if before == after {
        return;
    }
    let empty = Map::new();
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            inside(path, before, after, masked, found);
        }
        (None, Some(Value::Object(after))) if !after.is_empty() => inside(path, &empty, after, masked, found),
        (Some(Value::Object(before)), None) if !before.is_empty() => {
            inside(path, before, &empty, masked, found)
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => lists(path, before, after, masked, found),
        (None, Some(Value::Array(after))) if !after.is_empty() => lists(path, &[], after, masked, found),
        (Some(Value::Array(before)), None) if !before.is_empty() => lists(path, before, &[], masked, found),
        (before, after) => {
            let show =
                |value: Option<&Value>| value.map(|value| if masked { mask(value) } else { shown(value) });
            found.push(Field { path: path.to_owned(), before: show(before), after: show(after) });
        }
    }
}

fn inside(
    path: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    masked: bool,
    found: &mut Vec<Field>,
) {
    for key in keys(before, after) {
        compare(&format!("{path}.{}", quoted(key)), before.get(key), after.get(key), masked, found);
    }
}

fn lists(path: &str, before: &[Value], after: &[Value], masked: bool, found: &mut Vec<Field>) {
    let Some(key) = list_key(before, after) else {
        for index in 0..before.len().max(after.len()) {
            compare(&format!("{path}[{index}]"), before.get(index), after.get(index), masked, found);
        }
        return;
    };
    let name = |item: &Value| item.get(key).map(shown).unwrap_or_default();
    for old in before {
        let new = after.iter().find(|new| name(new) == name(old));
        compare(&format!("{path}[{key}={}]", name(old)), Some(old), new, masked, found);
    }
    for new in after.iter().filter(|new| !before.iter().any(|old| name(old) == name(new))) {
        compare(&format!("{path}[{key}={}]", name(new)), None, Some(new), masked, found);
    }
}

/// The key that tells the members of both lists apart.
fn list_key(before: &[Value], after: &[Value]) -> Option<&'static str> {
    LIST_KEYS.iter().copied().find(|key| {
        [before, after].iter().all(|list| {
            let mut names: Vec<_> = list.iter().map(|item| item.get(key).map(shown)).collect();
            names.sort_unstable();
            let distinct = names.windows(2).all(|pair| pair.first() != pair.last());
            distinct && names.iter().all(Option::is_some)
        })
    })
}

/// A key as it stands in a path.
fn quoted(key: &str) -> String {
    let plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if plain { key.to_owned() } else { format!("[{key:?}]") }
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) if is_plain(text) => text.clone(),
        other => other.to_string(),
    };
    if text.len() <= LONGEST {
        return text;
    }
    let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    format!("{} [{} more bytes]", text.get(..end).unwrap_or_default(), text.len() - end)
}

/// Whether a text can be taken for nothing else and fits in a line.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(char::is_control)
        && text.trim() == text
        && serde_json::from_str::<Value>(text).is_err()
}

/// What is shown in place of a secret: not even its length.
fn mask(_: &Value) -> String {
    "***".to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(before: &Value, after: &Value) -> Vec<String> {
        let text = |value: Option<String>| value.unwrap_or_else(|| "-".into());
        let fields = fields(before, after).into_iter();
        fields.map(|one| format!("{} {} {}", one.path, text(one.before), text(one.after))).collect()
    }

    #[test]
    fn fields_are_compared_and_what_only_the_server_says_is_not() {
        let before = json!({"kind": "Deployment", "metadata": {"name": "a", "uid": "1", "generation": 3,
            "labels": {"app.kubernetes.io/name": "x"}}, "status": {"replicas": 1},
            "spec": {"replicas": 1, "paused": true, "containers": [
                {"name": "web", "image": "web:1"}, {"name": "log", "image": "log:1"}], "args": ["a", "b"]}});
        let after = json!({"kind": "Deployment", "metadata": {"name": "a", "uid": "2",
            "labels": {"app.kubernetes.io/name": "y"}},
            "spec": {"replicas": "1", "containers": [
                {"name": "new", "image": "new:1"}, {"name": "web", "image": "web:2"}], "args": ["a", "c", "d"]}});
        assert_eq!(
            lines(&before, &after),
            [
                ".metadata.labels.[\"app.kubernetes.io/name\"] x y",
                ".spec.args[1] b c",
                ".spec.args[2] - d",
                ".spec.containers[name=web].image web:1 web:2",
                ".spec.containers[name=log].image log:1 -",
                ".spec.containers[name=log].name log -",
                ".spec.containers[name=new].image - new:1",
                ".spec.containers[name=new].name - new",
                ".spec.paused true -",
                ".spec.replicas 1 \"1\"",
            ]
        );
        assert_eq!(lines(&before, &before), Vec::<String>::new());
    }

    #[test]
    fn an_object_that_comes_or_goes_is_told_whole() {
        let object = json!({"kind": "ConfigMap", "data": {"a": "two\nlines", "b": ""}, "empty": {}});
        assert_eq!(
            lines(&Value::Null, &object),
            [".data.a - \"two\\nlines\"", ".data.b - \"\"", ".empty - {}", ".kind - ConfigMap"]
        );
        assert_eq!(fields(&object, &Value::Null).len(), 4);
    }

    #[test]
    fn secrets_are_masked() {
        let secret =
            |value: &str| json!({"apiVersion": "v1", "kind": "Secret", "data": {"p": value}, "type": value});
        assert_eq!(lines(&secret("old"), &secret("new")), [".data.p *** ***", ".type old new"]);
        assert!(lines(&Value::Null, &secret("hidden")).contains(&".data.p - ***".to_owned()));
    }

    #[test]
    fn long_values_are_cut() {
        let value = |text: String| json!({"data": {"x": text}});
        let told = fields(&Value::Null, &value("ä".repeat(1000))).remove(0).after.unwrap();
        assert!(told.ends_with("[1600 more bytes]"), "{told}");
    }
}
