//! Definitions of kinds that go and come while the operator runs.

use std::time::Duration;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, eventually, kubectl};

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
