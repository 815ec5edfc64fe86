//! What a user reads in a resource's conditions, mistake by mistake. Other tests read the conditions of what they are about.

use crate::support::{Chart, Kind, Namespace, Operator, becomes, says};

/// Makes the mistake that its values name.
const MISTAKES: &str = r#"
{{- define "again" }}{{ include "again" . }}{{ end }}
{{- $name := .Release.Name }}
{{- if eq .Values.mistake "nameless" }}
apiVersion: v1
kind: ConfigMap
data: {}
{{- else if eq .Values.mistake "kindless" }}
apiVersion: v1
metadata: {name: {{ $name }}}
{{- else if eq .Values.mistake "twice" }}
{{- range list 1 2 }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $name }}}
{{- end }}
{{- else if eq .Values.mistake "unknown" }}
apiVersion: example.com/v1
kind: Gizmo
metadata: {name: {{ $name }}}
{{- else if eq .Values.mistake "endless" }}
{{- range until 2000 }}{{ range until 2000 }}{{ end }}{{ end }}
{{- else if eq .Values.mistake "endless-calls" }}
{{- include "again" . }}
{{- else if eq .Values.mistake "endless-text" }}
{{- range until 900 }}{{ repeat 1000 "text " }}{{ end }}
{{- else if eq .Values.mistake "yaml" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $name }}}
data: {a: "b
{{- else if eq .Values.mistake "scalar" }}
just words
{{- else if eq .Values.mistake "late" }}
apiVersion: v1
kind: Namespace
metadata: {name: {{ .Release.Namespace }}-late}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $name }}, namespace: {{ .Release.Namespace }}-late}
data: {"no key": x}
{{- else if eq .Values.mistake "taken" }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wrongs.e2e.example.com}
spec:
  group: e2e.example.com
  names: {kind: Blunder, plural: wrongs}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
{{- else if eq .Values.mistake "hook" }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: mine
  annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-succeeded}
{{- end }}
"#;

const NOTES: &str =
    r#"{{ if eq .Values.mistake "large" }}{{ randAlphaNum 800000 }}{{ randAlphaNum 800001 }}{{ end }}"#;

#[test]
#[ignore = "needs a control plane"]
fn each_mistake_is_told_in_words_that_help() {
    let chart = Chart::new("blunder", &[("templates/all.yaml", MISTAKES), ("templates/NOTES.txt", NOTES)]);
    let (kind, namespace) = (Kind::new("Blunder"), Namespace::new("blunder"));
    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name).args([
            "--max-render-steps",
            "2500000",
            "--max-render-output",
            "4000000",
        ]);
    });
    namespace.kubectl(&["create", "configmap", "mine"]);
    let mistakes = [
        ("nameless", "ReleaseFailed", "metadata.name"),
        ("kindless", "ReleaseFailed", "kind"),
        ("twice", "ReleaseFailed", "the same object is also rendered by blunder/templates/all.yaml"),
        (
            "unknown",
            "ReleaseFailed",
            "the cluster serves no Gizmo of example.com/v1: install its CustomResourceDefinition",
        ),
        ("endless", "ReleaseFailed", "took more than 2500000 steps"),
        ("endless-calls", "ReleaseFailed", "nest"),
        ("endless-text", "ReleaseFailed", "4000000 bytes"),
        ("yaml", "ReleaseFailed", "YAML parse error on blunder/templates/all.yaml"),
        ("scalar", "ReleaseFailed", "blunder/templates/all.yaml"),
        ("late", "ReleaseFailed", "a valid config key must consist of"),
        (
            "taken",
            "ReleaseFailed",
            "1 of the objects could not be applied: CustomResourceDefinition wrongs.e2e.example.com is there, but is not accepted",
        ),
        ("hook", "ReleaseFailed", "pre-install hooks failed: ConfigMap mine in namespace"),
        ("large", "ReleaseFailed", "the release record is too large"),
    ];
    for (mistake, ..) in mistakes {
        namespace.resource(&kind, mistake, &format!(r#"{{"mistake": "{mistake}"}}"#));
    }
    for (mistake, condition, words) in mistakes {
        let told = says(60, words, || namespace.condition(&kind, mistake, condition));
        assert!(told.starts_with("True InstallError"), "{told}");
        // Whoever knows Kubernetes' own conditions reads the same there.
        assert!(namespace.condition(&kind, mistake, "Ready").starts_with("False"), "{mistake}");
    }
    assert_eq!(
        namespace.path("configmap", "mine", "{.metadata.labels}"),
        "",
        "what is not ours is left alone"
    );
    // The cure for each is another spec.
    for (mistake, ..) in mistakes {
        namespace.change(&kind, mistake, r#"{"mistake": "none"}"#);
    }
    for (mistake, condition, _) in mistakes {
        becomes(60, String::new(), || namespace.condition(&kind, mistake, condition));
        namespace.ready(&kind, mistake);
    }
}

/// Objects that no record can hold, for nothing in them can be made smaller.
const HUGE: &str = "{{- range list \"a\" \"b\" }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ $.Release.Name }}-{{ . }}}\n\
                    data: {text: {{ randAlphaNum 560000 }}}\n{{- end }}\n\
                    {{- if .Values.broken }}\n---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-after\n\
                    \x20 annotations: {helm.sh/hook: post-upgrade}\nspec:\n  activeDeadlineSeconds: 1\n  template:\n    spec: \
                    {restartPolicy: Never, nodeSelector: {no: such}, containers: [{name: main, image: example/app:1}]}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn a_way_back_that_is_not_known_is_told_with_its_cause() {
    let chart = Chart::new("bulk", &[("templates/all.yaml", HUGE)]);
    let (kind, namespace) = (Kind::new("Bulk"), Namespace::new("bulk"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"broken": false}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"broken": true}"#);
    let told = says(90, "going back to revision 1 failed too", || {
        namespace.condition(&kind, "demo", "ReleaseFailed")
    });
    assert!(told.starts_with("True UpgradeError: post-upgrade hooks failed"), "{told}");
    assert!(told.contains("the record of revision 1 was too large to hold its manifest"), "{told}");
    namespace.change(&kind, "demo", r#"{"broken": false}"#);
    becomes(60, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
    namespace.ready(&kind, "demo");
}

/// Hooks that the values choose: one that never ends, one that never goes, and a definition that is to be served at once.
const HOOKS: &str = r#"
{{- if eq .Values.hook "endless" }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", chartwright.io/hook-deadline: 1s}
spec: {template: {spec: {restartPolicy: Never, nodeSelector: {no: such}, containers: [{name: main, image: example/app:1}]}}}
{{- else if eq .Values.hook "held" }}
apiVersion: v1
kind: ConfigMap
metadata: {name: held, annotations: {helm.sh/hook: "pre-install", chartwright.io/hook-deadline: 1s}}
{{- else if eq .Values.hook "definition" }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: hurries.e2e.example.com
  annotations: {helm.sh/hook: "pre-install", chartwright.io/hook-deadline: {{ .Values.deadline }}}
spec:
  group: e2e.example.com
  names: {kind: Hurry, plural: hurries}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
{{- end }}
"#;

#[test]
#[ignore = "needs a control plane"]
fn hooks_that_do_not_come_to_an_end_are_told() {
    let chart = Chart::new("hooky", &[("templates/all.yaml", HOOKS)]);
    let (kind, namespace) = (Kind::new("Hooky"), Namespace::new("hooky"));
    namespace.apply(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, finalizers: [e2e.example.com/never]}}",
    );
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "endless", r#"{"hook": "endless"}"#);
    namespace.resource(&kind, "held", r#"{"hook": "held"}"#);
    namespace.resource(&kind, "definition", r#"{"hook": "definition", "deadline": "1ns"}"#);
    let told = |name: &str, words: &str| {
        let told = says(60, words, || namespace.condition(&kind, name, "ReleaseFailed"));
        assert!(told.starts_with("True InstallError"), "{told}");
    };
    let here = format!("in namespace {}", namespace.name);
    told(
        "endless",
        &format!("pre-install hooks failed: Job endless {here} did not finish within its deadline of 1s"),
    );
    told(
        "held",
        &format!(
            "pre-install hooks failed: ConfigMap held {here} was deleted and is not gone after 1s; its finalizers are \
             e2e.example.com/never"
        ),
    );
    told("definition", "CustomResourceDefinition hurries.e2e.example.com was not established within 1ns");
    // Each is cured by what its message points at.
    namespace.change(&kind, "endless", r#"{"hook": "none"}"#);
    namespace.merge("configmap", "held", r#"{"metadata": {"finalizers": null}}"#);
    namespace.change(&kind, "definition", r#"{"deadline": "1m"}"#);
    for name in ["endless", "held", "definition"] {
        namespace.ready(&kind, name);
        becomes(30, String::new(), || namespace.condition(&kind, name, "ReleaseFailed"));
    }
}

#[test]
#[ignore = "needs a control plane"]
fn a_definition_of_the_chart_that_is_refused_is_told() {
    let bad = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: flaws.e2e.example.com}\n\
               spec: {group: e2e.example.com, scope: Namespaced, names: {kind: Flaw, plural: flaws}, versions: []}\n";
    let chart = Chart::new("flawed", &[("crds/bad.yaml", bad)]);
    let (kind, namespace) = (Kind::new("Flawed"), Namespace::new("flawed"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    let told = says(30, "crds/bad.yaml", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains("cannot make CustomResourceDefinition flaws.e2e.example.com"), "{told}");
    assert!(namespace.condition(&kind, "demo", "Ready").starts_with("False RequestFailed"));
}
