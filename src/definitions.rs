//! What the operator does when definitions of kinds come and go while it runs.

use std::sync::Arc;
use std::time::Duration;

use crate::cluster::discovery::{Discovery, News};
use crate::crd::{is_served_anyway, register};
use crate::kind::{Kind, Kinds};
use crate::reconcile::Controller;
use crate::settings::CrdPolicy;

/// A definition that was deleted is made again after so long, and no sooner: who removes the operator by one command
/// deletes its definition moments before the operator.
const AFTER_DELETION: Duration = Duration::from_secs(10);
/// The longest pause between attempts at it.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Follows the definitions of kinds until dropped. Everything is looked at again when the cluster serves other kinds than
/// before, for templates may ask for them; the definition of a served kind is made again when it is deleted, and its
/// resources are watched again as soon as it is there.
pub(crate) async fn follow(discovery: Arc<Discovery>, kinds: Arc<Kinds>) {
    discovery
        .follow(|news| {
            for kind in kinds.all() {
                let controller = kind.controller();
                let crd = controller.watch.crd_name();
                match news {
                    News::Served => controller.look_at_all(),
                    News::Defined(name) if name == crd => controller.instances.retry(),
                    News::Gone(name) if name == crd => {
                        tracing::warn!(%crd, "The CustomResourceDefinition was deleted, and all its resources with it");
                        kind.undefined.notify_one();
                    }
                    News::Defined(_) | News::Gone(_) => {}
                }
            }
        })
        .await;
}

/// Makes the definition of a kind again whenever it is gone, if it is ours to make; one that is `missing` is made at the first
/// occasion.
pub(crate) async fn keep_registered(kind: Arc<Kind>, namespaces: Vec<String>, missing: bool) {
    let Controller { watch, client, .. } = &*kind.controller();
    if watch.crd != CrdPolicy::Managed {
        return;
    }
    let crd = watch.crd_name();
    let mut done = "Registered again what was deleted";
    if missing {
        kind.undefined.notify_one();
        done = "Registered";
    }
    loop {
        kind.undefined.notified().await;
        let mut pause = AFTER_DELETION;
        loop {
            tokio::time::sleep(pause).await;
            let controller = kind.controller();
            if controller.charts.why_unusable().is_some() {
                // Its type is made when it has one that can be used.
                break;
            }
            match register(client, watch, &namespaces, controller.charts.newest().chart()).await {
                Ok(()) => break tracing::warn!(%crd, "{done}"),
                // Somebody else looks after it.
                Err(error) if is_served_anyway(client, watch, &error).await => break,
                Err(error) => {
                    tracing::warn!(%crd, %error, "Cannot make the CustomResourceDefinition yet");
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }
}
