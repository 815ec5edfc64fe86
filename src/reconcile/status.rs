//! What happened → the custom resource's status. Pure: the previous status and the time come in.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::identity::Digest;
use super::replicas::Replicas;
use crate::words::shorten;

/// The longest message of a condition; what is longer is shortened.
const LONGEST_MESSAGE: usize = 32 * 1024;

/// Where the status says what was asked for last and done; the word is Flux'.
const HANDLED: &str = "lastHandledReconcileAt";
const FAILED_CHART: &str = "failedChart";

/// The most objects named as not ready.
pub(crate) const MOST_NAMED: usize = 10;

/// What there is to say.
#[derive(Clone, Debug)]
pub(crate) struct Report<'a> {
    /// The generation of the custom resource this is about.
    pub(crate) generation: i64,
    pub(crate) situation: Situation<'a>,
    /// The release that runs; `None` leaves what was said before.
    pub(crate) release: Option<ReleaseFacts<'a>>,
    /// Another revision of the same release that runs now.
    pub(crate) revision: Option<i64>,
    /// How its objects are; `None` leaves what was said before.
    pub(crate) resources: Option<Resources>,
    /// What the user asked for by annotation, once that was done.
    pub(crate) handled: Option<&'a str>,
    /// The chart that it failed to move to, where that counts in the roll-out.
    pub(crate) failed_chart: Option<Digest>,
}

/// See [`Report`].
#[derive(Clone, Debug)]
pub(crate) enum Situation<'a> {
    /// Work is under way and takes long enough to say so.
    Working(&'a str),
    /// Everything is applied and recorded.
    Applied,
    /// It did not work; what ran before still runs.
    Failed { condition: Failing, reason: &'a str, message: &'a str },
    /// The user wants nothing done.
    Paused,
    /// An older release is kept for now.
    Held { reason: &'a str, message: &'a str, plan: Option<&'a [String]> },
    /// The custom resource is being deleted; what is being waited for.
    Deleting { message: &'a str },
}

/// The word for a release that did not get ready in time.
pub(crate) const LATE: &str = "DeadlineExceeded";

/// Which of helm-operator's conditions a failure shows in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failing {
    /// `ReleaseFailed`, with its reason.
    Install,
    Upgrade,
    Uninstall,
    /// `Irreconcilable`: nothing was attempted.
    Reconcile,
}

impl Failing {
    const fn condition(self) -> (&'static str, &'static str) {
        match self {
            Failing::Install => ("ReleaseFailed", "InstallError"),
            Failing::Upgrade => ("ReleaseFailed", "UpgradeError"),
            Failing::Uninstall => ("ReleaseFailed", "UninstallError"),
            Failing::Reconcile => ("Irreconcilable", "ReconcileError"),
        }
    }
}

/// The release that runs.
#[derive(Clone, Debug)]
pub(crate) struct ReleaseFacts<'a> {
    pub(crate) name: &'a str,
    pub(crate) revision: i64,
    /// Whether this revision was an install.
    pub(crate) is_install: bool,
    pub(crate) chart: &'a helm::chart::Metadata,
    pub(crate) notes: &'a str,
    /// The rendered text, where statuses hold it.
    pub(crate) manifest: Option<String>,
}

/// How the applied objects are, and what they were made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resources {
    pub(crate) total: usize,
    pub(crate) ready: usize,
    /// The first of those that are not ready, each with the reason.
    pub(crate) not_ready: Vec<String>,
    /// Set when one of them will not get ready by itself.
    pub(crate) failed: bool,
    /// `apiVersion/Kind` of all, sorted.
    pub(crate) kinds: Vec<String>,
    /// See [`Seal`].
    pub(crate) seal: Option<Seal>,
    /// Since when not all are ready.
    pub(crate) waiting_since: Option<String>,
    /// Set when that has lasted too long: how long it may last.
    pub(crate) overdue: Option<Duration>,
    /// The workload that is scaled, in words, and its replicas.
    pub(crate) scaled: Option<(String, Replicas)>,
    /// The rules that the operator's role lacks to watch them.
    pub(crate) unwatched: BTreeSet<String>,
}

/// Lets a restarted operator see without a request that nothing changed: what the objects were rendered from, and what
/// was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seal {
    /// Of chart and values.
    pub(crate) inputs: Digest,
    /// Of the chart; [`Digest::default`] where it is not told.
    pub(crate) chart: Digest,
    /// Of the cluster's capabilities.
    pub(crate) capabilities: Digest,
    /// Of the rendered text.
    pub(crate) rendered: Digest,
    /// Of the applied objects: their identities, uids and the fields we own.
    pub(crate) objects: Digest,
    /// When certificates in it are to be renewed, in Unix seconds.
    pub(crate) renew_at: Option<i64>,
    /// Whether the resource must not go before it was cleaned up after.
    pub(crate) finalizer: bool,
    /// Whether templates looked something up: what it was is not kept.
    pub(crate) looks_up: bool,
    /// See [`Settled::as_recorded`](super::tracked::Settled::as_recorded).
    pub(crate) as_recorded: bool,
    /// Whether it moved to its chart without taking a place in the roll-out, and is not ready yet.
    pub(crate) beside: bool,
    /// Of the selector by which it is served; [`Digest::default`] without one.
    pub(crate) selector: Digest,
}

impl Seal {
    fn to_json(self) -> Value {
        let mut value = json!({
            "inputs": self.inputs.to_string(), "chart": self.chart.to_string(), "capabilities": self.capabilities.to_string(),
            "rendered": self.rendered.to_string(), "objects": self.objects.to_string(),
        });
        if let (Some(at), Some(map)) = (self.renew_at, value.as_object_mut()) {
            map.insert("renewAt".into(), at.into());
        }
        if self.selector != Digest::default()
            && let Some(map) = value.as_object_mut()
        {
            map.insert("selector".into(), self.selector.to_string().into());
        }
        let marks = [
            ("looksUp", self.looks_up),
            ("finalizer", self.finalizer),
            ("asRecorded", self.as_recorded),
            ("beside", self.beside),
        ];
        for (mark, _) in marks.iter().filter(|(_, is_set)| *is_set) {
            if let Some(map) = value.as_object_mut() {
                map.insert((*mark).into(), true.into());
            }
        }
        value
    }

    fn read(value: &Value) -> Option<Self> {
        let part = |key: &str| value.get(key).and_then(Value::as_str).and_then(Digest::parse);
        Some(Self {
            inputs: part("inputs")?,
            chart: part("chart").unwrap_or_default(),
            capabilities: part("capabilities")?,
            rendered: part("rendered")?,
            objects: part("objects")?,
            renew_at: value.get("renewAt").and_then(Value::as_i64),
            finalizer: value.get("finalizer").is_some_and(|value| value == true),
            looks_up: value.get("looksUp").is_some_and(|value| value == true),
            as_recorded: value.get("asRecorded").is_some_and(|value| value == true),
            beside: value.get("beside").is_some_and(|value| value == true),
            selector: part("selector").unwrap_or_default(),
        })
    }
}

/// What an earlier status says that the operator wants to know again after a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remembered {
    pub(crate) observed_generation: i64,
    pub(crate) revision: Option<i64>,
    pub(crate) is_install: bool,
    /// Whether the last word was one of success.
    pub(crate) applied: bool,
    pub(crate) kinds: Vec<String>,
    pub(crate) seal: Option<Seal>,
    /// The workload that is scaled, in words.
    pub(crate) scaled: Option<String>,
    /// What the user asked for last, as far as it was done.
    pub(crate) handled: Option<String>,
    /// See [`Report::failed_chart`].
    pub(crate) failed_chart: Option<Digest>,
}

impl Remembered {
    /// Reads a status.
    pub(crate) fn read(status: &Value) -> Self {
        let deployed = condition(status, "Deployed");
        let kinds = status.pointer("/resources/kinds").and_then(Value::as_array);
        Self {
            observed_generation: status.get("observedGeneration").and_then(Value::as_i64).unwrap_or_default(),
            revision: status.pointer("/deployedRelease/revision").and_then(Value::as_i64),
            is_install: deployed.is_some_and(|one| text(one, "reason") == "InstallSuccessful"),
            applied: deployed.is_some_and(|one| text(one, "status") == "True") && !is_failed(status),
            kinds: kinds.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            seal: status.pointer("/resources/seal").and_then(Seal::read),
            scaled: status.pointer("/resources/scaled").and_then(Value::as_str).map(str::to_owned),
            handled: status.get(HANDLED).and_then(Value::as_str).map(str::to_owned),
            failed_chart: status.get(FAILED_CHART).and_then(Value::as_str).and_then(Digest::parse),
        }
    }
}

/// Digests what a status says of the release that runs: nobody but us is to change it.
pub(crate) fn release_part(status: &Value) -> Digest {
    let deployed = condition(status, "Deployed");
    let word = |key| deployed.map(|one| text(one, key)).unwrap_or_default();
    let release = status.get("deployedRelease").unwrap_or(&Value::Null).to_string();
    Digest::of([release.as_str(), word("status"), word("reason"), word("message")])
}

/// Whether a status says that a release is deployed under a revision.
pub(crate) fn tells(status: &Value, release: &str, revision: i64, is_install: bool) -> bool {
    let remembered = Remembered::read(status);
    let name = status.pointer("/deployedRelease/name").and_then(Value::as_str);
    let is_deployed = condition(status, "Deployed").is_some_and(|one| text(one, "status") == "True");
    let is_same = remembered.revision == Some(revision) && remembered.is_install == is_install;
    is_deployed && is_same && name == Some(release)
}

/// Whether a status says that what the resource asks for failed.
pub(crate) fn is_failed(status: &Value) -> bool {
    let is_true = |kind: &&str| condition(status, kind).is_some_and(|one| text(one, "status") == "True");
    ["ReleaseFailed", "Irreconcilable"].iter().any(is_true)
}

pub(crate) fn condition<'a>(status: &'a Value, kind: &str) -> Option<&'a Value> {
    status.get("conditions")?.as_array()?.iter().find(|one| text(one, "type") == kind)
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Writes the status that follows a previous one.
pub(crate) fn next(previous: &Value, report: &Report<'_>, now: &str) -> Value {
    let mut status = previous.as_object().cloned().unwrap_or_default();
    if !matches!(report.situation, Situation::Paused) {
        status.insert("observedGeneration".into(), report.generation.into());
    }
    match report.situation {
        Situation::Held { plan: Some(plan), .. } => _ = status.insert("plan".into(), plan.into()),
        Situation::Paused => {}
        _ => _ = status.remove("plan"),
    }
    match (&report.situation, report.failed_chart) {
        (_, Some(chart)) => _ = status.insert(FAILED_CHART.into(), chart.to_string().into()),
        (Situation::Failed { .. } | Situation::Applied | Situation::Held { .. }, None) => {
            status.remove(FAILED_CHART);
        }
        _ => {}
    }
    if let Some(handled) = report.handled {
        status.insert(HANDLED.into(), handled.into());
    }
    if let Some(release) = &report.release {
        let chart = release.chart;
        let mut told = json!({
            "name": release.name, "revision": release.revision,
            "chart": {"name": chart.name, "version": chart.version, "appVersion": chart.app_version},
        });
        if let (Some(map), Some(manifest)) = (told.as_object_mut(), &release.manifest) {
            map.insert("manifest".into(), manifest.as_str().into());
        }
        status.insert("deployedRelease".into(), told);
    }
    if let (Some(revision), Some(Value::Object(known))) = (report.revision, status.get_mut("deployedRelease"))
    {
        known.insert("revision".into(), revision.into());
    }
    if let Some(resources) = &report.resources {
        status.insert("resources".into(), resources.to_json());
        tell_replicas(&mut status, resources);
    }
    let mut conditions = Conditions::of(previous, now);
    conditions.set("Initialized", "True", "Initialized", "");
    if !matches!(report.situation, Situation::Paused) {
        conditions.remove("Paused");
    }
    let word = judge(&mut conditions, report, was_complete(previous, report));
    status.insert("conditions".into(), conditions.list.into());
    status.insert("phase".into(), word.into());
    status.into()
}

/// Where a scale subresource and the columns of `kubectl get` look.
fn tell_replicas(status: &mut Map<String, Value>, resources: &Resources) {
    for key in ["replicas", "readyReplicas", "ready", "selector"] {
        status.remove(key);
    }
    if let Some((_, replicas)) = &resources.scaled {
        status.insert("replicas".into(), replicas.total.into());
        status.insert("readyReplicas".into(), replicas.ready.into());
        status.insert("ready".into(), replicas.ratio().into());
        status.insert("selector".into(), replicas.selector.as_ref().into());
    }
}

impl Resources {
    fn to_json(&self) -> Value {
        let mut value = json!({"ready": self.ready, "total": self.total, "kinds": self.kinds});
        if let Some(map) = value.as_object_mut() {
            if !self.not_ready.is_empty() {
                map.insert("notReady".into(), self.not_ready.clone().into());
            }
            if let Some(since) = &self.waiting_since {
                map.insert("waitingSince".into(), since.as_str().into());
            }
            if let Some((workload, _)) = &self.scaled {
                map.insert("scaled".into(), workload.as_str().into());
            }
            if let Some(seal) = self.seal {
                map.insert("seal".into(), seal.to_json());
            }
        }
        value
    }

    /// The one-line summary of how they are.
    fn summary(&self) -> String {
        let mut summary = if self.ready < self.total || self.failed {
            let named = self.not_ready.join("; ");
            format!("{} of {} objects are ready: {named}", self.ready, self.total)
        } else {
            "all objects are ready".to_owned()
        };
        if !self.unwatched.is_empty() {
            summary = format!("{summary}; {}", unwatched(&self.unwatched));
        }
        summary
    }
}

/// Tells which rules lack to watch objects, and what follows of it.
pub(crate) fn unwatched(rules: &BTreeSet<String>) -> String {
    let named: Vec<_> = rules.iter().map(String::as_str).collect();
    format!(
        "not everything can be watched, and what cannot is applied again each period, for the operator's role lacks {}",
        named.join(", ")
    )
}

/// Whether everything of this very revision was ready once.
fn was_complete(previous: &Value, report: &Report<'_>) -> bool {
    let before = previous.pointer("/deployedRelease/revision").and_then(Value::as_i64);
    let now = report.revision.or(report.release.as_ref().map(|release| release.revision));
    matches!(text(previous, "phase"), "Deployed" | "Degraded") && now.is_none_or(|now| before == Some(now))
}

/// Sets the conditions; returns the one word for the status column: Deployed when all is well, Progressing on the way
/// there, Degraded when objects are not well that were, Failed when the release is not what the spec says, Deleting.
fn judge(conditions: &mut Conditions<'_>, report: &Report<'_>, was_complete: bool) -> &'static str {
    match &report.situation {
        Situation::Working(message) => {
            conditions.set("Ready", "False", "Progressing", message);
            conditions.set("Reconciling", "True", "Progressing", message);
            conditions.set("Stalled", "False", "Progressing", "");
            "Progressing"
        }
        Situation::Applied => {
            if let Some(release) = &report.release {
                let reason = if release.is_install { "InstallSuccessful" } else { "UpgradeSuccessful" };
                conditions.set("Deployed", "True", reason, release.notes);
            }
            conditions.remove("Held");
            judge_resources(conditions, report.resources.as_ref(), was_complete)
        }
        Situation::Held { reason, message, .. } => {
            conditions.set("Held", "True", reason, message);
            match &report.resources {
                Some(resources) => judge_resources(conditions, Some(resources), was_complete),
                // Nothing new is known of them.
                None => "Held",
            }
        }
        Situation::Failed { condition, reason, message } => {
            let (kind, word) = condition.condition();
            conditions.remove(if kind == "ReleaseFailed" { "Irreconcilable" } else { "ReleaseFailed" });
            conditions.remove("Held");
            conditions.set(kind, "True", word, message);
            conditions.set("Ready", "False", reason, message);
            conditions.set("Reconciling", "False", reason, "");
            conditions.set("Stalled", "True", reason, message);
            "Failed"
        }
        Situation::Paused => {
            let why = "nothing is done while the annotation chartwright.io/paused is true";
            // helm-operator-plugins' word.
            conditions.set("Paused", "True", "PauseReconcileAnnotationTrue", why);
            conditions.set("Reconciling", "False", "Paused", why);
            "Paused"
        }
        Situation::Deleting { message } => {
            conditions.set("Deployed", "False", "UninstallSuccessful", message);
            conditions.remove("ReleaseFailed");
            conditions.remove("Irreconcilable");
            conditions.set("Ready", "False", "Deleting", message);
            conditions.set("Reconciling", "True", "Deleting", message);
            conditions.set("Stalled", "False", "Deleting", "");
            "Deleting"
        }
    }
}

/// Sets the conditions of a release that is applied, by how its objects are.
fn judge_resources(
    conditions: &mut Conditions<'_>,
    resources: Option<&Resources>,
    was_complete: bool,
) -> &'static str {
    conditions.remove("ReleaseFailed");
    conditions.remove("Irreconcilable");
    match resources {
        Some(resources) if resources.failed => {
            let summary = resources.summary();
            conditions.set("Ready", "False", "ResourcesFailed", &summary);
            conditions.set("Reconciling", "False", "ResourcesFailed", "");
            conditions.set("Stalled", "True", "ResourcesFailed", &summary);
            "Degraded"
        }
        Some(resources @ Resources { overdue: Some(limit), .. }) => {
            let summary = format!("not ready within {limit:?}: {}", resources.summary());
            conditions.set("Ready", "False", LATE, &summary);
            conditions.set("Reconciling", "False", LATE, "");
            conditions.set("Stalled", "True", LATE, &summary);
            "Degraded"
        }
        Some(resources) if resources.ready < resources.total => {
            let summary = resources.summary();
            conditions.set("Ready", "False", "ResourcesNotReady", &summary);
            conditions.set("Reconciling", "True", "ResourcesNotReady", &summary);
            conditions.set("Stalled", "False", "ResourcesNotReady", "");
            if was_complete { "Degraded" } else { "Progressing" }
        }
        _ => {
            let summary = resources.map_or_else(|| Resources::default().summary(), Resources::summary);
            conditions.set("Ready", "True", "Ready", &summary);
            conditions.set("Reconciling", "False", "Ready", "");
            conditions.set("Stalled", "False", "Ready", "");
            "Deployed"
        }
    }
}

/// The list of conditions, changed in place so that order and times of what does not change stay.
struct Conditions<'a> {
    list: Vec<Value>,
    now: &'a str,
}

impl<'a> Conditions<'a> {
    fn of(status: &Value, now: &'a str) -> Self {
        Self { list: status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default(), now }
    }

    fn set(&mut self, kind: &str, status: &str, reason: &str, message: &str) {
        let message = shorten(message.trim_end(), LONGEST_MESSAGE);
        let found = self.list.iter_mut().find(|one| text(one, "type") == kind);
        let since = match &found {
            Some(one) if text(one, "status") == status => one.get("lastTransitionTime").cloned(),
            _ => None,
        };
        let condition = json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": since.unwrap_or_else(|| self.now.into()),
        });
        match found {
            Some(one) => *one = condition,
            None => self.list.push(condition),
        }
    }

    fn remove(&mut self, kind: &str) {
        self.list.retain(|one| text(one, "type") != kind);
    }
}

/// A time as statuses have it.
pub(crate) fn time(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The merge patch that leads from one status to another; `None` if they are equal.
pub(crate) fn patch(previous: &Value, next: &Value) -> Option<Value> {
    let empty = Map::new();
    let (old, new) = (previous.as_object().unwrap_or(&empty), next.as_object().unwrap_or(&empty));
    let mut patch = Map::new();
    for (key, value) in new {
        match old.get(key) {
            Some(same) if same == value => {}
            // Within an object a merge keeps what is not named; entries that went must be named.
            Some(before @ Value::Object(_)) if value.is_object() => {
                if let Some(inner) = self::patch(before, value) {
                    patch.insert(key.clone(), inner);
                }
            }
            _ => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    (!patch.is_empty()).then(|| patch.into())
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
