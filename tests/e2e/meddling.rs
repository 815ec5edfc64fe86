//! What somebody does by hand to what the operator has written of a resource: it is made good.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, eventually, says, stays};

const NOTES: (&str, &str) = ("templates/NOTES.txt", "made {{ .Values.color }}");

/// Has a resource looked at again every second, beside what wakes it.
fn look_often(namespace: &Namespace, kind: &Kind) {
    let period = "helm.sdk.operatorframework.io/reconcile-period=1s";
    namespace.kubectl(&["annotate", &kind.full(), "demo", period]);
}

#[test]
#[ignore = "needs a control plane"]
fn a_status_that_was_changed_by_hand_is_made_good() {
    let chart = Chart::new("forged", &[("templates/cm.yaml", CONFIG), NOTES]);
    let (kind, namespace) = (Kind::new("Forged"), Namespace::new("forged"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let patch = |operations: &str| {
        let args = ["patch", &kind.full(), "demo", "--subresource=status", "--type=json", "-p", operations];
        namespace.kubectl(&args);
    };
    let is_whole = || {
        eventually(30, "the status tells it all", || {
            let status = &namespace.get(&kind.full(), "demo")["status"];
            let release = &status["deployedRelease"];
            let deployed = namespace.condition(&kind, "demo", "Deployed");
            let is_right = release["revision"] == 1 && release["chart"]["name"] == "forged";
            let is_told = deployed == "True InstallSuccessful: made green" && status["phase"] == "Deployed";
            if is_right && is_told { Ok(()) } else { Err(status.to_string()) }
        });
    };
    is_whole();
    // A copy is restored without its status: that is seen at once.
    patch(r#"[{"op": "remove", "path": "/status"}]"#);
    is_whole();
    look_often(&namespace, &kind);
    patch(r#"[{"op": "remove", "path": "/status/deployedRelease"}]"#);
    is_whole();
    patch(r#"[{"op": "replace", "path": "/status/deployedRelease/revision", "value": 7}]"#);
    is_whole();
    namespace.merge_status(&kind.full(), "demo", r#"{"conditions": []}"#);
    is_whole();
    namespace.merge_status(
        &kind.full(),
        "demo",
        r#"{"conditions": [{"type": "Deployed", "status": "False", "reason": "No", "message": "no",
            "lastTransitionTime": "2026-01-01T00:00:00Z"}]}"#,
    );
    is_whole();
    // What is right is not written again.
    stays(4, || namespace.versions(&format!("secret,configmap,{}", kind.full())));
    operator.stop();
    patch(r#"[{"op": "remove", "path": "/status"}]"#);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    is_whole();
    assert_eq!(namespace.names("secret"), ["sh.helm.release.v1.demo.v1"]);
}

const CLUSTER_WIDE: &str = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n\
                            metadata: {name: {{ .Release.Namespace }}-{{ .Release.Name }}}\nrules: []\n";

#[test]
#[ignore = "needs a control plane"]
fn a_finalizer_that_was_taken_off_by_hand_is_put_back() {
    let broken = "{{ if eq .Values.color \"none\" }}{{ fail \"a color is needed\" }}{{ end }}";
    let files =
        [("templates/role.yaml", CLUSTER_WIDE), ("templates/cm.yaml", CONFIG), ("templates/no.yaml", broken)];
    let chart = Chart::new("latch", &files);
    let (kind, namespace) = (Kind::new("Latch"), Namespace::new("latch"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let finalizers = || namespace.path(&kind.full(), "demo", "{.metadata.finalizers}");
    let take_off = || namespace.merge(&kind.full(), "demo", r#"{"metadata": {"finalizers": null}}"#);
    take_off();
    says(20, "uninstall-release", finalizers);
    // So it is where that was done while no operator ran, and where an upgrade fails.
    operator.stop();
    take_off();
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    says(20, "uninstall-release", finalizers);
    namespace.change(&kind, "demo", r#"{"color": "none"}"#);
    says(30, "a color is needed", || namespace.condition(&kind, "demo", "Stalled"));
    take_off();
    says(20, "uninstall-release", finalizers);
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    let role = format!("{}-demo", namespace.name);
    becomes(10, String::new(), || namespace.path("clusterrole", &role, "{.metadata.name}"));
}

#[test]
#[ignore = "needs a control plane"]
fn one_revision_alone_counts_as_deployed() {
    let chart = Chart::new("pretender", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Pretender"), Namespace::new("pretender"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    let state = |revision: u32| {
        let record = format!("sh.helm.release.v1.demo.v{revision}");
        namespace.path("secret", &record, "{.metadata.labels.status}")
    };
    becomes(30, ("superseded".to_owned(), "deployed".to_owned()), || (state(1), state(2)));
    // As an operator leaves it that is killed between the two writes.
    let revive = || {
        let deployed = r#"{"metadata": {"labels": {"status": "deployed"}}}"#;
        namespace.merge("secret", "sh.helm.release.v1.demo.v1", deployed);
    };
    let is_alone = || {
        becomes(30, ("superseded".to_owned(), "deployed".to_owned()), || (state(1), state(2)));
        let history = cluster().helm3().unwrap().args(["history", "demo", "-n", &namespace.name]).output();
        let history = String::from_utf8_lossy(&history.unwrap().stdout).into_owned();
        assert_eq!(history.matches("deployed").count(), 1, "{history}");
    };
    operator.stop();
    revive();
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    is_alone();
    // The same where the status does not say what runs, so that the release is taken up from its record.
    operator.stop();
    revive();
    namespace.merge_status(&kind.full(), "demo", "null");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    is_alone();
    look_often(&namespace, &kind);
    revive();
    is_alone();
}
