//! Is an applied object ready? kstatus' rules, over the few words of spec and status they need.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::replicas::{Replicas, selector_text};

/// What an object's own status says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// Does what it is there for.
    Ready,
    /// Not there yet; why.
    Waiting(Box<str>),
    /// Will not get there by itself; why.
    Failed(Box<str>),
}

/// The few words, whatever the kind; everything else in the object is skipped unparsed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) spec: Spec,
    pub(crate) status: Status,
}

impl Words {
    /// Picks the words out of the texts of `spec` and `status`; what is not as expected counts as missing.
    pub(crate) fn pick(spec: Option<&RawValue>, status: Option<&RawValue>) -> Self {
        fn read<T: Default + for<'a> Deserialize<'a>>(raw: Option<&RawValue>) -> T {
            raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
        }
        Self { spec: read(spec), status: read(status) }
    }

    /// Whether this is a Job's that removes itself when it is done.
    pub(crate) fn is_fleeting(&self) -> bool {
        self.spec.ttl_seconds_after_finished.is_number()
    }

    /// Whether this is such a Job's that is done.
    pub(crate) fn is_done(&self) -> bool {
        let ended = |kind| self.status.true_condition(kind).is_some();
        self.is_fleeting() && (ended("Complete") || ended("Failed"))
    }

    /// How many replicas there are, if this is a workload's.
    pub(crate) fn replicas(&self) -> Replicas {
        Replicas {
            wanted: self.spec.replicas.as_i64().unwrap_or(1),
            total: number(&self.status.replicas),
            ready: number(&self.status.ready_replicas),
            selector: selector_text(&self.spec.selector).into(),
        }
    }
}

/// See [`Words`]. Values, not numbers, for any kind may use these names for anything.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Spec {
    replicas: Value,
    r#type: Value,
    completions: Value,
    suspend: Value,
    paused: Value,
    update_strategy: Value,
    selector: Value,
    ttl_seconds_after_finished: Value,
}

/// See [`Words`].
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Status {
    observed_generation: Value,
    replicas: Value,
    ready_replicas: Value,
    updated_replicas: Value,
    available_replicas: Value,
    current_revision: Value,
    update_revision: Value,
    desired_number_scheduled: Value,
    updated_number_scheduled: Value,
    number_available: Value,
    number_ready: Value,
    phase: Value,
    load_balancer: Value,
    failed: Value,
    succeeded: Value,
    active: Value,
    conditions: Value,
}

impl Status {
    /// Finds a condition: its status, reason and message.
    fn condition(&self, kind: &str) -> Option<(&str, &str, &str)> {
        let conditions = self.conditions.as_array()?;
        let found = conditions.iter().find(|one| one.get("type").and_then(Value::as_str) == Some(kind))?;
        let text = |key: &str| found.get(key).and_then(Value::as_str).unwrap_or_default();
        Some((text("status"), text("reason"), text("message")))
    }

    /// The words of a condition that is true.
    fn true_condition(&self, kind: &str) -> Option<String> {
        let (status, reason, message) = self.condition(kind)?;
        (status == "True").then(|| sentence(reason, message))
    }
}

fn sentence(reason: &str, message: &str) -> String {
    match (reason, message) {
        ("", message) => message.to_owned(),
        (reason, "") => reason.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    }
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn waiting(why: impl Into<String>) -> Health {
    Health::Waiting(why.into().into_boxed_str())
}

fn failed(why: impl Into<String>) -> Health {
    Health::Failed(why.into().into_boxed_str())
}

/// Kinds (group, kind) whose readiness is in their status; all others are ready once they exist.
pub(crate) fn needs_status(group: &str, kind: &str) -> bool {
    match group {
        "" => matches!(kind, "Pod" | "PersistentVolumeClaim" | "Service" | "ReplicationController"),
        "apps" => matches!(kind, "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet"),
        "batch" => kind == "Job",
        "apiextensions.k8s.io" => kind == "CustomResourceDefinition",
        "apiregistration.k8s.io" => kind == "APIService",
        // Built-in kinds without a life of their own; custom ones follow conventions.
        _ => group.contains('.') && !group.ends_with(".k8s.io"),
    }
}

/// Judges an object.
pub(crate) fn assess(group: &str, kind: &str, generation: i64, words: &Words) -> Health {
    if let Some(observed) = words.status.observed_generation.as_i64()
        && observed < generation
    {
        return waiting("its controller has not seen the last change yet");
    }
    match (group, kind) {
        ("apps", "Deployment") => deployment(words),
        ("apps", "StatefulSet") => stateful_set(words),
        ("apps", "DaemonSet") => daemon_set(words),
        ("apps", "ReplicaSet") | ("", "ReplicationController") => replica_set(words),
        ("batch", "Job") => job(words),
        ("", "Pod") => pod(words),
        ("", "PersistentVolumeClaim") => claim(words),
        ("", "Service") => service(words),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition(words),
        ("apiregistration.k8s.io", "APIService") => condition_of(words, "Available"),
        _ => by_conditions(words),
    }
}

/// A workload without a status has not been seen by its controller at all.
fn unseen(words: &Words) -> bool {
    words.status.observed_generation.is_null()
}

fn deployment(words: &Words) -> Health {
    let (spec, status) = (&words.spec, &words.status);
    if unseen(words) {
        return waiting("its controller has not seen it yet");
    }
    if let Some(("False", reason, message)) = status.condition("Progressing") {
        return failed(sentence(reason, message));
    }
    let wanted = spec.replicas.as_i64().unwrap_or(1);
    let (updated, total) = (number(&status.updated_replicas), number(&status.replicas));
    let (available, ready) = (number(&status.available_replicas), number(&status.ready_replicas));
    if updated < wanted {
        return waiting(format!("{updated} of {wanted} replicas are updated"));
    }
    if total > updated {
        return waiting(format!("{} old replicas are still to go", total - updated));
    }
    if available < wanted || ready < wanted {
        return waiting(format!("{} of {wanted} replicas are available", available.min(ready)));
    }
    Health::Ready
}

fn stateful_set(words: &Words) -> Health {
    let (spec, status) = (&words.spec, &words.status);
    if unseen(words) {
        return waiting("its controller has not seen it yet");
    }
    let wanted = spec.replicas.as_i64().unwrap_or(1);
    let ready = number(&status.ready_replicas);
    if ready < wanted {
        return waiting(format!("{ready} of {wanted} replicas are ready"));
    }
    if number(&status.replicas) > wanted {
        return waiting(format!("{} replicas are still to go", number(&status.replicas) - wanted));
    }
    let strategy = &spec.update_strategy;
    if strategy.get("type").and_then(Value::as_str) == Some("OnDelete") {
        return Health::Ready;
    }
    let partition = strategy.pointer("/rollingUpdate/partition").and_then(Value::as_i64).unwrap_or_default();
    let updated = number(&status.updated_replicas);
    if partition > 0 {
        let to_update = (wanted - partition).max(0);
        if updated < to_update {
            return waiting(format!("{updated} of {to_update} replicas are updated"));
        }
    } else if status.current_revision != status.update_revision {
        return waiting(format!("{updated} of {wanted} replicas are updated"));
    }
    Health::Ready
}

fn daemon_set(words: &Words) -> Health {
    let status = &words.status;
    if unseen(words) {
        return waiting("its controller has not seen it yet");
    }
    let wanted = number(&status.desired_number_scheduled);
    let on_delete = words.spec.update_strategy.get("type").and_then(Value::as_str) == Some("OnDelete");
    if !on_delete && number(&status.updated_number_scheduled) < wanted {
        return waiting(format!("{} of {wanted} pods are updated", number(&status.updated_number_scheduled)));
    }
    let available = number(&status.number_available).min(number(&status.number_ready));
    if available < wanted {
        return waiting(format!("{available} of {wanted} pods are available"));
    }
    Health::Ready
}

fn replica_set(words: &Words) -> Health {
    let status = &words.status;
    if unseen(words) {
        return waiting("its controller has not seen it yet");
    }
    if let Some(why) = status.true_condition("ReplicaFailure") {
        return failed(why);
    }
    let wanted = words.spec.replicas.as_i64().unwrap_or(1);
    let available = number(&status.available_replicas).min(number(&status.ready_replicas));
    if available < wanted {
        return waiting(format!("{available} of {wanted} replicas are available"));
    }
    if number(&status.replicas) > wanted {
        return waiting(format!("{} replicas are still to go", number(&status.replicas) - wanted));
    }
    Health::Ready
}

/// A Job that runs is as it should be; only its failure matters.
fn job(words: &Words) -> Health {
    let status = &words.status;
    if let Some(why) = status.true_condition("Failed") {
        return failed(why);
    }
    if status.true_condition("Complete").is_some() || words.spec.suspend == true {
        return Health::Ready;
    }
    if number(&status.active) == 0 && number(&status.succeeded) == 0 {
        return waiting("it has not started yet");
    }
    Health::Ready
}

fn pod(words: &Words) -> Health {
    let status = &words.status;
    match status.phase.as_str() {
        Some("Succeeded") => Health::Ready,
        Some("Failed") => failed("it failed"),
        Some("Running") => match status.condition("Ready") {
            Some(("True", ..)) => Health::Ready,
            Some((_, reason, message)) => waiting(sentence(reason, message)),
            None => waiting("it is not ready yet"),
        },
        _ => match status.condition("PodScheduled") {
            Some(("False", reason, message)) => waiting(sentence(reason, message)),
            _ => waiting("it is starting"),
        },
    }
}

fn claim(words: &Words) -> Health {
    match words.status.phase.as_str() {
        Some("Bound") => Health::Ready,
        Some("Lost") => failed("its volume is lost"),
        Some(phase) => waiting(format!("its phase is {phase}")),
        None => waiting("it is not bound yet"),
    }
}

fn service(words: &Words) -> Health {
    if words.spec.r#type == "LoadBalancer"
        && words.status.load_balancer.get("ingress").and_then(Value::as_array).is_none_or(Vec::is_empty)
    {
        return waiting("it has no address from the load balancer yet");
    }
    Health::Ready
}

fn definition(words: &Words) -> Health {
    if let Some(("False", reason, message)) = words.status.condition("NamesAccepted") {
        return failed(sentence(reason, message));
    }
    condition_of(words, "Established")
}

fn condition_of(words: &Words, kind: &str) -> Health {
    match words.status.condition(kind) {
        Some(("True", ..)) => Health::Ready,
        Some((_, reason, message)) => waiting(sentence(reason, message)),
        None => waiting(format!("it is not {kind} yet")),
    }
}

/// Resources of other operators: the standard conditions, where they have them.
fn by_conditions(words: &Words) -> Health {
    let status = &words.status;
    if let Some(why) = status.true_condition("Stalled") {
        return failed(why);
    }
    if let Some(why) = status.true_condition("Reconciling") {
        return waiting(why);
    }
    for kind in ["Ready", "Available"] {
        match status.condition(kind) {
            Some(("True", ..)) => return Health::Ready,
            Some((_, reason, message)) => return waiting(sentence(reason, message)),
            None => {}
        }
    }
    Health::Ready
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(group: &str, kind: &str, generation: i64, object: Value) -> Health {
        let raw = |key: &str| object.get(key).map(|part| RawValue::from_string(part.to_string()).unwrap());
        assess(group, kind, generation, &Words::pick(raw("spec").as_deref(), raw("status").as_deref()))
    }

    fn why(health: Health) -> String {
        match health {
            Health::Ready => "ready".to_owned(),
            Health::Waiting(why) => format!("waiting: {why}"),
            Health::Failed(why) => format!("failed: {why}"),
        }
    }

    #[test]
    fn deployments() {
        let rolled = json!({"observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3,
                            "availableReplicas": 3});
        let with = |change: Value| {
            let mut status = rolled.clone();
            status.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            why(of("apps", "Deployment", 2, json!({"spec": {"replicas": 3}, "status": status})))
        };
        assert_eq!(with(json!({})), "ready");
        assert_eq!(
            with(json!({"observedGeneration": 1})),
            "waiting: its controller has not seen the last change yet"
        );
        assert_eq!(with(json!({"updatedReplicas": 1})), "waiting: 1 of 3 replicas are updated");
        assert_eq!(with(json!({"replicas": 4})), "waiting: 1 old replicas are still to go");
        assert_eq!(with(json!({"availableReplicas": 2})), "waiting: 2 of 3 replicas are available");
        let stuck = json!({"conditions": [{"type": "Progressing", "status": "False",
                                           "reason": "ProgressDeadlineExceeded", "message": "m"}]});
        assert_eq!(with(stuck), "failed: ProgressDeadlineExceeded: m");
        assert_eq!(
            why(of("apps", "Deployment", 1, json!({}))),
            "waiting: its controller has not seen it yet"
        );
    }

    #[test]
    fn stateful_sets() {
        let with = |spec: Value, status: Value| {
            why(of("apps", "StatefulSet", 1, json!({"spec": spec, "status": status})))
        };
        let base = json!({"observedGeneration": 1, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 2,
                          "currentRevision": "a", "updateRevision": "a"});
        assert_eq!(with(json!({"replicas": 2}), base.clone()), "ready");
        assert_eq!(with(json!({"replicas": 3}), base.clone()), "waiting: 2 of 3 replicas are ready");
        let mut rolling = base.clone();
        rolling["updateRevision"] = "b".into();
        rolling["updatedReplicas"] = 1.into();
        assert_eq!(with(json!({"replicas": 2}), rolling.clone()), "waiting: 1 of 2 replicas are updated");
        let on_delete = json!({"replicas": 2, "updateStrategy": {"type": "OnDelete"}});
        assert_eq!(with(on_delete, rolling.clone()), "ready");
        let partition = json!({"replicas": 2, "updateStrategy": {"rollingUpdate": {"partition": 1}}});
        assert_eq!(with(partition, rolling), "ready");
    }

    #[test]
    fn other_workloads() {
        let daemons = json!({"status": {"observedGeneration": 1, "desiredNumberScheduled": 2,
                             "updatedNumberScheduled": 2, "numberAvailable": 1, "numberReady": 1}});
        assert_eq!(why(of("apps", "DaemonSet", 1, daemons)), "waiting: 1 of 2 pods are available");
        let done = json!({"status": {"conditions": [{"type": "Complete", "status": "True"}]}});
        assert_eq!(why(of("batch", "Job", 1, done)), "ready");
        let late = json!({"status": {"conditions": [{"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}]}});
        assert_eq!(why(of("batch", "Job", 1, late)), "failed: DeadlineExceeded");
        let pending = json!({"status": {"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node"}]}});
        assert_eq!(why(of("", "Pod", 1, pending)), "waiting: Unschedulable: no node");
    }

    #[test]
    fn storage_and_network() {
        assert_eq!(
            why(of("", "PersistentVolumeClaim", 0, json!({"status": {"phase": "Pending"}}))),
            "waiting: its phase is Pending"
        );
        assert_eq!(why(of("", "Service", 0, json!({"spec": {"type": "ClusterIP"}}))), "ready");
        let waiting = why(of(
            "",
            "Service",
            0,
            json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {}}}),
        ));
        assert!(waiting.starts_with("waiting: it has no address"), "{waiting}");
    }

    #[test]
    fn custom_resources_follow_conventions_or_are_ready() {
        assert_eq!(why(of("x.io", "X", 3, json!({}))), "ready");
        let not = json!({"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "R", "message": "m"}]}});
        assert_eq!(why(of("x.io", "X", 3, not)), "waiting: R: m");
        let odd = json!({"spec": "text", "status": {"conditions": "odd", "replicas": {}}});
        assert_eq!(why(of("x.io", "X", 3, odd)), "ready");
        assert_eq!(
            why(of("x.io", "X", 3, json!({"status": {"observedGeneration": 2}}))),
            "waiting: its controller has not seen the last change yet"
        );
    }
}
