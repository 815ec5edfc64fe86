//! What a hook's pod says when the hook fails: how it stands, and its last words.

use kube::Client;
use kube::api::{ListParams, LogParams, Request};
use serde::Deserialize;

use super::request::{List, call};

/// The last lines of a log that are told, and the most bytes of them.
const LINES: i64 = 20;
const LONGEST_LOG: usize = 600;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Pod {
    metadata: Meta,
    status: Status,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    name: String,
    creation_timestamp: Option<jiff::Timestamp>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    phase: String,
    conditions: Vec<Condition>,
    init_container_statuses: Vec<Container>,
    container_statuses: Vec<Container>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Condition {
    status: String,
    message: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Container {
    name: String,
    state: State,
    last_state: State,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct State {
    waiting: Option<Reason>,
    terminated: Option<Reason>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Reason {
    reason: String,
    message: String,
    exit_code: i64,
}

/// The newest pod of a Job, or a Pod itself, in words that end with the last lines of its log; `None` if there is none or
/// the operator may not look.
pub(crate) async fn last_words(client: &Client, namespace: &str, kind: &str, name: &str) -> Option<String> {
    let pods = Request::new(format!("/api/v1/namespaces/{namespace}/pods"));
    let pods_of = match kind {
        "Job" => ListParams::default().labels(&format!("job-name={name}")),
        _ => ListParams::default().fields(&format!("metadata.name={name}")),
    };
    let list = call::<List<Pod>>(client, pods.list(&pods_of).ok()?).await.ok()?.body;
    let pod = list.items?.into_iter().max_by_key(|pod| pod.metadata.creation_timestamp)?;
    let (mut words, container) = describe(&pod);
    if let Some(container) = container {
        let parameters =
            LogParams { container: Some(container), tail_lines: Some(LINES), ..LogParams::default() };
        let request = pods.logs(&pod.metadata.name, &parameters).ok()?;
        if let Ok(log) = client.request_text(request).await
            && let Some(end) = end_of(&log)
        {
            words = format!("{words}; its log ends with:\n{end}");
        }
    }
    Some(words)
}

/// Says how a pod stands, and which of its containers has something to say.
fn describe(pod: &Pod) -> (String, Option<String>) {
    let name = &pod.metadata.name;
    let containers = || pod.status.init_container_statuses.iter().chain(&pod.status.container_statuses);
    let ended = containers().find_map(|one| {
        let ended = one.state.terminated.as_ref().or(one.last_state.terminated.as_ref());
        ended.filter(|ended| ended.exit_code != 0).map(|ended| (&one.name, ended))
    });
    if let Some((container, ended)) = ended {
        let words = format!("container {container} of pod {name} ended with code {}", ended.exit_code);
        return (with(words, &ended.reason, &ended.message), Some(container.clone()));
    }
    let waiting = containers().find_map(|one| Some((&one.name, one.state.waiting.as_ref()?)));
    if let Some((container, waiting)) = waiting {
        let words = format!("container {container} of pod {name} waits");
        return (with(words, &waiting.reason, &waiting.message), None);
    }
    let trouble = pod.status.conditions.iter().find(|one| one.status == "False" && !one.message.is_empty());
    let words = format!("pod {name} is {}", pod.status.phase);
    let running = containers().next().map(|one| one.name.clone());
    (with(words, "", trouble.map_or("", |one| &one.message)), running)
}

fn with(mut words: String, reason: &str, message: &str) -> String {
    if !reason.is_empty() {
        words = format!("{words} ({reason})");
    }
    if message.is_empty() { words } else { format!("{words}: {}", message.trim()) }
}

/// The end of a log, from the beginning of a line on; `None` if there is nothing in it.
fn end_of(log: &str) -> Option<&str> {
    let log = log.trim();
    let start = log.len().saturating_sub(LONGEST_LOG);
    let start = (start..=log.len()).find(|at| log.is_char_boundary(*at))?;
    let end = log.get(start..)?;
    let whole = if start == 0 { end } else { end.split_once('\n').map_or(end, |(_, rest)| rest) };
    (!whole.is_empty()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(status: &str) -> (String, Option<String>) {
        let pod = format!(r#"{{"metadata": {{"name": "p"}}, "status": {status}}}"#);
        describe(&serde_json::from_str(&pod).unwrap())
    }

    #[test]
    fn the_container_that_failed_is_asked() {
        let status = r#"{"phase": "Failed", "containerStatuses": [
            {"name": "side", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}},
            {"name": "main", "state": {"terminated": {"exitCode": 3, "reason": "Error", "message": "no db\n"}}}]}"#;
        let words = "container main of pod p ended with code 3 (Error): no db";
        assert_eq!(said(status), (words.into(), Some("main".into())));
        let again = r#"{"phase": "Running", "containerStatuses": [{"name": "main",
            "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"exitCode": 1}}}]}"#;
        assert_eq!(said(again), ("container main of pod p ended with code 1".into(), Some("main".into())));
    }

    #[test]
    fn what_did_not_start_says_why() {
        let image = r#"{"phase": "Pending", "containerStatuses": [
            {"name": "main", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}]}"#;
        assert_eq!(said(image).0, "container main of pod p waits (ImagePullBackOff): no such image");
        let node = r#"{"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "message": "0/1 nodes are available"}]}"#;
        assert_eq!(said(node), ("pod p is Pending: 0/1 nodes are available".into(), None));
    }

    #[test]
    fn a_long_log_is_cut_at_a_line() {
        let log = format!("{}\nlast ä\n", "x".repeat(LONGEST_LOG));
        assert_eq!(end_of(&log), Some("last ä"));
        assert_eq!(end_of("a\nb\n"), Some("a\nb"));
        assert_eq!(end_of(" \n"), None);
        assert!(end_of(&"ä".repeat(LONGEST_LOG)).is_some());
    }
}
