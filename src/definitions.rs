//! What the operator does when definitions of kinds come and go while it runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::cluster::discovery::News;
use crate::crd::{is_served_anyway, register};
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
///
/// Those definitions that are `unregistered` are tried again and again.
pub(crate) async fn follow(
    controllers: Vec<Arc<Controller>>,
    namespaces: Vec<String>,
    unregistered: Vec<String>,
) {
    let Some(discovery) = controllers.first().map(|controller| controller.discovery.clone()) else { return };
    let mut tasks = JoinSet::new();
    let served: Vec<_> = controllers
        .into_iter()
        .map(|controller| {
            let gone = Arc::new(Notify::new());
            let missing = unregistered.contains(&controller.watch.crd_name());
            if controller.watch.crd == CrdPolicy::Managed {
                tasks.spawn(keep_registered(controller.clone(), namespaces.clone(), gone.clone(), missing));
            }
            (controller.watch.crd_name(), controller, gone)
        })
        .collect();
    discovery
        .follow(|news| {
            for (crd, controller, gone) in &served {
                match news {
                    News::Served => controller.look_at_all(),
                    News::Defined(name) if name == crd => controller.instances.retry(),
                    News::Gone(name) if name == crd => {
                        tracing::warn!(%crd, "The CustomResourceDefinition was deleted, and all its resources with it");
                        gone.notify_one();
                    }
                    News::Defined(_) | News::Gone(_) => {}
                }
            }
        })
        .await;
}

/// Makes the definition of a kind again whenever it is gone; one that is `missing` is made at the first occasion.
async fn keep_registered(
    controller: Arc<Controller>,
    namespaces: Vec<String>,
    gone: Arc<Notify>,
    missing: bool,
) {
    let crd = controller.watch.crd_name();
    let mut done = "Registered again what was deleted";
    if missing {
        gone.notify_one();
        done = "Registered";
    }
    loop {
        gone.notified().await;
        let mut pause = AFTER_DELETION;
        loop {
            tokio::time::sleep(pause).await;
            let chart = controller.charts.newest().chart();
            match register(&controller.client, &controller.watch, &namespaces, chart).await {
                Ok(()) => break tracing::warn!(%crd, "{done}"),
                // Somebody else looks after it.
                Err(error) if is_served_anyway(&controller.client, &controller.watch, &error).await => break,
                Err(error) => {
                    tracing::warn!(%crd, %error, "Cannot make the CustomResourceDefinition yet");
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }
}
