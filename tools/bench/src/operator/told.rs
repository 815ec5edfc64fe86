//! What an operator tells of a custom resource: all that a bystander reads, so that its own work counts for little.

use kube::core::Object;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A custom resource and what is told of it.
pub(crate) type Told = Object<IgnoredAny, Status>;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Status {
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

/// Whether the operator says that a resource, as it is now, is deployed.
pub(crate) fn is_deployed(told: &Told) -> bool {
    let Some(status) = &told.status else { return false };
    let deployed = status.conditions.iter().any(|one| one.sort == "Deployed" && one.status == "True");
    // helm-operator names no generation.
    deployed && status.observed_generation.is_none_or(|one| Some(one) == told.metadata.generation)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn a_resource_counts_when_its_own_generation_is_deployed() {
        let is_deployed = |generation: i64, status: Value| {
            let metadata = json!({"name": "a", "generation": generation});
            let object = json!({"apiVersion": "g/v1", "kind": "K", "metadata": metadata, "spec": {}, "status": status});
            super::is_deployed(&serde_json::from_value(object).unwrap())
        };
        let deployed = json!([{"type": "Deployed", "status": "True"}]);
        assert!(is_deployed(2, json!({"conditions": deployed})), "helm-operator names no generation");
        assert!(is_deployed(2, json!({"conditions": deployed, "observedGeneration": 2})));
        assert!(!is_deployed(2, json!({"conditions": deployed, "observedGeneration": 1})));
        assert!(!is_deployed(2, json!({"conditions": [{"type": "Deployed", "status": "False"}]})));
    }
}
