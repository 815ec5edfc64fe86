//! What users ask for by annotation.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, eventually, says, stays};

fn annotate(namespace: &Namespace, kind: &Kind, annotation: &str) {
    namespace.kubectl(&["annotate", &kind.full(), "demo", "--overwrite", annotation]);
}

#[test]
#[ignore = "needs a control plane"]
fn a_paused_resource_is_left_alone_until_it_goes_on() {
    let chart = Chart::new("sleeper", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Sleeper"), Namespace::new("sleeper"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    annotate(&namespace, &kind, "chartwright.io/paused=true");
    says(30, "True PauseReconcileAnnotationTrue", || namespace.condition(&kind, "demo", "Paused"));
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    namespace.merge("configmap", "demo", r#"{"data": {"color": "mine"}}"#);
    stays(3, || namespace.path("configmap", "demo", "{.data.color}"));
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "mine");
    annotate(&namespace, &kind, "chartwright.io/paused-");
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "Paused"));
    // And a pause keeps nobody from deleting.
    annotate(&namespace, &kind, "chartwright.io/paused=true");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(60, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn annotations_that_say_nothing_are_told() {
    let chart = Chart::new("mumbler", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Mumbler"), Namespace::new("mumbler"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    annotate(&namespace, &kind, "chartwright.io/paused=yes");
    annotate(&namespace, &kind, "chartwright.io/hold-on=true");
    let told = || namespace.kubectl(&["get", "events", "--field-selector=reason=InvalidAnnotation"]);
    says(30, "\"yes\" is neither true nor false", told);
    says(30, "chartwright.io/hold-on means nothing: is chartwright.io/hold meant?", told);
}

#[test]
#[ignore = "needs a control plane"]
fn reconcile_now_applies_everything_once_more() {
    // With no watch on what was applied, nobody sees a change by hand.
    let chart = Chart::new("asked", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Asked"), Namespace::new("asked"));
    let _operator =
        Operator::watching(&chart.watches(&[(&kind, "watchDependentResources: false")]), &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.merge("configmap", "demo", r#"{"data": {"color": "mine"}}"#);
    stays(2, || namespace.path("configmap", "demo", "{.data.color}"));
    annotate(&namespace, &kind, "chartwright.io/reconcile-now=1");
    becomes(15, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    becomes(15, "1".to_owned(), || namespace.path(&kind.full(), "demo", "{.status.lastHandledReconcileAt}"));
    assert_eq!(
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"),
        "1",
        "nothing is new"
    );
    // The same again is nothing new.
    namespace.merge("configmap", "demo", r#"{"data": {"color": "mine"}}"#);
    annotate(&namespace, &kind, "other=1");
    stays(2, || namespace.path("configmap", "demo", "{.data.color}"));
}

const TESTS: &str = "{{- range list \"first\" \"second\" }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n\
                     \x20 name: {{ $.Release.Name }}-{{ . }}\n  annotations: {helm.sh/hook: test}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn tests_run_when_asked_for() {
    let chart = Chart::new("tested", &[("templates/cm.yaml", CONFIG), ("templates/tests.yaml", TESTS)]);
    let (kind, namespace) = (Kind::new("Tested"), Namespace::new("tested"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(
        namespace.path("configmap", "demo-first", "{.metadata.name}"),
        "",
        "not before they are asked for"
    );
    annotate(&namespace, &kind, "chartwright.io/test=1");
    let result = || namespace.path(&kind.full(), "demo", "{.status.test.phase}: {.status.test.message}");
    becomes(30, "Succeeded: 2 of 2 tests passed".to_owned(), result);
    assert_eq!(namespace.path("configmap", "demo-second", "{.metadata.name}"), "demo-second");
    namespace.ready(&kind, "demo");
}

const FAILING: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-probe\n  annotations:\n\
                       \x20   helm.sh/hook: test\n    chartwright.io/hook-deadline: 2s\nspec:\n\
                       \x20 containers: [{name: probe, image: probe}]\n  nodeSelector: {no: such}\n";

#[test]
#[ignore = "needs a control plane"]
fn a_hook_that_takes_too_long_is_told_with_what_its_pod_says() {
    let chart = Chart::new("slow", &[("templates/cm.yaml", CONFIG), ("templates/test.yaml", FAILING)]);
    let (kind, namespace) = (Kind::new("Lasting"), Namespace::new("slow"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    annotate(&namespace, &kind, "chartwright.io/test=1");
    let result = || namespace.path(&kind.full(), "demo", "{.status.test.phase}: {.status.test.message}");
    let told = says(60, "Failed: test hooks failed", result);
    assert!(told.contains("Pod demo-probe") && told.contains("deadline of 2s"), "{told}");
    assert!(told.contains("pod demo-probe is Pending"), "{told}");
    // The release is none the worse for it.
    namespace.ready(&kind, "demo");
    eventually(30, "an event", || {
        let events = namespace.kubectl(&["get", "events", "-o", "jsonpath={.items[*].reason}"]);
        if events.contains("TestFailed") { Ok(()) } else { Err(events) }
    });
}

#[test]
#[ignore = "needs a control plane"]
fn a_failed_hook_is_told_also_where_its_log_cannot_be_had() {
    let failing = FAILING.replace("2s", "5m");
    let chart = Chart::new("mute", &[("templates/cm.yaml", CONFIG), ("templates/test.yaml", &failing)]);
    let (kind, namespace) = (Kind::new("Mute"), Namespace::new("mute"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    // No kubelet runs it: we say how it ended, and nobody has its log.
    let ended = r#"{"phase": "Failed", "containerStatuses": [{"name": "probe", "image": "probe", "imageID": "",
        "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}]}"#;
    let uid = || namespace.path("pod", "demo-probe", "{.metadata.uid}");
    let result = || namespace.path(&kind.full(), "demo", "{.status.test.message}");
    let mut before = String::new();
    // A pod without a node has an empty log; that of one on a node that is not there cannot be had.
    for (round, node) in [("1", None), ("2", Some("nowhere"))] {
        annotate(&namespace, &kind, &format!("chartwright.io/test={round}"));
        becomes(30, true, || !uid().is_empty() && uid() != before);
        before = uid();
        if let Some(node) = node {
            namespace.apply_raw(
                &format!("/api/v1/namespaces/{}/pods/demo-probe/binding", namespace.name),
                &format!(
                    r#"{{"apiVersion": "v1", "kind": "Binding", "metadata": {{"name": "demo-probe"}},
                    "target": {{"kind": "Node", "name": "{node}"}}}}"#
                ),
            );
        }
        namespace.merge_status("pod", "demo-probe", ended);
        becomes(30, round.to_owned(), || namespace.path(&kind.full(), "demo", "{.status.test.asked}"));
        let told = says(30, "container probe of pod demo-probe ended with code 3", result);
        assert!(told.contains("pod demo-probe failed") && !told.contains("its log"), "{told}");
    }
    says(20, "ended with code 3", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=TestFailed"])
    });
    let asked = operator.metrics("/metrics");
    let empty = |line: &str| line.starts_with("rest_client_requests_total") && line.contains("code=\"204\"");
    assert!(asked.lines().any(empty), "the log was asked for: {asked}");
}
