//! Who owns which fields of an object, as `metadata.managedFields` tells. Pure.

use serde_json::{Map, Value};

use super::FIELD_MANAGER;

/// The names under which Helm, and operators around it, own what they wrote.
const FORMER: &[&str] = &["helm", "Helm", "helm3", "helm4", "helm-operator"];

/// Whether an entry is of a manager whose place we take, or of ourselves in another way than by applying.
pub(super) fn is_former(manager: &str, operation: &str, subresource: &str) -> bool {
    subresource.is_empty()
        && (FORMER.contains(&manager) || (manager == FIELD_MANAGER && operation == "Update"))
}

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    entry.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is_ours(entry: &Value) -> bool {
    text(entry, "manager") == FIELD_MANAGER
        && text(entry, "operation") == "Apply"
        && text(entry, "subresource").is_empty()
}

fn entries(object: &Value) -> &[Value] {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    entries.map_or(&[], Vec::as_slice)
}

fn is_entry_of_former(entry: &Value) -> bool {
    is_former(text(entry, "manager"), text(entry, "operation"), text(entry, "subresource"))
}

/// Whether fields of an object belong to a manager whose place we take.
pub(crate) fn has_former(object: &Value) -> bool {
    entries(object).iter().any(is_entry_of_former)
}

/// Who wrote an object, if neither we did nor anybody whose place we take.
pub(crate) fn others(object: &Value) -> Option<String> {
    let wrote = |entry: &&Value| text(entry, "subresource").is_empty();
    let mut others = Vec::new();
    for entry in entries(object).iter().filter(wrote) {
        let manager = text(entry, "manager");
        if is_ours(entry) || is_entry_of_former(entry) {
            return None;
        }
        if !others.contains(&manager) {
            others.push(manager);
        }
    }
    Some(if others.is_empty() { "somebody else".to_owned() } else { others.join(" and ") })
}

/// Makes the fields of former managers ours, as if we had applied them: what we leave out next time then goes. `None` if
/// there is nothing to move.
pub(super) fn moved(entries: &[Value]) -> Option<Vec<Value>> {
    let mut fields = Value::Object(Map::new());
    for entry in entries.iter().filter(|entry| is_entry_of_former(entry) || is_ours(entry)) {
        unite(&mut fields, entry.get("fieldsV1").unwrap_or(&Value::Null));
    }
    let first = entries
        .iter()
        .find(|entry| is_ours(entry))
        .or_else(|| entries.iter().find(|e| is_entry_of_former(e)))?;
    let mut ours = first.as_object()?.clone();
    ours.insert("manager".into(), FIELD_MANAGER.into());
    ours.insert("operation".into(), "Apply".into());
    ours.insert("fieldsV1".into(), fields);
    if !entries.iter().any(is_entry_of_former) {
        return None;
    }
    let mut moved = vec![Value::Object(ours)];
    moved.extend(entries.iter().filter(|entry| !is_entry_of_former(entry) && !is_ours(entry)).cloned());
    Some(moved)
}

/// Adds the fields of one set to another.
fn unite(into: &mut Value, more: &Value) {
    let (Some(into), Some(more)) = (into.as_object_mut(), more.as_object()) else { return };
    for (key, fields) in more {
        match into.get_mut(key) {
            Some(known) => unite(known, fields),
            None => {
                into.insert(key.clone(), fields.clone());
            }
        }
    }
}

/// The fields of a body that we apply and do not own any more: those that somebody changed or took away. At most so many.
pub(crate) fn lost(entries: &[Value], body: &Value, most: usize) -> Vec<String> {
    let owned = entries.iter().find(|entry| is_ours(entry)).and_then(|entry| entry.get("fieldsV1"));
    let mut found = Vec::new();
    let empty = Value::Object(Map::new());
    if let Some(body) = body.as_object() {
        for (key, value) in body.iter().filter(|(key, _)| !matches!(key.as_str(), "apiVersion" | "kind")) {
            match owned.unwrap_or(&empty).get(format!("f:{key}")) {
                // What names the object is nobody's.
                Some(fields) => compare(fields, value, key, &mut found, most),
                None if key == "metadata" => {}
                None => found.push(key.clone()),
            }
        }
    }
    found.truncate(most);
    found
}

fn compare(owned: &Value, value: &Value, path: &str, found: &mut Vec<String>, most: usize) {
    let Some(fields) = owned.as_object().filter(|fields| !fields.is_empty()) else { return };
    if found.len() >= most {
        return;
    }
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}.{key}");
                match fields.get(&format!("f:{key}")) {
                    Some(fields) => compare(fields, value, &path, found, most),
                    None if matches!(path.as_str(), "metadata.name" | "metadata.namespace") => {}
                    // Empty values are not stored, so nobody owns them.
                    None if is_empty(value) => {}
                    None => found.push(path),
                }
            }
        }
        Value::Array(items) => {
            let keyed: Vec<(Value, &Value)> = fields
                .iter()
                .filter_map(|(key, fields)| {
                    Some((serde_json::from_str(key.strip_prefix("k:")?).ok()?, fields))
                })
                .collect();
            if keyed.is_empty() {
                return;
            }
            for item in items {
                match keyed.iter().find(|(key, _)| has_key(item, key)) {
                    Some((key, fields)) => {
                        compare(fields, item, &format!("{path}[{}]", title(key)), found, most)
                    }
                    None => {
                        found.push(format!("{path}[{}]", item.get("name").map(plain).unwrap_or_default()))
                    }
                }
            }
        }
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether a list's entry has a key; what it leaves out has its default there.
fn has_key(item: &Value, key: &Value) -> bool {
    let Some(key) = key.as_object() else { return false };
    key.iter().all(|(name, value)| item.get(name).is_none_or(|own| own == value))
        && key.keys().any(|name| item.get(name).is_some())
}

fn title(key: &Value) -> String {
    let parts = key.as_object().into_iter().flatten().map(|(_, value)| plain(value));
    parts.collect::<Vec<_>>().join("/")
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_former_managers_become_ours() {
        let helm = json!({"manager": "helm", "operation": "Update", "apiVersion": "v1", "time": "t",
            "fieldsV1": {"f:data": {".": {}, "f:a": {}, "f:b": {}}}});
        let kubelet = json!({"manager": "kubelet", "operation": "Update", "fieldsV1": {"f:x": {}}});
        let scaler = json!({"manager": "helm", "operation": "Update", "subresource": "scale"});
        let ours = json!({"manager": "chartwright", "operation": "Apply", "apiVersion": "v1",
            "fieldsV1": {"f:data": {"f:a": {}}, "f:metadata": {}}});
        let all = json!({"f:data": {".": {}, "f:a": {}, "f:b": {}}});
        assert_eq!(
            moved(&[kubelet.clone(), helm.clone(), scaler.clone()]).unwrap(),
            [
                json!({"manager": "chartwright", "operation": "Apply", "apiVersion": "v1", "time": "t", "fieldsV1": all}),
                kubelet.clone(),
                scaler
            ]
        );
        let both = moved(&[helm, ours.clone()]).unwrap();
        assert_eq!(both[0]["fieldsV1"], json!({"f:data": {".": {}, "f:a": {}, "f:b": {}}, "f:metadata": {}}));
        assert_eq!(both.len(), 1);
        assert_eq!(moved(&[ours, kubelet]), None);
    }

    #[test]
    fn what_was_changed_is_named() {
        let body = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "d", "labels": {"a": "b", "c": "d"}},
            "spec": {"replicas": 2, "empty": {}, "template": {"spec": {"containers": [
                {"name": "main", "image": "x", "ports": [{"containerPort": 80}]}, {"name": "gone"}]}}}});
        let ours = json!([{"manager": "chartwright", "operation": "Apply", "fieldsV1": {
            "f:metadata": {"f:labels": {"f:a": {}}},
            "f:spec": {"f:template": {"f:spec": {"f:containers": {"k:{\"name\":\"main\"}": {".": {}, "f:name": {},
                "f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}}}}}}}}]);
        let entries = ours.as_array().unwrap();
        assert_eq!(
            lost(entries, &body, 10),
            [
                "metadata.labels.c",
                "spec.replicas",
                "spec.template.spec.containers[main].image",
                "spec.template.spec.containers[gone]"
            ]
        );
        assert_eq!(lost(entries, &body, 1), ["metadata.labels.c"]);
        assert_eq!(lost(&[], &json!({"kind": "ConfigMap", "data": {"a": "b"}}), 10), ["data"]);
    }
}
