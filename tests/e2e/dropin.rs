//! A project of operator-sdk's, as it is: layout, entrypoint, flags, resources and what their users read.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, says, stays};

const WATCHES: &str = "\
# Use the 'create api' subcommand to add watches to this file.
- group: e2e.example.com
  version: v1
  kind: Project
  chart: helm-charts/project
  reconcilePeriod: 30s
  dryRunOption: server
  overrideValues:
    image: $RELATED_IMAGE
    debug: true
#+kubebuilder:scaffold:watch
";

const OVERRIDDEN: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                          data: {image: {{ .Values.image }}, debug: {{ kindOf .Values.debug }}}\n";

const HOOK: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-hook\n\
                    \x20 annotations: {helm.sh/hook: \"pre-install,pre-upgrade,pre-delete\"}\n";

/// Lays a project out as `operator-sdk init --plugins helm` does.
fn project(chart: &Chart) -> PathBuf {
    let root = chart.path.with_file_name("opt-helm");
    let charts = root.join("helm-charts");
    fs::create_dir_all(&charts).expect("made");
    std::os::unix::fs::symlink(&chart.path, charts.join("project")).expect("linked");
    fs::write(root.join("watches.yaml"), WATCHES).expect("written");
    root
}

/// Starts an operator as the image's entrypoint does, with the arguments of the scaffold's Deployment.
fn entrypoint(chart: &Chart, namespace: &Namespace, more: &[&str]) -> Operator {
    let root = project(chart);
    Operator::start_with(&chart.path, "", "", |command| {
        command
            .arg0("/usr/local/bin/helm-operator")
            .current_dir(root)
            .args([
                "--watches-file=./watches.yaml",
                "--leader-elect",
                "--leader-election-id=project-operator",
            ])
            .args(["--leader-election-namespace", &namespace.name, "--max-concurrent-reconciles=2"])
            .args(["--zap-log-level=debug", "--zap-encoder=json", "--zap-time-encoding=iso8601"])
            .args(more)
            .env_remove("HELM_CHART")
            .env_remove("LOG_FORMAT")
            .env("WATCH_NAMESPACE", &namespace.name)
            .env("RELATED_IMAGE", "registry.example.com/app:3");
    })
}

#[test]
#[ignore = "needs a control plane"]
fn a_project_runs_with_only_its_base_image_changed() {
    let files = [
        ("templates/cm.yaml", OVERRIDDEN),
        ("templates/NOTES.txt", "Thank you for {{ .Release.Name }}.\n"),
        ("templates/hook.yaml", HOOK),
    ];
    let chart = Chart::new("project", &files);
    let (kind, namespace) = (Kind::new("Project"), Namespace::new("project"));
    let operator = entrypoint(&chart, &namespace, &["--suppress-override-values"]);
    namespace.apply(
        r#"{"apiVersion": "e2e.example.com/v1", "kind": "Project", "metadata": {"name": "demo",
            "finalizers": ["uninstall-helm-release", "helm.sdk.operatorframework.io/uninstall-release"],
            "annotations": {"helm.sdk.operatorframework.io/reconcile-period": "now and then",
                "helm.sdk.operatorframework.io/upgrade-force": "true",
                "helm.sdk.operatorframework.io/rollback-force": "false",
                "helm.sdk.operatorframework.io/install-disable-hooks": "true",
                "helm.sdk.operatorframework.io/install-description": "by the project",
                "helm.sdk.operatorframework.io/uninstall-disable-hooks": "true",
                "helm.sdk.operatorframework.io/uninstall-description": "gone"}},
            "spec": {"image": "mine"}}"#,
    );
    namespace.ready(&kind, "demo");
    assert_eq!(
        namespace.path("configmap", "demo", "{.data.image} {.data.debug}"),
        "registry.example.com/app:3 string"
    );
    assert_eq!(namespace.condition(&kind, "demo", "Initialized"), "True Initialized: ");
    assert_eq!(namespace.condition(&kind, "demo", "Deployed"), "True InstallSuccessful: Thank you for demo.");
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.deployedRelease.name}"), "demo");
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.deployedRelease.manifest}"), "");
    assert_eq!(namespace.path("configmap", "demo-hook", "{.metadata.name}"), "", "its hooks are off");

    let helm = |args: &[&str]| {
        let mut command = cluster().helm3().expect("helm");
        let output = command.args(["--namespace", &namespace.name]).args(args).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(helm(&["history", "demo"]).contains("by the project"), "{}", helm(&["history", "demo"]));

    let events = || {
        let each = r#"{range .items[*]}{.reason} {.message}{"\n"}{end}"#;
        namespace.kubectl(&["get", "events", "-o", &format!("jsonpath={each}")])
    };
    let told = says(30, r#"OverrideValuesInUse Chart value "image" overridden to "****""#, events);
    assert!(
        told.contains(r#"Chart value "debug" overridden to "****" by operator's watches.yaml"#),
        "{told}"
    );
    says(30, "InvalidAnnotation annotation helm.sdk.operatorframework.io/reconcile-period", events);
    let log = operator.log();
    let line = log.lines().find(|line| line.contains("Installed release")).expect("it is logged");
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert_eq!((&line["namespace"], &line["name"]), (&namespace.name.as_str().into(), &"demo".into()));

    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(30, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn the_manifest_is_in_the_status_where_that_is_asked_for() {
    let chart = Chart::new("shown", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Shown"), Namespace::new("shown"));
    let mut operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.arg("--status-manifest").env("WATCH_NAMESPACE", &namespace.name);
    });
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let manifest = || namespace.path(&kind.full(), "demo", "{.status.deployedRelease.manifest}");
    assert!(manifest().starts_with("---\n# Source: shown/templates/cm.yaml\n"), "{}", manifest());
    operator.stop();
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(30, String::new(), manifest);
}

/// The rights that `operator-sdk create api` gives, for a chart that makes ConfigMaps.
const SCAFFOLD: &str = r#"
apiVersion: v1
kind: ServiceAccount
metadata: {name: scaffold-controller-manager}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: scaffold-manager-role}
rules:
- {apiGroups: [""], resources: [namespaces], verbs: [get]}
- {apiGroups: [""], resources: [secrets], verbs: ["*"]}
- {apiGroups: [""], resources: [events], verbs: [create]}
- apiGroups: [e2e.example.com]
  resources: [scaffolds, scaffolds/status, scaffolds/finalizers]
  verbs: [create, delete, get, list, patch, update, watch]
- {apiGroups: [""], resources: [configmaps], verbs: ["*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: scaffold-manager-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: scaffold-manager-role}
subjects: [{kind: ServiceAccount, name: scaffold-controller-manager, namespace: NAMESPACE}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: scaffolds.e2e.example.com}
spec:
  group: e2e.example.com
  names: {kind: Scaffold, listKind: ScaffoldList, plural: scaffolds, singular: scaffold}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
"#;

#[test]
#[ignore = "needs a control plane"]
fn the_rights_and_the_type_of_a_scaffolded_project_are_enough() {
    let chart = Chart::new("scaffold", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Scaffold"), Namespace::new("scaffold"));
    namespace.apply(&SCAFFOLD.replace("NAMESPACE", &namespace.name));
    namespace.kubectl(&[
        "wait",
        "--for=condition=Established",
        "crd/scaffolds.e2e.example.com",
        "--timeout=30s",
    ]);
    let generation = || namespace.path("crd", "scaffolds.e2e.example.com", "{.metadata.generation}");
    let before = generation();
    let account =
        cluster().kubeconfig_for_service_account(&namespace.name, "scaffold-controller-manager").unwrap();
    let operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("KUBECONFIG", &account);
    });
    assert!(operator.log().contains("The type is taken as somebody else made it"), "{}", operator.log());
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    says(30, "Installed scaffold", || namespace.kubectl(&["get", "events"]));
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.merge("configmap", "demo", r#"{"data": {"color": "mine"}}"#);
    becomes(15, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(60, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    assert_eq!(generation(), before, "the type is left alone");
}

#[test]
#[ignore = "needs a control plane"]
fn operators_share_a_kind_by_selectors() {
    let chart = Chart::new("shared", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Shared"), Namespace::new("shared"));
    let start = |team: &str| {
        let watches = chart.path.with_file_name(format!("watches-{team}.yaml"));
        let entry = "- {group: e2e.example.com, version: v1, kind: Shared, selector: {matchLabels: {team: ";
        fs::write(&watches, format!("{entry}{team}}}}}, chart: {:?}}}", chart.path)).expect("written");
        Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
            command.env("WATCH_NAMESPACE", &namespace.name).env("HELM_CHART_WATCHES", &watches);
        })
    };
    let operator = start("a");
    namespace.resource(&kind, "other", r#"{"color": "green"}"#);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.kubectl(&["label", &kind.full(), "demo", "team=a"]);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("configmap", "other", "{.metadata.name}"), "", "{}", operator.log());
    assert_eq!(namespace.path(&kind.full(), "other", "{.status}"), "");
    // What the other operator makes is no leftover to this one.
    let _other = start("b");
    namespace.kubectl(&["label", &kind.full(), "other", "team=b"]);
    namespace.ready(&kind, "other");
    stays(23, || namespace.path("configmap", "other", "{.metadata.uid}"));
}
