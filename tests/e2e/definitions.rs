//! Definitions of kinds that go and come while the operator runs.

use std::time::Duration;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, eventually, kubectl, says};

#[test]
#[ignore = "needs a control plane"]
fn a_definition_that_was_deleted_is_made_again_and_served_at_once() {
    let chart = Chart::new("phoenix", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Phoenix"), Namespace::new("phoenix"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "red"}"#);
    namespace.ready(&kind, "demo");
    let crd = format!("phoenixes.{}", crate::support::GROUP);
    kubectl(&["delete", "crd", &crd]);
    becomes(30, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    let is_there = || !kubectl(&["get", "crd", &crd, "--ignore-not-found", "-o", "name"]).is_empty();
    becomes(60, true, is_there);
    kubectl(&["wait", "--for=condition=Established", "--timeout=30s", "crd", &crd]);
    let make = || {
        eventually(20, "it can be made", || {
            let resource = format!(
                r#"{{"apiVersion": "{}", "kind": "Phoenix", "metadata": {{"name": "demo"}}, "spec": {{"color": "blue"}}}}"#,
                kind.api_version()
            );
            namespace.try_apply(&resource)
        });
        becomes(30, "blue".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"))
    };
    make();
    assert!(operator.log().contains("Registered again what was deleted"), "{}", operator.log());

    // Somebody makes it again before we do, after long enough for watches to have become slow to try again.
    let definition = kubectl(&["get", "crd", &crd, "-o", "json"]);
    let mut definition: serde_json::Value = serde_json::from_str(&definition).unwrap();
    definition["metadata"] = serde_json::json!({"name": crd});
    definition.as_object_mut().unwrap().remove("status");
    kubectl(&["delete", "crd", &crd]);
    becomes(30, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    std::thread::sleep(Duration::from_secs(6));
    namespace.apply(&definition.to_string());
    let took = make();
    // Two or three seconds are the server's and kubectl's.
    assert!(took < Duration::from_secs(5), "{took:?}");
}

/// A definition with the least there can be in one.
fn bare(group: &str, kind: &str, plural: &str) -> String {
    serde_json::json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            }}}],
        },
    })
    .to_string()
}

#[test]
#[ignore = "needs a control plane"]
fn an_object_of_a_kind_that_is_gone_does_not_keep_others_from_being_put_back() {
    let (kind, namespace) = (Kind::new("Watched"), Namespace::new("watched"));
    let group = "watched.example.org";
    let object =
        format!("apiVersion: {group}/v1\nkind: Monitor\nmetadata: {{name: {{{{ .Release.Name }}}}}}\n");
    let chart = Chart::new("watched", &[("templates/cm.yaml", CONFIG), ("templates/monitor.yaml", &object)]);
    let definition = format!("monitors.{group}");
    namespace.apply(&bare(group, "Monitor", "monitors"));
    kubectl(&["wait", "--for=condition=Established", "--timeout=30s", "crd", &definition]);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    kubectl(&["delete", "crd", &definition]);
    says(60, "serves no Monitor", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    namespace.kubectl(&["delete", "configmap", "demo"]);
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.apply(&bare(group, "Monitor", "monitors"));
    let name = || namespace.path(&definition, "demo", "{.metadata.name}");
    becomes(60, "demo".to_owned(), name);
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
    kubectl(&["delete", "crd", &definition]);
}

#[test]
#[ignore = "needs a control plane"]
fn a_definition_without_statuses_is_told() {
    let (kind, namespace) = (Kind::new("Silent"), Namespace::new("silent"));
    let chart = Chart::new("silent", &[("templates/cm.yaml", CONFIG)]);
    let definition = format!("silents.{}", crate::support::GROUP);
    namespace.apply(&bare(crate::support::GROUP, "Silent", "silents"));
    kubectl(&["wait", "--for=condition=Established", "--timeout=30s", "crd", &definition]);
    let watches = chart.watches(&[(&kind, "crd: none")]);
    let operator = Operator::watching(&watches, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    says(30, "has no status subresource", || operator.log());
}
