//! Fields that the types of a chart's objects do not know.

use crate::plan::diff;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, says, stays};
use crate::takeover::helm;

/// A slip in the object, one in an item of a list, and on demand a third one.
const SLIPS: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}, initializers: {}}\nspec:\n\
                     \x20 replicas: 0\n  selecter: {a: b}\n  selector: {matchLabels: {app: {{ .Release.Name }}}}\n  template:\n\
                     \x20   metadata: {labels: {app: {{ .Release.Name }}}}\n    spec:\n      containers:\n\
                     \x20     - {name: side, image: {{ .Values.image }}}\n\
                     \x20     - {name: main, image: {{ .Values.image }}, prots: [{containerPort: 80}]{{ .Values.more }}}\n";

const KNOWN: [&str; 3] =
    [".metadata.initializers", ".spec.selecter", ".spec.template.spec.containers[name=\"main\"].prots"];

#[test]
#[ignore = "needs a control plane"]
fn unknown_fields_of_a_release_that_runs_are_left_out_and_new_ones_refused() {
    let chart = Chart::new("misfit", &[("templates/all.yaml", SLIPS), ("values.yaml", "more: \"\"\n")]);
    let (kind, namespace) = (Kind::new("Misfit"), Namespace::new("misfit"));
    helm(&namespace, &["install", "demo", chart.path.to_str().unwrap(), "--set", "image=a:1"]);
    let before = namespace.path("deployment", "demo", "{.metadata.uid} {.metadata.generation}");

    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"image": "a:1"}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("deployment", "demo", "{.metadata.uid} {.metadata.generation}"), before);
    for field in KNOWN {
        let events = || {
            namespace.kubectl(&["get", "events", "-o", "jsonpath={range .items[*]}{.message}{\"\\n\"}{end}"])
        };
        says(20, &format!("its type knows no field {field}; it is left out"), events);
    }
    // Settled is settled, and told once.
    let told = |operator: &Operator| operator.log().matches("does not know").count();
    stays(3, || (namespace.versions("deployment,secret"), told(&operator)));
    assert_eq!(told(&operator), KNOWN.len(), "{}", operator.log());

    // It can be changed, and what runs is repaired, also after a restart.
    let image = || namespace.path("deployment", "demo", "{.spec.template.spec.containers[1].image}");
    namespace.change(&kind, "demo", r#"{"image": "a:2"}"#);
    becomes(30, "a:2".to_owned(), image);
    becomes(30, "2".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}")
    });
    assert_eq!(told(&operator), KNOWN.len(), "{}", operator.log());
    let stored = helm(&namespace, &["get", "manifest", "demo"]);
    assert!(stored.contains("prots:") && stored.contains("selecter:"), "{stored}");
    operator.stop();
    let operator = Operator::start(&chart.path, &kind, &namespace);
    stays(2, || namespace.versions("deployment,secret"));
    namespace.kubectl(&["set", "image", "deployment/demo", "main=a:9"]);
    becomes(30, "a:2".to_owned(), image);
    let repaired = says(20, "was changed by", || {
        namespace.kubectl(&["get", "events", "--field-selector", "reason=Repaired"])
    });
    assert!(!repaired.contains("prots") && !repaired.contains("selecter"), "{repaired}");
    assert_eq!(diff(&chart, &kind, &namespace, "{image: a:2}"), (0, String::new()));
    let (code, told) = diff(&chart, &kind, &namespace, "{image: a:3}");
    assert!(code == 1 && told.contains("a:2 -> a:3"), "{told}");
    for field in KNOWN {
        assert!(
            told.contains(&format!("! {field}: its type knows no such field; it would be left out")),
            "{told}"
        );
    }
    let (code, told) = diff(&chart, &kind, &namespace, "{image: a:3, more: ', prot: 1'}");
    assert!(code == 2 && told.contains("would be refused") && told.contains("prot: field"), "{told}");

    // A new one is refused, until the user wants what Helm does.
    namespace.change(&kind, "demo", r#"{"image": "a:3", "more": ", prot: 1"}"#);
    let told = says(30, ".prot: field not declared", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains("chartwright.io/unknown-fields: drop") && !told.contains("prots"), "{told}");
    assert_eq!(image(), "a:2");
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/unknown-fields=drop"]);
    becomes(30, "a:3".to_owned(), image);
    namespace.ready(&kind, "demo");
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
    drop(operator);
}

#[test]
#[ignore = "needs a control plane"]
fn a_kind_may_be_told_to_leave_unknown_fields_out() {
    let chart = Chart::new("lenient", &[("templates/all.yaml", SLIPS), ("values.yaml", "more: \"\"\n")]);
    let (kind, namespace) = (Kind::new("Lenient"), Namespace::new("lenient"));
    let _operator = Operator::watching(&chart.watches(&[(&kind, "unknownFields: drop")]), &namespace);
    namespace.resource(&kind, "demo", r#"{"image": "a:1"}"#);
    namespace.ready(&kind, "demo");
    says(20, "UnknownField", || namespace.kubectl(&["get", "events"]));
    stays(3, || namespace.versions("deployment,secret"));
    namespace.kubectl(&["delete", "deployment", "demo"]);
    becomes(30, "demo".to_owned(), || namespace.path("deployment", "demo", "{.metadata.name}"));
    // A resource may want it strict; what it has already is not new.
    namespace.apply(&format!(
        r#"{{"apiVersion": "{}", "kind": "Lenient", "metadata": {{"name": "strict", "annotations":
        {{"chartwright.io/unknown-fields": "refuse"}}}}, "spec": {{"image": "a:1"}}}}"#,
        kind.api_version()
    ));
    says(30, "field not declared", || namespace.condition(&kind, "strict", "ReleaseFailed"));
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/unknown-fields=refuse"]);
    namespace.change(&kind, "demo", r#"{"image": "a:2"}"#);
    becomes(30, "a:2".to_owned(), || {
        namespace.path("deployment", "demo", "{.spec.template.spec.containers[1].image}")
    });
}
