//! What a dry run tells, whichever way it was asked for, and what then arrives.

use crate::support::{Chart, Kind, Namespace, Operator, becomes, says};

/// One object of a kind that has been applied before, with one fault or none.
const FAULTY: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n\
                      {{- with .Values.metadata }}\n{{ toYaml . | indent 2 }}\n{{- end }}\nspec:\n\
                      {{ toYaml .Values.service | indent 2 }}\n";

const FAULTS: &[(&str, &str)] = &[
    ("unknown", r#"{"service": {"ports": [{"port": 80}], "selecter": {"a": "b"}}}"#),
    ("sort", r#"{"service": {"ports": [{"port": "eighty"}]}}"#),
    ("invalid", r#"{"service": {"ports": [{"port": 70000}]}}"#),
    ("twice", r#"{"service": {"ports": [{"name": "a", "port": 80}, {"name": "b", "port": 80}]}}"#),
    ("label", r#"{"service": {"ports": [{"port": 80}]}, "metadata": {"labels": {"a": "not so!"}}}"#),
    ("keyless", r#"{"service": {"ports": [{}]}}"#),
];

#[test]
#[ignore = "needs a control plane"]
fn a_refusal_reads_the_same_for_the_first_of_its_kind_and_for_later_ones() {
    let chart = Chart::new(
        "faulty",
        &[("templates/all.yaml", FAULTY), ("values.yaml", "service: {}\nmetadata: {}\n")],
    );
    let (kind, namespace) = (Kind::new("Faulty"), Namespace::new("faulty"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let refusals = |round: &str| -> Vec<String> {
        let name = |fault: &str| format!("{fault}-{round}");
        FAULTS.iter().for_each(|(fault, spec)| namespace.resource(&kind, &name(fault), spec));
        let told = |fault: &str| {
            let told =
                says(30, "nothing was changed", || namespace.condition(&kind, &name(fault), "ReleaseFailed"));
            told.replace(&name(fault), fault)
        };
        FAULTS.iter().map(|(fault, _)| told(fault)).collect()
    };
    // Before anything was applied, and after.
    let first = refusals("one");
    namespace.resource(&kind, "good", r#"{"service": {"ports": [{"port": 80}]}}"#);
    namespace.ready(&kind, "good");
    assert_eq!(refusals("two"), first);
    let services = namespace.kubectl(&["get", "services", "-o", "jsonpath={.items[*].metadata.name}"]);
    assert_eq!(services, "good", "nothing of what was refused is there");
    // As `kubectl get -o yaml` prints it.
    let of_another =
        r#"{"managedFields": [{"manager": "me"}], "uid": "1-2-3", "resourceVersion": "7", "generation": 4}"#;
    let copied = format!(r#"{{"service": {{"ports": [{{"port": 80}}]}}, "metadata": {of_another}}}"#);
    namespace.resource(&kind, "copied", &copied);
    namespace.ready(&kind, "copied");
    // What is there already and is nobody's is no creation.
    namespace.kubectl(&["create", "service", "clusterip", "foreign", "--tcp=80"]);
    namespace.resource(&kind, "foreign", r#"{"service": {"ports": [{"port": 80}]}}"#);
    says(30, "adopt", || namespace.condition(&kind, "foreign", "ReleaseFailed"));
}

#[test]
#[ignore = "needs a control plane"]
fn texts_arrive_as_they_were_rendered_whatever_is_in_them() {
    // Of these, YAML takes some for the end of a line, and others it does not take at all, unless they are escaped.
    let (escapes, text) = (
        r"\x85\u2028\u2029 b\x7F\x80\x9F\xA0\uFEFF\uFFFE\uFFFF\U0001F600",
        "\u{85}\u{2028}\u{2029} b\u{7f}\u{80}\u{9f}\u{a0}\u{feff}\u{fffe}\u{ffff}\u{1f600}",
    );
    let template = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {{{{ .Release.Name }}}}}}\n\
         data: {{text: \"a {escapes} c\", more: {{{{ .Values.more | quote }}}}}}\n"
    );
    let (files, text) =
        ([("templates/all.yaml", &*template), ("values.yaml", "more: \"\"\n")], format!("a {text} c"));
    let (chart, kind, namespace) = (Chart::new("texts", &files), Kind::new("Texts"), Namespace::new("texts"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    let data = |name: &str, key: &str| namespace.path("configmap", name, &format!("{{.data.{key}}}"));
    // The first of its kind, another one, and a change.
    for name in ["one", "two"] {
        namespace.resource(&kind, name, r#"{"more": "1"}"#);
        becomes(30, text.clone(), || data(name, "text"));
    }
    namespace.change(&kind, "one", r#"{"more": "2"}"#);
    becomes(30, "2".to_owned(), || data("one", "more"));
    assert_eq!(data("one", "text"), text);
}
