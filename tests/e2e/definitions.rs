//! Definitions of kinds that go and come while the operator runs.

use std::time::Duration;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, eventually, kubectl, says, stays};

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
    becomes(20, 2, || operator.log().matches("Registered").count());

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

#[test]
#[ignore = "needs a control plane"]
fn a_kind_that_goes_between_the_dry_run_and_the_apply_is_told() {
    let group = "vanishing.example.org";
    let object = format!(
        "{{{{- if .Values.more }}}}\napiVersion: {group}/v1\nkind: Vapour\nmetadata: {{name: {{{{ .Release.Name }}}}}}\n{{{{- end }}}}\n"
    );
    let hook = "{{- if .Values.more }}\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-hook\n  \
                annotations: {helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: before-hook-creation}\nspec:\n  \
                template:\n    spec:\n      restartPolicy: Never\n      nodeSelector: {vanishing: 'true'}\n      \
                containers: [{name: main, image: busybox}]\n{{- end }}\n";
    let files =
        [("templates/cm.yaml", CONFIG), ("templates/vapour.yaml", &object), ("templates/hook.yaml", hook)];
    let (chart, definition) = (Chart::new("vanishing", &files), format!("vapours.{group}"));
    let (kind, namespace) = (Kind::new("Vanishing"), Namespace::new("vanishing"));
    let make = || {
        namespace.apply(&bare(group, "Vapour", "vapours"));
        kubectl(&["wait", "--for=condition=Established", "--timeout=30s", "crd", &definition]);
    };
    make();
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"color": "red", "more": true}"#);
    becomes(60, "demo-hook".to_owned(), || namespace.path("job", "demo-hook", "{.metadata.name}"));
    // All has been tried; now the hook holds it up.
    kubectl(&["delete", "crd", &definition]);
    kubectl(&["label", "nodes", "--all", "vanishing=true"]);
    let told = says(60, "Vapour demo", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.starts_with("True UpgradeError"), "{told}");
    assert!(told.contains("the cluster serves its kind no more"), "{told}");
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    make();
    becomes(90, "demo".to_owned(), || namespace.path(&definition, "demo", "{.metadata.name}"));
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.ready(&kind, "demo");
    kubectl(&["delete", "crd", &definition]);
}

#[test]
#[ignore = "needs a control plane"]
fn an_aggregated_api_that_is_out_of_order_is_not_taken_for_gone() {
    let group = "outage.example.org";
    let widget = format!(
        "{{{{- if .Capabilities.APIVersions.Has \"{group}/v1/Gadget\" }}}}\napiVersion: {group}/v1\nkind: Gadget\n\
         metadata: {{name: {{{{ .Release.Namespace }}}}-{{{{ .Release.Name }}}}}}\n---\n{CONFIG}\n{{{{- end }}}}\n"
    );
    let chart = Chart::new("outage", &[("templates/all.yaml", &widget)]);
    let (kind, namespace) = (Kind::new("Outage"), Namespace::new("outage"));
    let (definition, service) = (format!("gadgets.{group}"), format!("v1.{group}"));
    namespace.apply(&bare(group, "Gadget", "gadgets").replace("Namespaced", "Cluster"));
    kubectl(&["wait", "--for=condition=Established", "--timeout=30s", "crd", &definition]);
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let gadget = format!("{}-demo", namespace.name);
    assert_eq!(
        kubectl(&["get", &definition, &gadget, "-o", "name"]).trim(),
        format!("gadget.{group}/{gadget}")
    );
    let available = || {
        let condition = "jsonpath={.status.conditions[?(@.type=='Available')].status}";
        kubectl(&["get", "apiservice", &service, "--ignore-not-found", "-o", condition])
    };

    // Its server goes away, and the cluster is asked what it serves.
    kubectl(&["label", "apiservice", &service, "kube-aggregator.kubernetes.io/automanaged-"]);
    let away = r#"{"spec": {"insecureSkipTLSVerify": true, "service": {"name": "nowhere", "namespace": "default", "port": 443}}}"#;
    kubectl(&["patch", "apiservice", &service, "--type=merge", "-p", away]);
    becomes(60, "False".to_owned(), available);
    let another = "others.outage-another.example.org";
    namespace.apply(&bare("outage-another.example.org", "Other", "others"));
    kubectl(&["wait", "--for=condition=Established", "--timeout=30s", "crd", another]);
    // Longer than it takes to ask.
    stays(8, || {
        namespace.path(
            &kind.full(),
            "demo",
            "{.status.deployedRelease.revision} {.status.conditions[?(@.type=='Ready')].status}",
        )
    });
    assert_eq!(
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"),
        "1",
        "{}",
        operator.log()
    );
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "green");

    // One that has just started does not know what the group had.
    operator.stop();
    let operator = Operator::start(&chart.path, &kind, &namespace);
    says(60, "the API server of outage.example.org is out of order", || {
        namespace.condition(&kind, "demo", "ReleaseFailed")
    });
    stays(5, || namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"));
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "green", "{}", operator.log());
    // It cannot be known whether everything is gone, so the resource stays.
    namespace.kubectl(&["delete", &kind.full(), "demo", "--wait=false"]);
    says(60, "out of order", || {
        format!(
            "{}\n{}",
            namespace.condition(&kind, "demo", "ReleaseFailed"),
            namespace.condition(&kind, "demo", "Ready")
        )
    });
    stays(3, || namespace.path(&kind.full(), "demo", "{.metadata.name}"));

    // The API server makes its own entry again.
    kubectl(&["delete", "apiservice", &service]);
    becomes(60, "True".to_owned(), available);
    becomes(60, String::new(), || namespace.path(&kind.full(), "demo", "{.metadata.name}"));
    assert_eq!(kubectl(&["get", &definition, "-o", "name"]), "", "{}", operator.log());
    kubectl(&["delete", "crd", &definition, another]);
}
