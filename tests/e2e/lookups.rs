//! What templates look up is followed like everything else a release is made of.

use crate::support::{Chart, Kind, Namespace, Operator, becomes, eventually, says, stays};

/// Copies a color out of a ConfigMap that somebody else keeps, and counts others by their label.
const COPY: &str = r#"
{{- $source := lookup "v1" "ConfigMap" .Release.Namespace "source" -}}
{{- $own := lookup "v1" "ConfigMap" .Release.Namespace .Release.Name -}}
{{- $count := 0 -}}
{{- range (lookup "v1" "ServiceAccount" .Release.Namespace "").items -}}
{{- if hasPrefix "counted" .metadata.name }}{{ $count = add1 $count }}{{ end -}}
{{- end -}}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  color: {{ dig "data" "color" "none" $source }}
  count: {{ $count | quote }}
  secret: {{ dig "data" "secret" (randAlpha 20) $own }}
"#;

#[test]
#[ignore = "needs a control plane"]
fn what_was_looked_up_is_followed() {
    let chart = Chart::new("copier", &[("templates/cm.yaml", COPY)]);
    let (kind, namespace) = (Kind::new("Copier"), Namespace::new("copier"));
    let start = || {
        Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
            // Nothing here may wait for the period.
            command.env("WATCH_NAMESPACE", &namespace.name).env("RECONCILE_PERIOD", "1h");
        })
    };
    let source = |color: &str, other: &str| {
        namespace.apply(&format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: source}}, data: {{color: {color}, other: {other}}}}}"
        ));
    };
    let mut operator = start();
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let read = |key: &str| namespace.path("configmap", "demo", &format!("{{.data.{key}}}"));
    let revision = || namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}");
    let secret = read("secret");
    assert_eq!((read("color"), read("count")), ("none".to_owned(), "0".to_owned()));

    source("red", "a");
    becomes(20, "red".to_owned(), || read("color"));
    source("blue", "a");
    becomes(20, "blue".to_owned(), || read("color"));
    becomes(20, "3".to_owned(), revision);
    // A change that shows in nothing is no reason for an upgrade.
    source("blue", "b");
    namespace.kubectl(&["create", "serviceaccount", "counted-one"]);
    becomes(20, "1".to_owned(), || read("count"));
    becomes(20, "4".to_owned(), revision);

    // And what changed while nobody looked.
    operator.stop();
    source("green", "b");
    let _operator = start();
    becomes(20, "green".to_owned(), || read("color"));
    namespace.kubectl(&["delete", "configmap", "source"]);
    becomes(20, "none".to_owned(), || read("color"));
    becomes(20, "6".to_owned(), revision);
    stays(2, revision);
    assert_eq!(read("secret"), secret, "looked up or drawn, it is the same");
    namespace.kubectl(&["delete", "configmap", "demo"]);
    becomes(20, secret, || read("secret"));
}

/// Changes whatever it looks up.
const RESTLESS: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  last: {{ dig "metadata" "resourceVersion" "none" (lookup "v1" "ConfigMap" .Release.Namespace .Release.Name) | quote }}
"#;

#[test]
#[ignore = "needs a control plane"]
fn a_release_that_changes_what_it_looks_up_slows_down() {
    let chart = Chart::new("restless", &[("templates/cm.yaml", RESTLESS)]);
    let (kind, namespace) = (Kind::new("Restless"), Namespace::new("restless"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    says(60, "UnstableLookup", || namespace.kubectl(&["get", "events"]));
    let revision = || namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}");
    let first: u32 = revision().parse().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(8));
    let later: u32 = revision().parse().unwrap();
    assert!(later - first <= 3, "{first} and {later} eight seconds later");
}

#[test]
#[ignore = "needs a control plane"]
fn what_was_looked_up_and_stays_costs_no_requests() {
    let chart = Chart::new("thrifty", &[("templates/cm.yaml", COPY)]);
    let (kind, namespace) = (Kind::new("Thrifty"), Namespace::new("thrifty"));
    let operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name).env("RECONCILE_PERIOD", "300ms");
    });
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let requests = || -> f64 {
        let text = operator.metrics("/metrics");
        let lines = text.lines().filter(|line| line.starts_with("rest_client_requests_total{"));
        lines.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok()).sum()
    };
    eventually(60, "ten looks in a row without a request", || {
        let before = requests();
        assert!(before > 0.0);
        std::thread::sleep(std::time::Duration::from_secs(3));
        let more = requests() - before;
        if more == 0.0 { Ok(()) } else { Err(format!("{more} requests")) }
    });
}

#[test]
#[ignore = "needs a control plane"]
fn names_that_no_object_has_are_not_found() {
    let template = "{{- $found := lookup \"v1\" \"Secret\" .Release.Namespace \"-config of demo\" }}\napiVersion: v1\nkind: \
                    ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\ndata: {found: '{{ len $found }}'}\n";
    let chart = Chart::new("slip", &[("templates/cm.yaml", template)]);
    let (kind, namespace) = (Kind::new("Slip"), Namespace::new("slip"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("configmap", "demo", "{.data.found}"), "0");
}
