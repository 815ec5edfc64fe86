//! The typed API: what the API server refuses, shows, explains and scales by the type that a chart becomes.

use std::process::{Command, Stdio};

use crate::support::{Chart, GROUP, Kind, Namespace, Operator, becomes, cluster, kubectl, says};

const WORKLOAD: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.size }}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec:
      containers:
        - name: {{ .Values.container | default "main" }}
          image: memcached:1.6
          ports: [{containerPort: {{ .Values.port }}}]
          {{- with .Values.slip }}
          {{ . }}: 1
          {{- end }}
"#;

/// Applies a manifest that may be refused; returns whether it was taken, and kubectl's words.
fn apply(namespace: &Namespace, manifest: &str) -> (bool, String) {
    use std::io::Write as _;
    let mut command: Command = cluster().kubectl();
    command.args(["--namespace", &namespace.name, "apply", "-f", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(manifest.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

fn running_pods(namespace: &Namespace) -> usize {
    let phases = namespace.kubectl(&["get", "pods", "-o", "jsonpath={.items[*].status.phase}"]);
    phases.split_whitespace().filter(|phase| *phase == "Running").count()
}

#[test]
#[ignore = "needs a control plane"]
fn the_walk_through_of_memcached_operator() {
    // There are others of that name in this cluster.
    const MEMCACHED: &str = "memcached.cache.example.com";
    let chart = Chart::new(
        "memcached",
        &[
            ("values.yaml", "# Number of memcached pods\nsize: 1\nport: 11211\n"),
            ("templates/d.yaml", WORKLOAD),
        ],
    );
    let namespace = Namespace::new("memcached");
    let (version, kind) = ("cache.example.com/v1alpha1", Kind::new("Memcached"));
    let _operator = Operator::start_with(&chart.path, version, &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name);
    });
    namespace.apply(&format!(
        "{{apiVersion: {version}, kind: Memcached, metadata: {{name: memcached-sample}}, spec: {{size: 3}}}}"
    ));
    becomes(60, 3, || running_pods(&namespace));
    let ready = || namespace.kubectl(&["get", MEMCACHED, "memcached-sample"]);
    says(60, "3/3", ready);
    says(60, "Deployed", ready);
    let change = r#"{"spec":{"size": 5}}"#;
    namespace.merge(MEMCACHED, "memcached-sample", change);
    becomes(60, 5, || running_pods(&namespace));
    namespace.kubectl(&["scale", MEMCACHED, "memcached-sample", "--replicas=2"]);
    becomes(60, 2, || running_pods(&namespace));
    says(60, "2/2", ready);
    let explained = kubectl(&["explain", "memcacheds.spec.size", "--api-version", version]);
    assert!(explained.contains("Number of memcached pods") && explained.contains("<integer>"), "{explained}");
}

#[test]
#[ignore = "needs a control plane"]
fn the_walk_through_of_a_redis_operator() {
    let schema = r#"{"type": "object", "properties": {
        "port": {"type": "integer", "minimum": 80, "maximum": 40000, "description": "Port of Redis"},
        "size": {"type": "integer"}, "tags": {"type": "object", "propertyNames": {"maxLength": 3}}}}"#;
    let chart = Chart::new(
        "redis",
        &[
            ("values.yaml", "size: 1\nport: 6379\nmode: single\n"),
            ("values.schema.json", schema),
            ("templates/d.yaml", WORKLOAD),
            (
                "templates/check.yaml",
                r#"{{- if and (eq .Values.mode "cluster") (lt (int .Values.size) 3) }}{{ fail "a cluster needs 3 instances" }}{{ end }}"#,
            ),
        ],
    );
    let (namespace, version) = (Namespace::new("redis"), "myapp.example.com/v1");
    let address = format!("127.9.{}.1:19443", std::process::id() % 250);
    let start = || {
        Operator::start_with(&chart.path, version, "Redis", |command| {
            command
                .env("WATCH_NAMESPACE", &namespace.name)
                .args(["--column", "Num=.status.replicas", "--webhook", "--webhook-bind-address", &address])
                .args(["--webhook-url", &format!("https://{address}")]);
        })
    };
    let mut operator = start();
    says(30, "values.redises.myapp.example.com", || {
        kubectl(&["get", "validatingwebhookconfigurations", "-o", "jsonpath={.items[*].webhooks[*].name}"])
    });
    let redis =
        |spec: &str| format!("{{apiVersion: {version}, kind: Redis, metadata: {{name: one}}, spec: {spec}}}");
    // The schema judges by itself.
    for port in [79, 40001] {
        let (taken, told) = apply(&namespace, &redis(&format!("{{port: {port}}}")));
        assert!(!taken && told.contains("spec.port") && told.contains("should be"), "{told}");
    }
    // What it cannot judge, the webhook does, with the template's own words. API servers learn of a webhook in a moment.
    let cluster_of_two = redis("{mode: cluster, size: 2}");
    says(30, "a cluster needs 3 instances", || {
        let (taken, told) = apply(&namespace, &cluster_of_two);
        if taken {
            namespace.kubectl(&["delete", "redis", "one", "--wait=false"]);
        }
        told
    });
    becomes(60, String::new(), || namespace.path("redis", "one", "{.metadata.name}"));
    // So it does with what the API server has against the objects.
    let (taken, told) = apply(&namespace, &redis("{container: No_Name}"));
    assert!(!taken && told.contains("the API server refuses Deployment one"), "{told}");
    assert!(told.contains("containers[0].name"), "{told}");

    let (taken, told) = apply(&namespace, &redis("{tags: {longer: 1}}"));
    assert!(!taken && told.contains("at '/tags'"), "{told}");

    // A field that the type does not know is refused, unless Helm's way is asked for.
    let slip = redis("{slip: imgae}");
    let (taken, told) = apply(&namespace, &slip);
    assert!(!taken && told.contains("imgae: field not declared in schema"), "{told}");
    assert!(told.contains("chartwright.io/unknown-fields: drop"), "{told}");
    let lenient = slip.replace("name: one", "name: one, annotations: {chartwright.io/unknown-fields: drop}");
    let (taken, told) = apply(&namespace, &lenient);
    assert!(taken && told.contains("Warning") && told.contains("its type knows no field"), "{told}");

    let (taken, told) = apply(&namespace, &redis("{size: 2}"));
    assert!(taken, "{told}");
    becomes(60, "2".to_owned(), || namespace.path("redis", "one", "{.status.replicas}"));
    let table = namespace.kubectl(&["get", "redis"]);
    assert!(table.contains("NUM") && table.contains("STATUS"), "{table}");
    says(30, "Installed", || namespace.kubectl(&["describe", "redis", "one"]));
    namespace.kubectl(&["delete", "deployment", "one"]);
    becomes(30, "one".to_owned(), || namespace.path("deployment", "one", "{.metadata.name}"));
    for size in ["3", "1"] {
        namespace.kubectl(&["scale", "redis", "one", &format!("--replicas={size}")]);
        becomes(60, size.to_owned(), || namespace.path("redis", "one", "{.status.replicas}"));
    }
    namespace.kubectl(&["delete", "redis", "one", "--timeout=60s"]);
    becomes(90, String::new(), || namespace.path("deployment", "one", "{.metadata.name}"));
    // Nobody is kept from working by an operator that is away.
    operator.kill();
    let (taken, told) = apply(&namespace, &cluster_of_two);
    assert!(taken, "{told}");
    // One that stops leaves no webhook that nobody answers, as soon as the webhook is its own.
    let path = "jsonpath={.webhooks[0].clientConfig.caBundle}";
    let name = "chartwright-redises.myapp.example.com";
    let bundle = || kubectl(&["get", "validatingwebhookconfiguration", name, "-o", path]);
    let before = bundle();
    let mut operator = start();
    becomes(30, true, || bundle() != before);
    operator.stop();
    let left = kubectl(&["get", "validatingwebhookconfigurations", "-o", "name"]);
    assert!(!left.contains("redises"), "{left}");
}

#[test]
#[ignore = "needs a control plane"]
fn conditions_of_a_schema_are_judged_when_a_resource_is_applied() {
    let schema = r#"{"type": "object",
        "properties": {"mode": {"type": "string"}, "host": {"type": "string"}, "port": {"type": ["string", "integer"]}},
        "allOf": [
            {"if": {"properties": {"mode": {"const": "remote"}}, "required": ["mode"]}, "then": {"required": ["host"]}},
            {"if": {"properties": {"mode": {"enum": ["a", "b"]}}}, "then": {"properties": {"port": {"enum": [1, 2]}}},
                "else": {"properties": {"host": {"const": "h"}}}}
        ]}"#;
    let chart = Chart::new("conditions", &[("values.yaml", "mode: a\n"), ("values.schema.json", schema)]);
    let version = format!("{GROUP}/v1");
    let made = Command::new(env!("CARGO_BIN_EXE_chartwright"))
        .args(["crd", "--api-version", &version, "--kind", "Conditional", "--chart"])
        .arg(&chart.path)
        .output()
        .unwrap();
    let namespace = Namespace::new("conditions");
    namespace.apply(&String::from_utf8_lossy(&made.stdout));
    kubectl(&["wait", "--for=condition=Established", &format!("crd/conditionals.{GROUP}"), "--timeout=30s"]);
    let judged = |spec: &str| {
        apply(
            &namespace,
            &format!("{{apiVersion: {version}, kind: Conditional, metadata: {{name: x}}, spec: {spec}}}"),
        )
    };
    for (spec, complaint) in [
        ("{mode: remote}", "host must be given when mode is remote"),
        ("{mode: remote, host: x}", "host must be h unless mode is a or b"),
        ("{mode: b, port: 3}", "port must be 1 or 2 when mode is a or b"),
    ] {
        let (taken, told) = judged(spec);
        assert!(!taken && told.contains(complaint), "{spec}: {told}");
    }
    for spec in ["{}", "{mode: remote, host: h}", "{mode: b, port: 2}", "{port: 3}", "{mode: null, host: x}"]
    {
        let (taken, told) = judged(spec);
        assert!(taken, "{spec}: {told}");
    }
}
