//! Makes the cluster serve a kind: applies its CRD and waits until it is established.

use std::time::Duration;

use helm::Chart;
use kube::api::{ApiResource, GroupVersionKind};
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{NoReplicas, api, definition};
use crate::cluster::FIELD_MANAGER;
use crate::cluster::error::explain;
use crate::settings::{CrdPolicy, Watch};

/// How long a CRD may take to be established.
const ESTABLISH: Duration = Duration::from_secs(60);

/// Why a kind is not served.
#[derive(Debug, Error)]
pub(crate) enum RegisterError {
    /// A request failed.
    #[error("cannot {doing} the CustomResourceDefinition {name}: {}", explain(error))]
    Api {
        /// What it was for.
        doing: &'static str,
        /// The CRD.
        name: String,
        /// The answer.
        error: Box<kube::Error>,
    },
    /// The policy is to make none, and there is none.
    #[error(
        "there is no CustomResourceDefinition {0}: apply it first (`chartwright crd` prints it), or let the operator make it"
    )]
    Missing(String),
    /// There is nothing to scale.
    #[error(transparent)]
    Replicas(#[from] NoReplicas),
    /// Somebody's CRD serves other versions.
    #[error("the CustomResourceDefinition {name} does not serve version {version}")]
    OtherVersion {
        /// The CRD.
        name: String,
        /// The version that is wanted.
        version: String,
    },
    /// The names are taken by another CRD.
    #[error("the CustomResourceDefinition {name} is not accepted: {why}")]
    Refused {
        /// The CRD.
        name: String,
        /// The server's words.
        why: String,
    },
    /// It took too long.
    #[error("the CustomResourceDefinition {0} was not established within {ESTABLISH:?}")]
    TooSlow(String),
}

/// Sees to it that the cluster serves a kind, as the watch's policy says; `chart` gives the type its schema.
pub(crate) async fn register(client: &Client, watch: &Watch, chart: &Chart) -> Result<(), RegisterError> {
    let name = watch.crd_name();
    let gvk = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let crds: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk(&gvk));
    if watch.crd == CrdPolicy::None {
        return Ok(());
    }
    let fail = |doing| {
        let name = name.clone();
        move |error| RegisterError::Api { doing, name, error: Box::new(error) }
    };
    let existing = crds.get_opt(&name).await.map_err(fail("read"))?;
    if watch.crd == CrdPolicy::Check {
        let existing = existing.ok_or_else(|| RegisterError::Missing(name.clone()))?;
        return check_version(&existing.data, watch);
    }
    let mut wanted = definition(watch, &api(watch, chart)?);
    if let Some(existing) = &existing {
        keep_other_versions(&mut wanted, &existing.data);
    }
    let parameters = PatchParams::apply(FIELD_MANAGER).force();
    crds.patch(&name, &parameters, &Patch::Apply(&wanted)).await.map_err(fail("apply"))?;
    let established = async {
        let mut pause = Duration::from_millis(20);
        loop {
            let crd = crds.get(&name).await.map_err(fail("read"))?;
            match state(&crd.data) {
                State::Established => return Ok(()),
                State::Refused(why) => return Err(RegisterError::Refused { name: name.clone(), why }),
                State::Waiting => {}
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    };
    tokio::time::timeout(ESTABLISH, established)
        .await
        .unwrap_or_else(|_| Err(RegisterError::TooSlow(name.clone())))
}

fn versions(crd: &Value) -> impl Iterator<Item = &Value> {
    crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten()
}

fn check_version(crd: &Value, watch: &Watch) -> Result<(), RegisterError> {
    let wanted = &watch.api_version.version;
    let serves = |version: &Value| {
        version.get("name").and_then(Value::as_str) == Some(wanted)
            && version.get("served").and_then(Value::as_bool) == Some(true)
    };
    if versions(crd).any(serves) {
        return Ok(());
    }
    Err(RegisterError::OtherVersion { name: watch.crd_name(), version: wanted.clone() })
}

/// Versions that others serve or that objects are stored in must not vanish with ours; the version objects are stored in
/// stays the one they are stored in.
fn keep_other_versions(wanted: &mut Value, existing: &Value) {
    let name = |version: &Value| version.get("name").and_then(Value::as_str).map(str::to_owned);
    let ours: Vec<_> = versions(wanted).filter_map(name).collect();
    let others: Vec<Value> = versions(existing)
        .filter(|version| name(version).is_some_and(|name| !ours.contains(&name)))
        .cloned()
        .collect();
    let stored_elsewhere =
        others.iter().any(|version| version.get("storage").and_then(Value::as_bool) == Some(true));
    let Some(list) = wanted.pointer_mut("/spec/versions").and_then(Value::as_array_mut) else { return };
    if stored_elsewhere {
        for version in list.iter_mut().filter_map(Value::as_object_mut) {
            version.insert("storage".into(), false.into());
        }
    }
    list.extend(others);
    // How others convert between their versions stays theirs.
    if let (Some(conversion), Some(spec)) = (existing.pointer("/spec/conversion"), wanted.get_mut("spec"))
        && conversion.get("strategy").and_then(Value::as_str) == Some("Webhook")
    {
        let spec: Option<&mut Map<String, Value>> = spec.as_object_mut();
        if let Some(spec) = spec {
            spec.insert("conversion".into(), conversion.clone());
        }
    }
}

enum State {
    Established,
    Refused(String),
    Waiting,
}

fn state(crd: &Value) -> State {
    let conditions = crd.pointer("/status/conditions").and_then(Value::as_array);
    for condition in conditions.into_iter().flatten() {
        let text = |key: &str| condition.get(key).and_then(Value::as_str).unwrap_or_default();
        match (text("type"), text("status")) {
            ("Established", "True") => return State::Established,
            ("NamesAccepted", "False") => return State::Refused(text("message").to_owned()),
            _ => {}
        }
    }
    State::Waiting
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_of_others_stay() {
        let mut wanted = json!({"spec": {"versions": [{"name": "v2", "served": true, "storage": true}]}});
        let existing = json!({"spec": {
            "versions": [{"name": "v1", "served": true, "storage": true}, {"name": "v2", "served": false, "storage": false}],
            "conversion": {"strategy": "Webhook", "webhook": {}},
        }});
        keep_other_versions(&mut wanted, &existing);
        assert_eq!(
            wanted["spec"]["versions"],
            json!([{"name": "v2", "served": true, "storage": false}, {"name": "v1", "served": true, "storage": true}])
        );
        assert_eq!(wanted["spec"]["conversion"]["strategy"], "Webhook");
    }

    #[test]
    fn names_that_are_taken_are_told() {
        let crd = json!({"status": {"conditions": [
            {"type": "NamesAccepted", "status": "False", "message": "\"xs\" is already in use"},
            {"type": "Established", "status": "False"}]}});
        assert!(matches!(state(&crd), State::Refused(why) if why.contains("already in use")));
    }
}
