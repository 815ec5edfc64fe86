//! Deletion, with and without an operator.

use crate::main_job::CONFIG;
use crate::support::{Chart, GROUP, Kind, Namespace, Operator, becomes, cluster, kubectl, says, stays};

#[test]
#[ignore = "needs a control plane"]
fn a_plain_chart_needs_no_operator_to_be_deleted() {
    let chart = Chart::new("plain", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Plain"), Namespace::new("plain"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path(&kind.full(), "demo", "{.metadata.finalizers}"), "");
    operator.stop();
    stays(2, || namespace.versions("configmap,secret"));
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(90, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    becomes(90, Vec::<String>::new(), || namespace.names("secret"));
}

#[test]
#[ignore = "needs a control plane"]
fn what_a_plain_resource_leaves_goes_at_once_while_an_operator_runs() {
    let chart = Chart::new("swift", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Swift"), Namespace::new("swift"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["background", "foreground", "orphan"] {
        namespace.resource(&kind, name, r#"{"color": "green"}"#);
    }
    for name in ["background", "foreground", "orphan"] {
        namespace.ready(&kind, name);
        namespace.kubectl(&["delete", &kind.full(), name, &format!("--cascade={name}"), "--wait=false"]);
    }
    // That it was us, and not Kubernetes' garbage collection, only the log tells for sure.
    says(20, "Removed what a deleted resource owned kind=Swift", || operator.log());
    for name in ["background", "foreground"] {
        becomes(20, String::new(), || namespace.path("configmap", name, "{.metadata.name}"));
    }
    // Kubernetes lets orphans go, and the resource after them, once its garbage collection knows the kind.
    becomes(120, String::new(), || namespace.path(&kind.full(), "orphan", "{.metadata.name}"));
    stays(3, || namespace.path("configmap", "orphan", "{.data.color}"));
    assert_eq!(namespace.path("configmap", "orphan", "{.data.color}"), "green");
    assert_eq!(namespace.names("secret"), ["sh.helm.release.v1.orphan.v1"]);
}

#[test]
#[ignore = "needs a control plane"]
fn resources_that_go_with_their_type_leave_nothing() {
    let chart = Chart::new("typeless", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Typeless"), Namespace::new("typeless"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.kubectl(&["delete", "crd", &format!("typelesses.{}", GROUP)]);
    becomes(30, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    becomes(30, Vec::<String>::new(), || namespace.names("secret"));
}

const CLUSTER_WIDE: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n\
                            metadata: {name: {{ .Release.Namespace }}-{{ .Release.Name }}}\nrules: []\n";

#[test]
#[ignore = "needs a control plane"]
fn what_garbage_collection_cannot_reach_is_cleaned_after_a_pause() {
    let chart = Chart::new("reach", &[("templates/role.yaml", CLUSTER_WIDE), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Reach"), Namespace::new("reach"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert!(namespace.path(&kind.full(), "demo", "{.metadata.finalizers}").contains("uninstall-release"));
    operator.stop();
    namespace.kubectl(&["delete", &kind.full(), "demo", "--wait=false"]);
    let role = format!("{}-demo", namespace.name);
    stays(2, || namespace.path("clusterrole", &role, "{.metadata.name}"));
    // What carries our marks is found without a record, too.
    namespace.kubectl(&["delete", "secret", "--all"]);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(60, String::new(), || namespace.path(&kind.full(), "demo", "{.metadata.name}"));
    becomes(10, String::new(), || namespace.path("clusterrole", &role, "{.metadata.name}"));
    becomes(90, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn the_older_finalizer_is_removed_too() {
    let chart = Chart::new("older", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Older"), Namespace::new("older"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let (api_version, name) = (kind.api_version(), &kind.name);
    namespace.apply(&format!(
        r#"{{"apiVersion": "{api_version}", "kind": "{name}", "metadata": {{"name": "demo",
        "finalizers": ["uninstall-helm-release"]}}, "spec": {{"color": "green"}}}}"#
    ));
    namespace.ready(&kind, "demo");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(30, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_slow_object_is_waited_for_and_named() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, \
                    finalizers: [e2e.example.com/slow]}\n";
    let chart = Chart::new("slow", &[("templates/cm.yaml", template)]);
    let (kind, namespace) = (Kind::new("Slow"), Namespace::new("slow"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let (api_version, name) = (kind.api_version(), &kind.name);
    namespace.apply(&format!(
        r#"{{"apiVersion": "{api_version}", "kind": "{name}", "metadata": {{"name": "demo",
        "annotations": {{"helm.sdk.operatorframework.io/uninstall-wait": "true"}}}}, "spec": {{}}}}"#
    ));
    namespace.ready(&kind, "demo");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--wait=false"]);
    says(20, "Waiting until all resources are deleted: ConfigMap demo", || {
        namespace.condition(&kind, "demo", "Deployed")
    });
    stays(5, || namespace.path(&kind.full(), "demo", "{.metadata.name}"));
    namespace.merge("configmap", "demo", r#"{"metadata": {"finalizers": null}}"#);
    becomes(20, String::new(), || namespace.path(&kind.full(), "demo", "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_resource_that_comes_and_goes_leaves_nothing() {
    let chart =
        Chart::new("flicker", &[("templates/role.yaml", CLUSTER_WIDE), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Flicker"), Namespace::new("flicker"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for pause in [0, 20, 60, 120, 250] {
        namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
        std::thread::sleep(std::time::Duration::from_millis(pause));
        namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=60s"]);
    }
    let role = format!("{}-demo", namespace.name);
    becomes(30, String::new(), || namespace.path("clusterrole", &role, "{.metadata.name}"));
    becomes(30, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    becomes(30, Vec::<String>::new(), || namespace.names("secret"));
    stays(3, || (namespace.path("configmap", "demo", "{.metadata.name}"), namespace.names("secret")));
}

#[test]
#[ignore = "needs a control plane"]
fn a_definition_and_its_resource_come_and_go_together() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
               metadata: {name: bricks.e2e.example.com}\nspec:\n  group: e2e.example.com\n  scope: Namespaced\n\
               \x20 names: {kind: Brick, plural: bricks, singular: brick}\n  versions: [{name: v1, served: true, \
               storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]\n";
    let brick =
        "apiVersion: e2e.example.com/v1\nkind: Brick\nmetadata: {name: {{ .Release.Name }}}\nspec: {a: 1}\n";
    let chart = Chart::new("mason", &[("templates/crd.yaml", crd), ("templates/brick.yaml", brick)]);
    let (kind, namespace) = (Kind::new("Mason"), Namespace::new("mason"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for _ in 0..2 {
        namespace.resource(&kind, "demo", "{}");
        namespace.ready(&kind, "demo");
        assert_eq!(namespace.path("bricks.e2e.example.com", "demo", "{.spec.a}"), "1");
        namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=60s"]);
        becomes(30, String::new(), || namespace.path("crd", "bricks.e2e.example.com", "{.metadata.name}"));
    }
}

#[test]
#[ignore = "needs a control plane"]
fn hooks_outside_the_namespace_go_too_and_deletion_ends_their_wait() {
    let hooks = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}\n  annotations: \
                 {\"helm.sh/hook\": pre-install, \"helm.sh/hook-weight\": \"1\"}\nspec:\n  template:\n    spec: \
                 {restartPolicy: Never, nodeSelector: {never: \"true\"}, containers: [{name: main, image: example/app:1}]}\n\
                 ---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  \
                 name: {{ .Release.Namespace }}-{{ .Release.Name }}\n  annotations: {\"helm.sh/hook\": pre-install}\nrules: []\n";
    let chart = Chart::new("eager", &[("templates/hooks.yaml", hooks), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Eager"), Namespace::new("eager"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    becomes(30, "demo".to_owned(), || namespace.path("job", "demo", "{.metadata.name}"));
    assert!(namespace.path(&kind.full(), "demo", "{.metadata.finalizers}").contains("uninstall-release"));
    says(20, "waiting for the pre-install hook Job demo", || {
        namespace.condition(&kind, "demo", "Reconciling")
    });
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=60s"]);
    let role = format!("{}-demo", namespace.name);
    becomes(10, String::new(), || namespace.path("clusterrole", &role, "{.metadata.name}"));
    becomes(90, String::new(), || namespace.path("job", "demo", "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_release_can_be_left_to_helm() {
    let chart =
        Chart::new("bequest", &[("templates/role.yaml", CLUSTER_WIDE), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Bequest"), Namespace::new("bequest"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/deletion-policy=orphan"]);
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    let role = format!("{}-demo", namespace.name);
    let left = || {
        let marks = "{.metadata.name} {.metadata.ownerReferences}{.metadata.labels.chartwright\\.io/owner}";
        (namespace.path("configmap", "demo", marks), namespace.path("clusterrole", &role, marks))
    };
    assert_eq!(left(), ("demo ".to_owned(), format!("{role} ")));
    stays(3, left);
    let helm = |args: &[&str]| {
        let output = cluster().helm3().unwrap().args(args).args(["-n", &namespace.name]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(helm(&["list"]).contains("deployed"), "{}", helm(&["list"]));
    // And it can be had back.
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(20, (String::new(), String::new()), left);
}

#[test]
#[ignore = "needs a control plane"]
fn a_release_stays_when_it_is_to_however_it_fares() {
    let all = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
               data: {color: {{ required \"a color\" .Values.color }}}\n---\napiVersion: v1\nkind: ServiceAccount\n\
               metadata: {name: {{ .Values.account | default .Release.Name }}}\n";
    let hook = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ .Release.Name }}-password\n\
                \x20 annotations: {helm.sh/hook: pre-install}\nstringData: {password: {{ randAlphaNum 9 | quote }}}\n";
    let chart = Chart::new("stayer", &[("templates/all.yaml", all), ("templates/hook.yaml", hook)]);
    let (kind, namespace) = (Kind::new("Stayer"), Namespace::new("stayer"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let names = ["refused", "unrendered", "paused", "planned"];
    for name in names {
        namespace.resource(&kind, name, r#"{"color": "green"}"#);
    }
    names.iter().for_each(|name| namespace.ready(&kind, name));
    namespace.change(&kind, "refused", r#"{"account": "NOT_GOOD"}"#);
    namespace.change(&kind, "unrendered", r#"{"color": null}"#);
    for name in ["paused", "planned"] {
        let annotation = format!("chartwright.io/{}=true", if name == "paused" { "paused" } else { "plan" });
        namespace.kubectl(&["annotate", &kind.full(), name, &annotation]);
        namespace.change(&kind, name, r#"{"color": "red"}"#);
    }
    says(30, "True", || namespace.condition(&kind, "refused", "ReleaseFailed"));
    says(30, "True", || namespace.condition(&kind, "unrendered", "Irreconcilable"));
    says(30, "True", || namespace.condition(&kind, "paused", "Paused"));
    for name in names {
        namespace.kubectl(&["annotate", &kind.full(), name, "chartwright.io/deletion-policy=orphan"]);
        let finalizers = || namespace.path(&kind.full(), name, "{.metadata.finalizers}");
        becomes(30, true, || finalizers().contains("uninstall-release"));
    }
    namespace.kubectl(&["delete", &kind.full(), "--all", "--timeout=60s"]);
    let left = || {
        let marks = "{.metadata.name}{.metadata.ownerReferences}";
        let secret = |name: &str| namespace.path("secret", &format!("{name}-password"), marks);
        names.map(|name| (namespace.path("configmap", name, marks), secret(name)))
    };
    assert_eq!(left(), names.map(|name| (name.to_owned(), format!("{name}-password"))));
    let list = cluster().helm3().unwrap().args(["list", "-q", "-n", &namespace.name]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&list.stdout).lines().count(), names.len());
}

#[test]
#[ignore = "needs a control plane"]
fn nothing_holds_a_resource_up_that_is_to_go_at_once() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, \
                    finalizers: [e2e.example.com/slow]}\n";
    let hook = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Bad_Name\n\
                \x20 annotations: {\"helm.sh/hook\": pre-delete}\n";
    let chart = Chart::new("stuck", &[("templates/cm.yaml", template), ("templates/hook.yaml", hook)]);
    let (kind, namespace) = (Kind::new("Stuck"), Namespace::new("stuck"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["forced", "timed"] {
        namespace.resource(&kind, name, "{}");
        namespace.ready(&kind, name);
    }
    namespace.kubectl(&["annotate", &kind.full(), "timed", "chartwright.io/deletion-deadline=3s"]);
    namespace.kubectl(&["delete", &kind.full(), "forced", "timed", "--wait=false"]);
    says(20, "pre-delete hooks failed", || namespace.condition(&kind, "forced", "ReleaseFailed"));
    namespace.kubectl(&["annotate", &kind.full(), "forced", "chartwright.io/deletion-policy=force"]);
    for name in ["forced", "timed"] {
        becomes(30, String::new(), || namespace.path(&kind.full(), name, "{.metadata.name}"));
    }
    let told =
        |reason: &str| namespace.kubectl(&["get", "events", &format!("--field-selector=reason={reason}")]);
    says(20, "still there: ConfigMap timed", || told("LeftBehind"));
    assert!(!told("LeftBehind").contains("hooks failed"), "what is left has a name");
    says(20, "pre-delete hooks failed", || told("NotWaitedFor"));
    says(20, "the release is gone but for ConfigMap timed", || told("Uninstalled"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_namespace_that_goes_and_a_type_that_goes_take_everything_along() {
    let hook = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-hook\n\
                \x20 annotations: {\"helm.sh/hook\": pre-delete}\n";
    let files = [("templates/role.yaml", CLUSTER_WIDE), ("templates/hook.yaml", hook)];
    let chart = Chart::new("ending", &files);
    let kind = Kind::new("Ending");
    let spaces = [Namespace::new("ending"), Namespace::new("ending")];
    let both = format!("{},{}", spaces[0].name, spaces[1].name);
    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &both);
    });
    for namespace in &spaces {
        namespace.resource(&kind, "demo", "{}");
        namespace.ready(&kind, "demo");
    }
    let role = |namespace: &Namespace| {
        namespace.path("clusterrole", &format!("{}-demo", namespace.name), "{.metadata.name}")
    };
    let [first, second] = &spaces;
    first.kubectl(&["delete", "namespace", &first.name, "--wait=false"]);
    becomes(90, String::new(), || {
        kubectl(&["get", "namespace", &first.name, "--ignore-not-found", "-o", "name"])
    });
    assert_eq!(role(first), "");
    second.kubectl(&["delete", "crd", &format!("endings.{GROUP}"), "--timeout=60s"]);
    becomes(20, String::new(), || role(second));
}

#[test]
#[ignore = "needs a control plane"]
fn what_a_resource_left_that_went_unseen_is_found() {
    let chart = Chart::new("unseen", &[("templates/role.yaml", CLUSTER_WIDE)]);
    let (kind, namespace) = (Kind::new("Unseen"), Namespace::new("unseen"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["demo", "other"] {
        namespace.resource(&kind, name, "{}");
        namespace.ready(&kind, name);
    }
    operator.stop();
    namespace.merge(&kind.full(), "demo", r#"{"metadata": {"finalizers": null}}"#);
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    let role = |name: &str| {
        namespace.path(
            "clusterrole",
            &format!("{}-{name}", namespace.name),
            "{.metadata.labels.app\\.kubernetes\\.io/managed-by}",
        )
    };
    assert_eq!(role("demo"), "Helm");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(60, String::new(), || role("demo"));
    assert_eq!(role("other"), "Helm");
}

#[test]
#[ignore = "needs a control plane"]
fn what_a_hook_made_to_be_kept_stays() {
    let hook = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ .Release.Name }}-password\n  annotations:\n    \
                helm.sh/hook: pre-install\n    helm.sh/resource-policy: keep\nstringData: {password: x}\n";
    let chart = Chart::new("heritage", &[("templates/cm.yaml", CONFIG), ("templates/hook.yaml", hook)]);
    let (kind, namespace) = (Kind::new("Heritage"), Namespace::new("heritage"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path(&kind.full(), "demo", "{.metadata.finalizers}"), "");
    assert_eq!(namespace.path("secret", "demo-password", "{.metadata.ownerReferences}"), "");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    says(20, "Removed what a deleted resource owned kind=Heritage", || operator.log());
    becomes(60, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    becomes(60, vec!["demo-password".to_owned()], || namespace.names("secret"));
    stays(3, || namespace.versions("secret"));
}

#[test]
#[ignore = "needs a control plane"]
fn hooks_before_a_deletion_are_not_run_again_after_a_restart() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, \
                    finalizers: [e2e.example.com/slow]}\n";
    let hook = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-backup\n\
                \x20 annotations: {helm.sh/hook: pre-delete}\nspec:\n  template:\n    spec: \
                {restartPolicy: Never, containers: [{name: main, image: example/app:1}]}\n";
    let chart = Chart::new("parting", &[("templates/cm.yaml", template), ("templates/hook.yaml", hook)]);
    let (kind, namespace) = (Kind::new("Parting"), Namespace::new("parting"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--wait=false"]);
    let waits = || namespace.condition(&kind, "demo", "Deployed");
    says(60, "Waiting until all resources are deleted: ConfigMap demo", waits);
    let job = || namespace.path("job", "demo-backup", "{.metadata.uid}");
    let first = job();
    assert!(!first.is_empty());
    let helm = |args: &[&str]| {
        let output = cluster().helm3().unwrap().args(args).args(["-n", &namespace.name]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(helm(&["status", "demo"]).contains("STATUS: uninstalling"), "{}", helm(&["status", "demo"]));
    operator.kill();
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    stays(4, job);
    namespace.merge("configmap", "demo", r#"{"metadata": {"finalizers": null}}"#);
    becomes(30, String::new(), || namespace.path(&kind.full(), "demo", "{.metadata.name}"));
    assert!(job() == first || job().is_empty());
    assert_eq!(namespace.names("secret"), Vec::<String>::new());
}

#[test]
#[ignore = "needs a control plane"]
fn a_resource_that_is_not_selected_any_more_is_let_go() {
    let chart =
        Chart::new("dropout", &[("templates/role.yaml", CLUSTER_WIDE), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Dropout"), Namespace::new("dropout"));
    let fields = "selector: {matchLabels: {env: prod}}, reconcilePeriod: 1s";
    let _operator = Operator::watching(&chart.watches(&[(&kind, fields)]), &namespace);
    let (api_version, name) = (kind.api_version(), &kind.name);
    namespace.apply(&format!(
        r#"{{"apiVersion": "{api_version}", "kind": "{name}", "metadata": {{"name": "demo",
        "labels": {{"env": "prod"}}}}, "spec": {{"color": "green"}}}}"#
    ));
    namespace.ready(&kind, "demo");
    let finalizers = || namespace.path(&kind.full(), "demo", "{.metadata.finalizers}");
    assert!(finalizers().contains("uninstall-release"));
    let label = |label: &str| namespace.kubectl(&["label", &kind.full(), "demo", label]);
    label("env-");
    becomes(20, String::new(), finalizers);
    says(20, "do not match the selector", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=NotSelected"])
    });
    // It can be had back, and what it has was never touched.
    label("env=prod");
    says(20, "uninstall-release", finalizers);
    label("env-");
    becomes(20, String::new(), finalizers);
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "green");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    let role = format!("{}-demo", namespace.name);
    becomes(30, String::new(), || namespace.path("clusterrole", &role, "{.metadata.name}"));
    becomes(30, String::new(), || namespace.path("configmap", "demo", "{.metadata.name}"));
    becomes(30, Vec::<String>::new(), || namespace.names("secret"));
}

#[test]
#[ignore = "needs a control plane"]
fn what_lost_its_label_while_the_operator_was_away_is_let_go_and_what_is_anothers_is_not() {
    let chart =
        Chart::new("straggler", &[("templates/role.yaml", CLUSTER_WIDE), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Straggler"), Namespace::new("straggler"));
    let start = |env: &str| {
        let fields = format!("selector: {{matchLabels: {{env: {env}}}}}, reconcilePeriod: 1s");
        Operator::watching(&chart.watches(&[(&kind, &fields)]), &namespace)
    };
    let (mut ours, mut theirs) = (start("prod"), start("test"));
    let (api_version, name) = (kind.api_version(), &kind.name);
    for (resource, env) in [("gone", "prod"), ("moved", "prod"), ("theirs", "test")] {
        namespace.apply(&format!(
            r#"{{"apiVersion": "{api_version}", "kind": "{name}", "metadata": {{"name": "{resource}",
            "labels": {{"env": "{env}"}}}}, "spec": {{"color": "green"}}}}"#
        ));
        namespace.ready(&kind, resource);
    }
    ours.stop();
    theirs.stop();
    let finalizers = |resource: &str| namespace.path(&kind.full(), resource, "{.metadata.finalizers}");
    let there = |resource: &str| namespace.path(&kind.full(), resource, "{.metadata.name}");
    let role = |resource: &str| {
        namespace.path("clusterrole", &format!("{}-{resource}", namespace.name), "{.metadata.name}")
    };
    namespace.kubectl(&["label", &kind.full(), "gone", "moved", "env-"]);
    namespace.kubectl(&["delete", &kind.full(), "gone", "theirs", "--wait=false"]);
    assert!(["gone", "moved", "theirs"].iter().all(|one| finalizers(one).contains("uninstall-release")));

    let ours = start("prod");
    becomes(60, String::new(), || there("gone"));
    becomes(30, String::new(), || role("gone"));
    becomes(30, String::new(), || namespace.path("configmap", "gone", "{.metadata.name}"));
    becomes(30, String::new(), || finalizers("moved"));
    let told = says(30, "straggler/moved", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=NotSelected"])
    });
    assert_ne!(role("moved"), "", "{told} {}", ours.log());
    assert!(finalizers("theirs").contains("uninstall-release"), "{}", ours.log());
    assert_ne!(role("theirs"), "");
    let _theirs = start("test");
    becomes(60, String::new(), || there("theirs"));
    becomes(30, String::new(), || role("theirs"));
}

#[test]
#[ignore = "needs a control plane"]
fn of_what_is_there_without_its_resource_data_and_what_is_anothers_stay() {
    let space =
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: {{ .Release.Namespace }}-{{ .Release.Name }}}\n";
    let chart =
        Chart::new("orphanage", &[("templates/role.yaml", CLUSTER_WIDE), ("templates/ns.yaml", space)]);
    let (kind, namespace) = (Kind::new("Orphanage"), Namespace::new("orphanage"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let here = &namespace.name;
    let label =
        namespace.path("clusterrole", &format!("{here}-demo"), "{.metadata.labels.chartwright\\.io/owner}");
    assert!(!label.is_empty());
    let make = |kind_of: &str, version: &str, name: &str, resource: &str| {
        namespace.apply(&format!(
            r#"{{"apiVersion": "{version}", "kind": "{kind_of}", "metadata": {{"name": "{here}-{name}",
            "labels": {{"chartwright.io/owner": "{label}"}}, "annotations":
            {{"operator-sdk/primary-resource": "{resource}",
            "operator-sdk/primary-resource-type": "Orphanage.{GROUP}"}}}}}}"#
        ));
    };
    let rbac = "rbac.authorization.k8s.io/v1";
    make("ClusterRole", rbac, "foreign", "elsewhere/lost");
    make("Namespace", "v1", "lost", &format!("{here}/lost"));
    make("ClusterRole", rbac, "lost", &format!("{here}/lost"));
    let is_there = |what: &str, name: &str| {
        !kubectl(&["get", what, &format!("{here}-{name}"), "--ignore-not-found"]).is_empty()
    };
    becomes(60, false, || is_there("clusterrole", "lost"));
    says(20, "Left an object whose resource is not there", || operator.log());
    assert!(is_there("namespace", "lost") && is_there("clusterrole", "foreign"));
    let ending = "{.metadata.deletionTimestamp}";
    assert_eq!(namespace.path("namespace", &format!("{here}-lost"), ending), "");
}

#[test]
#[ignore = "needs a control plane"]
fn what_is_not_selected_any_more_leaves_what_it_is_to_leave_and_nothing_else() {
    let chart =
        Chart::new("renegade", &[("templates/role.yaml", CLUSTER_WIDE), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Renegade"), Namespace::new("renegade"));
    let start = || {
        let fields = "selector: {matchLabels: {env: prod}}, reconcilePeriod: 1s";
        Operator::watching(&chart.watches(&[(&kind, fields)]), &namespace)
    };
    let mut operator = start();
    let (api_version, name) = (kind.api_version(), &kind.name);
    let names = ["early", "late", "after", "plain"];
    for resource in names {
        namespace.apply(&format!(
            r#"{{"apiVersion": "{api_version}", "kind": "{name}", "metadata": {{"name": "{resource}",
            "labels": {{"env": "prod"}}}}, "spec": {{"color": "green"}}}}"#
        ));
        namespace.ready(&kind, resource);
    }
    let orphan = |resource: &str| {
        namespace.kubectl(&["annotate", &kind.full(), resource, "chartwright.io/deletion-policy=orphan"]);
    };
    let finalizers = |resource: &str| namespace.path(&kind.full(), resource, "{.metadata.finalizers}");
    let has_finalizer = |resource: &str| finalizers(resource).contains("uninstall-release");
    let delete = |resource: &str| {
        namespace.kubectl(&["delete", &kind.full(), resource, "--timeout=60s"]);
    };
    let role = |resource: &str| {
        namespace.path("clusterrole", &format!("{}-{resource}", namespace.name), "{.metadata.name}")
    };
    orphan("early");
    namespace.kubectl(&["label", &kind.full(), "--all", "env-"]);
    for resource in ["late", "after", "plain"] {
        becomes(20, String::new(), || finalizers(resource));
    }
    assert!(has_finalizer("early"), "{}", operator.log());
    // Whoever has it stay only now is heard as well, and so he is after a restart.
    orphan("late");
    becomes(20, true, || has_finalizer("late"));
    delete("late");
    operator.stop();
    orphan("after");
    let operator = start();
    becomes(60, true, || has_finalizer("after"));
    for resource in ["early", "after", "plain"] {
        delete(resource);
    }
    becomes(60, String::new(), || role("plain"));
    becomes(60, String::new(), || namespace.path("configmap", "plain", "{.metadata.name}"));
    for resource in ["early", "late", "after"] {
        assert_ne!(role(resource), "", "{}", operator.log());
        let owners = namespace.path("configmap", resource, "{.metadata.name}{.metadata.ownerReferences}");
        assert_eq!(owners, resource);
    }
    let list = cluster().helm3().unwrap().args(["list", "-q", "-n", &namespace.name]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&list.stdout).lines().count(), 3);
    for resource in ["early", "late", "after"] {
        kubectl(&["delete", "clusterrole", &format!("{}-{resource}", namespace.name)]);
    }
}

#[test]
#[ignore = "needs a control plane"]
fn orphaning_holds_while_a_hook_hangs() {
    let hook = "{{ if .Values.hang }}\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-hook\n\
                \x20 annotations: {helm.sh/hook: pre-upgrade}\nspec:\n  nodeName: none\n  containers: [{name: a, image: a}]\n\
                {{ end }}";
    let files =
        [("templates/cm.yaml", CONFIG), ("templates/hook.yaml", hook), ("values.yaml", "color: green\n")];
    let chart = Chart::new("hanging", &files);
    let (kind, namespace) = (Kind::new("Hanging"), Namespace::new("hanging"));
    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.arg("--max-concurrent-reconciles=1");
        command.env("WATCH_NAMESPACE", &namespace.name);
    });
    for name in ["busy", "other"] {
        namespace.resource(&kind, name, "{}");
        namespace.ready(&kind, name);
    }
    namespace.change(&kind, "busy", r#"{"hang": true}"#);
    becomes(30, "busy-hook".to_owned(), || namespace.path("pod", "busy-hook", "{.metadata.name}"));
    let finalizers = |name: &str| namespace.path(&kind.full(), name, "{.metadata.finalizers}");
    for name in ["other", "busy"] {
        namespace.kubectl(&["annotate", &kind.full(), name, "chartwright.io/deletion-policy=orphan"]);
        says(10, "uninstall-release", || finalizers(name));
        namespace.kubectl(&["delete", &kind.full(), name, "--wait=false"]);
    }
    for name in ["busy", "other"] {
        becomes(60, String::new(), || namespace.path(&kind.full(), name, "{.metadata.name}"));
        stays(3, || namespace.path("configmap", name, "{.data.color}"));
        assert_eq!(namespace.path("configmap", name, "{.data.color}"), "green");
    }
}
