use kube::api::{ApiResource, GroupVersionKind};
use serde_json::json;

use super::super::identity::ApiKind;
use super::*;

/// What Kubernetes 1.36 serves of the kinds in the table.
fn kinds() -> Kinds {
    let mut kinds = Kinds::default();
    for rule in RULES {
        for kind in rule.kinds {
            let (group, version) = rule.to[0].split_once('/').unwrap();
            let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
            kinds.add(ApiKind::new(resource, true, true));
        }
    }
    kinds
}

fn converted(old: Value) -> Value {
    let Value::Object(mut object) = old else { panic!("not an object") };
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap().to_owned();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let outcome = convert(&mut object, &version, &kind, &kinds());
    assert!(matches!(outcome, Conversion::Converted(_)), "{outcome:?}");
    object.into()
}

#[test]
fn every_rule_leads_from_every_version_to_the_served_one() {
    for rule in RULES {
        for (kind, from) in rule.kinds.iter().flat_map(|kind| rule.from.iter().map(move |from| (kind, from)))
        {
            let mut object = Object::new();
            match convert(&mut object, from, kind, &kinds()) {
                Conversion::Converted(to) => {
                    assert_eq!(to, rule.to[0]);
                    assert_eq!(object.get("apiVersion"), Some(&Value::from(to)));
                }
                Conversion::Impossible(why) => assert!(why.contains("demands"), "{kind} {from}: {why}"),
                Conversion::Unknown => panic!("{kind} {from} is unknown"),
            }
        }
    }
}

#[test]
fn no_version_is_converted_to_itself_or_twice() {
    let mut seen = std::collections::BTreeSet::new();
    for rule in RULES {
        for (kind, from) in rule.kinds.iter().flat_map(|kind| rule.from.iter().map(move |from| (kind, from)))
        {
            assert!(!rule.to[..1].contains(from), "{kind} {from}");
            assert!(seen.insert((kind, from)), "{kind} {from} is there twice");
        }
    }
}

#[test]
fn selectors_are_filled_in_from_the_template() {
    let new = converted(json!({
        "apiVersion": "apps/v1beta1", "kind": "StatefulSet", "metadata": {"name": "m"},
        "spec": {"serviceName": "m", "template": {"metadata": {"labels": {"app": "m", "release": "r"}}}},
    }));
    assert_eq!(new["apiVersion"], "apps/v1");
    assert_eq!(new["spec"]["selector"], json!({"matchLabels": {"app": "m", "release": "r"}}));
    assert_eq!(new["metadata"]["labels"], json!({"app": "m", "release": "r"}));
}

#[test]
fn given_selectors_and_labels_stay() {
    let new = converted(json!({
        "apiVersion": "extensions/v1beta1", "kind": "Deployment", "metadata": {"labels": {"own": "yes"}},
        "spec": {
            "rollbackTo": {"revision": 1},
            "selector": {"matchLabels": {"app": "m"}}, "template": {"metadata": {"labels": {"app": "m", "x": "y"}}},
        },
    }));
    assert_eq!(new["spec"]["selector"], json!({"matchLabels": {"app": "m"}}));
    assert_eq!(new["metadata"]["labels"], json!({"own": "yes"}));
    assert!(new["spec"].get("rollbackTo").is_none());
}

#[test]
fn ingress_backends_take_the_new_form() {
    let new = converted(json!({
        "apiVersion": "extensions/v1beta1", "kind": "Ingress",
        "spec": {
            "backend": {"serviceName": "d", "servicePort": "http"},
            "rules": [{"host": "h", "http": {"paths": [
                {"path": "/", "backend": {"serviceName": "a", "servicePort": 80}},
                {"path": "/x", "pathType": "Exact", "backend": {"serviceName": "b", "servicePort": "8080"}},
                {"backend": {"resource": {"kind": "Bucket", "name": "r"}}},
            ]}}, {"host": "bare"}],
        },
    }));
    assert_eq!(
        new["spec"],
        json!({
            "defaultBackend": {"service": {"name": "d", "port": {"name": "http"}}},
            "rules": [{"host": "h", "http": {"paths": [
                {"path": "/", "pathType": "ImplementationSpecific",
                 "backend": {"service": {"name": "a", "port": {"number": 80}}}},
                {"path": "/x", "pathType": "Exact", "backend": {"service": {"name": "b", "port": {"number": 8080}}}},
                {"pathType": "ImplementationSpecific", "backend": {"resource": {"kind": "Bucket", "name": "r"}}},
            ]}}, {"host": "bare"}],
        })
    );
}

#[test]
fn an_empty_disruption_selector_still_chooses_nothing() {
    let new = converted(json!({
        "apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "spec": {"minAvailable": 1, "selector": {}},
    }));
    assert_eq!(new["spec"], json!({"minAvailable": 1}));
}

#[test]
fn metrics_of_v2beta1_take_the_new_form() {
    let new = converted(json!({
        "apiVersion": "autoscaling/v2beta1", "kind": "HorizontalPodAutoscaler",
        "spec": {"metrics": [
            {"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": 80}},
            {"type": "Resource", "resource": {"name": "memory", "targetAverageValue": "1Gi"}},
            {"type": "Pods", "pods": {"metricName": "p", "targetAverageValue": 5}},
            {"type": "Object", "object": {"metricName": "o", "targetValue": 7, "target": {"kind": "Service", "name": "s"}}},
            {"type": "External", "external": {"metricName": "e", "metricSelector": {"matchLabels": {"a": "b"}},
             "targetAverageValue": 9}},
        ]},
    }));
    assert_eq!(
        new["spec"]["metrics"],
        json!([
            {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}},
            {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}},
            {"type": "Pods", "pods": {"metric": {"name": "p"}, "target": {"type": "AverageValue", "averageValue": 5}}},
            {"type": "Object", "object": {"describedObject": {"kind": "Service", "name": "s"}, "metric": {"name": "o"},
             "target": {"type": "Value", "value": 7}}},
            {"type": "External", "external": {"metric": {"name": "e", "selector": {"matchLabels": {"a": "b"}}},
             "target": {"type": "AverageValue", "averageValue": 9}}},
        ])
    );
}

#[test]
fn a_scaled_object_is_named_by_a_served_version() {
    let mut hpa = json!({
        "apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler",
        "spec": {"scaleTargetRef": {"apiVersion": "extensions/v1beta1", "kind": "Deployment", "name": "d"}},
    });
    mend_references(hpa.as_object_mut().unwrap(), "HorizontalPodAutoscaler", &kinds());
    assert_eq!(hpa["spec"]["scaleTargetRef"]["apiVersion"], "apps/v1");
}

#[test]
fn webhooks_keep_the_old_defaults() {
    let new = converted(json!({
        "apiVersion": "admissionregistration.k8s.io/v1beta1", "kind": "ValidatingWebhookConfiguration",
        "webhooks": [{"name": "a.b.c"}, {"name": "d.e.f", "sideEffects": "Some", "failurePolicy": "Fail"}],
    }));
    assert_eq!(
        new["webhooks"],
        json!([
            {"name": "a.b.c", "failurePolicy": "Ignore", "matchPolicy": "Exact", "timeoutSeconds": 30,
             "admissionReviewVersions": ["v1beta1"], "sideEffects": "None"},
            {"name": "d.e.f", "failurePolicy": "Fail", "matchPolicy": "Exact", "timeoutSeconds": 30,
             "admissionReviewVersions": ["v1beta1"], "sideEffects": "NoneOnDryRun"},
        ])
    );
}

#[test]
fn definitions_move_common_fields_into_versions() {
    let new = converted(json!({
        "apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
        "spec": {
            "group": "g.io", "version": "v1", "scope": "Namespaced", "names": {"kind": "K", "plural": "ks"},
            "subresources": {"status": {}},
            "additionalPrinterColumns": [{"name": "A", "type": "string", "JSONPath": ".spec.a"}],
            "validation": {"openAPIV3Schema": {"properties": {
                "spec": {"properties": {"a": {"type": "string"}, "l": {"items": {"type": "integer"}}, "any": {}}},
            }}},
            "conversion": {"strategy": "Webhook", "webhookClientConfig": {"url": "https://x"}},
        },
    }));
    assert_eq!(
        new["spec"],
        json!({
            "group": "g.io", "scope": "Namespaced", "names": {"kind": "K", "plural": "ks"},
            "conversion": {"strategy": "Webhook",
                "webhook": {"clientConfig": {"url": "https://x"}, "conversionReviewVersions": ["v1beta1"]}},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".spec.a"}],
                "schema": {"openAPIV3Schema": {"type": "object", PRESERVE: true, "properties": {
                    "spec": {"type": "object", PRESERVE: true, "properties": {
                        "a": {"type": "string"}, "l": {"type": "array", "items": {"type": "integer"}},
                        "any": {PRESERVE: true},
                    }},
                }}},
            }],
        })
    );
}

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

#[test]
fn role_bindings_get_what_v1_demands() {
    let new = converted(json!({
        "apiVersion": "rbac.authorization.k8s.io/v1alpha1", "kind": "ClusterRoleBinding",
        "roleRef": {"kind": "ClusterRole", "name": "r"},
        "subjects": [{"kind": "ServiceAccount", "apiVersion": "v1", "name": "s", "namespace": "n"},
                     {"kind": "User", "name": "*"}],
    }));
    assert_eq!(new["roleRef"]["apiGroup"], RBAC);
    assert_eq!(
        new["subjects"],
        json!([{"kind": "ServiceAccount", "apiGroup": "", "name": "s", "namespace": "n"},
               {"kind": "Group", "apiGroup": RBAC, "name": "system:authenticated"}])
    );
}

const RBAC: &str = "rbac.authorization.k8s.io";

#[test]
fn endpoint_slices_and_runtime_classes_move_fields() {
    let slice = converted(json!({
        "apiVersion": "discovery.k8s.io/v1beta1", "kind": "EndpointSlice",
        "endpoints": [{"topology": {"kubernetes.io/hostname": "n1", "topology.kubernetes.io/zone": "z", "r": "1"}}],
    }));
    assert_eq!(
        slice["endpoints"],
        json!([{"nodeName": "n1", "zone": "z", "deprecatedTopology": {"r": "1"}}])
    );
    let class = converted(json!({
        "apiVersion": "node.k8s.io/v1alpha1", "kind": "RuntimeClass", "spec": {"runtimeHandler": "kata"},
    }));
    assert_eq!(class["handler"], "kata");
    assert!(class.get("spec").is_none());
}

#[test]
fn what_is_gone_says_so() {
    let mut object = Object::new();
    match convert(&mut object, "policy/v1beta1", "PodSecurityPolicy", &kinds()) {
        Conversion::Impossible(why) => assert!(why.contains("Pod Security Admission"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(convert(&mut object, "example.com/v1", "Widget", &kinds()), Conversion::Unknown);
}
