//! The operator with exactly the rights its manifests give it.

use std::process::Command;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, cluster, says};

/// What `chartwright manifests` writes for a chart.
fn manifests(chart: &Chart, kind: &Kind, namespace: &Namespace) -> std::path::PathBuf {
    manifests_with(chart, kind, namespace, &[])
}

fn manifests_with(chart: &Chart, kind: &Kind, namespace: &Namespace, flags: &[&str]) -> std::path::PathBuf {
    let folder = chart.path.parent().unwrap().join("deploy");
    let output = Command::new(env!("CARGO_BIN_EXE_chartwright"))
        .args(["manifests", "--chart"])
        .arg(&chart.path)
        .args(["--api-version", &kind.api_version(), "--kind", &kind.name, "--image", "example/operator:1"])
        .args(["--namespace", &namespace.name, "--output-dir"])
        .arg(&folder)
        .args(flags)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// A role of the chart and one of the cluster, each bound: a binding is refused while its role is not there.
const ROLES: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: {{ .Release.Name }}}\n\
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .Release.Name }}}\n\
    subjects: [{kind: ServiceAccount, name: default}]\n---\n\
    apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: {{ .Release.Name }}-view}\n\
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\n\
    subjects: [{kind: ServiceAccount, name: default}]\n---\n\
    apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: {{ .Release.Name }}}\n\
    rules: [{apiGroups: [batch], resources: [jobs], verbs: [get, list]}]\n";

#[test]
#[ignore = "needs a control plane"]
fn the_generated_rules_are_enough() {
    let chart = Chart::new("ruled", &[("templates/cm.yaml", CONFIG), ("templates/rbac.yaml", ROLES)]);
    let (kind, namespace) = (Kind::new("Ruled"), Namespace::new("ruled"));
    let folder = manifests(&chart, &kind, &namespace);
    namespace.kubectl(&["apply", "-f", folder.join("rbac.yaml").to_str().unwrap()]);
    let account =
        namespace.names("serviceaccount").into_iter().find(|name| name != "default").expect("an account");
    let kubeconfig = cluster().kubeconfig_for_service_account(&namespace.name, &account).unwrap();
    let operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("KUBECONFIG", &kubeconfig).env("WATCH_NAMESPACE", &namespace.name);
    });
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let bindings = namespace.names("rolebinding");
    assert!(["demo", "demo-view"].iter().all(|name| bindings.iter().any(|one| one == name)), "{bindings:?}");
    says(20, "Installed", || namespace.kubectl(&["get", "events"]));
    namespace.merge("configmap", "demo", r#"{"data": {"color": "red"}}"#);
    crate::support::becomes(5, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    let log = operator.log();
    assert!(!log.contains("forbidden"), "{log}");
}

#[test]
#[ignore = "needs a control plane"]
fn the_generated_rules_are_enough_for_several_kinds() {
    let chart = Chart::new("manifold", &[("templates/cm.yaml", CONFIG)]);
    let (plain, global) = (Kind::new("Manifold"), Kind::new("Manyfold"));
    let namespace = Namespace::new("manifold");
    let scope = format!("scope: Cluster, releaseNamespace: {}", namespace.name);
    let watches = chart.watches(&[(&plain, "crd: check"), (&global, &scope)]);
    let folder = chart.path.with_file_name("deploy");
    let output = Command::new(env!("CARGO_BIN_EXE_chartwright"))
        .args(["manifests", "--image", "example/operator:1", "--namespace", &namespace.name, "--output-dir"])
        .arg(&folder)
        .arg("--watches-file")
        .arg(&watches)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["rbac.yaml", "operator.yaml", "crd/e2e.example.com_manifolds.yaml"] {
        namespace.kubectl(&["apply", "-f", folder.join(file).to_str().unwrap()]);
    }
    let account =
        namespace.names("serviceaccount").into_iter().find(|name| name != "default").expect("an account");
    let kubeconfig = cluster().kubeconfig_for_service_account(&namespace.name, &account).unwrap();
    let operator = Operator::start_with(std::path::Path::new(""), "", "", |command| {
        command.env("KUBECONFIG", &kubeconfig).env("HELM_CHART_WATCHES", &watches);
    });
    // The samples as they are.
    for kind in ["manifold", "manyfold"] {
        let sample = folder.join(format!("samples/e2e.example.com_v1_{kind}.yaml"));
        namespace.kubectl(&["apply", "-f", sample.to_str().unwrap()]);
        let wait = ["wait", "--for=condition=Ready", "--timeout=60s"];
        namespace.kubectl(&[&wait[..], &[&format!("{kind}s.e2e.example.com/{kind}-sample")]].concat());
    }
    assert_eq!(namespace.names("configmap").iter().filter(|name| name.ends_with("-sample")).count(), 2);
    says(20, "Installed", || namespace.kubectl(&["get", "events"]));
    namespace.kubectl(&[
        "delete",
        "manifolds.e2e.example.com,manyfolds.e2e.example.com",
        "--all",
        "--timeout=30s",
    ]);
    let log = operator.log();
    assert!(!log.contains("forbidden"), "{log}");
}

#[test]
#[ignore = "needs a control plane"]
fn what_a_webhook_and_a_new_version_take_is_granted() {
    let chart = Chart::new("granted", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Granted"), Namespace::new("granted"));
    let folder = manifests_with(&chart, &kind, &namespace, &["--webhook"]);
    let deployment = std::fs::read_to_string(folder.join("operator.yaml")).unwrap();
    assert!(
        deployment.contains("- --webhook\n") && deployment.contains("name: granted-operator-webhook"),
        "{deployment}"
    );
    namespace.apply(&deployment);
    namespace.kubectl(&["delete", "deployment", "--all"]);
    namespace.kubectl(&["apply", "-f", folder.join("rbac.yaml").to_str().unwrap()]);
    let account =
        namespace.names("serviceaccount").into_iter().find(|name| name != "default").expect("an account");
    let kubeconfig = cluster().kubeconfig_for_service_account(&namespace.name, &account).unwrap();
    let address = format!("127.10.{}.1:19443", std::process::id() % 250);
    let start = |version: &str| {
        let version = format!("{}/{version}", crate::support::GROUP);
        Operator::start_with(&chart.path, &version, &kind.name, |command| {
            command.env("KUBECONFIG", &kubeconfig).env("WATCH_NAMESPACE", &namespace.name);
            command.args(["--webhook", "--webhook-bind-address", &address]);
            command.args(["--webhook-url", &format!("https://{address}")]);
        })
    };
    let mut operator = start("v1");
    let name = format!("granteds.{}", crate::support::GROUP);
    let configurations =
        || crate::support::kubectl(&["get", "validatingwebhookconfigurations", "-o", "name"]);
    says(30, &name, configurations);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    operator.stop();
    assert!(!configurations().contains(&name));
    let again = start("v2");
    let stored =
        || crate::support::kubectl(&["get", "crd", &name, "-o", "jsonpath={.status.storedVersions[*]}"]);
    crate::support::becomes(60, "v2".to_owned(), stored);
    let log = format!("{}{}", operator.log(), again.log());
    assert!(!log.contains("forbidden") && !log.contains("cannot"), "{log}");
}

/// Starts an operator with the generated rules, less those for a resource; returns it with all of the rules.
fn start_without(chart: &Chart, kind: &Kind, namespace: &Namespace, resource: &str) -> (Operator, String) {
    let folder = manifests(chart, kind, namespace);
    let rules = std::fs::read_to_string(folder.join("rbac.yaml")).unwrap();
    assert!(rules.contains(resource), "{rules}");
    namespace.apply(&rules.replace(resource, "nothings"));
    let account =
        namespace.names("serviceaccount").into_iter().find(|name| name != "default").expect("an account");
    let kubeconfig = cluster().kubeconfig_for_service_account(&namespace.name, &account).unwrap();
    let operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("KUBECONFIG", &kubeconfig).env("WATCH_NAMESPACE", &namespace.name);
    });
    (operator, rules)
}

#[test]
#[ignore = "needs a control plane"]
fn a_missing_rule_is_named() {
    let chart = Chart::new("ruleless", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Ruleless"), Namespace::new("ruleless"));
    let (_operator, _) = start_without(&chart, &kind, &namespace, "configmaps");
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    says(30, r#"lacks the rule {apiGroups: [""], resources: ["configmaps"], verbs: ["patch"]}"#, || {
        namespace.condition(&kind, "demo", "Stalled")
    });
}

#[test]
#[ignore = "needs a control plane"]
fn a_missing_rule_for_a_lookup_is_named() {
    let looks = "{{ if lookup \"v1\" \"Node\" \"\" \"none\" }}{{ fail \"there is none\" }}{{ end }}";
    let chart = Chart::new("blindfold", &[("templates/cm.yaml", CONFIG), ("templates/look.yaml", looks)]);
    let (kind, namespace) = (Kind::new("Blindfold"), Namespace::new("blindfold"));
    let (_operator, rules) = start_without(&chart, &kind, &namespace, "nodes");
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    says(30, r#"lacks the rule {apiGroups: [""], resources: ["nodes"], verbs: ["get"]}"#, || {
        namespace.condition(&kind, "demo", "ReleaseFailed")
    });
    // Once it is granted, nothing else is to be done.
    namespace.apply(&rules);
    namespace.ready(&kind, "demo");
}
