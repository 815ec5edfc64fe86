//! What a case does to the control plane.

use std::thread;
use std::time::Duration;

use devcluster::{Cluster, Part};
use serde_json::Value;

/// Something done to one part of the control plane.
#[derive(Debug, PartialEq)]
pub(crate) struct Control {
    part: Part,
    action: Action,
    /// For how long; the part comes back then.
    time: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Start,
    Stop,
    Kill,
    Restart,
}

/// The words for actions.
const ACTIONS: &[(&str, Action)] = &[
    ("start", Action::Start),
    ("up", Action::Start),
    ("resume", Action::Start),
    ("stop", Action::Stop),
    ("down", Action::Stop),
    ("outage", Action::Stop),
    ("pause", Action::Stop),
    ("kill", Action::Kill),
    ("crash", Action::Kill),
    ("restart", Action::Restart),
];

/// The words for parts. Without one the API server is meant.
const PARTS: &[(&str, Part)] = &[
    ("apiserver", Part::KubeApiserver),
    ("api", Part::KubeApiserver),
    ("etcd", Part::Etcd),
    ("controller", Part::KubeControllerManager),
    ("controllers", Part::KubeControllerManager),
    ("scheduler", Part::KubeScheduler),
    ("kwok", Part::Kwok),
];

impl Control {
    /// Reads an action as a word (`stop`), words (`restart-apiserver`) or a mapping (`{stop: etcd, for: 10}`). A number
    /// is how many seconds the part is away.
    ///
    /// # Errors
    /// When it names no known action.
    pub(crate) fn read(value: &Value) -> Result<Control, String> {
        let mut words = Vec::new();
        let mut time = None;
        collect(value, &mut words, &mut time);
        let named = |word: &str| ACTIONS.iter().find(|(name, _)| *name == word).map(|(_, action)| *action);
        let action = words.iter().find_map(|word| named(word)).ok_or_else(|| {
            let known: Vec<_> = ACTIONS.iter().map(|(name, _)| *name).collect();
            format!("control_plane {value} is not understood: use one of {}", known.join(", "))
        })?;
        let part = |word: &String| PARTS.iter().find(|(name, _)| name == word).map(|(_, part)| *part);
        Ok(Control { part: words.iter().find_map(part).unwrap_or(Part::KubeApiserver), action, time })
    }

    /// Does it.
    ///
    /// # Errors
    /// When the cluster is not ours, or a part does not come back.
    pub(crate) fn apply(&self, cluster: &Cluster) -> devcluster::Result<()> {
        let away = self.time.or((self.action == Action::Restart).then_some(Duration::ZERO));
        match self.action {
            Action::Start => return cluster.start_part(self.part),
            Action::Stop | Action::Restart => cluster.stop_part(self.part)?,
            Action::Kill => cluster.kill_part(self.part)?,
        }
        let Some(away) = away else { return Ok(()) };
        thread::sleep(away);
        cluster.start_part(self.part)
    }
}

fn collect(value: &Value, words: &mut Vec<String>, time: &mut Option<Duration>) {
    match value {
        Value::String(text) => {
            for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
                let digits = word.strip_suffix('s').unwrap_or(word);
                match digits.parse() {
                    Ok(seconds) => *time = Some(Duration::from_secs(seconds)),
                    Err(_) => words.push(word.to_ascii_lowercase()),
                }
            }
        }
        Value::Number(number) => {
            *time = number.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, words, time)),
        Value::Object(map) => {
            for (key, value) in map {
                collect(&Value::String(key.clone()), words, time);
                collect(value, words, time);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> (Part, Action, Option<u64>) {
        let Control { part, action, time } = Control::read(&value).unwrap();
        (part, action, time.map(|time| time.as_secs()))
    }

    #[test]
    fn actions_can_be_put_in_several_ways() {
        assert_eq!(read(json!("stop")), (Part::KubeApiserver, Action::Stop, None));
        assert_eq!(read(json!("restart-apiserver")), (Part::KubeApiserver, Action::Restart, None));
        assert_eq!(read(json!("kill etcd")), (Part::Etcd, Action::Kill, None));
        assert_eq!(
            read(json!({"stop": "kube-apiserver", "for": 10})),
            (Part::KubeApiserver, Action::Stop, Some(10))
        );
        assert_eq!(read(json!({"outage": "20s"})), (Part::KubeApiserver, Action::Stop, Some(20)));
        assert!(Control::read(&json!("dance")).unwrap_err().contains("restart"));
    }
}
