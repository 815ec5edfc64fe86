//! The definitions in a chart's `crds/`: made, brought up to date, or left to others, and never deleted.

use crate::plan::diff;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, kubectl, says, stays};

/// A definition with a version and the fields its spec has, all texts.
fn definition(plural: &str, kind: &str, versions: &[(&str, bool)], fields: &[&str]) -> String {
    let fields: Vec<_> = fields.iter().map(|field| format!("{field}: {{type: string}}")).collect();
    let schema = format!(
        "{{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, properties: {{{}}}}}}}}}}}",
        fields.join(", ")
    );
    let versions: Vec<_> = versions
        .iter()
        .map(|(name, storage)| {
            format!("{{name: {name}, served: true, storage: {storage}, schema: {schema}}}")
        })
        .collect();
    let singular = kind.to_lowercase();
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: {plural}.crds.example.com}}\nspec:\n  group: crds.example.com\n  scope: Namespaced\n\
         \x20 names: {{kind: {kind}, plural: {plural}, singular: {singular}}}\n  versions: [{}]\n",
        versions.join(", ")
    )
}

fn object(kind: &str, spec: &str) -> String {
    format!(
        "apiVersion: crds.example.com/v1\nkind: {kind}\nmetadata: {{name: {{{{ .Release.Name }}}}}}\nspec: {spec}\n"
    )
}

/// What a definition has: its versions, and the fields of its first one's spec.
fn shape(plural: &str) -> String {
    let name = format!("{plural}.crds.example.com");
    let spec = ".spec.versions[0].schema.openAPIV3Schema.properties.spec.properties";
    let path = format!("jsonpath={{.spec.versions[*].name}} {{{spec}}}");
    kubectl(&["get", "crd", &name, "--ignore-not-found", "-o", &path])
}

fn version(chart: &Chart, version: &str) {
    let name = chart.path.file_name().expect("a name").display();
    chart.write("Chart.yaml", &format!("apiVersion: v2\nname: {name}\nversion: {version}\n"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_new_chart_brings_its_definitions_up_to_date_where_that_is_asked_for() {
    let of_v1 = definition("tulips", "Tulip", &[("v1", true)], &["color"]);
    let tulip = object("Tulip", "{color: red}");
    let chart = Chart::new("florist", &[("crds/all.yaml", &of_v1), ("templates/all.yaml", &tulip)]);
    let kinds = [Kind::new("Florist"), Kind::new("Gardener"), Kind::new("Wildling")];
    let [replaces, creates, skips] = &kinds;
    let namespace = Namespace::new("florist");
    let watches = chart.watches(&[(replaces, "crds: createReplace"), (creates, ""), (skips, "crds: skip")]);
    let operator = Operator::watching(&watches, &namespace);
    namespace.resource(skips, "skipping", "{}");
    says(30, "the cluster serves no Tulip", || namespace.condition(skips, "skipping", "ReleaseFailed"));
    assert_eq!(shape("tulips"), "");
    namespace.resource(creates, "creating", "{}");
    namespace.ready(creates, "creating");
    assert_eq!(shape("tulips"), r#"v1 {"color":{"type":"string"}}"#);
    namespace.ready(skips, "skipping");
    namespace.resource(replaces, "demo", "{}");
    namespace.ready(replaces, "demo");
    let before = namespace.path(&replaces.full(), "demo", "{.status.deployedRelease.revision}");
    stays(2, || namespace.path(&replaces.full(), "demo", "{.status.deployedRelease.revision}"));
    assert_eq!(before, "1");

    // The new chart's objects need what its definitions have new, and so does a kind that comes with it.
    let of_v2 = definition("tulips", "Tulip", &[("v1", true), ("v1beta2", false)], &["color", "scent"]);
    let roses = definition("roses", "Rose", &[("v1", true)], &["thorns"]);
    chart.write("crds/all.yaml", &format!("{of_v2}---\n{roses}"));
    chart.write("templates/all.yaml", &object("Tulip", "{color: red, scent: sweet}"));
    chart.write(
        "templates/rose.yaml",
        &format!(
            "{{{{- if .Capabilities.APIVersions.Has \"crds.example.com/v1/Rose\" }}}}\n{}{{{{- end }}}}\n",
            object("Rose", "{thorns: many}")
        ),
    );
    let (code, told) = diff_with_policy(&chart, replaces, &namespace);
    assert!(code == 1 && told.contains("~ CustomResourceDefinition tulips.crds.example.com"), "{told}");
    assert!(told.contains("+ CustomResourceDefinition roses.crds.example.com"), "{told}");
    assert!(told.contains("scent") && !told.contains("refused"), "{told}");
    version(&chart, "2.0.0");
    becomes(60, "sweet".to_owned(), || namespace.path("tulips.crds.example.com", "demo", "{.spec.scent}"));
    becomes(30, "many".to_owned(), || namespace.path("roses.crds.example.com", "demo", "{.spec.thorns}"));
    assert!(
        shape("tulips").starts_with("v1 v1beta2 ") && shape("tulips").contains("scent"),
        "{}",
        shape("tulips")
    );
    namespace.ready(replaces, "demo");
    says(20, "CustomResourceDefinition tulips.crds.example.com is as chart florist 2.0.0 has it", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=Defined"])
    });
    becomes(30, String::new(), || namespace.condition(replaces, "demo", "ReleaseFailed"));

    // What the server refuses is refused, and nothing else is done.
    chart.write("crds/all.yaml", &definition("tulips", "Tulip", &[("v2", true)], &["color"]));
    chart.write("templates/rose.yaml", "");
    version(&chart, "3.0.0");
    let told = says(60, "nothing was changed", || namespace.condition(replaces, "demo", "ReleaseFailed"));
    assert!(told.contains("CustomResourceDefinition tulips.crds.example.com"), "{told}");
    assert!(told.contains("storedVersions"), "{told}");
    assert!(shape("tulips").starts_with("v1 v1beta2 "), "{}", shape("tulips"));
    assert_eq!(namespace.path("roses.crds.example.com", "demo", "{.spec.thorns}"), "many");

    // Neither a chart without them nor the end of the release takes them away.
    chart.write("crds/all.yaml", "");
    chart.write("templates/all.yaml", "");
    version(&chart, "4.0.0");
    becomes(60, String::new(), || namespace.path("tulips.crds.example.com", "demo", "{.metadata.name}"));
    becomes(60, String::new(), || namespace.condition(replaces, "demo", "ReleaseFailed"));
    namespace.kubectl(&["delete", &replaces.full(), "demo"]);
    assert!(shape("tulips").starts_with("v1 v1beta2 ") && shape("roses").starts_with("v1 "));
    drop(operator);
    kubectl(&["delete", "crd", "tulips.crds.example.com", "roses.crds.example.com"]);
}

/// `chartwright diff` of a kind whose definitions are kept up to date.
fn diff_with_policy(chart: &Chart, kind: &Kind, namespace: &Namespace) -> (i32, String) {
    crate::plan::diff_with(chart, kind, namespace, "{}", "{}", &["--crds=createReplace"])
}

#[test]
#[ignore = "needs a control plane"]
fn definitions_of_others_are_left_and_told_unless_they_are_adopted() {
    let theirs = definition("lilies", "Lily", &[("v1", true)], &["color"]);
    let ours = definition("lilies", "Lily", &[("v1", true)], &["color", "scent"]);
    let namespace = Namespace::new("botanist");
    namespace.apply(&theirs);
    let chart = Chart::new(
        "botanist",
        &[("crds/all.yaml", &ours), ("templates/all.yaml", &object("Lily", "{color: red}"))],
    );
    let kind = Kind::new("Botanist");
    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name).env("CHART_CRDS", "createReplace");
    });
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let told = says(20, "lilies.crds.example.com of crds/ was made by kubectl", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=DefinitionOfOthers"])
    });
    assert!(told.contains("chartwright.io/adopt=true"), "{told}");
    assert!(!shape("lilies").contains("scent"), "{}", shape("lilies"));
    let (_, told) = diff(&chart, &kind, &namespace, "{}");
    assert!(!told.contains("CustomResourceDefinition"), "{told}");

    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/adopt=true"]);
    namespace.change(&kind, "demo", r#"{"any": "change"}"#);
    becomes(30, true, || shape("lilies").contains("scent"));
    namespace.ready(&kind, "demo");
    kubectl(&["delete", "crd", "lilies.crds.example.com"]);
}

#[test]
#[ignore = "needs a control plane"]
fn definitions_that_move_from_templates_to_crds_stay_whoever_sees_to_them() {
    let namespace = Namespace::new("moving");
    // Beside the definition are an object of a kind that nobody serves, and a slip.
    let beside =
        ["", "---\napiVersion: nobody.example.com/v1\nkind: None\nmetadata: {name: a}\n---\n{a: b: c\n"];
    let moved = [("lilies", "Lily", "Porter", "crds: skip"), ("lotuses", "Lotus", "Carrier", "crds: create")];
    for ((plural, defined, kind, policy), beside) in moved.into_iter().zip(beside) {
        let definition = definition(plural, defined, &[("v1", true)], &["color"]);
        let chart = Chart::new(plural, &[("templates/crd.yaml", &definition)]);
        let kind = Kind::new(kind);
        let _operator = Operator::watching(&chart.watches(&[(&kind, policy)]), &namespace);
        namespace.resource(&kind, plural, "{}");
        namespace.ready(&kind, plural);
        let uid = || {
            kubectl(&["get", "crd", &format!("{plural}.crds.example.com"), "-o", "jsonpath={.metadata.uid}"])
        };
        let before = uid();
        chart.write("templates/crd.yaml", "");
        chart.write("crds/all.yaml", &format!("{definition}{beside}"));
        version(&chart, "2.0.0");
        becomes(60, "2".to_owned(), || {
            namespace.path(&kind.full(), plural, "{.status.deployedRelease.revision}")
        });
        namespace.kubectl(&["delete", &kind.full(), plural]);
        stays(3, uid);
        assert_eq!(uid(), before);
        kubectl(&["delete", "crd", &format!("{plural}.crds.example.com")]);
    }
}
