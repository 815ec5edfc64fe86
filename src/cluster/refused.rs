//! Watches that the operator's role does not allow, and the rules it lacks.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use kube::api::ApiResource;
use kube::runtime::watcher;

use super::error::{is_forbidden, refusal};
use crate::lock::lock;

/// Group, kind, and the namespace unless everything is watched at once.
pub(super) type WatchKey = (String, String, Option<String>);

/// A right that a watch takes and the operator does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lack {
    /// What may not be done, and where, in words.
    pub(crate) right: String,
    /// The rule that would allow it, and where it is to hold.
    pub(crate) rule: String,
}

impl Lack {
    /// What the answer to a watch says is lacking; `None` if it is something else.
    pub(super) fn of(
        error: &watcher::Error,
        resource: &ApiResource,
        namespace: Option<&str>,
    ) -> Option<Self> {
        refusal(error).filter(|cause| is_forbidden(cause))?;
        // Who may not list has not asked to watch yet: one takes both.
        let verbs: &[&str] = match error {
            watcher::Error::InitialListFailed(_) => &["list", "watch"],
            _ => &["watch"],
        };
        let ApiResource { group, plural, .. } = resource;
        let place = match namespace {
            Some(namespace) => format!("in the namespace \"{namespace}\""),
            None => "in the whole cluster".to_owned(),
        };
        let what = if group.is_empty() { plural.clone() } else { format!("{plural}.{group}") };
        let quoted: Vec<_> = verbs.iter().map(|verb| format!("\"{verb}\"")).collect();
        let quoted = quoted.join(", ");
        Some(Self {
            right: format!("{} {what} {place}", verbs.join(" and ")),
            rule: format!(
                r#"{{apiGroups: ["{group}"], resources: ["{plural}"], verbs: [{quoted}]}} {place}"#
            ),
        })
    }
}

/// The watches that are refused now.
#[derive(Default)]
pub(super) struct Refused {
    lacks: Mutex<HashMap<WatchKey, Lack>>,
    changes: AtomicU64,
}

impl Refused {
    /// Whether there is any.
    pub(super) fn is_any(&self) -> bool {
        !lock(&self.lacks).is_empty()
    }

    /// What a watch lacks.
    pub(super) fn get(&self, key: &WatchKey) -> Option<Lack> {
        lock(&self.lacks).get(key).cloned()
    }

    /// Notes that a watch is refused, or is not any more; tells whether that is new.
    pub(super) fn set(&self, key: &WatchKey, lack: Option<&Lack>) -> bool {
        let mut lacks = lock(&self.lacks);
        let before = match lack {
            Some(lack) => lacks.insert(key.clone(), lack.clone()),
            None => lacks.remove(key),
        };
        let is_new = before.as_ref() != lack;
        if is_new {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        is_new
    }

    /// A number that is another one after each change.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    fn answer(code: u16) -> Box<Status> {
        Status::failure("no", "Forbidden").with_code(code).boxed()
    }

    #[test]
    fn what_lacks_is_named_with_its_place() {
        let resource = ApiResource {
            group: "apps".into(),
            version: "v1".into(),
            api_version: "apps/v1".into(),
            kind: "Deployment".into(),
            plural: "deployments".into(),
        };
        let list = watcher::Error::InitialListFailed(kube::Error::Api(answer(403)));
        let lack = Lack::of(&list, &resource, Some("shop")).unwrap();
        assert_eq!(lack.right, r#"list and watch deployments.apps in the namespace "shop""#);
        assert_eq!(
            lack.rule,
            r#"{apiGroups: ["apps"], resources: ["deployments"], verbs: ["list", "watch"]} in the namespace "shop""#
        );
        let watch = watcher::Error::WatchStartFailed(kube::Error::Api(answer(403)));
        let lack = Lack::of(&watch, &resource, None).unwrap();
        assert_eq!(lack.right, "watch deployments.apps in the whole cluster");
        let gone = watcher::Error::InitialListFailed(kube::Error::Api(answer(404)));
        assert_eq!(Lack::of(&gone, &resource, None), None);
    }

    #[test]
    fn only_changes_are_new() {
        let (refused, key) = (Refused::default(), (String::new(), "Pod".to_owned(), None));
        let lack = Lack { right: "r".into(), rule: "s".into() };
        assert!(!refused.set(&key, None));
        assert!(refused.set(&key, Some(&lack)) && !refused.set(&key, Some(&lack)));
        assert_eq!((refused.get(&key), refused.changes()), (Some(lack), 1));
        assert!(refused.set(&key, None) && refused.get(&key).is_none());
    }
}
