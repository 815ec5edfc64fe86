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

/// A ConfigMap and a workload of no replicas, which is ready at once.
const WORKLOAD: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\n\
    spec: {replicas: 0, selector: {matchLabels: {app: {{ .Release.Name }}}}, template: {metadata: {labels: \
    {app: {{ .Release.Name }}}}, spec: {containers: [{name: main, image: example/none:1}]}}}\n";

/// Lets the operator's account write objects of its charts, but not list or watch them, unless it `may_watch`.
fn rule_workloads(namespace: &Namespace, account: &str, may_watch: bool) {
    let verbs = if may_watch { ", list, watch" } else { "" };
    namespace.apply(&format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: workloads}}\nrules:\n\
         - {{apiGroups: [apps], resources: [deployments], verbs: [get, create, patch, update, delete{verbs}]}}\n\
         - {{apiGroups: [\"\"], resources: [configmaps], verbs: [get, create, patch, update, delete{verbs}]}}\n---\n\
         apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: workloads}}\n\
         roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: workloads}}\n\
         subjects: [{{kind: ServiceAccount, name: {account}}}]\n"
    ));
}

#[test]
#[ignore = "needs a control plane"]
fn objects_that_may_not_be_watched_are_served_all_the_same() {
    let chart =
        Chart::new("sightless", &[("templates/cm.yaml", CONFIG), ("templates/workload.yaml", WORKLOAD)]);
    let (kind, namespace) = (Kind::new("Sightless"), Namespace::new("sightless"));
    let folder = manifests(&chart, &kind, &namespace);
    let rules = std::fs::read_to_string(folder.join("rbac.yaml")).unwrap();
    assert!(rules.contains("configmaps") && rules.contains("deployments"), "{rules}");
    namespace.apply(&rules.replace("configmaps", "nothings").replace("deployments", "nothings"));
    let account =
        namespace.names("serviceaccount").into_iter().find(|name| name != "default").expect("an account");
    rule_workloads(&namespace, &account, true);
    let kubeconfig = cluster().kubeconfig_for_service_account(&namespace.name, &account).unwrap();
    let watches = chart.watches(&[(&kind, "reconcilePeriod: 2s")]);
    let start = || {
        Operator::start_with(std::path::Path::new(""), "", "", |command| {
            command.env("KUBECONFIG", &kubeconfig).env("WATCH_NAMESPACE", &namespace.name);
            command.env("HELM_CHART_WATCHES", &watches);
        })
    };
    let mut operator = start();
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    operator.stop();
    rule_workloads(&namespace, &account, false);
    let operator = start();
    // What is new is served at once, not after the time that first lists may take.
    let began = std::time::Instant::now();
    namespace.resource(&kind, "late", r#"{"color": "blue"}"#);
    says(25, "late", || namespace.names("deployment").join(" "));
    assert!(began.elapsed() < std::time::Duration::from_secs(25));
    let place = format!("in the namespace \"{}\"", namespace.name);
    for (group, resource) in [("", "configmaps"), ("apps", "deployments")] {
        let rule = format!(
            r#"{{apiGroups: ["{group}"], resources: ["{resource}"], verbs: ["list", "watch"]}} {place}"#
        );
        for name in ["demo", "late"] {
            says(20, &rule, || namespace.condition(&kind, name, "Ready"));
        }
    }
    let right = "without the right to list and watch deployments.apps in the namespace";
    says(20, right, || namespace.path(&kind.full(), "demo", "{.status.resources.notReady}"));
    says(20, "NotWatched", || namespace.kubectl(&["get", "events"]));
    // What others do is put back all the same, at the period's pace.
    namespace.kubectl(&["scale", "deployment", "demo", "--replicas=3"]);
    namespace.merge("configmap", "demo", r#"{"data": {"color": "red"}}"#);
    crate::support::becomes(20, "0".to_owned(), || namespace.path("deployment", "demo", "{.spec.replicas}"));
    crate::support::becomes(20, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"), "1");
    let refusals = operator.log().matches("May not watch").count();
    assert_eq!(refusals, 2, "{}", operator.log());
    // Once the rules are there, nothing else is to be done.
    rule_workloads(&namespace, &account, true);
    crate::support::becomes(90, "True Ready: all objects are ready".to_owned(), || {
        namespace.condition(&kind, "demo", "Ready")
    });
    namespace.kubectl(&["delete", &kind.full(), "--all", "--timeout=30s"]);
    assert_eq!(namespace.names("deployment"), Vec::<String>::new());
}

#[test]
#[ignore = "needs a control plane"]
fn a_namespace_that_is_forbidden_does_not_stop_the_others() {
    let files = [("templates/cm.yaml", CONFIG), ("values.yaml", "color: red\nsize: 1\n")];
    let chart = Chart::new("walled", &files);
    let (kind, open, walled) = (Kind::new("Walled"), Namespace::new("open"), Namespace::new("walled"));
    let folder = manifests(&chart, &kind, &open);
    open.kubectl(&["apply", "-f", folder.join("rbac.yaml").to_str().unwrap()]);
    let account =
        open.names("serviceaccount").into_iter().find(|name| name != "default").expect("an account");
    let kubeconfig = cluster().kubeconfig_for_service_account(&open.name, &account).unwrap();
    // The generated rules hold everywhere; here they are to hold in one of the namespaces, but for the type.
    let whole =
        open.kubectl(&["get", "clusterrolebindings", "-o", "json"]).parse::<serde_json::Value>().unwrap();
    let ours = |one: &&serde_json::Value| one["subjects"][0]["namespace"] == open.name.as_str();
    let bound: Vec<_> = whole["items"].as_array().unwrap().iter().filter(ours).collect();
    assert!(!bound.is_empty(), "{whole}");
    for binding in bound {
        let (name, role) = (binding["metadata"]["name"].as_str().unwrap(), &binding["roleRef"]["name"]);
        open.kubectl(&["delete", "clusterrolebinding", name]);
        open.apply(&format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: {name}}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}\n\
             subjects: [{{kind: ServiceAccount, name: {account}, namespace: {}}}]\n---\n\
             apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}-types}}\nrules:\n\
             - {{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: ['*']}}\n---\n\
             apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: {name}-types}}\n\
             roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {name}-types}}\n\
             subjects: [{{kind: ServiceAccount, name: {account}, namespace: {}}}]\n",
            open.name, open.name
        ));
    }
    let start = |chart: &Chart| {
        Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
            command.env("KUBECONFIG", &kubeconfig);
            command.env("WATCH_NAMESPACE", format!("{},{}", walled.name, open.name));
        })
    };
    let mut operator = start(&chart);
    open.resource(&kind, "demo", r#"{"color": "green"}"#);
    walled.resource(&kind, "demo", r#"{"color": "green"}"#);
    open.ready(&kind, "demo");
    operator.stop();
    // A type that changes asks which resources there are.
    chart.write("values.yaml", "color: red\nsize: big\n");
    let operator = start(&chart);
    open.change(&kind, "demo", r#"{"color": "blue"}"#);
    crate::support::becomes(20, "blue".to_owned(), || open.path("configmap", "demo", "{.data.color}"));
    let refused =
        format!("list and watch walleds.{} in the namespace \"{}\"", crate::support::GROUP, walled.name);
    says(10, &refused, || operator.readiness());
    assert_eq!(walled.names("configmap").iter().filter(|name| *name == "demo").count(), 0);
    assert!(operator.log().matches("May not watch custom resources").count() == 1, "{}", operator.log());
}
