//! What an operator tells of a custom resource: all that a bystander reads, so that its own work counts for little.

use std::borrow::Cow;

use kube::Resource;
use kube::api::{ApiResource, DynamicObject, ObjectMeta};
use kube::core::DynamicResourceScope;
use serde::{Deserialize, Deserializer};

/// A custom resource and what is told of it.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// Name, namespace, version and generation only.
    meta: ObjectMeta,
    status: Status,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    observed_generation: Option<i64>,
    conditions: Vec<Condition>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Condition {
    #[serde(rename = "type")]
    sort: String,
    status: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    name: Option<String>,
    namespace: Option<String>,
    resource_version: Option<String>,
    generation: Option<i64>,
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    metadata: Meta,
    #[serde(default)]
    status: Status,
}

impl Told {
    /// Whether the operator says that the resource, as it is now, is deployed.
    pub(crate) fn is_deployed(&self) -> bool {
        let deployed =
            self.status.conditions.iter().any(|one| one.sort == "Deployed" && one.status == "True");
        // helm-operator names no generation.
        deployed && self.status.observed_generation.is_none_or(|one| Some(one) == self.meta.generation)
    }
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Raw { metadata: Meta { name, namespace, resource_version, generation }, status } =
            Raw::deserialize(deserializer)?;
        let meta = ObjectMeta { name, namespace, resource_version, generation, ..ObjectMeta::default() };
        Ok(Self { meta, status })
    }
}

impl Resource for Told {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::kind(dt)
    }

    fn group(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::group(dt)
    }

    fn version(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::version(dt)
    }

    fn plural(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::plural(dt)
    }

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_resource_counts_when_its_own_generation_is_deployed() {
        let is_deployed = |generation: i64, status: Value| {
            let metadata = json!({"name": "a", "generation": generation});
            let object = json!({"apiVersion": "g/v1", "kind": "K", "metadata": metadata, "status": status});
            serde_json::from_value::<Told>(object).unwrap().is_deployed()
        };
        let deployed = json!([{"type": "Deployed", "status": "True"}]);
        assert!(is_deployed(2, json!({"conditions": deployed})), "helm-operator names no generation");
        assert!(is_deployed(2, json!({"conditions": deployed, "observedGeneration": 2})));
        assert!(!is_deployed(2, json!({"conditions": deployed, "observedGeneration": 1})));
        assert!(!is_deployed(2, json!({"conditions": [{"type": "Deployed", "status": "False"}]})));
    }
}
