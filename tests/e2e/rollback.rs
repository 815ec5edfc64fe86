//! Upgrades that fail: what ran before runs again, stays as it is, and the user is told why.

use std::time::Duration;

use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, says, stays};

/// A hook that cannot even be made when `broken` is set.
const HOOKED: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                      data: {color: {{ .Values.color }}}\n{{- if .Values.broken }}\n---\napiVersion: v1\n\
                      kind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-new}\n{{- end }}\n---\napiVersion: v1\n\
                      kind: ConfigMap\nmetadata:\n  name: {{ ternary \"Bad_Name\" \"hook\" (default false .Values.broken) }}\n\
                      \x20 annotations: {\"helm.sh/hook\": post-upgrade}\n";

fn history(namespace: &Namespace) -> Vec<String> {
    let output =
        cluster().helm3().unwrap().args(["history", "demo", "-n", &namespace.name]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().skip(1).map(str::to_owned).collect()
}

#[test]
#[ignore = "needs a control plane"]
fn a_failed_upgrade_goes_back_and_what_runs_is_kept() {
    let chart = Chart::new("regret", &[("templates/all.yaml", HOOKED)]);
    let (kind, namespace) = (Kind::new("Regret"), Namespace::new("regret"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"color": "red", "broken": true}"#);
    let told = says(30, "went back to revision 1", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.starts_with("True UpgradeError: post-upgrade hooks failed: ConfigMap Bad_Name"), "{told}");
    assert!(namespace.condition(&kind, "demo", "Ready").starts_with("False HookFailed"));
    let color = || namespace.path("configmap", "demo", "{.data.color}");
    let paint = |color: &str| {
        let patch = format!(r#"{{"data": {{"color": "{color}"}}}}"#);
        namespace.merge("configmap", "demo", &patch);
    };
    becomes(10, "green".to_owned(), color);
    becomes(10, String::new(), || namespace.path("configmap", "demo-new", "{.metadata.name}"));
    let lines = history(&namespace);
    let states = ["superseded", "failed", "deployed"];
    assert!(
        lines.len() == 3 && lines.iter().zip(states).all(|(line, state)| line.contains(state)),
        "{lines:?}"
    );
    assert!(lines[2].contains("Rollback to 1"), "{lines:?}");
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"), "3");

    // It is tried again, to no avail; meanwhile what runs is kept, also by an operator that has just come.
    paint("blue");
    becomes(20, "green".to_owned(), color);
    operator.stop();
    paint("yellow");
    let operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "green".to_owned(), color);
    paint("pink");
    becomes(30, "green".to_owned(), color);
    says(60, "went back to revision", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(history(&namespace).len() <= 6, "{:?}\n{}", history(&namespace), operator.log());

    namespace.change(&kind, "demo", r#"{"broken": false}"#);
    becomes(30, "red".to_owned(), color);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.condition(&kind, "demo", "ReleaseFailed"), "");

    // Who does not want to go back says so.
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/rollback-on-failure=false"]);
    namespace.change(&kind, "demo", r#"{"color": "blue", "broken": true}"#);
    says(30, "post-upgrade hooks failed", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    stays(3, color);
    assert_eq!(color(), "blue");
}

const PICKY: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\nspec:\n\
                     \x20 ports: [{port: {{ .Values.port }}}]\n  selector: {a: {{ .Values.color }}}\n";

#[test]
#[ignore = "needs a control plane"]
fn what_runs_is_kept_while_an_upgrade_is_refused() {
    let chart = Chart::new("picky", &[("templates/all.yaml", PICKY)]);
    let (kind, namespace) = (Kind::new("Picky"), Namespace::new("picky"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green", "port": 80}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"port": 99999}"#);
    says(30, "spec.ports[0].port", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    std::thread::sleep(Duration::from_secs(1));
    let patch = r#"{"spec": {"selector": {"a": "red"}}}"#;
    namespace.merge("service", "demo", patch);
    becomes(10, "green".to_owned(), || namespace.path("service", "demo", "{.spec.selector.a}"));
    says(5, "spec.ports[0].port", || namespace.condition(&kind, "demo", "ReleaseFailed"));

    // Nobody knows what runs any more: that is told, and made good when the resource is put back.
    namespace.kubectl(&["delete", "secret", "-l", "owner=helm"]);
    let told =
        says(30, "its release record was deleted", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains("spec.ports[0].port"), "{told}");
    says(20, "RecordLost", || namespace.kubectl(&["get", "events"]));
    namespace.kubectl(&["delete", "service", "demo"]);
    namespace.change(&kind, "demo", r#"{"port": 80}"#);
    becomes(30, "green".to_owned(), || namespace.path("service", "demo", "{.spec.selector.a}"));
    becomes(30, vec!["sh.helm.release.v1.demo.v1".to_owned()], || namespace.names("secret"));
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
}
