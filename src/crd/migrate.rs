//! Moves stored resources to the version that is stored now, so that older versions may go.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::requests::{Definition, Resources};
use crate::cluster::error::{explain, is_not_found, is_transient};
use crate::cluster::request::Pages;

/// How long to wait before the first try after a failure, and at most.
const PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Rewrites all resources and then says that no other version is stored any more. Tries until it is done.
pub(super) async fn migrate(definition: Definition, resources: Resources, name: String, version: String) {
    let mut pause = PAUSE;
    loop {
        // Servers learn of a new definition one after another, and until then they store what is written as before.
        tokio::time::sleep(pause).await;
        match attempt(&definition, &resources, &version).await {
            Ok(count) => {
                tracing::info!(crd = %name, version, resources = count, "All resources are stored in this version");
                return;
            }
            // The new version is not served yet, or the definition has gone.
            Err(error) if is_not_found(&error) => {
                if matches!(definition.read().await, Ok(None)) {
                    return;
                }
            }
            Err(error) if is_transient(&error) => {
                tracing::debug!(crd = %name, error = explain(&error), "Resources cannot be moved yet");
            }
            Err(error) => {
                tracing::warn!(
                    crd = %name, version, error = explain(&error),
                    "Resources cannot be moved to the version that is stored now; older versions have to stay"
                );
                return;
            }
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[derive(Deserialize)]
struct Item {
    metadata: Meta,
}

#[derive(Deserialize)]
struct Meta {
    name: String,
    #[serde(default)]
    namespace: String,
}

async fn attempt(
    definition: &Definition,
    resources: &Resources,
    version: &str,
) -> Result<usize, kube::Error> {
    let mut count = 0;
    let mut pages = Pages::of_metadata(&resources.client, resources.within(None));
    while let Some(page) = pages.next::<Item>().await? {
        for Item { metadata } in page {
            resources.rewrite(&metadata.namespace, &metadata.name).await?;
            count += 1;
        }
    }
    // Only if nobody has changed the definition meanwhile: then the versions may be others.
    let Some(crd) = definition.read().await? else { return Ok(count) };
    let stored = crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    let is_stored = |known: &Value| known.get("storage") == Some(&Value::Bool(true));
    if stored
        .filter(|known| is_stored(known))
        .all(|known| known.get("name").is_some_and(|name| name == version))
    {
        definition.set_stored(&crd, version).await?;
    }
    Ok(count)
}
