//! Types that change: new charts, new versions, and definitions that others made.

use crate::support::{Chart, GROUP, Kind, Namespace, Operator, becomes, eventually, kubectl, says};

const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\n\
                      data: {port: '{{ .Values.port }}', extra: '{{ .Values.extra }}'}\n";

fn schema(port: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{"port": {{"type": "{port}"}}}}}}"#)
}

fn stored(crd: &str) -> String {
    kubectl(&["get", "crd", crd, "-o", "jsonpath={.status.storedVersions[*]}"])
}

fn served(crd: &str) -> String {
    kubectl(&["get", "crd", crd, "-o", "jsonpath={.spec.versions[?(@.served==true)].name}"])
}

#[test]
#[ignore = "needs a control plane"]
fn a_change_that_hurts_resources_is_refused_unless_told() {
    let (kind, namespace) = (Kind::new("Ported"), Namespace::new("ported"));
    let chart = Chart::new(
        "ported",
        &[
            ("values.yaml", "port: http\n"),
            ("values.schema.json", &schema("string")),
            ("templates/c.yaml", CONFIG),
        ],
    );
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "named", r#"{"port": "http"}"#);
    namespace.resource(&kind, "plain", "{}");
    namespace.ready(&kind, "named");
    operator.stop();

    chart.write("values.yaml", "port: 80\n");
    chart.write("values.schema.json", &schema("integer"));
    let mut careful = Operator::start(&chart.path, &kind, &namespace);
    let log = careful.log();
    let report = format!("spec.port: type string becomes integer — {}/named.", namespace.name);
    assert!(log.contains(&report) && log.contains("--accept-breaking-changes"), "{log}");
    let definition = format!("porteds.{GROUP}");
    assert!(kubectl(&["get", "crd", &definition, "-o", "json"]).contains(r#""type": "string""#));
    // Those that fit the new chart move on; the one that does not says why, and what it has stays.
    becomes(30, "80".to_owned(), || namespace.path("configmap", "plain", "{.data.port}"));
    says(30, "port", || namespace.condition(&kind, "named", "Irreconcilable"));
    assert_eq!(namespace.path("configmap", "named", "{.data.port}"), "http");
    careful.stop();

    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name).arg("--accept-breaking-changes");
    });
    becomes(30, "80".to_owned(), || namespace.path("configmap", "plain", "{.data.port}"));
}

#[test]
#[ignore = "needs a control plane"]
fn resources_move_to_a_new_version_and_the_old_one_goes_when_nobody_uses_it() {
    let (kind, namespace) = (Kind::new("Moving"), Namespace::new("moving"));
    let (crd, group) = ("movings.moving.example.com", "moving.example.com");
    let chart =
        Chart::new("moving", &[("values.yaml", "port: 80\nextra: a\n"), ("templates/c.yaml", CONFIG)]);
    let start = |version: &str| {
        Operator::start_with(&chart.path, &format!("{group}/{version}"), &kind.name, |command| {
            command.env("WATCH_NAMESPACE", &namespace.name);
        })
    };
    let mut operator = start("v1alpha1");
    let manifest = |version: &str| {
        format!(
            "{{apiVersion: {group}/{version}, kind: Moving, metadata: {{name: one}}, spec: {{port: 81}}}}"
        )
    };
    namespace.apply(&manifest("v1alpha1"));
    becomes(30, "81".to_owned(), || namespace.path("configmap", "one", "{.data.port}"));
    assert_eq!(stored(crd), "v1alpha1");
    operator.stop();

    // The new chart's default reaches the old resource, whoever wrote it in the old version can go on to do so.
    chart.write("values.yaml", "port: 80\nextra: b\n");
    let mut operator = start("v1");
    becomes(60, "v1".to_owned(), || stored(crd));
    let mut versions: Vec<_> = served(crd).split_whitespace().map(str::to_owned).collect();
    versions.sort();
    assert_eq!(versions, ["v1", "v1alpha1"]);
    becomes(30, "b".to_owned(), || namespace.path("configmap", "one", "{.data.extra}"));
    assert_eq!(namespace.path("configmap", "one", "{.data.port}"), "81");
    operator.stop();

    // Written anew by its author in the new version, it uses the old one no more.
    namespace.kubectl(&["replace", "--force", "-f", &file(&manifest("v1"))]);
    let _operator = start("v1");
    becomes(30, "v1".to_owned(), || served(crd));
    becomes(30, "81".to_owned(), || namespace.path("configmap", "one", "{.data.port}"));
}

fn file(text: &str) -> String {
    let path = std::env::temp_dir().join(format!("chartwright-e2e-{}.yaml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
#[ignore = "needs a control plane"]
fn definitions_made_by_hand_are_adopted() {
    let (kind, namespace) = (Kind::new("Adopted"), Namespace::new("adopted"));
    let open = "{openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}";
    let crd = format!("adopteds.{GROUP}");
    namespace.apply(&format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: {crd}}}\nspec:\n  \
         group: {GROUP}\n  scope: Namespaced\n  names: {{kind: Adopted, plural: adopteds, singular: adopted, listKind: \
         AdoptedList, shortNames: [adp]}}\n  versions:\n  - name: v1alpha1\n    served: true\n    storage: false\n    \
         schema: {open}\n  - name: v1\n    served: true\n    storage: true\n    schema: {open}\n    subresources: \
         {{status: {{}}}}\n    additionalPrinterColumns: [{{name: Port, type: string, jsonPath: .spec.port}}]\n"
    ));
    eventually(30, "served", || {
        let served = kubectl(&["get", "crd", &crd, "-o", "jsonpath={.status.conditions[*].type}"]);
        if served.contains("Established") { Ok(()) } else { Err(served) }
    });
    // What resources held before shows what the chart takes.
    namespace.resource(&kind, "odd", r#"{"port": {"a": 1}}"#);
    let chart =
        Chart::new("adopted", &[("values.yaml", "port: 80\nextra: a\n"), ("templates/c.yaml", CONFIG)]);
    for _ in 0..2 {
        let mut operator = Operator::start(&chart.path, &kind, &namespace);
        namespace.resource(&kind, "one", r#"{"port": 8080}"#);
        let table = says(30, "8080", || namespace.kubectl(&["get", "adp"]));
        assert!(table.contains("PORT") && table.contains("READY"), "{table}");
        assert!(served(&crd).contains("v1alpha1"));
        becomes(30, "map[a:1]".to_owned(), || namespace.path("configmap", "odd", "{.data.port}"));
        operator.stop();
    }
}
