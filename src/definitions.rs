//! What the operator does when definitions of kinds come and go while it runs.

use std::sync::Arc;
use std::time::Duration;

use crate::cluster::discovery::{Discovery, News};
use crate::crd::{Until, bring_up_to_date};
use crate::kind::{Kind, Kinds};
use crate::reconcile::Controller;
use crate::settings::CrdPolicy;

/// A definition that was deleted is made again after so long, and no sooner: who removes the operator by one command
/// deletes its definition moments before the operator.
const AFTER_DELETION: Duration = Duration::from_secs(10);

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
    if missing {
        kind.undefined.notify_one();
    }
    loop {
        kind.undefined.notified().await;
        tokio::time::sleep(AFTER_DELETION).await;
        let charts = || kind.controller().charts.clone();
        // It ends when the type is there, or has no chart that can be used: who mends that has the type made too.
        let _ = bring_up_to_date(client, watch, &namespaces, charts, Until::Done).await;
    }
}
