//! Attempts that nobody pursues any more: what they were doing ends, and Helm finds the release as it runs.

use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, says};

/// With a hook that hangs where `hangs` names an event, one that cannot be made where `fails` does, and an object more
/// where `extra` is set.
const FICKLE: &str = r#"
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {ports: [{port: {{ .Values.port | default 80 }}}], selector: {color: {{ .Values.color | default "green" }}}}
{{- if .Values.extra }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-extra}
{{- end }}
{{- with .Values.hangs }}
---
apiVersion: batch/v1
kind: Job
metadata: {name: {{ $.Release.Name }}-hook, annotations: {helm.sh/hook: {{ . }}}}
spec:
  template:
    spec: {restartPolicy: Never, nodeSelector: {nowhere: "true"}, containers: [{name: main, image: busybox}]}
{{- end }}
{{- with .Values.fails }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: Bad_Name, annotations: {helm.sh/hook: {{ . }}}}
{{- end }}
"#;

/// The states of a release's revisions as Helm tells them.
fn states(namespace: &Namespace) -> Vec<String> {
    let args = ["history", "demo", "-o", "json", "-n", &namespace.name];
    let output = cluster().helm3().unwrap().args(args).output().unwrap();
    let history: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap_or_default();
    history.iter().map(|one| one["status"].as_str().unwrap_or_default().to_owned()).collect()
}

/// What Helm says to an upgrade by hand.
fn upgrade(namespace: &Namespace, chart: &Chart) -> String {
    let path = chart.path.to_string_lossy().into_owned();
    let args = ["upgrade", "demo", &path, "--dry-run", "-n", &namespace.name];
    let output = cluster().helm3().unwrap().args(args).output().unwrap();
    String::from_utf8_lossy(if output.status.success() { b"" } else { &output.stderr }).into_owned()
}

fn hook(namespace: &Namespace) -> String {
    namespace.path("job", "demo-hook", "{.metadata.name}")
}

#[test]
#[ignore = "needs a control plane"]
fn an_attempt_whose_spec_is_put_back_leaves_nothing() {
    let chart = Chart::new("fickle", &[("templates/all.yaml", FICKLE)]);
    let (kind, namespace) = (Kind::new("Fickle"), Namespace::new("fickle"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"hangs": "pre-upgrade", "color": "red"}"#);
    becomes(30, "demo-hook".to_owned(), || hook(&namespace));
    assert_eq!(states(&namespace), ["deployed", "pending-upgrade"]);
    namespace.change(&kind, "demo", r#"{"hangs": null, "color": null}"#);
    becomes(30, String::new(), || hook(&namespace));
    becomes(30, vec!["deployed".to_owned()], || states(&namespace));
    namespace.ready(&kind, "demo");
    assert_eq!(upgrade(&namespace, &chart), "");
    says(20, "revision 2 is not wanted", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=GivenUp"])
    });

    namespace.change(&kind, "demo", r#"{"fails": "pre-upgrade"}"#);
    says(30, "hooks failed", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    becomes(10, true, || states(&namespace).last().is_some_and(|last| last != "deployed"));
    namespace.change(&kind, "demo", r#"{"fails": null}"#);
    becomes(30, vec!["deployed".to_owned()], || states(&namespace));
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    becomes(30, vec!["superseded".to_owned(), "deployed".to_owned()], || states(&namespace));
}

#[test]
#[ignore = "needs a control plane"]
fn an_attempt_that_is_overtaken_is_undone_where_the_next_cannot_begin() {
    let chart = Chart::new("hasty", &[("templates/all.yaml", FICKLE)]);
    let (kind, namespace) = (Kind::new("Hasty"), Namespace::new("hasty"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let color = || namespace.path("service", "demo", "{.spec.selector.color}");
    let extra = || namespace.path("configmap", "demo-extra", "{.metadata.name}");
    // One that has changed objects, and one that has not.
    for event in ["post-upgrade", "pre-upgrade"] {
        let spec = format!(r#"{{"hangs": "{event}", "color": "red", "extra": true, "port": null}}"#);
        namespace.change(&kind, "demo", &spec);
        becomes(30, "demo-hook".to_owned(), || hook(&namespace));
        let has_changed = event == "post-upgrade";
        assert_eq!((color() == "red", extra() == "demo-extra"), (has_changed, has_changed));
        namespace.change(&kind, "demo", r#"{"hangs": null, "color": "blue", "extra": null, "port": 99999}"#);
        says(30, "spec.ports[0].port", || namespace.condition(&kind, "demo", "ReleaseFailed"));
        becomes(30, String::new(), || hook(&namespace));
        becomes(30, "green".to_owned(), color);
        becomes(30, String::new(), extra);
        becomes(30, vec!["deployed".to_owned()], || states(&namespace));
    }
    // Where the next one can begin it takes the place of the one before.
    namespace.change(&kind, "demo", r#"{"hangs": "pre-upgrade", "port": null}"#);
    becomes(30, "demo-hook".to_owned(), || hook(&namespace));
    namespace.change(&kind, "demo", r#"{"hangs": null}"#);
    becomes(30, "blue".to_owned(), color);
    becomes(30, String::new(), || hook(&namespace));
    becomes(30, vec!["superseded".to_owned(), "deployed".to_owned()], || states(&namespace));
}

#[test]
#[ignore = "needs a control plane"]
fn a_release_that_is_orphaned_amid_an_attempt_is_one_that_helm_can_use() {
    let chart = Chart::new("foundling", &[("templates/all.yaml", FICKLE)]);
    let (kind, namespace) = (Kind::new("Foundling"), Namespace::new("foundling"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for event in ["pre-upgrade", "post-upgrade"] {
        namespace.resource(&kind, "demo", "{}");
        namespace.ready(&kind, "demo");
        namespace.change(&kind, "demo", &format!(r#"{{"hangs": "{event}", "color": "red"}}"#));
        becomes(30, "demo-hook".to_owned(), || hook(&namespace));
        let annotation = "chartwright.io/deletion-policy=orphan";
        namespace.kubectl(&["annotate", "--overwrite", &kind.full(), "demo", annotation]);
        // Set although the hook is waited for.
        becomes(20, true, || !namespace.path(&kind.full(), "demo", "{.metadata.finalizers}").is_empty());
        namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=60s"]);
        becomes(30, String::new(), || hook(&namespace));
        assert_eq!(namespace.path("service", "demo", "{.metadata.name}"), "demo");
        let last = if event == "pre-upgrade" { "deployed" } else { "failed" };
        assert_eq!(states(&namespace).last().map(String::as_str), Some(last));
        assert_eq!(upgrade(&namespace, &chart), "");
    }
}
