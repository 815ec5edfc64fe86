//! Changes by others: ours are put back at once, theirs are left.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, says, stays};

#[test]
#[ignore = "needs a control plane"]
fn an_edit_is_put_back_within_a_second_and_told() {
    let chart = Chart::new("drift", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Drift"), Namespace::new("drift"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.merge("configmap", "demo", r#"{"data": {"color": "red"}}"#);
    let took = becomes(5, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    eprintln!("an edit was put back after {took:?}");
    says(20, "was changed by kubectl", || namespace.kubectl(&["get", "events"]));
    let before = namespace.versions("configmap");
    namespace.kubectl(&["label", "configmap", "demo", "theirs=yes"]);
    namespace.merge("configmap", "demo", r#"{"data": {"extra": "x"}}"#);
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_ne!(namespace.versions("configmap"), before);
    stays(5, || namespace.versions("configmap"));
    assert_eq!(namespace.path("configmap", "demo", "{.data.extra} {.metadata.labels.theirs}"), "x yes");
}

const CLUSTER_WIDE: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n\
                            metadata: {name: {{ .Release.Namespace }}-{{ .Release.Name }}}\n\
                            rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n";

#[test]
#[ignore = "needs a control plane"]
fn objects_outside_namespaces_are_watched_as_well() {
    let chart = Chart::new("wide", &[("templates/role.yaml", CLUSTER_WIDE)]);
    let (kind, namespace) = (Kind::new("Wide"), Namespace::new("wide"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let role = format!("{}-demo", namespace.name);
    namespace.kubectl(&["delete", "clusterrole", &role]);
    becomes(5, role.clone(), || namespace.path("clusterrole", &role, "{.metadata.name}"));
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=60s"]);
    becomes(10, String::new(), || namespace.path("clusterrole", &role, "{.metadata.name}"));
}

const SCALED: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\nspec:\n\
                      \x20 replicas: 1\n  selector: {matchLabels: {app: {{ .Release.Name }}}}\n  template:\n\
                      \x20   metadata: {labels: {app: {{ .Release.Name }}}}\n\
                      \x20   spec: {containers: [{name: main, image: example/app:1}]}\n{{- if .Values.auto }}\n---\n\
                      apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: {{ .Release.Name }}}\n\
                      spec: {minReplicas: 2, maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, \
                      name: {{ .Release.Name }}}}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn an_autoscaler_keeps_its_replicas_and_a_hand_does_not() {
    let chart = Chart::new("scaled", &[("templates/all.yaml", SCALED)]);
    let (kind, namespace) = (Kind::new("Scaled"), Namespace::new("scaled"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "hand", r#"{"auto": false}"#);
    namespace.resource(&kind, "auto", r#"{"auto": true}"#);
    namespace.ready(&kind, "hand");
    namespace.kubectl(&["scale", "deployment", "hand", "--replicas=4"]);
    becomes(10, "1".to_owned(), || namespace.path("deployment", "hand", "{.spec.replicas}"));
    becomes(60, "2".to_owned(), || namespace.path("deployment", "auto", "{.spec.replicas}"));
    stays(20, || namespace.path("deployment", "auto", "{.spec.replicas} {.metadata.generation}"));
    // With the autoscaler goes its word.
    namespace.change(&kind, "auto", r#"{"auto": false}"#);
    becomes(20, "1".to_owned(), || namespace.path("deployment", "auto", "{.spec.replicas}"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_job_that_removes_itself_is_not_run_again() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ .Release.Name }}}\nspec:\n\
               \x20 ttlSecondsAfterFinished: 1\n  template:\n    spec: {restartPolicy: Never, \
               containers: [{name: main, image: example/app:1}]}\n";
    let chart = Chart::new("once", &[("templates/job.yaml", job), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Once"), Namespace::new("once"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    let job = || namespace.path("job", "demo", "{.metadata.uid}");
    becomes(30, true, || !job().is_empty());
    becomes(60, String::new(), job);
    stays(5, job);
    namespace.ready(&kind, "demo");
    operator.stop();
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    stays(5, job);
}

#[test]
#[ignore = "needs a control plane"]
fn objects_that_nobody_watches_are_put_back_after_a_period() {
    let breaks = "{{ if .Values.broken }}{{ fail \"it is broken\" }}{{ end }}\n";
    let chart = Chart::new("unwatched", &[("templates/cm.yaml", CONFIG), ("templates/breaks.yaml", breaks)]);
    let (kind, namespace) = (Kind::new("Unwatched"), Namespace::new("unwatched"));
    let watches = chart.watches(&[(&kind, "watchDependentResources: false, reconcilePeriod: 2s")]);
    let operator = Operator::watching(&watches, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.merge("configmap", "demo", r#"{"data": {"color": "red"}}"#);
    becomes(20, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.kubectl(&["delete", "configmap", "demo"]);
    becomes(20, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    says(20, "was deleted by somebody", || namespace.kubectl(&["get", "events"]));
    stays(6, || namespace.versions("configmap"));
    // Also while a release that is due fails.
    namespace.change(&kind, "demo", r#"{"color": "blue", "broken": true}"#);
    says(20, "it is broken", || namespace.condition(&kind, "demo", "Irreconcilable"));
    // However long the pauses between the attempts have become.
    becomes(60, true, || operator.log().matches("Reconcile failed").count() > 4);
    namespace.kubectl(&["delete", "configmap", "demo"]);
    becomes(10, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    stays(6, || namespace.versions("configmap"));
}

#[test]
#[ignore = "needs a control plane"]
fn marks_that_were_taken_off_are_put_back() {
    let chart = Chart::new("marked", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Marked"), Namespace::new("marked"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let owners = "{.metadata.ownerReferences[*].name}";
    namespace.kubectl(&[
        "patch",
        "configmap",
        "demo",
        "--type=json",
        "-p",
        r#"[{"op": "remove", "path": "/metadata/ownerReferences"}]"#,
    ]);
    becomes(20, "demo".to_owned(), || namespace.path("configmap", "demo", owners));
    namespace.merge("configmap", "demo", r#"{"data": {"color": "red"}}"#);
    becomes(20, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
}

#[test]
#[ignore = "needs a control plane"]
fn what_another_process_of_the_operator_wrote_late_is_put_back() {
    let chart = Chart::new("late", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Belated"), Namespace::new("belated"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    // The same fields under the same name, as a replica writes them that was stopped for a while; times are in seconds.
    let zombie = || {
        std::thread::sleep(std::time::Duration::from_millis(1100));
        let mut object = namespace.get("configmap", "demo");
        object["data"]["color"] = "red".into();
        let metadata = object["metadata"].as_object_mut().expect("metadata");
        for server in ["managedFields", "resourceVersion", "creationTimestamp", "uid"] {
            metadata.remove(server);
        }
        let path = chart.path.with_file_name("late.json");
        std::fs::write(&path, object.to_string()).expect("written");
        let path = path.to_string_lossy();
        let flags = ["--server-side", "--field-manager=chartwright", "--force-conflicts"];
        namespace.kubectl(&[&["apply", "-f", &*path], &flags[..]].concat());
    };
    let color = || namespace.path("configmap", "demo", "{.data.color}");
    let version = || namespace.path("configmap", "demo", "{.metadata.resourceVersion}");
    let before = version();
    zombie();
    becomes(10, true, || version() != before && color() == "green");
    says(20, "was changed by another operator", || namespace.kubectl(&["get", "events"]));
    stays(3, || namespace.versions("configmap"));
    operator.stop();
    zombie();
    assert_eq!(color(), "red");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(20, "green".to_owned(), color);
}

#[test]
#[ignore = "needs a control plane"]
fn what_runs_is_kept_while_a_hook_works_on_its_upgrade() {
    let hook = "{{ if .Values.hang }}\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-hook\n\
                \x20 annotations: {helm.sh/hook: pre-upgrade}\nspec:\n  nodeName: none\n  containers: [{name: a, image: a}]\n\
                {{ end }}";
    let same = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-same}\n";
    let files = [("templates/cm.yaml", CONFIG), ("templates/same.yaml", same), ("templates/hook.yaml", hook)];
    let (chart, kind) = (Chart::new("upheld", &files), Kind::new("Upheld"));
    let namespace = Namespace::new("upheld");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"color": "red", "hang": true}"#);
    becomes(30, "demo-hook".to_owned(), || namespace.path("pod", "demo-hook", "{.metadata.name}"));
    namespace.kubectl(&["delete", "configmap", "demo", "demo-same"]);
    becomes(20, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    becomes(20, "demo-same".to_owned(), || namespace.path("configmap", "demo-same", "{.metadata.name}"));
    namespace.merge("configmap", "demo", r#"{"data": {"color": "pink"}}"#);
    becomes(20, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.kubectl(&["delete", "pod", "demo-hook", "--force"]);
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.ready(&kind, "demo");
    // What was put back is known as it is now.
    stays(3, || namespace.versions("configmap"));
    let events = namespace.kubectl(&[
        "get",
        "events",
        "--field-selector=reason=Recreated",
        "-o",
        "jsonpath={.items[*].reason}",
    ]);
    assert_eq!(events.split_whitespace().count(), 2, "{events}");
}
