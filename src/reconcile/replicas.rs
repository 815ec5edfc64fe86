//! The replicas that a custom resource's scale subresource speaks of: those of the workload whose number its spec sets.

use serde_json::{Map, Value};

use super::health::Words;
use super::objects::{Object, Objects};

/// How many replicas a workload has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replicas {
    pub(crate) wanted: i64,
    pub(crate) total: i64,
    pub(crate) ready: i64,
    /// The labels of its pods, as kubectl takes them.
    pub(crate) selector: Box<str>,
}

impl Replicas {
    /// What a workload's own words say; `None` for other kinds.
    pub(crate) fn of(group: &str, kind: &str, words: &Words) -> Option<Self> {
        is_workload(group, kind).then(|| words.replicas())
    }

    /// `2/3`: ready of wanted.
    pub(crate) fn ratio(&self) -> String {
        format!("{}/{}", self.ready, self.wanted)
    }
}

/// The kinds that keep a number of like pods.
fn is_workload(group: &str, kind: &str) -> bool {
    matches!(
        (group, kind),
        ("apps", "Deployment" | "StatefulSet" | "ReplicaSet") | ("", "ReplicationController")
    )
}

/// Which of the objects is scaled.
#[derive(Clone, Debug)]
pub(crate) enum Scaled<'a> {
    None,
    This(&'a Object),
    /// Several may be; a render with another number will tell.
    OneOf(Vec<&'a Object>),
}

/// Finds the workload whose number of replicas is `number`: the only one there is, or the only one with that number.
pub(crate) fn scaled(objects: &Objects, number: impl FnOnce() -> Option<i64>) -> Scaled<'_> {
    let mut workloads: Vec<&Object> =
        objects.list.iter().filter(|object| is_workload(&object.id.group, &object.id.kind)).collect();
    if workloads.len() > 1 {
        let number = number();
        workloads.retain(|object| number.is_some() && rendered(object) == number);
    }
    match workloads.as_slice() {
        [] => Scaled::None,
        [one] => Scaled::This(one),
        _ => Scaled::OneOf(workloads),
    }
}

/// The number of replicas an object was rendered with.
pub(crate) fn rendered(object: &Object) -> Option<i64> {
    object.body.pointer("/spec/replicas").and_then(whole)
}

/// The number at a path of the values; of the chart's defaults if the resource has none there.
pub(crate) fn number(config: &Value, defaults: &Value, path: &[String]) -> Option<i64> {
    at(config, path).or_else(|| at(defaults, path)).and_then(whole)
}

fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// Templates turn numbers into text and back.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// The values with another number at a path.
pub(crate) fn with_number(config: &Value, path: &[String], number: i64) -> Value {
    match path.split_first() {
        None => number.into(),
        Some((key, rest)) => {
            let mut fields = config.as_object().cloned().unwrap_or_else(Map::new);
            let inner = with_number(fields.get(key).unwrap_or(&Value::Null), rest, number);
            fields.insert(key.clone(), inner);
            fields.into()
        }
    }
}

/// A label selector (or a plain map of labels) as `kubectl get -l` takes it.
pub(crate) fn selector_text(selector: &Value) -> String {
    let Some(fields) = selector.as_object() else { return String::new() };
    let plain = !fields.contains_key("matchLabels") && !fields.contains_key("matchExpressions");
    let labels = if plain { Some(fields) } else { fields.get("matchLabels").and_then(Value::as_object) };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut parts: Vec<String> =
        labels.into_iter().flatten().map(|(key, value)| format!("{key}={}", text(value))).collect();
    let expressions = fields.get("matchExpressions").and_then(Value::as_array).filter(|_| !plain);
    for one in expressions.into_iter().flatten() {
        let key = one.get("key").map(text).unwrap_or_default();
        let values: Vec<String> =
            one.get("values").and_then(Value::as_array).into_iter().flatten().map(text).collect();
        let values = values.join(",");
        match one.get("operator").and_then(Value::as_str) {
            Some("In") => parts.push(format!("{key} in ({values})")),
            Some("NotIn") => parts.push(format!("{key} notin ({values})")),
            Some("Exists") => parts.push(key),
            Some("DoesNotExist") => parts.push(format!("!{key}")),
            _ => {}
        }
    }
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kube::api::{ApiResource, GroupVersionKind};
    use serde_json::json;

    use super::*;
    use crate::reconcile::identity::{ApiKind, Digest};

    #[test]
    fn selectors_read_as_kubectl_takes_them() {
        let of = |selector| selector_text(&selector);
        assert_eq!(of(json!({"matchLabels": {"a": "b", "c": "d"}})), "a=b,c=d");
        assert_eq!(of(json!({"a": "b"})), "a=b");
        assert_eq!(of(json!(null)), "");
        let expressions = json!({"matchLabels": {"a": "b"}, "matchExpressions": [
            {"key": "k", "operator": "In", "values": ["x", "y"]}, {"key": "l", "operator": "NotIn", "values": ["z"]},
            {"key": "m", "operator": "Exists"}, {"key": "n", "operator": "DoesNotExist"}]});
        assert_eq!(of(expressions), "a=b,k in (x,y),l notin (z),m,!n");
    }

    fn workload(kind: &str, name: &str, replicas: Option<i64>) -> Object {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("apps", "v1", kind));
        let kind = Arc::new(ApiKind::new(resource, true, true));
        Object {
            id: kind.object("ns", name),
            kind,
            body: json!({"spec": {"replicas": replicas}}),
            digest: Digest::default(),
            keep: false,
            owned: true,
            kind_pending: false,
            source: "".into(),
        }
    }

    #[test]
    fn the_workload_is_the_only_one_or_the_one_with_the_number() {
        let objects = |list: &[(&str, &str, Option<i64>)]| Objects {
            list: list.iter().map(|(kind, name, replicas)| workload(kind, name, *replicas)).collect(),
            ..Objects::default()
        };
        let names = |list: &[_], number| match scaled(&objects(list), || number) {
            Scaled::None => Vec::new(),
            Scaled::This(one) => vec![one.id.name.to_string()],
            Scaled::OneOf(some) => some.iter().map(|one| one.id.name.to_string()).collect(),
        };
        let of = |list: &[_], number| names(list, number).join(" ");
        assert_eq!(of(&[("DaemonSet", "d", None)], Some(1)), "");
        assert_eq!(of(&[("DaemonSet", "d", None), ("Deployment", "a", None)], Some(1)), "a");
        let two = [("Deployment", "a", Some(1)), ("StatefulSet", "b", Some(3))];
        assert_eq!(of(&two, Some(3)), "b");
        assert_eq!(of(&two, None), "");
        assert_eq!(of(&[two[1], ("Deployment", "c", Some(3))], Some(3)), "b c");
    }

    #[test]
    fn numbers_are_found_and_changed_wherever_they_are() {
        let path: Vec<String> = ["web", "replicas"].map(str::to_owned).to_vec();
        let defaults = json!({"web": {"replicas": 2, "image": "x"}});
        assert_eq!(number(&json!({"web": {"replicas": "3"}}), &defaults, &path), Some(3));
        assert_eq!(number(&json!({"web": 7}), &defaults, &path), Some(2));
        assert_eq!(number(&json!({}), &json!({}), &path), None);
        assert_eq!(with_number(&json!({"a": 1}), &path, 9), json!({"a": 1, "web": {"replicas": 9}}));
        assert_eq!(with_number(&defaults, &path, 9), json!({"web": {"replicas": 9, "image": "x"}}));
    }
}
