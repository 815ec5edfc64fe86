use serde_json::json;

use super::*;
use crate::reconcile::outline::{MARK, content, outline, outlined};

fn kinds() -> Kinds {
    let mut kinds = Kinds::default();
    let mut add = |group: &str, version: &str, kind: &str, namespaced: bool| {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        kinds.add(ApiKind::new(resource, namespaced, true));
    };
    add("", "v1", "ConfigMap", true);
    add("", "v1", "Secret", true);
    add("", "v1", "Service", true);
    add("", "v1", "Namespace", false);
    add("apps", "v1", "Deployment", true);
    add("apps", "v1", "StatefulSet", true);
    add("rbac.authorization.k8s.io", "v1", "ClusterRole", false);
    add("apiextensions.k8s.io", "v1", "CustomResourceDefinition", false);
    kinds
}

fn manifest(document: Value) -> Manifest {
    let text =
        |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    Manifest {
        path: format!("c/templates/{}.yaml", text("/metadata/name")),
        api_version: text("/apiVersion"),
        kind: text("/kind"),
        name: text("/metadata/name"),
        content: document.to_string(),
        ..Manifest::default()
    }
}

fn built(documents: impl IntoIterator<Item = Value>) -> Result<Objects, Vec<Problem>> {
    built_with(&[], documents)
}

fn built_with(crds: &[Crd], documents: impl IntoIterator<Item = Value>) -> Result<Objects, Vec<Problem>> {
    let key = InstanceKey::new("ns", "web");
    let owner = Owner {
        key: &key,
        uid: "u-1",
        api_version: "g.io/v1",
        group: "g.io",
        kind: "Web",
        label: "webs.g.io",
        release: "web",
        release_namespace: "ns",
        chart: "c",
    };
    let manifests: Vec<_> = documents.into_iter().map(manifest).collect();
    build(&manifests, crds, &owner, &kinds())
}

fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

#[test]
fn objects_are_marked_and_owned() {
    let objects = built([json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "a", "labels": null, "annotations": {"x": "y", "z": null}, "ownerReferences": [{"uid": "z"}]},
        "status": {"left": "over"},
    })])
    .unwrap();
    let [object] = objects.list.as_slice() else { panic!("{objects:?}") };
    assert_eq!(
        object.body,
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "a", "namespace": "ns",
                "labels": {
                    "app.kubernetes.io/managed-by": "Helm",
                    "helm.sdk.operatorframework.io/chart": "c",
                    "chartwright.io/owner": "webs.g.io",
                },
                "annotations": {
                    "x": "y",
                    "meta.helm.sh/release-name": "web",
                    "meta.helm.sh/release-namespace": "ns",
                },
                "ownerReferences": [{
                    "apiVersion": "g.io/v1", "kind": "Web", "name": "web", "uid": "u-1",
                    "controller": true, "blockOwnerDeletion": true,
                }],
            },
        })
    );
    assert!(object.owned && !object.keep);
}

#[test]
fn what_cannot_be_owned_is_annotated() {
    let objects = built([
        json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
               "metadata": {"name": "r", "namespace": "dropped"}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "far", "namespace": "other"}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap",
               "metadata": {"name": "kept", "annotations": {"helm.sh/resource-policy": " Keep"}}}),
    ])
    .unwrap();
    assert_eq!(objects.list.len(), 3);
    for object in &objects.list {
        let metadata = &object.body["metadata"];
        assert!(!object.owned, "{}", object.id);
        assert!(metadata.get("ownerReferences").is_none());
        assert_eq!(metadata["annotations"]["operator-sdk/primary-resource"], "ns/web");
        assert_eq!(metadata["annotations"]["operator-sdk/primary-resource-type"], "Web.g.io");
        assert_eq!(object.keep, &*object.id.name == "kept");
    }
    let role = objects.list.iter().find(|object| &*object.id.name == "r").unwrap();
    assert_eq!(&*role.id.namespace, "");
    assert!(role.body["metadata"].get("namespace").is_none());
}

#[test]
fn lists_are_taken_apart_and_order_is_helms() {
    let objects = built([
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}),
        json!({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}},
            {"apiVersion": "v1", "kind": "ConfigMapList", "items": [config_map("a"), config_map("b")]},
        ]}),
    ])
    .unwrap();
    let names: Vec<_> = objects.list.iter().map(|object| &*object.id.name).collect();
    assert_eq!(names, ["a", "b", "s", "d"]);
}

#[test]
fn gone_versions_are_converted_with_a_word_about_it() {
    let objects = built([json!({
        "apiVersion": "apps/v1beta1", "kind": "StatefulSet", "metadata": {"name": "m"},
        "spec": {"template": {"metadata": {"labels": {"app": "m"}}}},
    })])
    .unwrap();
    assert_eq!(objects.list[0].body["apiVersion"], "apps/v1");
    assert_eq!(objects.list[0].body["spec"]["selector"]["matchLabels"]["app"], "m");
    assert_eq!(
        objects.conversions,
        ["StatefulSet m: apps/v1beta1 is not served any more, applied as apps/v1"]
    );
}

#[test]
fn kinds_of_own_definitions_are_known() {
    let objects = built([
        json!({"apiVersion": "x.io/v1", "kind": "Brick", "metadata": {"name": "b"}}),
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
               "metadata": {"name": "bricks.x.io"},
               "spec": {"group": "x.io", "scope": "Cluster", "names": {"kind": "Brick", "plural": "bricks"},
                        "versions": [{"name": "v1"}]}}),
    ])
    .unwrap();
    let [definition, brick] = objects.list.as_slice() else { panic!() };
    assert!(!definition.kind_pending);
    assert!(brick.kind_pending);
    assert_eq!((&*brick.id.namespace, brick.kind.resource.plural.as_str()), ("", "bricks"));
}

#[test]
fn every_problem_is_told() {
    let problems = built([
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}),
        json!({"apiVersion": "x.io/v1", "kind": "Widget", "metadata": {"name": "w"}}),
        json!({"apiVersion": "policy/v1beta1", "kind": "PodSecurityPolicy", "metadata": {"name": "p"}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "g-"}}),
        json!(["list"]),
    ])
    .unwrap_err();
    let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
    for (text, part) in texts.iter().zip([
        "must be a mapping",
        "also rendered by c/templates/a.yaml",
        "serves no Widget of x.io/v1",
        "policy/v1beta1 is not served any more and Kubernetes removed it in 1.25",
        "needs a name",
    ]) {
        assert!(text.contains(part), "{text} / {part}");
    }
    assert_eq!(texts.len(), 5);
}

#[test]
fn label_values_fit() {
    assert_eq!(label_value("memcacheds.anywhere.io"), "memcacheds.anywhere.io");
    let long = "a".repeat(60) + ".example.com";
    let value = label_value(&long);
    assert_eq!(value.len(), 63);
    assert_ne!(value, label_value(&(long + "x")));
}

#[test]
fn an_outline_names_the_same_objects() {
    let manifest = "---\n# Source: c/templates/a.yaml\n{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": \
                    {\"name\": \"a\"}, \"data\": {\"x\": \"y\"}}\n---\n{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \
                    \"metadata\": {\"name\": \"n\", \"annotations\": {\"helm.sh/resource-policy\": \"keep\"}}}\n";
    let config = serde_json::json!({"color": "red"});
    let outline = outline(manifest, &config);
    assert_eq!(outlined(&outline), Some(content(manifest, &config)));
    assert_ne!(outlined(&outline), Some(content(manifest, &serde_json::json!({"color": "blue"}))));
    assert_ne!(outlined(&outline), Some(content(&manifest.replace("x", "y"), &config)));
    assert_eq!((outlined(MARK), outlined(manifest)), (None, None), "an older one does not tell");
    assert_eq!(content(manifest, &serde_json::json!({})), content(manifest, &serde_json::Value::Null));
    assert_eq!(ids(&outline, "ns", &kinds()), ids(manifest, "ns", &kinds()));
    assert_eq!(ids(manifest, "ns", &kinds()).len(), 2);
    assert!(!outline.contains("\"x\"") && outline.contains("keep"), "{outline}");
}

#[test]
fn kinds_of_the_crds_folder_are_served_soon() {
    let crd = |kind: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: x}}\nspec:\n  \
             group: x.io\n  scope: Cluster\n  names: {{kind: {kind}, plural: xs}}\n  versions: [{{name: v1}}]\n"
        )
    };
    let text = format!("# first\n{}---\nkind: ConfigMap\n---\n{}---\n: [\n", crd("One"), crd("Two"));
    let file = Crd { path: "c/crds/all.yaml".into(), content: text.as_str().into() };
    let thing = |kind: &str| json!({"apiVersion": "x.io/v1", "kind": kind, "metadata": {"name": "a"}});
    let objects = built_with(&[file], [thing("One"), thing("Two")]).unwrap();
    assert!(objects.list.iter().all(|object| object.kind_pending && object.id.namespace.is_empty()));
    assert!(matches!(built([thing("One")]).unwrap_err()[0].what, What::NoSuchKind { .. }));
}

#[test]
fn texts_of_secrets_are_encoded() {
    let secret = |fields: Value| {
        let mut secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
        secret.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        built([secret]).unwrap().list.remove(0).body
    };
    let body = secret(json!({"stringData": {"a": "hello", "b": null}, "data": {"a": "eA==", "c": "eA=="}}));
    assert_eq!(body["data"], json!({"a": "aGVsbG8=", "b": "", "c": "eA=="}));
    assert_eq!(body.get("stringData"), None);
    let wrong = json!({"a": 1});
    assert_eq!(secret(json!({"stringData": wrong}))["stringData"], wrong);
}
