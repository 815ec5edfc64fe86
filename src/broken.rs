//! A kind that cannot be served beside others that can: its resources say why, and nothing of theirs is touched.

use std::sync::Arc;

use kube::Client;
use kube::api::ApiResource;
use kube::core::Selector;
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::cluster::error::explain;
use crate::cluster::events::{Events, Severity};
use crate::cluster::instances::{Instance, Instances};
use crate::reconcile::identity::InstanceKey;
use crate::reconcile::status::{Failing, Report, Situation, next, patch, time};
use crate::settings::{Extent, Watch};

/// The word for it in conditions and events.
pub(crate) const REASON: &str = "ChartUnusable";

/// A kind whose chart cannot be used.
#[derive(Clone)]
pub(crate) struct Broken {
    pub(crate) resource: ApiResource,
    pub(crate) extents: Vec<Extent>,
    pub(crate) selector: Option<Selector>,
    /// What is wrong.
    pub(crate) why: String,
}

impl Broken {
    pub(crate) fn new(watch: &Watch, extents: Vec<Extent>, selector: Option<Selector>, why: String) -> Self {
        Self { resource: watch.resource(), extents, selector, why }
    }

    /// Tells every resource of the kind, those that come later too, until dropped.
    pub(crate) async fn tell(self, client: Client) {
        let (to_tell, mut changed) = mpsc::unbounded_channel::<InstanceKey>();
        // Who would listen has gone when this ends.
        let on_change = Box::new(move |key: &InstanceKey| _ = to_tell.send(key.clone()));
        let events = Events::start(client.clone(), &self.resource.api_version, &self.resource.kind, || false);
        let kind = self.resource.kind.clone();
        let instances = Arc::new(Instances::new(client, self.resource, on_change));
        let mut watches = JoinSet::new();
        for extent in self.extents {
            let (instances, selector) = (instances.clone(), self.selector.clone());
            watches.spawn(async move {
                instances.watch(&extent, selector.as_ref(), watch::channel(false).0).await
            });
        }
        while let Some(key) = changed.recv().await {
            let Some(instance) = instances.get(&key) else { continue };
            events.tell(&instance, Severity::Warning, "Reconcile", REASON, &self.why);
            let Some(patch) = told(&instance, &self.why) else { continue };
            tracing::warn!(resource = %key, %kind, why = %self.why, "The resource is not served");
            if let Err(error) = instances.patch_status(&instance, &patch).await {
                tracing::warn!(resource = %key, error = %explain(&error), "Cannot tell that the kind is not served");
            }
        }
    }
}

/// The change of a resource's status that says what is wrong; `None` if it says so already.
fn told(instance: &Instance, why: &str) -> Option<Value> {
    let condition = if instance.deleting { Failing::Uninstall } else { Failing::Reconcile };
    let report = Report {
        generation: instance.generation,
        situation: Situation::Failed { condition, reason: REASON, message: why },
        release: None,
        revision: None,
        resources: None,
        handled: None,
    };
    let before = instance.status();
    patch(&before, &next(&before, &report, &time(jiff::Timestamp::now())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_is_told_once() {
        let mut instance = Instance::example("n", "demo", "u");
        let change = told(&instance, "chart /x: no such function").unwrap();
        let text = change.to_string();
        assert!(text.contains("Irreconcilable") && text.contains("no such function"), "{text}");
        assert!(text.contains("Stalled"), "{text}");
        instance.status = text.into();
        assert_eq!(told(&instance, "chart /x: no such function"), None);
    }
}
