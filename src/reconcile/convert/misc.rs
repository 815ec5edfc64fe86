//! Kinds that changed a little.

use serde_json::Value;

use super::{Object, child, children, default, rename};

/// An empty selector chose no pod; in v1 it chooses all.
pub(super) fn pod_disruption_budget(object: &mut Object, _: &str) -> Result<(), String> {
    if let Some(spec) = child(object, "spec")
        && spec.get("selector").and_then(Value::as_object).is_some_and(Object::is_empty)
    {
        spec.remove("selector");
    }
    Ok(())
}

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

pub(super) fn rbac(object: &mut Object, from: &str) -> Result<(), String> {
    if let Some(role) = child(object, "roleRef") {
        default(role, "apiGroup", RBAC_GROUP);
    }
    if from.ends_with("/v1alpha1") {
        for subject in children(object, "subjects") {
            // v1alpha1 named subjects by version, and let `User *` stand for everyone.
            if let Some(Value::String(version)) = subject.remove("apiVersion") {
                let group = version.rsplit_once('/').map_or("", |(group, _)| group).to_owned();
                subject.insert("apiGroup".into(), group.into());
            }
            let text = |key: &str| subject.get(key).and_then(Value::as_str);
            if text("kind") == Some("User") && text("name") == Some("*") {
                subject.insert("kind".into(), "Group".into());
                subject.insert("name".into(), "system:authenticated".into());
                subject.insert("apiGroup".into(), RBAC_GROUP.into());
            }
        }
    }
    Ok(())
}

pub(super) fn signing_request(object: &mut Object, _: &str) -> Result<(), String> {
    let spec = child(object, "spec");
    let missing = |key: &str| spec.as_ref().and_then(|spec| spec.get(key)).is_none_or(Value::is_null);
    if missing("signerName") {
        return Err("certificates.k8s.io/v1 demands spec.signerName, and no signer can be guessed".into());
    }
    if missing("usages") {
        return Err("certificates.k8s.io/v1 demands spec.usages".into());
    }
    Ok(())
}

const HOST: &str = "kubernetes.io/hostname";
const ZONE: &str = "topology.kubernetes.io/zone";

/// The node and the zone left the map of topology.
pub(super) fn endpoint_slice(object: &mut Object, _: &str) -> Result<(), String> {
    for endpoint in children(object, "endpoints") {
        let Some(Value::Object(mut topology)) = endpoint.remove("topology") else {
            continue;
        };
        if let Some(node) = topology.remove(HOST) {
            default(endpoint, "nodeName", node);
        }
        if let Some(zone) = topology.remove(ZONE) {
            default(endpoint, "zone", zone);
        }
        if !topology.is_empty() {
            endpoint.insert("deprecatedTopology".into(), topology.into());
        }
    }
    Ok(())
}

pub(super) fn flow_control(object: &mut Object, _: &str) -> Result<(), String> {
    if let Some(spec) = child(object, "spec")
        && let Some(limited) = child(spec, "limited")
    {
        rename(limited, "assuredConcurrencyShares", "nominalConcurrencyShares");
    }
    Ok(())
}

/// v1alpha1 kept everything under `spec`.
pub(super) fn runtime_class(object: &mut Object, from: &str) -> Result<(), String> {
    if from.ends_with("/v1alpha1")
        && let Some(Value::Object(mut spec)) = object.remove("spec")
    {
        rename(&mut spec, "runtimeHandler", "handler");
        object.extend(spec);
    }
    Ok(())
}
