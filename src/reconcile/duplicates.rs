//! Lists in which Kubernetes tells entries apart by a key, and entries with the same key: the API takes such lists when an
//! object is created, as Helm does it, but not in server-side apply. What they mean is kept.
//!
//! Of environment variables the last one counts, as it does for the kubelet. A port given twice is given once; what went
//! by the other name goes by number. Pull secrets are named once, and host names of one address stand together.

use serde_json::{Map, Value};

use super::identity::Digest;
use super::objects::Object;

/// Mends the objects of a release; returns what was done, in words.
pub(crate) fn mend(objects: &mut [Object]) -> Vec<String> {
    let mut told = Vec::new();
    let mut renamed: Vec<Renamed> = Vec::new();
    for object in objects.iter_mut() {
        let Some(path) = pod_path(&object.id.group, &object.id.kind) else { continue };
        let namespace = object.id.namespace.clone();
        let mut changes = Vec::new();
        let Some(pod) = object.body.pointer_mut(path) else { continue };
        let labels = pod.pointer("/metadata/labels").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut ports = Vec::new();
        if let Some(spec) = pod.get_mut("spec").and_then(Value::as_object_mut) {
            mend_pod(spec, &mut changes, &mut ports);
        }
        if changes.is_empty() {
            continue;
        }
        object.digest = Digest::of([object.body.to_string()]);
        told.extend(changes.into_iter().map(|change| format!("{}: {change}", object.id)));
        if !ports.is_empty() {
            renamed.push(Renamed { namespace: namespace.to_string(), labels, ports });
        }
    }
    for object in
        objects.iter_mut().filter(|object| &*object.id.kind == "Service" && object.id.group.is_empty())
    {
        for one in renamed.iter().filter(|one| *one.namespace == *object.id.namespace) {
            if one.is_selected_by(&object.body)
                && one.number_ports(&mut object.body, "/spec/ports", "targetPort")
            {
                object.digest = Digest::of([object.body.to_string()]);
            }
        }
    }
    told
}

/// Where a kind keeps its pod: metadata and spec.
fn pod_path(group: &str, kind: &str) -> Option<&'static str> {
    match (group, kind) {
        ("", "Pod") => Some(""),
        ("", "PodTemplate") => Some("/template"),
        ("", "ReplicationController")
        | ("apps", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet")
        | ("batch", "Job") => Some("/spec/template"),
        ("batch", "CronJob") => Some("/spec/jobTemplate/spec/template"),
        _ => None,
    }
}

/// Names of ports that a pod has lost, and the numbers of those ports.
struct Renamed {
    namespace: String,
    labels: Map<String, Value>,
    ports: Vec<(String, Value)>,
}

impl Renamed {
    fn is_selected_by(&self, service: &Value) -> bool {
        let selector = service.pointer("/spec/selector").and_then(Value::as_object);
        selector.is_some_and(|selector| {
            !selector.is_empty() && selector.iter().all(|(key, value)| self.labels.get(key) == Some(value))
        })
    }

    /// Puts numbers where lost names stand; tells whether there were any.
    fn number_ports(&self, object: &mut Value, list: &str, key: &str) -> bool {
        let mut changed = false;
        for entry in object.pointer_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            changed |= number(entry, key, &self.ports);
        }
        changed
    }
}

fn number(entry: &mut Value, key: &str, ports: &[(String, Value)]) -> bool {
    let Some(port) = entry.get_mut(key) else { return false };
    match ports.iter().find(|(name, _)| *port == **name) {
        Some((_, number)) => {
            *port = number.clone();
            true
        }
        None => false,
    }
}

fn mend_pod(spec: &mut Map<String, Value>, told: &mut Vec<String>, ports: &mut Vec<(String, Value)>) {
    if let Some(secrets) = spec.get_mut("imagePullSecrets").and_then(Value::as_array_mut) {
        for key in dropped(secrets, &["name"]) {
            told.push(format!("imagePullSecrets names {} more than once", key.title));
        }
    }
    if let Some(aliases) = spec.get_mut("hostAliases").and_then(Value::as_array_mut) {
        let names: Vec<(Value, Vec<Value>)> = aliases
            .iter()
            .map(|one| {
                let names = one.get("hostnames").and_then(Value::as_array).cloned().unwrap_or_default();
                (one.get("ip").cloned().unwrap_or_default(), names)
            })
            .collect();
        for key in dropped(aliases, &["ip"]) {
            told.push(format!("hostAliases has more than one entry for {}: they were joined", key.title));
            let all: Vec<Value> = names
                .iter()
                .filter(|(ip, _)| Some(ip) == key.values.first())
                .flat_map(|(_, n)| n.clone())
                .collect();
            if let Some(kept) = aliases.iter_mut().find(|one| one.get("ip") == key.values.first())
                && let Some(kept) = kept.as_object_mut()
            {
                kept.insert("hostnames".into(), all.into());
            }
        }
    }
    for list in ["initContainers", "containers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            mend_container(container, told, ports);
        }
    }
}

fn mend_container(container: &mut Value, told: &mut Vec<String>, ports: &mut Vec<(String, Value)>) {
    let name = container.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(env) = container.get_mut("env").and_then(Value::as_array_mut) {
        for key in dropped(env, &["name"]) {
            told.push(format!(
                "container {name} has the variable {} more than once: the last one counts",
                key.title
            ));
        }
    }
    let mut lost: Vec<(String, Value)> = Vec::new();
    if let Some(list) = container.get_mut("ports").and_then(Value::as_array_mut) {
        let before: Vec<Value> = list.clone();
        for key in dropped(list, &["containerPort", "protocol"]) {
            told.push(format!("container {name} has the port {} more than once: one is kept", key.title));
        }
        let kept = |port: &Value| list.iter().any(|one| one.get("name") == port.get("name"));
        for port in before.iter().filter(|port| !kept(port)) {
            if let (Some(name), Some(number)) =
                (port.get("name").and_then(Value::as_str), port.get("containerPort"))
            {
                lost.push((name.to_owned(), number.clone()));
            }
        }
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        for action in ["httpGet", "tcpSocket"] {
            if let Some(action) = container.get_mut(probe).and_then(|probe| probe.get_mut(action)) {
                number(action, "port", &lost);
            }
        }
    }
    ports.extend(lost);
}

/// A key that more than one entry had.
struct Key {
    values: Vec<Value>,
    title: String,
}

/// Drops all entries whose key a later entry has, too; returns those keys, each once.
fn dropped(list: &mut Vec<Value>, keys: &[&str]) -> Vec<Key> {
    let of = |entry: &Value| -> Option<Vec<Value>> {
        let part = |key: &&str| match entry.get(*key) {
            None if *key == "protocol" => Some(Value::from("TCP")),
            part => part.cloned(),
        };
        keys.iter().map(part).collect()
    };
    let all: Vec<_> = list.iter().map(of).collect();
    let mut found: Vec<Key> = Vec::new();
    let mut index = 0;
    list.retain(|_| {
        let (earlier, rest) = all.split_at(index.min(all.len()));
        index += 1;
        let Some((Some(key), later)) = rest.split_first() else { return true };
        let again = later.iter().any(|other| other.as_ref() == Some(key));
        if again && !earlier.iter().any(|other| other.as_ref() == Some(key)) {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let title = key.iter().map(text).collect::<Vec<_>>().join("/");
            found.push(Key { values: key.clone(), title });
        }
        !again
    });
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kube::api::{ApiResource, GroupVersionKind};
    use serde_json::json;

    use super::*;
    use crate::reconcile::identity::ApiKind;

    fn object(group: &str, kind: &str, body: Value) -> Object {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, "v1", kind));
        let kind = Arc::new(ApiKind::new(resource, true, true));
        Object {
            id: kind.object("ns", "web"),
            kind,
            body,
            digest: Digest::default(),
            keep: false,
            owned: true,
            kind_pending: false,
            source: "".into(),
        }
    }

    #[test]
    fn what_counts_is_kept_and_names_lead_on() {
        let container = json!({"name": "main",
            "env": [{"name": "A", "value": "1"}, {"name": "B"}, {"name": "A", "value": "2"}, {"name": "A", "value": "3"}],
            "ports": [{"name": "metrics", "containerPort": 80}, {"name": "http", "containerPort": 80, "protocol": "TCP"},
                {"name": "dns", "containerPort": 80, "protocol": "UDP"}],
            "readinessProbe": {"httpGet": {"port": "metrics"}}, "livenessProbe": {"httpGet": {"port": "http"}}});
        let pod = json!({"metadata": {"labels": {"app": "web", "x": "y"}}, "spec": {
            "imagePullSecrets": [{"name": "s"}, {"name": "s"}],
            "hostAliases": [{"ip": "1.2.3.4", "hostnames": ["a"]}, {"ip": "1.2.3.4", "hostnames": ["b"]}],
            "containers": [container]}});
        let service = |app: &str| json!({"spec": {"selector": {"app": app}, "ports": [{"targetPort": "metrics"}, {"targetPort": "http"}]}});
        let mut objects = [
            object("", "Service", service("web")),
            object("", "Service", service("other")),
            object("apps", "Deployment", json!({"spec": {"template": pod}})),
        ];
        let told = mend(&mut objects);
        assert_eq!(
            told,
            [
                "Deployment web in namespace ns: imagePullSecrets names s more than once",
                "Deployment web in namespace ns: hostAliases has more than one entry for 1.2.3.4: they were joined",
                "Deployment web in namespace ns: container main has the variable A more than once: the last one counts",
                "Deployment web in namespace ns: container main has the port 80/TCP more than once: one is kept",
            ]
        );
        let spec = &objects[2].body["spec"]["template"]["spec"];
        assert_eq!(spec["imagePullSecrets"], json!([{"name": "s"}]));
        assert_eq!(spec["hostAliases"], json!([{"ip": "1.2.3.4", "hostnames": ["a", "b"]}]));
        let main = &spec["containers"][0];
        assert_eq!(main["env"], json!([{"name": "B"}, {"name": "A", "value": "3"}]));
        assert_eq!(main["ports"].as_array().unwrap().len(), 2);
        assert_eq!(
            (&main["readinessProbe"]["httpGet"]["port"], &main["livenessProbe"]["httpGet"]["port"]),
            (&json!(80), &json!("http"))
        );
        assert_eq!(objects[0].body["spec"]["ports"], json!([{"targetPort": 80}, {"targetPort": "http"}]));
        assert_eq!(objects[1].body, service("other"));
        assert!(objects[0].digest != Digest::default() && objects[1].digest == Digest::default());
    }

    #[test]
    fn odd_shapes_are_left_to_the_server() {
        let body = json!({"spec": {"containers": ["x", {"env": [1, {}, {"name": 2}], "ports": {"a": 1}}]}});
        let mut objects = [object("", "Pod", body.clone())];
        assert_eq!(mend(&mut objects), Vec::<String>::new());
        assert_eq!(objects[0].body, body);
    }
}
