//! Events about custom resources: written in the background, each cause once in a while, never holding up work.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use kube::api::{PostParams, Request};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::error::{explain, is_forbidden};
use super::instances::Instance;
use super::request::call;
use crate::reconcile::identity::Digest;
use crate::words::shorten;

/// Events waiting to be written, of either severity; more are dropped.
const WAITING: usize = 1024;
/// While resources wait for their turn, the next event that all is well waits for them, so long at most.
const DEFERRED: Duration = Duration::from_secs(1);
/// How often it is looked whether they still do.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// The same event is not written again sooner than this.
const SILENCE: Duration = Duration::from_secs(600);
/// The longest note Kubernetes takes.
const LONGEST_NOTE: usize = 1024;
/// After an event there is a pause, this many times as long as it took to write it: telling must not take the server's
/// time from doing.
const PAUSE_FACTOR: u32 = 9;
/// The shortest and the longest pause.
const PAUSE: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Writes events about custom resources of one kind.
#[derive(Clone)]
pub(crate) struct Events {
    news: mpsc::Sender<Value>,
    warnings: mpsc::Sender<Value>,
    api_version: Arc<str>,
    kind: Arc<str>,
}

/// Whether something is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Normal,
    Warning,
}

impl Events {
    /// Starts the task that writes; it ends when the last clone is dropped. `is_busy` tells whether resources wait for
    /// their turn.
    pub(crate) fn start(
        client: Client,
        api_version: &str,
        kind: &str,
        is_busy: impl Fn() -> bool + Send + 'static,
    ) -> Self {
        let (news, news_told) = mpsc::channel(WAITING);
        let (warnings, warnings_told) = mpsc::channel(WAITING);
        tokio::spawn(write(client, Told { news: news_told, warnings: warnings_told, is_busy }));
        Self { news, warnings, api_version: api_version.into(), kind: kind.into() }
    }

    /// Tells something about a custom resource. `action` is what was being done, `reason` a word for what came of it.
    pub(crate) fn tell(&self, about: &Instance, severity: Severity, action: &str, reason: &str, note: &str) {
        let namespace = if about.key.namespace.is_empty() { "default" } else { &about.key.namespace };
        let now = jiff::Timestamp::now();
        let event = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event",
            // Named as client-go names events.
            "metadata": {"name": format!("{}.{:x}", about.key.name, now.as_nanosecond()), "namespace": namespace},
            "eventTime": now.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string(),
            "reportingController": format!("{}-controller", self.kind.to_lowercase()),
            "reportingInstance": "chartwright",
            "action": action, "reason": reason, "note": shorten(note, LONGEST_NOTE),
            "type": match severity { Severity::Normal => "Normal", Severity::Warning => "Warning" },
            "regarding": {
                "apiVersion": &*self.api_version, "kind": &*self.kind, "name": &*about.key.name,
                "namespace": &*about.key.namespace, "uid": &*about.uid, "resourceVersion": &*about.resource_version,
            },
        });
        let sender = match severity {
            Severity::Normal => &self.news,
            Severity::Warning => &self.warnings,
        };
        if sender.try_send(event).is_err() {
            tracing::debug!(resource = %about.key, reason, "Too many events at once: one was dropped");
        }
    }
}

/// Writes one event, through the older of the two APIs if so told.
async fn post(client: &Client, event: &Value, older: bool) -> Result<(), kube::Error> {
    let namespace = event.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
    let (url, body) = if older {
        (format!("/api/v1/namespaces/{namespace}/events"), in_older_words(event))
    } else {
        (format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events"), event.clone())
    };
    let request = Request::new(url).create(&PostParams::default(), body.to_string().into_bytes());
    call::<IgnoredAny>(client, request.map_err(kube::Error::BuildRequest)?).await.map(|_| ())
}

/// The same event as the core API has it.
fn in_older_words(event: &Value) -> Value {
    let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
    // Its times are whole seconds.
    let time = text("eventTime").split_once('.').map(|(seconds, _)| format!("{seconds}Z"));
    json!({
        "apiVersion": "v1", "kind": "Event", "metadata": event.get("metadata"),
        "involvedObject": event.get("regarding"), "reason": text("reason"), "message": text("note"),
        "type": text("type"), "count": 1, "firstTimestamp": time, "lastTimestamp": time,
        "source": {"component": text("reportingController")}, "action": text("action"),
        "reportingComponent": text("reportingController"), "reportingInstance": text("reportingInstance"),
    })
}

/// Events that have been told and not been written yet.
struct Told<F> {
    news: mpsc::Receiver<Value>,
    warnings: mpsc::Receiver<Value>,
    is_busy: F,
}

impl<F: Fn() -> bool> Told<F> {
    /// The next event to write, warnings first; `None` when no more will come.
    async fn next(&mut self) -> Option<Value> {
        let since = Instant::now();
        loop {
            let at_rest = since.elapsed() >= DEFERRED || !(self.is_busy)();
            tokio::select! {
                biased;
                Some(event) = self.warnings.recv() => return Some(event),
                Some(event) = self.news.recv(), if at_rest => return Some(event),
                () = tokio::time::sleep(LOOK_AGAIN), if !at_rest => {}
                else => return None,
            }
        }
    }
}

async fn write<F: Fn() -> bool>(client: Client, mut events: Told<F>) {
    let mut told: HashMap<Digest, Instant> = HashMap::new();
    let (mut complained, mut older) = (false, false);
    while let Some(event) = events.next().await {
        told.retain(|_, at| at.elapsed() < SILENCE);
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let what = Digest::of([text("/regarding/uid"), text("/reason"), text("/action"), text("/note")]);
        if told.insert(what, Instant::now()).is_some() {
            continue;
        }
        let began = Instant::now();
        let mut result = post(&client, &event, older).await;
        // The roles of operator-sdk's projects know the older API only.
        if !older && result.as_ref().is_err_and(is_forbidden) {
            older = true;
            result = post(&client, &event, older).await;
        }
        if let Err(error) = result
            && !std::mem::replace(&mut complained, true)
        {
            tracing::warn!(error = %explain(&error), "Cannot write events");
        }
        tokio::time::sleep((began.elapsed() * PAUSE_FACTOR).clamp(PAUSE.0, PAUSE.1)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn good_news_waits_for_work_and_warnings_do_not() {
        let (news, news_told) = mpsc::channel(9);
        let (warnings, warnings_told) = mpsc::channel(9);
        let busy = Arc::new(AtomicBool::new(true));
        let is_busy = {
            let busy = busy.clone();
            move || busy.load(Ordering::Relaxed)
        };
        let mut told = Told { news: news_told, warnings: warnings_told, is_busy };
        news.try_send(json!("a")).unwrap();
        news.try_send(json!("b")).unwrap();
        warnings.try_send(json!("w")).unwrap();
        let began = Instant::now();
        assert_eq!(told.next().await, Some(json!("w")));
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert_eq!(told.next().await, Some(json!("a")), "not for ever");
        assert!((DEFERRED..DEFERRED + 2 * LOOK_AGAIN).contains(&began.elapsed()));
        busy.store(false, Ordering::Relaxed);
        let began = Instant::now();
        assert_eq!(told.next().await, Some(json!("b")));
        assert_eq!(began.elapsed(), Duration::ZERO);
        drop((news, warnings));
        assert_eq!(told.next().await, None);
    }

    #[test]
    fn an_event_says_the_same_in_both_apis() {
        let event = json!({
            "metadata": {"name": "a.1", "namespace": "n"}, "eventTime": "2026-01-02T03:04:05.678901Z",
            "reportingController": "web-controller", "reportingInstance": "chartwright", "action": "Install",
            "reason": "Installed", "note": "it is", "type": "Normal", "regarding": {"name": "a"},
        });
        let older = in_older_words(&event);
        assert_eq!(older["message"], "it is");
        assert_eq!(older["involvedObject"], json!({"name": "a"}));
        assert_eq!(older["firstTimestamp"], "2026-01-02T03:04:05Z");
        assert_eq!(older["source"]["component"], "web-controller");
    }
}
