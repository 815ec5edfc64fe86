//! The operator stops, dies, and comes back.

use std::time::Duration;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, eventually, says};

/// Twenty ConfigMaps.
const MANY: &str = "{{- range $n := until 20 }}\n---\napiVersion: v1\nkind: ConfigMap\n\
                    metadata: {name: {{ $.Release.Name }}-{{ $n }}}\ndata: {color: {{ $.Values.color }}}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn killed_in_the_middle_of_an_apply_it_finishes_after() {
    let chart = Chart::new("killed", &[("templates/cm.yaml", MANY)]);
    let (kind, namespace) = (Kind::new("Killed"), Namespace::new("killed"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    let colors = || {
        let all = namespace.kubectl(&["get", "configmap", "-o", "jsonpath={.items[*].data.color}"]);
        all.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    namespace.resource(&kind, "demo", r#"{"color": "c0"}"#);
    // Each time killed a little later in its work.
    for round in 1..=6_u64 {
        std::thread::sleep(Duration::from_millis(round * 40));
        operator.kill();
        namespace.change(&kind, "demo", &format!(r#"{{"color": "c{round}"}}"#));
        operator = Operator::start(&chart.path, &kind, &namespace);
    }
    becomes(60, vec!["c6".to_owned(); 20], colors);
    namespace.ready(&kind, "demo");
    let list = cluster().helm3().unwrap().args(["list", "-n", &namespace.name, "-a"]).output().unwrap();
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(list.contains("demo") && list.contains("deployed") && !list.contains("pending"), "{list}");
}

#[test]
#[ignore = "needs a control plane"]
fn a_restart_writes_nothing() {
    let chart = Chart::new("calm", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Calm"), Namespace::new("calm"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    for n in 0..10 {
        namespace.resource(&kind, &format!("c{n}"), r#"{"color": "green"}"#);
    }
    for n in 0..10 {
        namespace.ready(&kind, &format!("c{n}"));
    }
    let everything = format!("configmap,secret,{}", kind.full());
    let before = namespace.versions(&everything);
    operator.stop();
    operator = Operator::start(&chart.path, &kind, &namespace);
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(namespace.versions(&everything), before, "{}", operator.log());
}

#[test]
#[ignore = "needs a control plane"]
fn a_change_while_it_was_down_is_carried_out() {
    let chart = Chart::new("down", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Down"), Namespace::new("down"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "edited", r#"{"color": "green"}"#);
    namespace.resource(&kind, "changed", r#"{"color": "green"}"#);
    namespace.ready(&kind, "edited");
    namespace.ready(&kind, "changed");
    operator.stop();
    namespace.merge("configmap", "edited", r#"{"data": {"color": "red"}}"#);
    namespace.change(&kind, "changed", r#"{"color": "blue"}"#);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(20, "green".to_owned(), || namespace.path("configmap", "edited", "{.data.color}"));
    becomes(20, "blue".to_owned(), || namespace.path("configmap", "changed", "{.data.color}"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_new_chart_moves_its_resources_on() {
    let chart = Chart::new("mover", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Mover"), Namespace::new("mover"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    operator.stop();
    chart.write("templates/cm.yaml", &CONFIG.replace("\ndata: {", "\ndata: {version: two, "));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(20, "two".to_owned(), || namespace.path("configmap", "demo", "{.data.version}"));
    eventually(20, "revision 2", || {
        let revision = namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}");
        if revision == "2" { Ok(()) } else { Err(revision) }
    });
}

/// A hook that runs until the value says otherwise, and whose policy removes it only after a success.
const SLOW_HOOK: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-hook\n  annotations:\n    \
    helm.sh/hook: pre-install\n    helm.sh/hook-delete-policy: hook-succeeded\nspec:\n  template:\n    spec:\n      \
    restartPolicy: Never\n      {{- if .Values.stuck }}\n      nodeSelector: {nowhere: \"true\"}\n      {{- end }}\n      \
    containers: [{name: main, image: busybox}]\n";

#[test]
#[ignore = "needs a control plane"]
fn a_hook_at_work_is_waited_for_after_a_restart() {
    let chart = Chart::new("leaver", &[("templates/job.yaml", SLOW_HOOK), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Leaver"), Namespace::new("leaver"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    let hook = || namespace.path("job", "demo-hook", "{.metadata.uid}");
    namespace.resource(&kind, "demo", r#"{"stuck": true, "color": "green"}"#);
    becomes(60, true, || !hook().is_empty());
    let first = hook();
    operator.kill();
    operator = Operator::start(&chart.path, &kind, &namespace);
    says(60, "waiting for the pre-install hook Job demo-hook", || {
        namespace.condition(&kind, "demo", "Reconciling")
    });
    assert_eq!(hook(), first, "what it has done is not done twice\n{}", operator.log());
    // Another hook takes its place.
    namespace.change(&kind, "demo", r#"{"stuck": false}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(hook(), "", "its policy removes it after a success\n{}", operator.log());
}

#[test]
#[ignore = "needs a control plane"]
fn kinds_do_not_share_a_release() {
    let chart = Chart::new(
        "twins",
        &[("templates/cm.yaml", &CONFIG.replace(".Release.Name }}", ".Release.Name }}-{{ .Values.color }}"))],
    );
    let (first, second) = (Kind::new("Castor"), Kind::new("Pollux"));
    let namespace = Namespace::new("twins");
    let _operator = Operator::watching(&chart.watches(&[(&first, ""), (&second, "")]), &namespace);
    namespace.resource(&first, "demo", r#"{"color": "green"}"#);
    namespace.ready(&first, "demo");
    namespace.resource(&second, "demo", r#"{"color": "red"}"#);
    says(
        60,
        "the release demo belongs to Castor.e2e.example.com demo, and this is Pollux.e2e.example.com demo",
        || namespace.condition(&second, "demo", "ReleaseFailed"),
    );
    let owner =
        || namespace.path("secret", "sh.helm.release.v1.demo.v1", "{.metadata.ownerReferences[0].kind}");
    assert_eq!(owner(), "Castor");
    namespace.kubectl(&["delete", &second.full(), "demo", "--timeout=30s"]);
    assert_eq!(owner(), "Castor");
    namespace.ready(&first, "demo");
}

#[test]
#[ignore = "needs a control plane"]
fn a_new_chart_that_renders_the_same_is_recorded_and_its_hooks_run() {
    let chart = Chart::new("quiet", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Quiet"), Namespace::new("quiet"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    operator.stop();
    let uid = namespace.path("configmap", "demo", "{.metadata.uid} {.metadata.resourceVersion}");
    let revision = || namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}");

    chart.write("Chart.yaml", "apiVersion: v2\nname: quiet\nversion: 1.1.0\n");
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "2".to_owned(), revision);
    operator.stop();

    let hook = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-farewell\n  annotations: \
                {helm.sh/hook: pre-delete, helm.sh/resource-policy: keep}\n";
    chart.write("templates/hook.yaml", hook);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "3".to_owned(), revision);
    assert_eq!(namespace.path("configmap", "demo", "{.metadata.uid} {.metadata.resourceVersion}"), uid);
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(30, "demo-farewell".to_owned(), || {
        namespace.path("configmap", "demo-farewell", "{.metadata.name}")
    });
}
