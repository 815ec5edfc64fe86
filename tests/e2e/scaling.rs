//! The resource is scaled as a workload is: by `kubectl scale`, and by an autoscaler.

use crate::support::{Chart, Kind, Namespace, Operator, becomes};

/// Two workloads, only one of which takes its number from the values; the other happens to have the same.
const TWO: &str = "{{- range $name, $replicas := dict \"cache\" 1 \"web\" .Values.replicaCount }}\n---\n\
                   apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ $.Release.Name }}-{{ $name }}}\nspec:\n\
                   \x20 replicas: {{ $replicas }}\n  selector: {matchLabels: {app: {{ $.Release.Name }}, part: {{ $name }}}}\n\
                   \x20 template:\n    metadata: {labels: {app: {{ $.Release.Name }}, part: {{ $name }}}}\n\
                   \x20   spec: {containers: [{name: main, image: example/app:1}]}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn kubectl_and_an_autoscaler_scale_the_resource() {
    let chart = Chart::new("herd", &[("templates/all.yaml", TWO), ("values.yaml", "replicaCount: 1\n")]);
    let (kind, namespace) = (Kind::new("Herd"), Namespace::new("herd"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"replicaCount": 1}"#);
    namespace.ready(&kind, "demo");
    let told = || {
        let path = "{.status.replicas} {.status.readyReplicas} {.status.ready} {.status.selector}";
        namespace.path(&kind.full(), "demo", path)
    };
    becomes(30, "1 1 1/1 app=demo,part=web".to_owned(), told);
    namespace.kubectl(&["scale", &kind.full(), "demo", "--replicas=3"]);
    becomes(60, "3".to_owned(), || namespace.path("deployment", "demo-web", "{.spec.replicas}"));
    becomes(60, "3 3 3/3 app=demo,part=web".to_owned(), told);
    assert_eq!(namespace.path("deployment", "demo-cache", "{.spec.replicas}"), "1");
    let shown = namespace.kubectl(&["get", &kind.full(), "demo"]);
    assert!(shown.contains("REPLICAS") && shown.contains("3/3"), "{shown}");

    // An operator that comes back knows which workload it was.
    operator.stop();
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let target = format!("scaleTargetRef: {{apiVersion: {}, kind: Herd, name: demo}}", kind.api_version());
    namespace.apply(&format!(
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: demo}}\n\
         spec: {{minReplicas: 4, maxReplicas: 5, {target}}}\n"
    ));
    becomes(120, "4 4 4/4 app=demo,part=web".to_owned(), told);
}
