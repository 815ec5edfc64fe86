//! Moves stored resources to the version that is stored now, so that older versions may go.

use std::time::Duration;

use kube::api::{DynamicObject, ListParams, PartialObjectMeta, Patch, PatchParams};
use kube::{Api, ResourceExt as _};
use serde_json::{Value, json};

use crate::cluster::FIELD_MANAGER;
use crate::cluster::error::{explain, is_not_found, is_transient};

/// Resources per page of a list.
const PAGE: u32 = 100;

/// How long to wait before the first try after a failure, and at most.
const PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Rewrites all resources and then says that no other version is stored any more. Tries until it is done.
pub(super) async fn migrate(
    crds: Api<DynamicObject>,
    resources: Api<DynamicObject>,
    name: String,
    version: String,
) {
    let mut pause = PAUSE;
    loop {
        // Servers learn of a new definition one after another, and until then they store what is written as before.
        tokio::time::sleep(pause).await;
        match attempt(&crds, &resources, &name, &version).await {
            Ok(count) => {
                tracing::info!(crd = %name, version, resources = count, "All resources are stored in this version");
                return;
            }
            // The new version is not served yet, or the definition has gone.
            Err(error) if is_not_found(&error) => {
                if matches!(crds.get_opt(&name).await, Ok(None)) {
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

async fn attempt(
    crds: &Api<DynamicObject>,
    resources: &Api<DynamicObject>,
    name: &str,
    version: &str,
) -> Result<usize, kube::Error> {
    let mut count = 0;
    let mut page = ListParams::default().limit(PAGE);
    loop {
        let list = resources.list_metadata(&page).await?;
        for resource in &list.items {
            rewrite(resources, resource).await?;
            count += 1;
        }
        match list.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page = ListParams::default().limit(PAGE).continue_token(&token),
            None => break,
        }
    }
    // Only if nobody has changed the definition meanwhile: then the versions may be others.
    let crd = crds.get(name).await?;
    let stored = crd.data.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    let is_stored = |known: &Value| known.get("storage") == Some(&Value::Bool(true));
    if stored
        .filter(|known| is_stored(known))
        .all(|known| known.get("name").is_some_and(|name| name == version))
    {
        let status = json!({
            "metadata": {"resourceVersion": crd.resource_version()},
            "status": {"storedVersions": [version]},
        });
        let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
        crds.patch_status(name, &parameters, &Patch::Merge(status)).await?;
    }
    Ok(count)
}

/// A change of nothing: the server stores the resource anew if it is stored in another version.
async fn rewrite(
    resources: &Api<DynamicObject>,
    resource: &PartialObjectMeta<DynamicObject>,
) -> Result<(), kube::Error> {
    let name = resource.name_any();
    let namespace = resource.namespace().unwrap_or_default();
    let all = resources.resource_url();
    let url = match all.rsplit_once('/') {
        Some((group, plural)) if !namespace.is_empty() => format!("{group}/namespaces/{namespace}/{plural}"),
        _ => all.to_owned(),
    };
    let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
    let request = kube::api::Request::new(url)
        .patch(&name, &parameters, &Patch::Merge(json!({})))
        .map_err(kube::Error::BuildRequest)?;
    match resources.clone().into_client().request::<Value>(request).await {
        Err(error) if !is_not_found(&error) => Err(error),
        _ => Ok(()),
    }
}
