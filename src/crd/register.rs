//! Makes the cluster serve a kind: applies its CRD and waits until it is established.

use std::time::Duration;

use crdschema::Mode;
use helm::Chart;
use kube::Client;
use kube::api::ApiResource;
use serde_json::Value;
use thiserror::Error;

use super::definition::api_with;
use super::evolve::{self, versions};
use super::migrate::migrate;
use super::requests::{Definition, Resources};
use super::survey::{Rules, Survey, survey as look};
use super::{NoReplicas, adopt, api, changes, definition};
use crate::cluster::FIELD_MANAGER;
use crate::cluster::error::{explain, is_transient};
use crate::settings::{CrdPolicy, Scope, Watch};

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
    /// Resources would become invalid.
    #[error(
        "the CustomResourceDefinition {name} was not changed, for {count} {} would be refused or lose something: {report}. \
         Change the resources first, or go on with --accept-breaking-changes (acceptBreakingChanges in a watches file)",
        if *count == 1 { "resource" } else { "resources" }
    )]
    Breaking {
        /// The CRD.
        name: String,
        /// How many resources.
        count: usize,
        /// Fields, changes and resources.
        report: String,
    },
    /// It took too long.
    #[error("the CustomResourceDefinition {0} was not established within {ESTABLISH:?}")]
    TooSlow(String),
}

impl RegisterError {
    /// Whether the cluster may merely be out of reach for now.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Api { error, .. } if is_transient(error))
    }
}

/// Sees to it that the cluster serves a kind, as the watch's policy says; `chart` gives the type its schema. `namespaces`
/// are those that are served, all if empty.
pub(super) async fn register(
    client: &Client,
    watch: &Watch,
    namespaces: &[String],
    chart: &Chart,
) -> Result<(), RegisterError> {
    if watch.crd == CrdPolicy::None {
        return Ok(());
    }
    let name = watch.crd_name();
    let stored = Definition::new(client, &name);
    let fail = |doing| {
        let name = name.clone();
        move |error| RegisterError::Api { doing, name, error: Box::new(error) }
    };
    let existing = stored.read().await.map_err(fail("read"))?;
    if watch.crd == CrdPolicy::Check {
        let existing = existing.ok_or_else(|| RegisterError::Missing(name.clone()))?;
        return check_version(&existing, watch);
    }
    let mut wanted = definition(watch, &api(watch, chart)?);
    let mut is_there = false;
    if let Some(existing) = existing {
        match succeed(client, watch, namespaces, chart, &mut wanted, &existing).await {
            // The type stays as it is. The chart serves those resources that it can, and the others say what is wrong.
            Err(error @ RegisterError::Breaking { .. }) if check_version(&existing, watch).is_ok() => {
                tracing::error!(crd = %name, "{error}");
                is_there = true;
            }
            result => {
                result?;
                is_there = says(&existing, &wanted);
            }
        }
    }
    if !is_there {
        stored.apply(&wanted).await.map_err(fail("apply"))?;
    }
    let established = async {
        let mut pause = Duration::from_millis(20);
        loop {
            let crd = stored.read().await.map_err(fail("read"))?.unwrap_or_default();
            match state(&crd) {
                State::Established => return Ok(crd),
                State::Refused(why) => return Err(RegisterError::Refused { name: name.clone(), why }),
                State::Waiting => {}
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    };
    let crd = tokio::time::timeout(ESTABLISH, established)
        .await
        .unwrap_or_else(|_| Err(RegisterError::TooSlow(name.clone())))?;
    let version = &watch.api_version.version;
    if stores_others(&crd, version) {
        let resources = resources(client, watch, version);
        tokio::spawn(migrate(stored, resources, name, version.clone()));
    }
    Ok(())
}

/// Prepares a definition that takes the place of another.
///
/// # Errors
/// When the change would make existing resources invalid, unless the watch says to go on.
async fn succeed(
    client: &Client,
    watch: &Watch,
    namespaces: &[String],
    chart: &Chart,
    wanted: &mut Value,
    existing: &Value,
) -> Result<(), RegisterError> {
    let (name, version) = (watch.crd_name(), watch.api_version.version.as_str());
    let older = adopt::older(existing, version);
    let all = older.others.iter().chain(&older.ours).cloned().collect::<Vec<_>>();
    let readable = versions(existing).filter(|known| evolve::is_served(known));
    let readable = readable.max_by_key(|known| known.get("storage") == Some(&Value::Bool(true)));
    let group = &watch.api_version.group;
    let mut survey = Survey::default();
    // What resources hold shows what the chart takes: the second try knows it, and only rules of the chart's own remain.
    for last in [false, true] {
        let hits = std::mem::take(&mut survey).hits;
        if hits.len() > 0 {
            tracing::info!(crd = %name, report = hits.report(), "The type is widened for resources that are there");
            *wanted = definition(watch, &api_with(watch, chart, &hits.specs)?);
        }
        let mut next = wanted.clone();
        adopt::take_over(&mut next, existing, version, &all);
        let changes = changes(existing, &next);
        for change in &changes {
            tracing::debug!(crd = %name, %change, "The type changes");
        }
        let breaks = changes.iter().any(|change| change.breaking);
        // Without a served version nobody has ever been able to make a resource.
        let Some(readable) = readable.filter(|_| breaks || !older.ours.is_empty()) else { break };
        let old = versions(existing).find(|known| evolve::name(known) == version).unwrap_or(readable);
        let new = versions(&next).next().map(spec_schema).unwrap_or_default();
        let (old, resources) = (spec_schema(old), resources(client, watch, evolve::name(readable)));
        let rules = Rules { old: &old, new: &new, changes: &changes };
        let looked = look(&resources, namespaces, group, breaks.then_some(&rules)).await;
        survey = looked.map_err(|error| RegisterError::Api {
            doing: "read the resources of",
            name: name.clone(),
            error: Box::new(error),
        })?;
        if survey.hits.len() == 0 || last || watch.shape.schema == Mode::Strict {
            break;
        }
    }
    if survey.hits.len() > 0 {
        let report = survey.hits.report();
        if !watch.shape.accept_breaking {
            return Err(RegisterError::Breaking { name, count: survey.hits.len(), report });
        }
        tracing::warn!(crd = %name, report, "Resources become invalid, as was accepted");
    }
    let stored = stored_versions(existing);
    let stored = |known: &str| stored.contains(&known);
    let needed = |known: &&String| survey.partial || survey.used.contains(*known) || stored(known);
    let serve: Vec<_> = older.others.iter().chain(older.ours.iter().filter(needed)).cloned().collect();
    for gone in older.ours.iter().filter(|known| !serve.contains(known)) {
        tracing::info!(crd = %name, version = gone, "No resource uses this version any more: it goes");
    }
    adopt::take_over(wanted, existing, version, &serve);
    Ok(())
}

/// The resources of a kind.
fn resources(client: &Client, watch: &Watch, version: &str) -> Resources {
    let group = &watch.api_version.group;
    let resource = ApiResource {
        group: group.clone(),
        version: version.to_owned(),
        api_version: format!("{group}/{version}"),
        kind: watch.names.kind.clone(),
        plural: watch.names.plural.clone(),
    };
    Resources { client: client.clone(), resource, namespaced: watch.scope == Scope::Namespaced }
}

fn spec_schema(version: &Value) -> Value {
    version.pointer("/schema/openAPIV3Schema/properties/spec").cloned().unwrap_or_default()
}

fn stored_versions(crd: &Value) -> Vec<&str> {
    let stored = crd.pointer("/status/storedVersions").and_then(Value::as_array);
    stored.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether resources may be stored in other versions than the one that is stored now, which is this one.
fn stores_others(crd: &Value, version: &str) -> bool {
    let is_stored = |known: &Value| known.get("storage") == Some(&Value::Bool(true));
    let ours = versions(crd).any(|known| evolve::name(known) == version && is_stored(known));
    ours && stored_versions(crd).iter().any(|known| *known != version)
}

fn check_version(crd: &Value, watch: &Watch) -> Result<(), RegisterError> {
    let wanted = &watch.api_version.version;
    if versions(crd).any(|known| evolve::name(known) == wanted && evolve::is_served(known)) {
        return Ok(());
    }
    Err(RegisterError::OtherVersion { name: watch.crd_name(), version: wanted.clone() })
}

/// Reports whether an existing definition was applied by us and says what is wanted: a restart then writes nothing.
fn says(existing: &Value, wanted: &Value) -> bool {
    let managers = existing.pointer("/metadata/managedFields").and_then(Value::as_array);
    let is_ours = |entry: &Value| {
        let has = |key: &str, text: &str| entry.get(key).and_then(Value::as_str) == Some(text);
        has("manager", FIELD_MANAGER) && has("operation", "Apply")
    };
    let said = |pointer: &str| {
        let marks = wanted.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
        marks
            .into_iter()
            .all(|(key, mark)| existing.pointer(pointer).and_then(|all| all.get(key)) == Some(mark))
    };
    let mut spec = existing.get("spec").cloned().unwrap_or_default();
    if let (Some(spec), None) = (spec.as_object_mut(), wanted.pointer("/spec/conversion")) {
        // The server's default.
        spec.remove("conversion");
    }
    managers.into_iter().flatten().any(is_ours)
        && said("/metadata/labels")
        && said("/metadata/annotations")
        && Some(&spec) == wanted.get("spec")
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
    fn resources_move_to_the_version_that_is_stored() {
        let crd = |storage: bool, stored: Value| json!({"spec": {"versions": [{"name": "v2", "storage": storage}]}, "status": {"storedVersions": stored}});
        assert!(stores_others(&crd(true, json!(["v1", "v2"])), "v2"));
        assert!(!stores_others(&crd(true, json!(["v2"])), "v2"));
        // Others decide what is stored.
        assert!(!stores_others(&crd(false, json!(["v1"])), "v2"));
    }

    #[test]
    fn a_definition_that_says_what_is_wanted_is_left_alone() {
        let wanted = json!({"metadata": {"name": "xs.g", "annotations": {"a": "b"}}, "spec": {"group": "g"}});
        let managed = json!([{"manager": "chartwright", "operation": "Apply"}]);
        let existing = |managed: &Value, spec: Value| {
            json!({"metadata": {"name": "xs.g", "annotations": {"a": "b", "c": "d"}, "managedFields": managed},
                "spec": spec, "status": {}})
        };
        let same = json!({"group": "g", "conversion": {"strategy": "None"}});
        assert!(says(&existing(&managed, same.clone()), &wanted));
        assert!(!says(&existing(&json!([]), same.clone()), &wanted), "not ours yet");
        assert!(!says(&existing(&managed, json!({"group": "g", "scope": "Cluster"})), &wanted));
        let marked = json!({"metadata": {"annotations": {"a": "other"}}, "spec": {"group": "g"}});
        assert!(!says(&existing(&managed, same), &marked));
    }

    #[test]
    fn names_that_are_taken_are_told() {
        let crd = json!({"status": {"conditions": [
            {"type": "NamesAccepted", "status": "False", "message": "\"xs\" is already in use"},
            {"type": "Established", "status": "False"}]}});
        assert!(matches!(state(&crd), State::Refused(why) if why.contains("already in use")));
    }
}
