//! What goes wrong is told in full, and nothing that runs is touched.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, kubectl, says, stays};

#[test]
#[ignore = "needs a control plane"]
fn a_failing_template_tells_file_line_and_words() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                    data: {host: {{ required \"host must be set (see the manual)\" .Values.host }}}\n";
    let chart = Chart::new("asker", &[("templates/cm.yaml", template)]);
    let (kind, namespace) = (Kind::new("Asker"), Namespace::new("asker"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"host": "a.example.com"}"#);
    namespace.ready(&kind, "demo");
    let version = namespace.path("configmap", "demo", "{.metadata.resourceVersion}");
    namespace.kubectl(&[
        "patch",
        &kind.full(),
        "demo",
        "--type=json",
        "-p",
        r#"[{"op": "remove", "path": "/spec/host"}]"#,
    ]);
    let told = says(30, "host must be set (see the manual)", || {
        namespace.condition(&kind, "demo", "Irreconcilable")
    });
    assert!(told.contains("asker/templates/cm.yaml:4:"), "{told}");
    assert!(namespace.condition(&kind, "demo", "Ready").starts_with("False RenderFailed"));
    assert!(namespace.condition(&kind, "demo", "Stalled").starts_with("True"));
    assert_eq!(
        namespace.path("configmap", "demo", "{.metadata.resourceVersion} {.data.host}"),
        format!("{version} a.example.com")
    );
    namespace.change(&kind, "demo", r#"{"host": "b.example.com"}"#);
    becomes(30, "b.example.com".to_owned(), || namespace.path("configmap", "demo", "{.data.host}"));
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "Irreconcilable"));
}

const TWO_OBJECTS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                           data: {color: {{ .Values.color | quote }}}\n---\napiVersion: v1\nkind: Service\n\
                           metadata: {name: {{ .Release.Name }}}\nspec:\n  ports: [{port: {{ .Values.port }}}]\n\
                           \x20 selector: {a: b}\n{{- if .Values.typo }}\n  selektor: {}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn refused_objects_are_all_named_and_nothing_is_written() {
    let chart = Chart::new("refused", &[("templates/all.yaml", TWO_OBJECTS)]);
    let (kind, namespace) = (Kind::new("Refused"), Namespace::new("refused"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green", "port": 99999}"#);
    let told = says(30, "spec.ports[0].port", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.starts_with("True InstallError: nothing was changed"), "{told}");
    assert!(told.contains("Service demo") && told.contains("refused/templates/all.yaml"), "{told}");
    assert_eq!(
        namespace.path("configmap", "demo", "{.metadata.name}"),
        "",
        "the good one waits for the bad one"
    );
    assert!(namespace.names("secret").is_empty(), "no record of what never happened");

    namespace.change(&kind, "demo", r#"{"port": 80}"#);
    namespace.ready(&kind, "demo");
    let before = namespace.versions("configmap,service,secret");
    namespace.change(&kind, "demo", r#"{"color": "red", "typo": true}"#);
    let told = says(30, "selektor", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.starts_with("True UpgradeError"), "{told}");
    assert_eq!(namespace.versions("configmap,service,secret"), before);
    assert!(namespace.condition(&kind, "demo", "Deployed").starts_with("True"), "the old release still runs");
}

#[test]
#[ignore = "needs a control plane"]
fn a_chart_with_a_syntax_error_does_not_start() {
    let chart = Chart::new("broken", &[("templates/cm.yaml", "a: {{ if }}\n")]);
    let (kind, namespace) = (Kind::new("Broken"), Namespace::new("broken"));
    let mut operator = Operator::spawn(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name);
    });
    assert!(!operator.wait(30), "it must fail");
    let log = operator.log();
    assert!(log.contains("broken/templates/cm.yaml:1"), "{log}");
}

#[test]
#[ignore = "needs a control plane"]
fn an_api_version_without_a_group_does_not_start() {
    let chart = Chart::new("groupless", &[("templates/cm.yaml", CONFIG)]);
    let mut operator = Operator::spawn(&chart.path, "v1alpha1", "Groupless", |_| {});
    assert!(!operator.wait(30), "it must fail");
    assert!(operator.log().contains("has no group"), "{}", operator.log());
}

#[test]
#[ignore = "needs a control plane"]
fn values_that_break_the_schema_are_told() {
    // A rule about the names of keys, which the custom resource's type cannot carry: it is left to Helm.
    let schema = r#"{"type": "object", "properties": {"color": {"type": "string"}, "names": {"propertyNames": {"maxLength": 3}}}}"#;
    let chart = Chart::new("schema", &[("templates/cm.yaml", CONFIG), ("values.schema.json", schema)]);
    let (kind, namespace) = (Kind::new("Schematic"), Namespace::new("schema"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green", "names": {"longer": 1}}"#);
    says(30, "at '/names'", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    namespace.change(&kind, "demo", r#"{"names": null}"#);
    namespace.ready(&kind, "demo");
}

#[test]
#[ignore = "needs a control plane"]
fn one_that_fails_holds_up_no_other() {
    let template =
        "{{- if eq .Values.color \"bad\" }}{{ fail \"bad color\" }}{{ end }}\n".to_owned() + CONFIG;
    let chart = Chart::new("crowd", &[("templates/cm.yaml", &template)]);
    let (kind, namespace) = (Kind::new("Crowd"), Namespace::new("crowd"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    for n in 0..5 {
        namespace.resource(&kind, &format!("bad-{n}"), r#"{"color": "bad"}"#);
    }
    says(30, "bad color", || namespace.condition(&kind, "bad-0", "Stalled"));
    namespace.resource(&kind, "good", r#"{"color": "green"}"#);
    becomes(15, "green".to_owned(), || namespace.path("configmap", "good", "{.data.color}"));
    std::thread::sleep(std::time::Duration::from_secs(15));
    let attempts = operator.log().lines().filter(|line| line.contains("name=bad-0")).count();
    assert!(attempts <= 6, "{attempts} attempts in 15 s:\n{}", operator.log());
}

#[test]
#[ignore = "needs a control plane"]
fn objects_of_others_are_not_taken() {
    let chart = Chart::new("settler", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Settler"), Namespace::new("settler"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.kubectl(&["create", "configmap", "demo", "--from-literal=color=mine"]);
    namespace.resource(&kind, "demo", r#"{"color": "chart"}"#);
    let told = says(30, "ConfigMap demo", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains("belongs to nobody"), "{told}");
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "mine");
    namespace.kubectl(&["label", "configmap", "demo", "app.kubernetes.io/managed-by=Helm"]);
    let release =
        ["meta.helm.sh/release-name=demo", &format!("meta.helm.sh/release-namespace={}", namespace.name)];
    namespace.kubectl(&["annotate", "configmap", "demo", release[0], release[1]]);
    becomes(60, "chart".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.ready(&kind, "demo");
}

#[test]
#[ignore = "needs a control plane"]
fn a_name_too_long_for_a_release_is_told_and_can_be_deleted() {
    let chart = Chart::new("long", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Long"), Namespace::new("long"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let name = "x".repeat(60);
    namespace.resource(&kind, &name, r#"{"color": "green"}"#);
    says(30, "has 60 characters, and as the name of a Helm release it may have 53", || {
        namespace.condition(&kind, &name, "Stalled")
    });
    namespace.kubectl(&["delete", &kind.full(), &name, "--timeout=30s"]);
}

#[test]
#[ignore = "needs a control plane"]
fn what_kubernetes_removed_without_successor_is_told() {
    let template = "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: p}\nspec: {}\n";
    let chart = Chart::new("removed", &[("templates/psp.yaml", template), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Removed"), Namespace::new("removed"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    says(30, "Pod Security Admission", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    stays(3, || namespace.path("configmap", "demo", "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_kind_that_comes_later_is_noticed() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                    data: {late: {{ .Capabilities.APIVersions.Has \"late.example.com/v1\" | quote }}}\n";
    let crd = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "lates.late.example.com"}, "spec": {"group": "late.example.com", "scope": "Cluster",
        "names": {"kind": "Late", "plural": "lates"}, "versions": [{"name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object"}}}]}}"#;
    let chart = Chart::new("waiter", &[("templates/cm.yaml", template)]);
    let (kind, namespace) = (Kind::new("Waiter"), Namespace::new("waiter"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let late = || namespace.path("configmap", "demo", "{.data.late}");
    assert_eq!(late(), "false");
    namespace.apply(crd);
    becomes(20, "true".to_owned(), late);
    namespace.kubectl(&["delete", "crd", "lates.late.example.com"]);
    becomes(20, "false".to_owned(), late);
}

#[test]
#[ignore = "needs a control plane"]
fn what_does_not_get_ready_in_time_is_stalled() {
    let template = "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Release.Name }}}\nspec: {nodeSelector: \
                    {never: \"true\"}, containers: [{name: main, image: example/app:1}]}\n";
    let chart = Chart::new("sloth", &[("templates/pod.yaml", template)]);
    let (kind, namespace) = (Kind::new("Sloth"), Namespace::new("sloth"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    says(30, "True ResourcesNotReady", || namespace.condition(&kind, "demo", "Reconciling"));
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/ready-deadline=3s"]);
    let told = says(30, "True DeadlineExceeded", || namespace.condition(&kind, "demo", "Stalled"));
    assert!(told.contains("not ready within 3s") && told.contains("Pod demo"), "{told}");
    assert!(namespace.condition(&kind, "demo", "Ready").starts_with("False DeadlineExceeded"));
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.phase}"), "Degraded");
}

#[test]
#[ignore = "needs a control plane"]
fn objects_that_need_one_another_come_in_order() {
    let objects = "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Release.Name }}}\n\
                   spec: {priorityClassName: {{ .Release.Namespace }}-high, containers: [{name: main, image: busybox}]}\n---\n\
                   apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: {{ .Release.Namespace }}-high}\n\
                   value: 1000\n";
    let chart = Chart::new("needy", &[("templates/all.yaml", objects)]);
    let (kind, namespace) = (Kind::new("Needy"), Namespace::new("needy"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("pod", "demo", "{.spec.priority}"), "1000");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
}

#[test]
#[ignore = "needs a control plane"]
fn a_quantity_that_is_none_is_refused() {
    let template = "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Release.Name }}}\n\
                    spec: {containers: [{name: main, image: busybox, resources: {limits: {memory: {{ .Values.memory }}}}}]}\n";
    let chart = Chart::new("quantity", &[("templates/pod.yaml", template)]);
    let (kind, namespace) = (Kind::new("Quantity"), Namespace::new("quantity"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"memory": "lots"}"#);
    let told = says(30, "quantities must match", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains("refuses 1 object") && told.contains("templates/pod.yaml"), "{told}");
    namespace.change(&kind, "demo", r#"{"memory": "1Mi"}"#);
    namespace.ready(&kind, "demo");
}

#[test]
#[ignore = "needs a control plane"]
fn what_a_secret_holds_is_not_told() {
    // A password without quotes, as it happens: one of digits only is a number.
    let template = "apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Release.Name }}}\n\
                    stringData: {password: {{ .Values.password }}}\n---\n\
                    apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Release.Name }}}\nspec: {containers: [{name: main, \
                    image: busybox, env: [{name: PASSWORD, value: {{ .Values.password }}}]}]}\n";
    let chart = Chart::new("blurt", &[("templates/all.yaml", template)]);
    let (kind, namespace) = (Kind::new("Blurt"), Namespace::new("blurt"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"password": 70441893}"#);
    let told = says(30, "refuses 2 objects", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(
        told.contains("Secret demo") && told.contains(".password: expected string, got a number"),
        "{told}"
    );
    assert!(told.contains("value: expected string, got a number"), "{told}");
    let events = says(20, "expected string", || namespace.kubectl(&["get", "events", "-o", "yaml"]));
    let status = namespace.path(&kind.full(), "demo", "{.status}");
    for text in [&*events, &*status, &*operator.log()] {
        assert!(!text.contains("70441893") && !text.contains("7.0441893"), "{text}");
    }
    namespace.change(&kind, "demo", r#"{"password": "good"}"#);
    namespace.ready(&kind, "demo");
}

#[test]
#[ignore = "needs a control plane"]
fn a_broken_chart_holds_up_no_other_kind() {
    let good = Chart::new("sound", &[("templates/cm.yaml", CONFIG)]);
    let bad = Chart::new("unsound", &[("templates/cm.yaml", "a: {{ .Values.x | nosuchfunc }}\n")]);
    let (sound, unsound) = (Kind::new("Sound"), Kind::new("Unsound"));
    let namespace = Namespace::new("unsound");
    let entry = |kind: &Kind, chart: &Chart| {
        let path = chart.path.display();
        format!("- group: e2e.example.com\n  version: v1\n  kind: {}\n  chart: {path}\n", kind.name)
    };
    let watches = good.path.with_file_name("watches.yaml");
    // And one whose definition is somebody else's to make.
    let unmade = entry(&Kind::new("Unmade"), &good) + "  crd: check\n";
    std::fs::write(&watches, entry(&unsound, &bad) + &unmade + &entry(&sound, &good)).expect("written");
    // The type is there from when the chart was whole.
    let definition = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "unsounds.e2e.example.com"}, "spec": {"group": "e2e.example.com", "scope": "Namespaced",
        "names": {"kind": "Unsound", "plural": "unsounds"}, "versions": [{"name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true}}}]}}"#;
    namespace.apply(definition);
    let operator = Operator::start_with(&good.path, &sound.api_version(), &sound.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name).env("HELM_CHART_WATCHES", &watches);
    });
    assert!(operator.log().contains("The kind is not served"), "{}", operator.log());
    namespace.resource(&sound, "demo", r#"{"color": "green"}"#);
    namespace.ready(&sound, "demo");
    namespace.resource(&unsound, "other", "{}");
    let told = says(30, "nosuchfunc", || namespace.condition(&unsound, "other", "Irreconcilable"));
    assert!(told.contains("unsound/templates/cm.yaml:1"), "{told}");
    assert!(namespace.condition(&unsound, "other", "Ready").starts_with("False ChartUnusable"));
    says(20, "nosuchfunc", || namespace.kubectl(&["get", "events", "--field-selector=reason=ChartUnusable"]));
    assert_eq!(
        operator.log().matches("The cluster does not serve the kind").count(),
        1,
        "{}",
        operator.log()
    );
    // Another slip, and then it is mended.
    bad.write("templates/cm.yaml", "a: {{ .Values.x | nosuchother }}\n");
    says(60, "nosuchother", || namespace.condition(&unsound, "other", "Irreconcilable"));
    bad.write("templates/cm.yaml", CONFIG);
    namespace.change(&unsound, "other", r#"{"color": "mended"}"#);
    namespace.ready(&unsound, "other");
    assert_eq!(namespace.path("configmap", "other", "{.data.color}"), "mended");
    assert!(!namespace.condition(&unsound, "other", "Irreconcilable").starts_with("True"));
    namespace.kubectl(&["delete", &unsound.full(), "other", "--timeout=60s"]);
}

#[test]
#[ignore = "needs a control plane"]
fn what_has_a_chart_that_broke_can_be_deleted_in_every_way() {
    const ROLE: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n\
                        metadata: {name: {{ .Release.Namespace }}-{{ .Release.Name }}}\n";
    const HOOK: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.hook }}\n\
                        \x20 annotations: {\"helm.sh/hook\": pre-delete}\n";
    let good = Chart::new("lasting", &[("templates/cm.yaml", CONFIG)]);
    let files = [("templates/cm.yaml", CONFIG), ("templates/role.yaml", ROLE), ("templates/hook.yaml", HOOK)];
    let bad = Chart::new("breaking", &files);
    let (lasting, breaking) = (Kind::new("Unscathed"), Kind::new("Shattered"));
    let namespace = Namespace::new("shattered");
    let watches = good.path.with_file_name("watches.yaml");
    let entry = |kind: &Kind, chart: &Chart| {
        let path = chart.path.display();
        format!("- {{group: e2e.example.com, version: v1, kind: {}, chart: {path}}}\n", kind.name)
    };
    std::fs::write(&watches, entry(&lasting, &good) + &entry(&breaking, &bad)).expect("written");
    let mut operator = Operator::watching(&watches, &namespace);
    for (name, hook) in [("plain", "farewell"), ("forced", "Bad_Name"), ("kept", "farewell")] {
        namespace.resource(&breaking, name, &format!(r#"{{"color": "green", "hook": "{hook}"}}"#));
        namespace.ready(&breaking, name);
    }
    operator.stop();
    bad.write("templates/cm.yaml", "a: {{ nosuchfunc }}\n");
    namespace.merge(&breaking.full(), "kept", r#"{"metadata": {"finalizers": null}}"#);
    let operator = Operator::watching(&watches, &namespace);
    for name in ["plain", "forced", "kept"] {
        says(30, "nosuchfunc", || namespace.condition(&breaking, name, "Irreconcilable"));
    }
    let annotate = |name: &str, policy: &str| {
        let annotation = format!("chartwright.io/deletion-policy={policy}");
        namespace.kubectl(&["annotate", &breaking.full(), name, &annotation]);
    };
    annotate("kept", "orphan");
    says(30, "uninstall-release", || namespace.path(&breaking.full(), "kept", "{.metadata.finalizers}"));
    namespace.kubectl(&["delete", &breaking.full(), "plain", "kept", "--timeout=60s"]);
    namespace.kubectl(&["delete", &breaking.full(), "forced", "--wait=false"]);
    // The hooks are those of the release's record.
    says(30, "pre-delete hooks failed", || namespace.condition(&breaking, "forced", "ReleaseFailed"));
    annotate("forced", "force");
    becomes(30, String::new(), || namespace.path(&breaking.full(), "forced", "{.metadata.name}"));
    let role =
        |name: &str| namespace.path("clusterrole", &format!("{}-{name}", namespace.name), "{.metadata.name}");
    for name in ["plain", "forced"] {
        becomes(30, String::new(), || role(name));
        becomes(60, String::new(), || namespace.path("configmap", name, "{.metadata.name}"));
    }
    assert_ne!(role("kept"), "", "{}", operator.log());
    let left = namespace.path("configmap", "kept", "{.metadata.name}{.metadata.ownerReferences}");
    assert_eq!(left, "kept");
    assert_eq!(namespace.names("secret"), ["sh.helm.release.v1.kept.v1"]);
    kubectl(&["delete", "clusterrole", &format!("{}-kept", namespace.name)]);
}

#[test]
#[ignore = "needs a control plane"]
fn an_operator_whose_only_chart_broke_carries_deletions_out_until_it_is_mended() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n\
                metadata: {name: {{ .Release.Namespace }}-{{ .Release.Name }}}\n";
    let chart = Chart::new("lonely", &[("templates/cm.yaml", CONFIG), ("templates/role.yaml", role)]);
    let (kind, namespace) = (Kind::new("Lonely"), Namespace::new("lonely"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["goes", "stays"] {
        namespace.resource(&kind, name, r#"{"color": "green"}"#);
        namespace.ready(&kind, name);
    }
    operator.stop();
    chart.write("templates/cm.yaml", "a: {{ nosuchfunc }}\n");
    let mut operator = Operator::spawn(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name);
    });
    says(30, "nosuchfunc", || namespace.condition(&kind, "stays", "Irreconcilable"));
    let told = operator.readiness();
    assert!(told.starts_with("HTTP/1.1 503"), "{told}");
    assert!(told.contains("Lonely is not served") && told.contains("lonely/templates/cm.yaml:1"), "{told}");
    namespace.kubectl(&["delete", &kind.full(), "goes", "--timeout=60s"]);
    let gone = format!("{}-goes", namespace.name);
    becomes(30, String::new(), || namespace.path("clusterrole", &gone, "{.metadata.name}"));
    assert_eq!(namespace.path("configmap", "stays", "{.data.color}"), "green");

    chart.write("templates/cm.yaml", CONFIG);
    operator.wait_ready();
    assert!(!operator.readiness().contains("not served"), "{}", operator.readiness());
    namespace.change(&kind, "stays", r#"{"color": "mended"}"#);
    becomes(30, "mended".to_owned(), || namespace.path("configmap", "stays", "{.data.color}"));
    namespace.kubectl(&["delete", &kind.full(), "stays", "--timeout=60s"]);
}

/// Its render takes longer than anybody waits if the values say so.
const HEAVY: &str = "{{- range until (int .Values.rounds) }}{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}{{ end }}\n\
                     apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {color: green}\n";

#[test]
#[ignore = "needs a control plane"]
fn heavy_renders_hold_up_no_others() {
    let chart = Chart::new("heavy", &[("values.yaml", "rounds: 0\n"), ("templates/cm.yaml", HEAVY)]);
    let (kind, other_kind) = (Kind::new("Heavy"), Kind::new("Light"));
    let namespace = Namespace::new("heavy");
    let _operator = Operator::watching(&chart.watches(&[(&kind, ""), (&other_kind, "")]), &namespace);
    for n in 0..6 {
        namespace.resource(&kind, &format!("heavy-{n}"), r#"{"rounds": 9999}"#);
    }
    for (kind, name) in [(&kind, "one"), (&other_kind, "other"), (&kind, "another")] {
        namespace.resource(kind, name, "{}");
        becomes(60, "green".to_owned(), || namespace.path("configmap", name, "{.data.color}"));
    }
    // What is mended meanwhile is not rendered to the end first.
    for n in 0..6 {
        namespace.change(&kind, &format!("heavy-{n}"), r#"{"rounds": 0}"#);
    }
    for n in 0..6 {
        let name = format!("heavy-{n}");
        becomes(60, "green".to_owned(), || namespace.path("configmap", &name, "{.data.color}"));
    }
}

#[test]
#[ignore = "needs a control plane"]
fn a_render_without_end_is_not_tried_again_at_once() {
    let chart = Chart::new("endless", &[("values.yaml", "rounds: 0\n"), ("templates/cm.yaml", HEAVY)]);
    let (kind, namespace) = (Kind::new("Endless"), Namespace::new("endless"));
    let operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name).arg("--max-render-time=2s");
    });
    namespace.resource(&kind, "demo", r#"{"rounds": 9999}"#);
    says(60, "its time is up", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    let attempts = || operator.log().lines().filter(|line| line.contains("its time is up")).count();
    stays(15, attempts);
    namespace.change(&kind, "demo", r#"{"rounds": 0}"#);
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
}
