//! Who asked the API server for what, from its audit log: the same yardstick for every client.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

use crate::error::BenchError;

/// Returns a policy that logs every request of some users once, and nothing of others.
pub(crate) fn policy(users: &[&str]) -> String {
    serde_json::json!({
        "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
        "rules": [{"level": "Metadata", "users": users}, {"level": "None"}],
    })
    .to_string()
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) user: String,
    /// The verb; a dry run is marked as such.
    pub(crate) verb: String,
    /// The resource, with its subresource; the path of what is none.
    pub(crate) resource: String,
    pub(crate) code: u16,
    pub(crate) received: Timestamp,
    /// How long the server took; for a watch, until it began.
    pub(crate) took: Duration,
}

impl Entry {
    /// Whether the request keeps an agreement rather than doing work: a watch that is renewed, or a Lease.
    pub(crate) fn is_upkeep(&self) -> bool {
        self.verb == "watch" || self.resource == "leases"
    }

    /// Whether it changed something, or would have.
    pub(crate) fn is_write(&self) -> bool {
        !matches!(self.verb.as_str(), "get" | "list" | "watch") && self.resource != "leases"
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    stage: String,
    verb: String,
    #[serde(rename = "requestURI")]
    request_uri: String,
    user: RawUser,
    #[serde(default)]
    object_ref: RawObject,
    #[serde(default)]
    response_status: RawStatus,
    request_received_timestamp: String,
    stage_timestamp: String,
}

#[derive(Deserialize)]
struct RawUser {
    username: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawObject {
    resource: String,
    subresource: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawStatus {
    code: u16,
}

/// Reads one line; `None` for what is no request of its own, as the end of a watch.
fn read(line: &str) -> Option<Entry> {
    let raw: Raw = serde_json::from_str(line).ok()?;
    let counts = if raw.verb == "watch" { "ResponseStarted" } else { "ResponseComplete" };
    if raw.stage != counts {
        return None;
    }
    let (path, query) = raw.request_uri.split_once('?').unwrap_or((&raw.request_uri, ""));
    let resource = match (raw.object_ref.resource.as_str(), raw.object_ref.subresource.as_str()) {
        ("", _) => path.to_owned(),
        (resource, "") => resource.to_owned(),
        (resource, subresource) => format!("{resource}/{subresource}"),
    };
    let dry = query.split('&').any(|pair| pair.starts_with("dryRun="));
    let received: Timestamp = raw.request_received_timestamp.parse().ok()?;
    let ended: Timestamp = raw.stage_timestamp.parse().ok()?;
    Some(Entry {
        user: raw.user.username,
        verb: if dry { format!("{} (dry run)", raw.verb) } else { raw.verb },
        resource,
        code: raw.response_status.code,
        received,
        took: Duration::try_from(ended.duration_since(received)).unwrap_or_default(),
    })
}

/// The audit log, read as it grows.
#[derive(Debug)]
pub(crate) struct AuditLog {
    path: PathBuf,
    offset: u64,
    entries: Vec<Entry>,
}

impl AuditLog {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, entries: Vec::new() }
    }

    /// Reads on to the end.
    pub(crate) fn update(&mut self) -> Result<(), BenchError> {
        let mut file = File::open(&self.path).map_err(BenchError::input(&self.path))?;
        file.seek(SeekFrom::Start(self.offset)).map_err(BenchError::input(&self.path))?;
        let mut reader = BufReader::new(file);
        let mut line = String::new();
        loop {
            line.clear();
            let length = reader.read_line(&mut line).map_err(BenchError::input(&self.path))?;
            // A line that is still being written is read next time.
            if !line.ends_with('\n') {
                return Ok(());
            }
            self.offset += length as u64;
            self.entries.extend(read(&line));
        }
    }

    /// The requests of a user since a time, as far as they have been read.
    pub(crate) fn of(&self, user: &str, since: Timestamp) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.user == user && entry.received >= since)
    }
}

/// Requests by what they were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    by: BTreeMap<(String, String), Tally>,
}

/// Requests of one sort.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: usize,
    /// How many were refused.
    pub(crate) failed: usize,
    /// What the server took for all.
    pub(crate) took: Duration,
}

impl Requests {
    pub(crate) fn count<'a>(entries: impl Iterator<Item = &'a Entry>) -> Self {
        let mut requests = Requests::default();
        for entry in entries {
            let tally = requests.by.entry((entry.verb.clone(), entry.resource.clone())).or_default();
            tally.count += 1;
            tally.failed += usize::from(entry.code >= 400);
            tally.took += entry.took;
        }
        requests
    }

    pub(crate) fn total(&self) -> usize {
        self.by.values().map(|tally| tally.count).sum()
    }

    /// All sorts, the most frequent first.
    pub(crate) fn sorts(&self) -> Vec<(&str, &str, Tally)> {
        let mut sorts: Vec<_> = self
            .by
            .iter()
            .map(|((verb, resource), tally)| (verb.as_str(), resource.as_str(), *tally))
            .collect();
        sorts.sort_by(|a, b| b.2.count.cmp(&a.2.count).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        sorts
    }

    /// Counts by verb, as `get 50, patch 200`.
    pub(crate) fn by_verb(&self) -> String {
        let mut verbs: BTreeMap<&str, usize> = BTreeMap::new();
        for ((verb, _), tally) in &self.by {
            *verbs.entry(verb).or_default() += tally.count;
        }
        let words: Vec<_> = verbs.iter().map(|(verb, count)| format!("{verb} {count}")).collect();
        if words.is_empty() { "none".to_owned() } else { words.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/n/services/a?dryRun=All&force=true","verb":"patch","user":{"username":"op","groups":["g"]},"sourceIPs":["127.0.0.1"],"objectRef":{"resource":"services","namespace":"n","name":"a","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":201},"requestReceivedTimestamp":"2026-01-02T03:04:05.100000Z","stageTimestamp":"2026-01-02T03:04:05.104500Z"}"#;

    #[test]
    fn a_dry_run_is_told_from_a_write() {
        let entry = read(PATCH).unwrap();
        assert_eq!((entry.verb.as_str(), entry.resource.as_str()), ("patch (dry run)", "services"));
        assert_eq!((entry.code, entry.took), (201, Duration::from_micros(4500)));
        assert!(entry.is_write() && !entry.is_upkeep());
    }

    #[test]
    fn a_watch_counts_once_when_it_begins() {
        let watch = PATCH.replace("\"patch\"", "\"watch\"").replace("dryRun=All&", "");
        assert!(read(&watch).is_none());
        assert!(read(&watch.replace("ResponseComplete", "ResponseStarted")).unwrap().is_upkeep());
    }

    #[test]
    fn requests_are_counted_by_sort() {
        let entry = read(PATCH).unwrap();
        let get = Entry { verb: "get".into(), resource: "/version".into(), code: 404, ..entry.clone() };
        let requests = Requests::count([&entry, &get, &entry].into_iter());
        assert_eq!(requests.total(), 3);
        assert_eq!(requests.by_verb(), "get 1, patch (dry run) 2");
        let sorts = requests.sorts();
        assert_eq!((sorts[0].1, sorts[0].2.count), ("services", 2));
        assert_eq!(sorts[1].2.failed, 1);
    }
}
