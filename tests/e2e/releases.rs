//! Release records that Helm itself reads, and hooks that run as Helm runs them.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, says, stays};
use crate::takeover::helm;

#[test]
#[ignore = "needs a control plane"]
fn helm_reads_our_releases() {
    let chart = Chart::new(
        "readable",
        &[
            ("templates/cm.yaml", CONFIG),
            ("templates/NOTES.txt", "notes of {{ .Release.Name }}"),
            ("values.yaml", "size: 1\n"),
        ],
    );
    let (kind, namespace) = (Kind::new("Readable"), Namespace::new("readable"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let began = || {
        let status = helm(&namespace, &["status", "demo", "-o", "json"]);
        let status: serde_json::Value = serde_json::from_str(&status).unwrap();
        status["info"]["first_deployed"].as_str().unwrap().to_owned()
    };
    let first = began();
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(30, "2".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}")
    });
    assert_eq!(began(), first);
    let list = helm(&namespace, &["list"]);
    assert!(list.contains("readable-1.0.0") && list.contains("deployed"), "{list}");
    assert_eq!(helm(&namespace, &["get", "values", "demo", "-o", "json"]).trim(), r#"{"color":"red"}"#);
    assert_eq!(
        helm(&namespace, &["get", "values", "demo", "--all", "-o", "json"]).trim(),
        r#"{"color":"red","size":1}"#
    );
    assert!(helm(&namespace, &["get", "manifest", "demo"]).contains("# Source: readable/templates/cm.yaml"));
    assert!(helm(&namespace, &["get", "notes", "demo"]).contains("notes of demo"));
    becomes(10, 2, || helm(&namespace, &["history", "demo"]).matches("readable-1.0.0").count());
    let history = helm(&namespace, &["history", "demo"]);
    assert!(history.contains("superseded") && history.contains("Upgrade complete"), "{history}");
}

#[test]
#[ignore = "needs a control plane"]
fn a_release_of_helm_is_taken_over_untouched() {
    let template = CONFIG.to_owned()
        + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\nspec:\n  replicas: 1\n\
           \x20 selector: {matchLabels: {app: x}}\n  template:\n    metadata: {labels: {app: x}}\n\
           \x20   spec: {containers: [{name: main, image: example/app:1}]}\n";
    let chart = Chart::new("heir", &[("templates/all.yaml", &template), ("values.yaml", "color: green\n")]);
    let (kind, namespace) = (Kind::new("Heir"), Namespace::new("heir"));
    helm(&namespace, &["install", "demo", chart.path.to_str().unwrap()]);
    becomes(30, "1".to_owned(), || namespace.path("deployment", "demo", "{.status.readyReplicas}"));
    let before = namespace.path("deployment", "demo", "{.metadata.uid} {.metadata.generation}");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("deployment", "demo", "{.metadata.uid} {.metadata.generation}"), before);
    assert_eq!(helm(&namespace, &["list", "-q"]).trim(), "demo");
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(90, String::new(), || namespace.path("deployment", "demo", "{.metadata.name}"));
    becomes(90, Vec::<String>::new(), || namespace.names("secret"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_release_of_another_chart_is_refused() {
    let theirs = Chart::new("theirs", &[("templates/cm.yaml", CONFIG), ("values.yaml", "color: theirs\n")]);
    let ours = Chart::new("ours", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Rival"), Namespace::new("rival"));
    helm(&namespace, &["install", "demo", theirs.path.to_str().unwrap()]);
    let _operator = Operator::start(&ours.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "ours"}"#);
    let told = says(30, "duplicate release name", || namespace.condition(&kind, "demo", "Stalled"));
    assert!(told.contains("theirs") && told.contains("ours"), "{told}");
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "theirs");
}

fn job(name: &str, event: &str, weight: i32, more: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{{{ .Release.Name }}}}-{name}\n  annotations:\n    \
         helm.sh/hook: {event}\n    helm.sh/hook-weight: \"{weight}\"\nspec:\n  backoffLimit: 0\n{more}  template:\n    \
         spec: {{restartPolicy: Never, containers: [{{name: main, image: example/app:1}}]}}\n---\n"
    )
}

#[test]
#[ignore = "needs a control plane"]
fn hooks_run_one_after_another_and_only_at_changes() {
    let hooks =
        job("c", "pre-install", 5, "") + &job("a", "pre-install", -5, "") + &job("d", "post-install", 0, "");
    let chart = Chart::new("parade", &[("templates/hooks.yaml", &hooks), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Parade"), Namespace::new("parade"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let order = ["a", "c", "d"].map(|job| {
        let job = format!("demo-{job}");
        (
            namespace.path("job", &job, "{.metadata.creationTimestamp}"),
            namespace.path("job", &job, "{.status.completionTime}"),
        )
    });
    assert!(order[0].1 <= order[1].0 && order[1].1 <= order[2].0, "{order:?}");
    let map = namespace.path("configmap", "demo", "{.metadata.creationTimestamp}");
    assert!(order[1].1 <= map && map <= order[2].0, "{map} {order:?}");
    namespace.merge("configmap", "demo", r#"{"data": {"color": "red"}}"#);
    becomes(5, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    stays(3, || namespace.kubectl(&["get", "job", "-o", "jsonpath={.items[*].metadata.uid}"]));
}

#[test]
#[ignore = "needs a control plane"]
fn hooks_that_hang_hold_up_no_others() {
    let hook = "{{ if .Values.hang }}\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-hook\n\
                \x20 annotations: {helm.sh/hook: pre-install}\nspec:\n  nodeName: none\n  containers: [{name: a, image: a}]\n\
                {{ end }}";
    let chart = Chart::new("patient", &[("templates/hook.yaml", hook), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Patient"), Namespace::new("patient"));
    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.arg("--max-concurrent-reconciles=1").env("WATCH_NAMESPACE", &namespace.name);
    });
    for name in ["one", "two", "three"] {
        namespace.resource(&kind, name, r#"{"hang": true}"#);
        let hook = format!("{name}-hook");
        becomes(30, hook.clone(), || namespace.path("pod", &hook, "{.metadata.name}"));
    }
    namespace.resource(&kind, "quick", r#"{"color": "green"}"#);
    namespace.ready(&kind, "quick");
    // They are still waited for.
    namespace.kubectl(&["delete", "pod", "two-hook", "--force"]);
    namespace.ready(&kind, "two");
    assert_eq!(namespace.path("configmap", "one", "{.data.color}"), "");
}

#[test]
#[ignore = "needs a control plane"]
fn a_failing_hook_stops_the_install_and_is_named() {
    let hooks = job("pre", "pre-install", 0, "  activeDeadlineSeconds: {{ .Values.deadline }}\n").replace(
        "restartPolicy: Never",
        "restartPolicy: Never, nodeSelector: {wanted: {{ .Values.node | quote }}}",
    );
    let chart = Chart::new("faller", &[("templates/hooks.yaml", &hooks), ("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Faller"), Namespace::new("faller"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green", "deadline": 2, "node": "none"}"#);
    let told = says(40, "job demo-pre failed: DeadlineExceeded", || {
        namespace.condition(&kind, "demo", "ReleaseFailed")
    });
    assert!(told.starts_with("True InstallError: pre-install hooks failed"), "{told}");
    assert_eq!(namespace.path("configmap", "demo", "{.metadata.name}"), "");
    assert_eq!(namespace.names("secret").len(), 1, "one record, however often it is tried");
}

#[test]
#[ignore = "needs a control plane"]
fn random_values_stay_what_they_were() {
    let template = "apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Release.Name }}}\n\
                    stringData: {password: {{ randAlphaNum 20 }}, color: {{ .Values.color }}}\n";
    let chart = Chart::new("random", &[("templates/secret.yaml", template)]);
    let (kind, namespace) = (Kind::new("Random"), Namespace::new("random"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let password = namespace.path("secret", "demo", "{.data.password}");
    assert!(!password.is_empty());
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(20, "cmVk".to_owned(), || namespace.path("secret", "demo", "{.data.color}"));
    assert_eq!(namespace.path("secret", "demo", "{.data.password}"), password);
    operator.stop();
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    becomes(20, "Ymx1ZQ==".to_owned(), || namespace.path("secret", "demo", "{.data.color}"));
    assert_eq!(namespace.path("secret", "demo", "{.data.password}"), password);
}

#[test]
#[ignore = "needs a control plane"]
fn a_chart_sees_its_own_types_at_the_install() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
               metadata: {name: mirrors.own.example.com}\nspec:\n  group: own.example.com\n  scope: Namespaced\n\
               \x20 names: {kind: Mirror, plural: mirrors, singular: mirror}\n  versions: [{name: v1, served: true, \
               storage: true, schema: {openAPIV3Schema: {type: object}}}]\n";
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata:\n\
                    \x20 version: {{ .Capabilities.APIVersions.Has \"own.example.com/v1\" | quote }}\n\
                    \x20 kind: {{ .Capabilities.APIVersions.Has \"own.example.com/v1/Mirror\" | quote }}\n";
    let chart = Chart::new("narcissus", &[("crds/mirror.yaml", crd), ("templates/cm.yaml", template)]);
    let (kind, namespace) = (Kind::new("Narcissus"), Namespace::new("narcissus"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("configmap", "demo", "{.data.version} {.data.kind}"), "true true");
    let revision = || namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}");
    assert_eq!(revision(), "1");
    stays(3, revision);
}

#[test]
#[ignore = "needs a control plane"]
fn a_record_that_cannot_be_read_does_not_count_as_deployed() {
    let chart = Chart::new("blur", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Blur"), Namespace::new("blur"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "red"}"#);
    namespace.ready(&kind, "demo");
    let record = |revision: u32| format!("sh.helm.release.v1.demo.v{revision}");
    let patch = r#"{"stringData": {"release": "not a record"}}"#;
    namespace.merge("secret", &record(1), patch);
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    let state = |revision| namespace.path("secret", &record(revision), "{.metadata.labels.status}");
    becomes(30, "deployed".to_owned(), || state(2));
    becomes(30, "superseded".to_owned(), || state(1));
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "blue");
    let list = helm(&namespace, &["history", "demo"]);
    assert_eq!(list.matches("deployed").count(), 1, "{list}");
}

#[test]
#[ignore = "needs a control plane"]
fn an_install_that_failed_recovers_with_another_spec() {
    let migrate = job("migrate", "post-install", 0, "  activeDeadlineSeconds: {{ .Values.deadline }}\n")
        .replace("restartPolicy: Never", "restartPolicy: Never, nodeSelector: {{ .Values.nodes | toJson }}");
    // What cannot be changed once it is there, an object that goes with the first spec, and a hook that fails with it.
    let fixed = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ .Release.Name }}-seed}\nspec:\n  template:\n    \
                 spec: {restartPolicy: Never, containers: [{name: main, image: {{ .Values.image }}}]}\n\
                 {{- if .Values.extra }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\n---\napiVersion: v1\n\
                 kind: PersistentVolumeClaim\nmetadata: {name: extra}\nspec: {accessModes: [ReadWriteOnce], resources: \
                 {requests: {storage: 1Gi}}}\n{{- end }}\n";
    let chart = Chart::new("phoenix", &[("templates/hooks.yaml", &migrate), ("templates/all.yaml", fixed)]);
    let (kind, namespace) = (Kind::new("Stumbler"), Namespace::new("stumbler"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let bad = r#"{"image": "example/seed:1", "deadline": 1, "nodes": {"no": "such"}, "extra": true}"#;
    namespace.resource(&kind, "demo", bad);
    says(60, "post-install hooks failed", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert_eq!(namespace.path("configmap", "extra", "{.metadata.name}"), "extra");
    let good = r#"{"image": "example/seed:2", "deadline": 60, "nodes": {"no": null}, "extra": false}"#;
    namespace.change(&kind, "demo", good);
    namespace.ready(&kind, "demo");
    let image = "{.spec.template.spec.containers[0].image}";
    assert_eq!(namespace.path("job", "demo-seed", image), "example/seed:2");
    assert_eq!(namespace.path("configmap", "extra", "{.metadata.name}"), "");
    let claim = "{.metadata.name}{.metadata.ownerReferences}{.metadata.deletionTimestamp}";
    assert_eq!(namespace.path("persistentvolumeclaim", "extra", claim), "extra", "it may hold data");
    assert_eq!(namespace.condition(&kind, "demo", "ReleaseFailed"), "");
    says(20, "Job demo-seed in namespace", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=Replaced"])
    });
}

#[test]
#[ignore = "needs a control plane"]
fn a_hook_may_be_of_a_kind_that_a_hook_defines() {
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: \
               notes.hooked.example.com\n  annotations: {helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-weight: '-5'}\n\
               spec:\n  group: hooked.example.com\n  scope: Namespaced\n  names: {kind: Note, plural: notes}\n  versions:\n  \
               - name: v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, \
               x-kubernetes-preserve-unknown-fields: true}}\n";
    let note = "apiVersion: hooked.example.com/v1\nkind: Note\nmetadata:\n  name: '{{ .Release.Name }}'\n  annotations: \
                {helm.sh/hook: 'pre-install,pre-upgrade'}\nspec: {color: '{{ .Values.color }}'}\n";
    let chart = Chart::new(
        "hooked",
        &[("templates/crd.yaml", crd), ("templates/note.yaml", note), ("templates/cm.yaml", CONFIG)],
    );
    let (kind, namespace) = (Kind::new("Hooked"), Namespace::new("hooked"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"), "1");
    let color = || namespace.path("notes.hooked.example.com", "demo", "{.spec.color}");
    assert_eq!(color(), "green");
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(30, "red".to_owned(), color);
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_release_too_large_for_its_record_is_not_taken_for_another() {
    const BLOB: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-NUMBER}\n\
                        data: {blob: {{ .Files.Get \"blobNUMBER.txt\" | quote }}, color: {{ .Values.color }}}\n";
    let chart = Chart::new("bulky", &[("templates/small.yaml", CONFIG)]);
    let mut state = 1_u64;
    for number in ["1", "2", "3"] {
        // What does not compress.
        let mut letter = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'0' + u8::try_from((state >> 33) % 75).unwrap())
        };
        let blob: String = (0..600_000).map(|_| letter()).filter(char::is_ascii_alphanumeric).collect();
        chart.write(&format!("blob{number}.txt"), &blob);
        chart.write(&format!("templates/blob{number}.yaml"), &BLOB.replace("NUMBER", number));
    }
    let (kind, namespace) = (Kind::new("Bulky"), Namespace::new("bulky"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let told = helm(&namespace, &["get", "manifest", "demo"]);
    assert!(told.starts_with("# Too large to be recorded"), "{}", &told[..200]);
    let revisions = || namespace.names("secret");
    let ask = |word: &str| {
        let asked = format!("chartwright.io/reconcile-now={word}");
        namespace.kubectl(&["annotate", "--overwrite", &kind.full(), "demo", &asked]);
        becomes(60, word.to_owned(), || {
            namespace.path(&kind.full(), "demo", "{.status.lastHandledReconcileAt}")
        });
    };
    ask("once");
    operator.stop();
    namespace.kubectl(&["delete", "configmap", "demo-1"]);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "demo-1".to_owned(), || namespace.path("configmap", "demo-1", "{.metadata.name}"));
    ask("twice");
    assert_eq!(revisions(), ["sh.helm.release.v1.demo.v1"]);
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(60, 2, || revisions().len());
    becomes(60, "red".to_owned(), || namespace.path("configmap", "demo-3", "{.data.color}"));
}
