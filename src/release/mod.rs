//! Helm's release records: a release as data ↔ the bytes of a Secret that `helm list`, `get` and `rollback` understand.

mod chart;
mod encode;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use chart::ChartJson;
pub(crate) use encode::{EncodeError, RecordBytes, as_revision, decode, encode, with_info};

/// The label value and Secret type that mark a record.
pub(crate) const SECRET_TYPE: &str = "helm.sh/release.v1";

/// Returns the name of the Secret of a revision.
pub(crate) fn secret_name(release: &str, revision: i64) -> String {
    format!("sh.helm.release.v1.{release}.v{revision}")
}

/// The state of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// Cannot happen in records we write.
    Unknown,
    /// What runs.
    Deployed,
    /// Removed, its history kept.
    Uninstalled,
    /// Deployed once, followed by another.
    Superseded,
    /// Did not work.
    Failed,
    /// Being removed.
    Uninstalling,
    /// A first install under way.
    PendingInstall,
    /// An upgrade under way.
    PendingUpgrade,
    /// A rollback under way.
    PendingRollback,
}

impl State {
    /// Returns Helm's word, which is also the value of the Secret's `status` label.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            State::Unknown => "unknown",
            State::Deployed => "deployed",
            State::Uninstalled => "uninstalled",
            State::Superseded => "superseded",
            State::Failed => "failed",
            State::Uninstalling => "uninstalling",
            State::PendingInstall => "pending-install",
            State::PendingUpgrade => "pending-upgrade",
            State::PendingRollback => "pending-rollback",
        }
    }

    /// Reads Helm's word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        serde_json::from_value(Value::from(word)).ok()
    }

    /// Reports whether an operation was under way when the record was written.
    pub(crate) const fn is_pending(self) -> bool {
        matches!(self, State::PendingInstall | State::PendingUpgrade | State::PendingRollback)
    }
}

/// A release, without its chart (which is the same for many and kept in encoded form, see [`ChartJson`]).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) namespace: String,
    /// The revision, from 1.
    pub(crate) version: i64,
    pub(crate) info: Info,
    /// The user's values.
    pub(crate) config: Value,
    /// The rendered text, each document led by `---` and its source; without hooks.
    pub(crate) manifest: String,
    pub(crate) hooks: Vec<HookRecord>,
}

/// When and how a revision came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Info {
    /// RFC 3339; carried from revision to revision.
    #[serde(default)]
    pub(crate) first_deployed: String,
    #[serde(default)]
    pub(crate) last_deployed: String,
    /// Empty unless uninstalled with its history kept; helm 3 wants the key.
    #[serde(default)]
    pub(crate) deleted: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) description: String,
    pub(crate) status: State,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) notes: String,
}

/// A hook as the record has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HookRecord {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) manifest: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) events: Vec<String>,
    pub(crate) last_run: LastRun,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) weight: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) delete_policies: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) output_log_policies: Vec<String>,
}

/// When a hook ran last and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastRun {
    #[serde(default)]
    pub(crate) started_at: String,
    #[serde(default)]
    pub(crate) completed_at: String,
    #[serde(default)]
    pub(crate) phase: String,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A record as its Secret's metadata tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) revision: i64,
    pub(crate) state: State,
    /// The object that controls it.
    pub(crate) owner: Option<Owner>,
    pub(crate) uid: String,
}

impl Entry {
    /// Whether it is of an attempt of a resource's that is under way, broke off or failed.
    pub(crate) fn is_open_attempt_of(&self, uid: &str) -> bool {
        let is_open = self.state.is_pending() || self.state == State::Failed;
        is_open && self.owner.as_ref().is_some_and(|owner| owner.uid == uid)
    }
}

/// The newest of a release's records, oldest first, that counts as deployed: what runs.
pub(crate) fn deployed(history: &[Entry]) -> Option<&Entry> {
    history.iter().rev().find(|entry| entry.state == State::Deployed)
}

/// What a record's metadata says of the object that controls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
}

/// What a stored record says of its chart; all of it may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct ChartInfo {
    pub(crate) name: String,
    pub(crate) version: String,
}

/// Now, as records write it.
pub(crate) fn timestamp(now: jiff::Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S.%9f+00:00").to_string()
}
