//! A chart changes on disk while the operator runs.

use std::fs;
use std::os::unix::fs::symlink;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, kubectl, says, stays};

const SIZED: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                     data: {color: {{ .Values.color | quote }}, size: {{ .Values.size | quote }}}\n";

fn version(chart: &Chart, version: &str) {
    let name = chart.path.file_name().expect("a name").display();
    chart.write("Chart.yaml", &format!("apiVersion: v2\nname: {name}\nversion: {version}\n"));
}

fn field(namespace: &Namespace, kind: &Kind, path: &str) -> String {
    namespace.path(&kind.full(), "demo", &format!("{{.status.deployedRelease.{path}}}"))
}

#[test]
#[ignore = "needs a control plane"]
fn an_edited_chart_is_taken_and_a_broken_one_is_not() {
    let chart = Chart::new("edited", &[("templates/cm.yaml", CONFIG), ("values.yaml", "color: red\n")]);
    let (kind, namespace) = (Kind::new("Edited"), Namespace::new("edited"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let data = |key: &str| namespace.path("configmap", "demo", &format!("{{.data.{key}}}"));
    let chart_of = || field(&namespace, &kind, "chart.version");

    version(&chart, "2.0.0");
    chart.write("values.yaml", "color: blue\nsize: 7\n");
    chart.write("templates/cm.yaml", SIZED);
    becomes(60, "7".to_owned(), || data("size"));
    assert_eq!(data("color"), "blue");
    becomes(30, "2.0.0".to_owned(), chart_of);
    namespace.ready(&kind, "demo");
    let size = "jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size}";
    assert_ne!(
        kubectl(&["get", "crd", "editeds.e2e.example.com", "-o", size]),
        "",
        "the type has come along"
    );

    let before = namespace.versions(&format!("configmap,secret,{}", kind.full()));
    chart.write("templates/cm.yaml", "a: {{ .Values.size | nosuchfunc }}\n");
    version(&chart, "3.0.0");
    says(60, "The chart on disk cannot be used", || operator.log());
    let told = says(30, "ChartUnusable", || namespace.kubectl(&["get", "events"]));
    let told = told.lines().find(|line| line.contains("ChartUnusable")).unwrap_or_default();
    assert!(
        told.contains("edited/templates/cm.yaml:1") && told.contains("edited 2.0.0 stays in use"),
        "{told}"
    );
    let refused = r#"chartwright_chart_changes_total{controller="edited-controller",result="refused"} 1"#;
    assert!(operator.metrics("/metrics").contains(refused), "{}", operator.metrics("/metrics"));
    // Long enough to be looked at again.
    stays(5, || namespace.versions(&format!("configmap,secret,{}", kind.full())));
    assert_eq!(namespace.versions(&format!("configmap,secret,{}", kind.full())), before);
    assert_eq!(operator.log().matches("The chart on disk cannot be used").count(), 1, "{}", operator.log());
    namespace.change(&kind, "demo", r#"{"size": 8}"#);
    becomes(30, "8".to_owned(), || data("size"));
    assert_eq!(chart_of(), "2.0.0", "the one from before works on");

    chart.write("templates/cm.yaml", &SIZED.replace("\ndata: {", "\ndata: {third: here, "));
    becomes(60, "3.0.0".to_owned(), chart_of);
    assert_eq!((data("third"), data("size")), ("here".to_owned(), "8".to_owned()));
}

#[test]
#[ignore = "needs a control plane"]
fn what_is_under_way_ends_with_the_chart_it_began_with() {
    let hook = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-hook\n  annotations: \
                {helm.sh/hook: pre-install}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      \
                nodeSelector: {swapped: 'true'}\n      containers: [{name: main, image: busybox}]\n";
    let chart = Chart::new("swapped", &[("templates/cm.yaml", CONFIG), ("templates/hook.yaml", hook)]);
    let (kind, namespace) = (Kind::new("Swapped"), Namespace::new("swapped"));
    // A volume of Kubernetes: the files are reached by a link, which is exchanged.
    let volume = chart.path.with_file_name("volume");
    fs::create_dir_all(&volume).expect("made");
    symlink(&chart.path, volume.join("data")).expect("linked");
    let operator = Operator::start(&volume.join("data"), &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "red"}"#);
    becomes(60, "demo-hook".to_owned(), || namespace.path("job", "demo-hook", "{.metadata.name}"));
    let next = Chart::new(
        "swapped",
        &[("templates/cm.yaml", &CONFIG.replace("\ndata: {", "\ndata: {next: here, "))],
    );
    version(&next, "2.0.0");
    symlink(&next.path, volume.join("next")).expect("linked");
    fs::rename(volume.join("next"), volume.join("data")).expect("exchanged");
    says(60, "The chart changed on disk", || operator.log());
    assert_eq!(namespace.path("configmap", "demo", "{.metadata.name}"), "", "the hook is at work");
    kubectl(&["label", "nodes", "--all", "swapped=true"]);
    becomes(60, "2 2.0.0".to_owned(), || {
        format!("{} {}", field(&namespace, &kind, "revision"), field(&namespace, &kind, "chart.version"))
    });
    becomes(30, "here".to_owned(), || namespace.path("configmap", "demo", "{.data.next}"));
    namespace.ready(&kind, "demo");
    let history =
        cluster().helm3().unwrap().args(["history", "demo", "-n", &namespace.name]).output().unwrap();
    let history = String::from_utf8_lossy(&history.stdout).into_owned();
    let of = |revision: &str| {
        history.lines().find(|line| line.starts_with(revision)).unwrap_or_default().to_owned()
    };
    assert!(of("1").contains("superseded") && of("1").contains("swapped-1.0.0"), "{history}");
    assert!(of("2").contains("deployed") && of("2").contains("swapped-2.0.0"), "{history}");
}
