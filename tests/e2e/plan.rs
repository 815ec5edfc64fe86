//! What a resource would change is told before anything is changed: by a command, and in the status.

use std::process::Command;

use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, says, stays};

const OBJECTS: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {color: {{ .Values.color | quote }}}
---
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
stringData: {password: {{ .Values.password | quote }}}
{{- if .Values.port }}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {ports: [{name: web, port: {{ .Values.port }}}]}
{{- end }}
"#;

/// Runs `chartwright diff`; returns its exit status and all it says.
pub(crate) fn diff(chart: &Chart, kind: &Kind, namespace: &Namespace, spec: &str) -> (i32, String) {
    diff_of(chart, kind, namespace, "{}", spec)
}

/// The same for a resource with annotations.
pub(crate) fn diff_of(
    chart: &Chart,
    kind: &Kind,
    namespace: &Namespace,
    annotations: &str,
    spec: &str,
) -> (i32, String) {
    diff_with(chart, kind, namespace, annotations, spec, &[])
}

/// The same with more flags.
pub(crate) fn diff_with(
    chart: &Chart,
    kind: &Kind,
    namespace: &Namespace,
    annotations: &str,
    spec: &str,
    flags: &[&str],
) -> (i32, String) {
    let (api_version, name) = (kind.api_version(), &kind.name);
    chart.write(
        "../cr.yaml",
        &format!(
            "{{apiVersion: {api_version}, kind: {name}, metadata: {{name: demo, annotations: {annotations}}}, spec: {spec}}}"
        ),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_chartwright"))
        .args(["diff", "-f", chart.path.join("../cr.yaml").to_str().unwrap()])
        .args(["--namespace", &namespace.name])
        .arg("--chart")
        .arg(&chart.path)
        .args(flags)
        .env("KUBECONFIG", cluster().kubeconfig())
        // Not for this server, which is on the same machine.
        .env("HTTPS_PROXY", "http://proxy.invalid:3128")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

#[test]
#[ignore = "needs a control plane"]
fn changes_are_shown_before_they_are_made() {
    let chart = Chart::new("planned", &[("templates/all.yaml", OBJECTS)]);
    let (kind, namespace) = (Kind::new("Planned"), Namespace::new("planned"));
    let (code, told) = diff(&chart, &kind, &namespace, "{}");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("serves no Planned"), "{told}");

    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let (code, told) = diff(&chart, &kind, &namespace, "{color: red, password: hidden1}");
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("+ ConfigMap demo") && told.contains("+ .data.color: red"), "{told}");
    assert!(told.contains("+ .data.password: ***") && !told.contains("hidden1"), "{told}");
    assert!(!told.contains("ownerReferences"), "nobody is there to own it: {told}");
    assert_eq!(namespace.names("secret"), Vec::<String>::new(), "nothing was made");

    // What is somebody else's is told, and that it can be taken over.
    namespace.kubectl(&["create", "configmap", "demo", "--from-literal=color=red"]);
    let (code, told) = diff(&chart, &kind, &namespace, "{color: red}");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("! ConfigMap demo") && told.contains("belongs to nobody"), "{told}");
    let adopts = r#"{"chartwright.io/adopt": "true"}"#;
    let (code, told) = diff_of(&chart, &kind, &namespace, adopts, "{color: red}");
    assert!(code == 1 && told.contains("~ ConfigMap demo"), "{told}");
    namespace.kubectl(&["delete", "configmap", "demo"]);

    namespace.resource(&kind, "demo", r#"{"color": "red", "password": "hidden1", "port": 80}"#);
    namespace.ready(&kind, "demo");
    let same = "{color: red, password: hidden1, port: 80}";
    assert_eq!(diff(&chart, &kind, &namespace, same), (0, String::new()));
    let (code, told) = diff(&chart, &kind, &namespace, "{color: blue, password: hidden2}");
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("~ ConfigMap demo") && told.contains("~ .data.color: red -> blue"), "{told}");
    assert!(told.contains("~ .data.password: *** -> ***"), "{told}");
    assert!(told.contains("- Service demo in namespace"), "{told}");
    let (code, told) = diff(&chart, &kind, &namespace, "{color: red, password: hidden1, port: 99999}");
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("! Service demo") && told.contains("99999"), "{told}");

    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/plan=true"]);
    namespace.change(&kind, "demo", r#"{"color": "green", "password": "hidden3"}"#);
    says(30, "True PlanOnly: 2 objects would change", || namespace.condition(&kind, "demo", "Held"));
    let plan = namespace.path(&kind.full(), "demo", "{.status.plan[*]}");
    assert!(plan.contains("~ .data.color: red -> green") && !plan.contains("hidden"), "{plan}");
    stays(2, || namespace.path("configmap", "demo", "{.data.color}"));
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "red");
    // What runs is kept meanwhile.
    namespace.kubectl(&["delete", "configmap", "demo"]);
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/plan-"]);
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    becomes(30, String::new(), || namespace.path(&kind.full(), "demo", "{.status.plan[*]}"));
    assert_eq!(namespace.condition(&kind, "demo", "Held"), "");
}
