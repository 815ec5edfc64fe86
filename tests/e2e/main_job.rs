//! A chart becomes an operator: apply, scale, repair, delete.

use std::path::Path;

use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, eventually, kubectl, says, shared};

fn memcached() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/memcached")
}

fn running_pods(namespace: &Namespace) -> usize {
    let phases = namespace.kubectl(&["get", "pods", "-o", "jsonpath={.items[*].status.phase}"]);
    phases.split_whitespace().filter(|phase| *phase == "Running").count()
}

#[test]
#[ignore = "needs a control plane"]
fn the_sample_chart_lives_its_life() {
    let (kind, namespace) = (Kind::new("Cache"), Namespace::new("main-job"));
    let operator = Operator::start(&memcached(), &kind, &namespace);
    assert!(kubectl(&["get", "crd", &format!("caches.{}", crate::support::GROUP)]).contains("caches"));

    namespace.resource(&kind, "memcached-demo", r#"{"replicaCount": 3}"#);
    let applied = becomes(30, "memcached-demo".to_owned(), || {
        namespace.path("statefulset", "memcached-demo", "{.metadata.name}")
    });
    eprintln!("from apply to the last object: {applied:?}");
    becomes(60, 3, || running_pods(&namespace));
    namespace.ready(&kind, "memcached-demo");
    let table = says(30, "True", || namespace.kubectl(&["get", &kind.full()]));
    assert!(table.contains("READY") && table.contains("1.0.0"), "{table}");

    namespace.change(&kind, "memcached-demo", r#"{"replicaCount": 5}"#);
    becomes(60, 5, || running_pods(&namespace));
    namespace.change(&kind, "memcached-demo", r#"{"replicaCount": 2}"#);
    becomes(60, 2, || running_pods(&namespace));

    namespace.kubectl(&["delete", "service", "memcached-demo"]);
    let back = becomes(10, "memcached-demo".to_owned(), || {
        namespace.path("service", "memcached-demo", "{.metadata.name}")
    });
    eprintln!("a deleted Service was back after {back:?}; resident memory {} KiB", operator.resident());
    says(20, "Recreated", || namespace.kubectl(&["get", "events"]));

    namespace.kubectl(&["delete", &kind.full(), "memcached-demo", "--timeout=60s"]);
    for what in ["statefulset", "service", "pod", "poddisruptionbudget", "secret"] {
        becomes(90, Vec::<String>::new(), || namespace.names(what));
    }
}

#[test]
#[ignore = "needs a control plane"]
fn the_walk_through_of_helm_app_operator_kit() {
    let Some(charts) = shared("corpus/charts.tar.gz") else { return };
    let folder = std::env::temp_dir().join(format!("chartwright-e2e-kit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let unpacked = std::process::Command::new("tar")
        .args([
            "-xzf",
            charts.to_str().unwrap(),
            "-C",
            folder.to_str().unwrap(),
            "charts/helm/memcached-2.2.0",
        ])
        .status();
    assert!(unpacked.unwrap().success());
    let namespace = Namespace::new("kit");
    let _operator = Operator::start_with(
        &folder.join("charts/helm/memcached-2.2.0"),
        "anywhere.io/v1alpha1",
        "memcached",
        |command| {
            command.env("WATCH_NAMESPACE", &namespace.name);
        },
    );
    let crd = kubectl(&["get", "crd", "memcacheds.anywhere.io", "-o", "jsonpath={.spec.names}"]);
    assert!(crd.contains(r#""kind":"memcached""#) && crd.contains(r#""listKind":"memcachedList""#), "{crd}");
    for name in ["memcached-r", "memcached-yy"] {
        namespace.apply(&format!(
            "{{apiVersion: anywhere.io/v1alpha1, kind: memcached, metadata: {{name: {name}, labels: {{app: example-app}}}}, \
             spec: {{replicaCount: 3, antiAffinity: soft}}}}"
        ));
    }
    becomes(90, 6, || running_pods(&namespace));
    let table = namespace.kubectl(&["get", "memcached"]);
    assert!(table.contains("memcached-r") && table.contains("memcached-yy"), "{table}");
    says(20, "apps/v1beta1 is not served any more, applied as apps/v1", || {
        namespace.kubectl(&["get", "events"])
    });
    namespace.kubectl(&["delete", "memcached", "memcached-yy", "--timeout=60s"]);
    becomes(60, 3, || running_pods(&namespace));
    assert!(namespace.names("pods").iter().all(|pod| pod.starts_with("memcached-r-")));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
#[ignore = "needs a control plane"]
fn two_resources_in_two_namespaces() {
    let chart = Chart::new("pair", &[("templates/cm.yaml", CONFIG)]);
    let (kind, here, there) = (Kind::new("Double"), Namespace::new("pair-a"), Namespace::new("pair-b"));
    let outside = Namespace::new("pair-c");
    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", format!("{},{}", here.name, there.name));
    });
    for (namespace, color) in [(&here, "red"), (&there, "blue"), (&outside, "grey")] {
        namespace.resource(&kind, "same", &format!(r#"{{"color": "{color}"}}"#));
    }
    becomes(30, "red".to_owned(), || here.path("configmap", "same", "{.data.color}"));
    becomes(30, "blue".to_owned(), || there.path("configmap", "same", "{.data.color}"));
    here.kubectl(&["delete", &kind.full(), "same"]);
    // Kubernetes' garbage collector learns of new kinds every half minute.
    becomes(90, String::new(), || here.path("configmap", "same", "{.data.color}"));
    assert_eq!(there.path("configmap", "same", "{.data.color}"), "blue");
    assert_eq!(outside.path("configmap", "same", "{.data.color}"), "", "not a namespace to serve");
}

#[test]
#[ignore = "needs a control plane"]
fn numbers_of_the_spec_stay_whole() {
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                    data: {big: '{{ .Values.big }}', part: '{{ .Values.part }}', kind: '{{ kindOf .Values.big }}'}\n";
    let chart = Chart::new("numbers", &[("templates/cm.yaml", template)]);
    let (kind, namespace) = (Kind::new("Number"), Namespace::new("numbers"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "num", r#"{"big": 12345678901, "part": 1.5}"#);
    becomes(30, "12345678901 1.5 int64".to_owned(), || {
        namespace.path("configmap", "num", "{.data.big} {.data.part} {.data.kind}")
    });
}

#[test]
#[ignore = "needs a control plane"]
fn the_status_tells_it_all() {
    let chart = Chart::new(
        "telling",
        &[
            ("templates/cm.yaml", CONFIG),
            ("templates/NOTES.txt", "{{ .Release.Name }} is {{ .Values.color }}.\n"),
        ],
    );
    let (kind, namespace) = (Kind::new("Telling"), Namespace::new("telling"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.condition(&kind, "demo", "Deployed"), "True InstallSuccessful: demo is green.");
    assert!(namespace.condition(&kind, "demo", "Initialized").starts_with("True"));
    assert!(namespace.condition(&kind, "demo", "Reconciling").starts_with("False"));
    assert!(namespace.condition(&kind, "demo", "Stalled").starts_with("False"));
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(30, "True UpgradeSuccessful: demo is red.".to_owned(), || {
        namespace.condition(&kind, "demo", "Deployed")
    });
    let status = namespace.get(&kind.full(), "demo")["status"].clone();
    assert_eq!(status["observedGeneration"], 2);
    assert_eq!(status["deployedRelease"]["name"], "demo");
    assert_eq!(
        status["deployedRelease"]["chart"],
        serde_json::json!({"name": "telling", "version": "1.0.0", "appVersion": "9"})
    );
    assert_eq!(status["resources"]["total"], 1);
    assert!(status["deployedRelease"].get("manifest").is_none(), "manifests hold secrets");
}

#[test]
#[ignore = "needs a control plane"]
fn a_packed_chart_serves_as_well() {
    let chart = Chart::new("packed", &[("templates/cm.yaml", CONFIG)]);
    let folder = chart.path.parent().unwrap();
    let packed =
        cluster().helm3().expect("helm").args(["package", "packed"]).current_dir(folder).output().unwrap();
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    let (kind, namespace) = (Kind::new("Packed"), Namespace::new("packed"));
    let _operator = Operator::start(&folder.join("packed-1.0.0.tgz"), &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
}

#[test]
#[ignore = "needs a control plane"]
fn versions_of_others_stay_in_the_crd() {
    let name = format!("guests.{}", crate::support::GROUP);
    cluster()
        .apply(&format!(
            r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {{"name": "{name}"}},
            "spec": {{"group": "{}", "scope": "Namespaced", "names": {{"kind": "Guest", "plural": "guests"}},
            "versions": [{{"name": "v1beta1", "served": true, "storage": true, "schema": {{"openAPIV3Schema": {{"type": "object",
            "x-kubernetes-preserve-unknown-fields": true}}}}}}]}}}}"#,
            crate::support::GROUP
        ))
        .unwrap();
    let chart = Chart::new("guest", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Guest"), Namespace::new("guest"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let versions =
        kubectl(&["get", "crd", &name, "-o", "jsonpath={range .spec.versions[*]}{.name}={.served} {end}"]);
    assert_eq!(versions.trim(), "v1=true v1beta1=true");
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
}

/// One ConfigMap with one value.
pub(crate) const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                                 data: {color: {{ .Values.color | quote }}}\n";

#[test]
#[ignore = "needs a control plane"]
fn what_a_new_render_lacks_is_taken_away() {
    let template = "{{- range .Values.names }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ . }}}\n\
                    data: {a: '1', {{ if $.Values.more }}b: '2'{{ end }}}\n{{- end }}\n";
    let chart = Chart::new("pruned", &[("templates/cm.yaml", template)]);
    let (kind, namespace) = (Kind::new("Pruned"), Namespace::new("pruned"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"names": ["one", "two"], "more": true}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"names": ["two", "three"], "more": false}"#);
    eventually(30, "one gone, three there", || {
        let mut names = namespace.names("configmap");
        names.retain(|name| name != "kube-root-ca.crt");
        if names == ["three", "two"] { Ok(()) } else { Err(format!("{names:?}")) }
    });
    becomes(10, r#"{"a":"1"}"#.to_owned(), || namespace.path("configmap", "two", "{.data}"));
}
