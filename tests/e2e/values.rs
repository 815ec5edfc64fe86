//! Values that come from elsewhere than a resource's spec.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, kubectl, says};
use crate::takeover::helm;

/// Shows where its values came from.
const SHOW: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata:\n\
                    \x20 color: {{ .Values.color | quote }}\n\
                    \x20 password: {{ (.Values.db | default dict).password | default \"none\" | quote }}\n\
                    \x20 debug: {{ kindOf .Values.debug }}\n";

fn data(namespace: &Namespace, key: &str) -> String {
    namespace.path("configmap", "demo", &format!("{{.data.{key}}}"))
}

#[test]
#[ignore = "needs a control plane"]
fn values_from_secrets_and_config_maps_are_followed() {
    let chart =
        Chart::new("outsider", &[("templates/cm.yaml", SHOW), ("values.yaml", "color: grey\ndebug: null\n")]);
    let (kind, namespace) = (Kind::new("Outsider"), Namespace::new("outsider"));
    let watches = chart.watches(&[(
        &kind,
        "values: {debug: true}, valuesFrom: [{kind: ConfigMap, name: site},\
         {kind: Secret, name: creds, valuesKey: password, targetPath: db.password},\
         {kind: Secret, name: extra, optional: true}]",
    )]);
    let mut operator = Operator::watching(&watches, &namespace);
    namespace.kubectl(&["create", "configmap", "site", "--from-literal=values.yaml=color: red"]);
    namespace.resource(&kind, "demo", r#"{"color": "green", "debug": "no"}"#);
    let told = says(30, "Secret", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains(&format!("Secret {}/creds: it does not exist", namespace.name)), "{told}");

    namespace.kubectl(&["create", "secret", "generic", "creds", "--from-literal=password=pa55-one"]);
    namespace.ready(&kind, "demo");
    assert_eq!(data(&namespace, "color"), "red", "the operator's word is the last");
    assert_eq!(data(&namespace, "debug"), "bool", "types are kept");
    assert_eq!(data(&namespace, "password"), "pa55-one");

    let patch = r#"{"stringData": {"password": "pa55-two"}}"#;
    namespace.merge("secret", "creds", patch);
    becomes(15, "pa55-two".to_owned(), || data(&namespace, "password"));
    namespace.kubectl(&["create", "secret", "generic", "extra", "--from-literal=values.yaml=color: blue"]);
    becomes(15, "blue".to_owned(), || data(&namespace, "color"));
    becomes(15, "3".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}")
    });
    // What is wrong with them is told, never what they hold.
    for (text, words) in [
        ("a: [pa55", "its key \"values.yaml\" is not YAML"),
        ("- pa55", "its key \"values.yaml\" is not a mapping of values"),
    ] {
        namespace.merge("secret", "extra", &format!(r#"{{"stringData": {{"values.yaml": "{text}"}}}}"#));
        let told = says(30, words, || namespace.condition(&kind, "demo", "Irreconcilable"));
        assert!(!told.contains("pa55"), "{told}");
    }
    namespace.merge("secret", "creds", r#"{"data": {"password": null}}"#);
    says(30, "it has no key \"password\"", || namespace.condition(&kind, "demo", "Irreconcilable"));
    namespace.merge("secret", "creds", patch);
    namespace.merge("secret", "extra", r#"{"stringData": {"values.yaml": "color: blue"}}"#);
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "Irreconcilable"));

    assert!(!operator.log().contains("pa55"), "no log tells a secret:\n{}", operator.log());

    // A restart finds everything as it was.
    operator.stop();
    let before = namespace.versions("configmap,secret");
    let _operator = Operator::watching(&watches, &namespace);
    namespace.resource(&kind, "second", "{}");
    namespace.ready(&kind, "second");
    for line in before.lines() {
        assert!(namespace.versions("configmap,secret").contains(line), "{line} is as it was");
    }
    let events = namespace.kubectl(&["get", "events", "-o", "jsonpath={.items[*].message}"]);
    assert!(
        events.contains(r#"Chart value "debug" overridden to "true" by operator's watches.yaml"#),
        "{events}"
    );
    assert!(!events.contains("pa55"), "no event tells a secret");
}

#[test]
#[ignore = "needs a control plane"]
fn one_operator_serves_kinds_in_namespaces_and_in_the_cluster() {
    let chart =
        Chart::new("both", &[("templates/cm.yaml", SHOW), ("values.yaml", "color: grey\ndebug: null\n")]);
    let (near, wide) = (Kind::new("Near"), Kind::new("Roaming"));
    let (namespace, releases) = (Namespace::new("near"), Namespace::new("wide"));
    let fields = format!(
        "scope: Cluster, maxHistory: 2, releaseNamespace: {}, valuesFrom: [{{kind: ConfigMap, name: site}}]",
        releases.name
    );
    // The namespaces say nothing of what lives in none.
    let _operator = Operator::watching(&chart.watches(&[(&near, ""), (&wide, &fields)]), &namespace);
    releases.kubectl(&["create", "configmap", "site", "--from-literal=values.yaml=color: blue"]);
    namespace.resource(&near, "demo", r#"{"color": "green"}"#);
    namespace.resource(&wide, "demo", r#"{"color": "green"}"#);
    namespace.ready(&near, "demo");
    releases.ready(&wide, "demo");
    assert_eq!((data(&namespace, "color"), data(&releases, "color")), ("green".into(), "blue".into()));
    for debug in 1..=3 {
        releases.change(&wide, "demo", &format!(r#"{{"debug": {debug}}}"#));
        let revision = format!("{}", debug + 1);
        becomes(30, revision, || releases.path(&wide.full(), "demo", "{.status.deployedRelease.revision}"));
    }
    let records = || {
        let secrets = releases.names("secret");
        secrets.into_iter().filter(|name| name.starts_with("sh.helm.release.v1.demo.")).collect::<Vec<_>>()
    };
    becomes(15, ["v3", "v4"].map(|n| format!("sh.helm.release.v1.demo.{n}")).to_vec(), records);
    kubectl(&["delete", &wide.full(), "demo", "--timeout=30s"]);
    becomes(30, String::new(), || releases.path("configmap", "demo", "{.metadata.name}"));
    assert_eq!(data(&namespace, "color"), "green");
}

#[test]
#[ignore = "needs a control plane"]
fn an_override_that_cannot_be_read_is_told() {
    let chart = Chart::new("overrule", &[("templates/cm.yaml", SHOW)]);
    let (kind, namespace) = (Kind::new("Overrule"), Namespace::new("overrule"));
    let watches = chart.watches(&[(&kind, "overrideValues: {\"colors[x]\": red}")]);
    let _operator = Operator::watching(&watches, &namespace);
    namespace.resource(&kind, "demo", "{}");
    says(30, "override value colors[x]=red: ", || namespace.condition(&kind, "demo", "ReleaseFailed"));
}

/// Renders whatever text a value holds as a field.
const RAW: &str = "{{- with .Values.raw }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ $.Release.Name }}-raw}\n\
                   data: {{ . }}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn values_may_nest_as_deep_as_the_api_server_lets_them() {
    let nested = |levels: usize| format!("{}1{}", r#"{"a": "#.repeat(levels), "}".repeat(levels));
    let all = SHOW.to_owned() + RAW;
    let files = [("templates/all.yaml", all.as_str()), ("values.yaml", "color: grey\ndebug: 1\n")];
    let chart = Chart::new("abyss", &files);
    let (kind, namespace) = (Kind::new("Abyss"), Namespace::new("abyss"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    let spec = |levels: usize| format!(r#"{{"color": "red", "deep": {}}}"#, nested(levels));
    for (name, levels) in [("demo", 400), ("deeper", 5000)] {
        namespace.resource(&kind, name, &spec(levels));
    }
    let raw = format!("{}1{}", "[".repeat(9000), "]".repeat(9000));
    namespace.resource(&kind, "raw", &format!(r#"{{"raw": "{raw}"}}"#));
    namespace.ready(&kind, "demo");
    namespace.ready(&kind, "deeper");
    says(30, "ConfigMap raw-raw", || namespace.condition(&kind, "raw", "ReleaseFailed"));
    // Its record can be read again, by Helm too.
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    becomes(30, "blue".to_owned(), || data(&namespace, "color"));
    assert!(helm(&namespace, &["get", "values", "demo"]).matches("a:").count() == 400);

    // A new type looks at all of them.
    operator.stop();
    chart.write("values.yaml", "color: grey\ndebug: true\nmore: {a: 1}\n");
    chart.write("Chart.yaml", "apiVersion: v2\nname: abyss\nversion: 2.0.0\n");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "2.0.0".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.chart.version}")
    });
    namespace.ready(&kind, "demo");
    assert_eq!(data(&namespace, "color"), "blue");
}

#[test]
#[ignore = "needs a control plane"]
fn a_value_from_a_secret_is_not_told_when_it_is_wrong() {
    let schema =
        r#"{"type": "object", "properties": {"password": {"type": "string", "pattern": "^[a-z]{12,}$"}}}"#;
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\n\
                   spec: {type: {{ .Values.password }}, ports: [{port: 80}]}\n";
    let files = [("templates/svc.yaml", service), ("values.schema.json", schema)];
    let chart = Chart::new("discreet", &files);
    let (kind, namespace) = (Kind::new("Discreet"), Namespace::new("discreet"));
    let fields = "valuesFrom: [{kind: Secret, name: creds, valuesKey: password, targetPath: password}]";
    let operator = Operator::watching(&chart.watches(&[(&kind, fields)]), &namespace);
    namespace.kubectl(&["create", "secret", "generic", "creds", "--from-literal=password=Sup3rS3cret!"]);
    namespace.resource(&kind, "demo", "{}");
    says(30, "'<hidden>' does not match pattern", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    let patch = r#"{"stringData": {"password": "notaservicetype"}}"#;
    namespace.kubectl(&["patch", "secret", "creds", "--type=merge", "-p", patch]);
    says(30, r#"Unsupported value: "<hidden>""#, || namespace.condition(&kind, "demo", "ReleaseFailed"));
    let events = namespace.kubectl(&["get", "events", "-o", "yaml"]);
    let status = namespace.path(&kind.full(), "demo", "{.status}");
    for text in [&*events, &*status, &*operator.log()] {
        assert!(!text.contains("Sup3rS3cret") && !text.contains("notaservicetype"), "{text}");
    }
}

#[test]
#[ignore = "needs a control plane"]
fn a_spec_that_is_no_mapping_is_told() {
    let chart = Chart::new("formless", &[("templates/cm.yaml", SHOW), ("values.yaml", "debug: 1\n")]);
    let (kind, namespace) = (Kind::new("Formless"), Namespace::new("formless"));
    namespace.apply(
        r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "formlesses.e2e.example.com"}, "spec": {"group": "e2e.example.com", "scope": "Namespaced",
        "names": {"kind": "Formless", "plural": "formlesses"}, "versions": [{"name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {"type": "object",
        "properties": {"spec": {"x-kubernetes-preserve-unknown-fields": true},
        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}}"#,
    );
    kubectl(&["wait", "--for=condition=Established", "crd/formlesses.e2e.example.com", "--timeout=30s"]);
    let _operator = Operator::watching(&chart.watches(&[(&kind, "crd: none")]), &namespace);
    namespace.resource(&kind, "demo", "[1]");
    let told =
        says(30, "spec must be a mapping of values", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.ends_with("and is a list"), "{told}");
    namespace.kubectl(&[
        "patch",
        &kind.full(),
        "demo",
        "--type=json",
        "-p",
        r#"[{"op": "remove", "path": "/spec"}]"#,
    ]);
    namespace.ready(&kind, "demo");
}

#[test]
#[ignore = "needs a control plane"]
fn a_schema_may_be_passed_over() {
    let schema =
        r#"{"type": "object", "properties": {"color": {"$ref": "https://schemas.example.com/color.json"}}}"#;
    let chart = Chart::new("remote", &[("templates/cm.yaml", CONFIG), ("values.schema.json", schema)]);
    let (checked, skipped) = (Kind::new("Strictly"), Kind::new("Leniently"));
    let namespace = Namespace::new("remote");
    let watches = chart.watches(&[(&checked, ""), (&skipped, "skipSchemaValidation: true")]);
    let _operator = Operator::watching(&watches, &namespace);
    namespace.resource(&checked, "checked", r#"{"color": "green"}"#);
    namespace.resource(&skipped, "skipped", r#"{"color": "green"}"#);
    let told = says(30, "https://schemas.example.com/color.json", || {
        namespace.condition(&checked, "checked", "ReleaseFailed")
    });
    assert!(told.contains("--skip-schema-validation"), "{told}");
    namespace.ready(&skipped, "skipped");
    assert_eq!(namespace.path("configmap", "skipped", "{.data.color}"), "green");
}
