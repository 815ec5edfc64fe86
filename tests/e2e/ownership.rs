//! Whose objects and fields are whose: taken over, adopted, shared, left alone, made anew.

use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, says, stays};

const KEYS: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata:\n  a: \"1\"\n\
                    {{- if not .Values.less }}\n  b: \"2\"\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn what_helm_wrote_goes_when_a_later_render_drops_it() {
    let chart = Chart::new("legacy", &[("templates/cm.yaml", KEYS)]);
    let (kind, namespace) = (Kind::new("Legacy"), Namespace::new("legacy"));
    let path = chart.path.to_string_lossy().into_owned();
    for (name, helm) in [("old", cluster().helm3()), ("new", cluster().helm4())] {
        let output = helm.unwrap().args(["install", name, &path, "-n", &namespace.name]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["old", "new"] {
        namespace.resource(&kind, name, "{}");
        namespace.ready(&kind, name);
        assert_eq!(namespace.path("configmap", name, "{.data}"), r#"{"a":"1","b":"2"}"#);
        namespace.change(&kind, name, r#"{"less": true}"#);
        becomes(30, r#"{"a":"1"}"#.to_owned(), || namespace.path("configmap", name, "{.data}"));
    }
}

#[test]
#[ignore = "needs a control plane"]
fn objects_of_nobody_are_adopted_when_the_resource_says_so() {
    let chart = Chart::new("foster", &[("templates/cm.yaml", KEYS)]);
    let (kind, namespace) = (Kind::new("Foster"), Namespace::new("foster"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.kubectl(&["create", "configmap", "demo", "--from-literal=a=mine", "--from-literal=c=3"]);
    namespace.resource(&kind, "demo", "{}");
    let told = says(30, "belongs to nobody", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains("chartwright.io/adopt=true"), "{told}");
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/adopt=true"]);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("configmap", "demo", "{.data}"), r#"{"a":"1","b":"2","c":"3"}"#);
    says(20, "ConfigMap demo", || namespace.kubectl(&["get", "events", "--field-selector=reason=Adopted"]));
}

const TWICE: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\nspec:\n\
                     \x20 selector: {matchLabels: {app: {{ .Release.Name }}}}\n  template:\n\
                     \x20   metadata: {labels: {app: {{ .Release.Name }}}}\n    spec:\n      containers:\n\
                     \x20     - name: main\n        image: example/app:1\n        env: [{name: A, value: first}, \
                     {name: B, value: b}, {name: A, value: last}]\n        ports: [{name: http, containerPort: 80}, \
                     {name: web, containerPort: 80}]\n---\napiVersion: v1\nkind: Service\n\
                     metadata: {name: {{ .Release.Name }}}\nspec: {selector: {app: {{ .Release.Name }}}, \
                     ports: [{port: 80, targetPort: http}]}\n";

#[test]
#[ignore = "needs a control plane"]
fn entries_given_twice_do_not_stand_in_the_way() {
    let chart = Chart::new("stutter", &[("templates/all.yaml", TWICE)]);
    let (kind, namespace) = (Kind::new("Stutter"), Namespace::new("stutter"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    let env = "{.spec.template.spec.containers[0].env[*].value}";
    becomes(30, "b last".to_owned(), || namespace.path("deployment", "demo", env));
    assert_eq!(namespace.path("service", "demo", "{.spec.ports[0].targetPort}"), "80");
    says(20, "variable A more than once", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=DuplicateEntries"])
    });
}

const FIXED: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: {{ .Release.Name }}}\nspec:\n\
                     \x20 serviceName: {{ .Values.service }}\n  selector: {matchLabels: {app: {{ .Release.Name }}}}\n\
                     \x20 template:\n    metadata: {labels: {app: {{ .Release.Name }}}}\n\
                     \x20   spec: {containers: [{name: main, image: example/app:1}]}\n---\napiVersion: batch/v1\nkind: Job\n\
                     metadata: {name: {{ .Release.Name }}}\nspec:\n  template:\n    spec: {restartPolicy: Never, \
                     containers: [{name: main, image: \"example/{{ .Values.service }}\"}]}\n";

#[test]
#[ignore = "needs a control plane"]
fn what_cannot_be_changed_is_made_anew_only_when_the_resource_says_so() {
    let chart = Chart::new("rigid", &[("templates/all.yaml", FIXED)]);
    let (kind, namespace) = (Kind::new("Rigid"), Namespace::new("rigid"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"service": "one"}"#);
    let pod = || namespace.path("pod", "demo-0", "{.metadata.uid}");
    becomes(60, true, || !pod().is_empty());
    let before = pod();
    let uid = |what: &str| namespace.path(what, "demo", "{.metadata.uid}");
    let (set, job) = (uid("statefulset"), uid("job"));
    namespace.change(&kind, "demo", r#"{"service": "two"}"#);
    let told = says(30, "nothing was changed", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    for part in ["StatefulSet demo", "Job demo", "immutable", "chartwright.io/recreate: StatefulSet"] {
        assert!(told.contains(part), "{part} is not in: {told}");
    }
    assert!(told.contains("spec.template: Invalid value: {...}: field is immutable"), "{told}");
    assert_eq!((uid("statefulset"), uid("job")), (set.clone(), job.clone()));
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/recreate=StatefulSet,Job"]);
    becomes(60, "two".to_owned(), || namespace.path("statefulset", "demo", "{.spec.serviceName}"));
    let image = "{.spec.template.spec.containers[0].image}";
    becomes(60, "example/two".to_owned(), || namespace.path("job", "demo", image));
    assert!(uid("statefulset") != set && uid("job") != job);
    says(20, "its pods stay", || namespace.kubectl(&["get", "events", "--field-selector=reason=Replaced"]));
    assert_eq!(pod(), before);
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
}

const ROLLED: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\nspec:\n\
                      \x20 {{- with .Values.strategy }}\n  strategy: {type: {{ . }}}\n  {{- end }}\n\
                      \x20 selector: {matchLabels: {app: {{ .Release.Name }}}}\n\
                      \x20 template:\n    metadata: {labels: {app: {{ .Release.Name }}}}\n\
                      \x20   spec: {containers: [{name: main, image: example/app:1}]}\n";

#[test]
#[ignore = "needs a control plane"]
fn a_default_of_the_server_gives_way_to_what_rules_it_out() {
    let chart = Chart::new("roller", &[("templates/deployment.yaml", ROLLED)]);
    let (kind, namespace) = (Kind::new("Roller"), Namespace::new("roller"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"strategy": "RollingUpdate"}"#);
    namespace.ready(&kind, "demo");
    let strategy = || namespace.path("deployment", "demo", "{.spec.strategy}");
    assert!(strategy().contains("maxSurge"), "{}", strategy());
    let uid = || namespace.path("deployment", "demo", "{.metadata.uid}");
    let before = uid();
    namespace.change(&kind, "demo", r#"{"strategy": "Recreate"}"#);
    becomes(30, r#"{"type":"Recreate"}"#.to_owned(), strategy);
    // And back, also by saying nothing.
    namespace.change(&kind, "demo", r#"{"strategy": null}"#);
    becomes(30, true, || strategy().contains("RollingUpdate"));
    assert_eq!(uid(), before);
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
}

const SHARED: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n\
                      \x20 annotations: {chartwright.io/ignore: /data/theirs}\n\
                      data: {ours: {{ .Values.color }}, also: x, theirs: start}\n";

#[test]
#[ignore = "needs a control plane"]
fn ignored_fields_are_left_and_others_put_back_by_name() {
    let chart = Chart::new("flatmate", &[("templates/cm.yaml", SHARED)]);
    let (kind, namespace) = (Kind::new("Flatmate"), Namespace::new("flatmate"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let data = || namespace.path("configmap", "demo", "{.data.ours} {.data.also} {.data.theirs}");
    assert_eq!(data(), "green x start");
    let patch = |data: &str| {
        namespace.merge("configmap", "demo", &format!(r#"{{"data": {data}}}"#));
    };
    patch(r#"{"theirs": "changed"}"#);
    stays(3, data);
    assert_eq!(data(), "green x changed");
    assert_eq!(namespace.kubectl(&["get", "events", "--field-selector=reason=Repaired", "-o", "name"]), "");
    patch(r#"{"ours": "red", "also": null}"#);
    becomes(10, "green x changed".to_owned(), data);
    let told = says(20, "was changed by kubectl", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=Repaired"])
    });
    assert!(told.contains("(data.also, data.ours)"), "{told}");
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    becomes(20, "blue x changed".to_owned(), data);
}

const KEPT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n\
                    \x20 annotations: {helm.sh/resource-policy: keep}\ndata: {by: {{ .Release.Name }}}\n";

#[test]
#[ignore = "needs a control plane"]
fn what_a_deleted_resource_left_can_be_taken_over() {
    let chart = Chart::new("heir", &[("templates/cm.yaml", KEPT)]);
    let (kind, namespace) = (Kind::new("Legatee"), Namespace::new("legatee"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for (name, kept) in [("old", r#"{"name": "first"}"#), ("older", r#"{"name": "second"}"#)] {
        namespace.resource(&kind, name, kept);
        namespace.ready(&kind, name);
    }
    namespace.resource(&kind, "new", r#"{"name": "first"}"#);
    says(30, "belongs to the resource", || namespace.condition(&kind, "new", "ReleaseFailed"));
    namespace.kubectl(&["delete", &kind.full(), "old", "older"]);
    namespace.kubectl(&["annotate", &kind.full(), "new", "chartwright.io/reconcile-now=1"]);
    let told = says(30, "which is gone", || namespace.condition(&kind, "new", "ReleaseFailed"));
    assert!(told.contains("chartwright.io/adopt=true"), "{told}");
    // As the message says: by Helm's marks, or by the annotation.
    namespace.kubectl(&["annotate", "--overwrite", "configmap", "first", "meta.helm.sh/release-name=new"]);
    namespace.kubectl(&["annotate", "--overwrite", &kind.full(), "new", "chartwright.io/reconcile-now=2"]);
    becomes(30, "new".to_owned(), || namespace.path("configmap", "first", "{.data.by}"));
    namespace.ready(&kind, "new");
    let api_version = kind.api_version();
    namespace.apply(&format!(
        r#"{{"apiVersion": "{api_version}", "kind": "Legatee", "metadata": {{"name": "newer", "annotations":
        {{"chartwright.io/adopt": "true"}}}}, "spec": {{"name": "second"}}}}"#
    ));
    namespace.ready(&kind, "newer");
    assert_eq!(namespace.path("configmap", "second", "{.data.by}"), "newer");
}

const NAMED: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}-{{ .Values.color }}}\n---\n\
                     apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n\
                     metadata: {name: \"{{ .Release.Namespace }}-{{ .Release.Name }}\"}\n";

#[test]
#[ignore = "needs a control plane"]
fn resources_of_one_name_in_two_groups_do_not_share_a_release() {
    let chart = Chart::new("mover", &[("templates/all.yaml", NAMED)]);
    let namespace = Namespace::new("mover");
    let groups = ["before.example.com", "after.example.com"];
    let entry =
        |group: &str| format!("- {{group: {group}, version: v1, kind: Mover, chart: {:?}}}\n", chart.path);
    let watches = chart.path.with_file_name("watches.yaml");
    std::fs::write(&watches, groups.map(entry).concat()).unwrap();
    let _operator = Operator::watching(&watches, &namespace);
    let full = |group: &str| format!("mover.{group}");
    let condition = |group: &str, of: &str| {
        let path = format!("{{range .status.conditions[?(@.type=='{of}')]}}{{.status}} {{.message}}{{end}}");
        namespace.path(&full(group), "demo", &path)
    };
    let make = |group: &str, color: &str| {
        namespace.apply(&format!(
            "{{apiVersion: {group}/v1, kind: Mover, metadata: {{name: demo, annotations: \
             {{helm.sdk.operatorframework.io/uninstall-wait: \"true\"}}}}, spec: {{color: {color}}}}}"
        ));
    };
    make(groups[0], "green");
    says(60, "True", || condition(groups[0], "Ready"));
    let record = || namespace.path("secret", "sh.helm.release.v1.demo.v1", "{.metadata.uid}");
    let first = record();
    make(groups[1], "red");
    let told = "belongs to Mover.before.example.com demo, and this is Mover.after.example.com demo";
    says(60, told, || condition(groups[1], "ReleaseFailed"));
    namespace.kubectl(&["delete", &full(groups[1]), "demo", "--timeout=60s"]);
    assert_eq!((record(), namespace.names("configmap").contains(&"demo-green".to_owned())), (first, true));
    let role = format!("{}-demo", namespace.name);
    assert_eq!(namespace.path("clusterrole", &role, "{.metadata.name}"), role);
    assert!(condition(groups[0], "Ready").starts_with("True"));

    // Once the one is gone the other has the name.
    make(groups[1], "red");
    says(60, told, || condition(groups[1], "ReleaseFailed"));
    namespace.kubectl(&["delete", &full(groups[0]), "demo", "--timeout=60s"]);
    says(60, "True", || condition(groups[1], "Ready"));
    assert!(namespace.names("configmap").contains(&"demo-red".to_owned()));
    namespace.kubectl(&["delete", &full(groups[1]), "demo", "--timeout=60s"]);
}
