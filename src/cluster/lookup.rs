//! Backs the template function `lookup`: one object or a list, as plain data.

use gostd::value::{Frozen, GoStr};
use kube::Client;
use kube::api::{DynamicObject, GetParams, ListParams, Request, Resource as _};
use serde_json::Value;

use super::error::{explain, is_not_found};
use super::request::call;
use crate::convert::from_json;
use crate::reconcile::identity::Kinds;

/// Looks an object up, or all of a kind if the name is empty; an empty map if there is none, as Helm answers.
pub(crate) async fn lookup(
    client: &Client,
    kinds: &Kinds,
    api_version: &str,
    kind: &str,
    namespace: &str,
    name: &str,
) -> Result<Frozen, String> {
    let Some(known) = kinds.get(api_version, kind) else {
        // Helm answers with nothing for kinds that are not there.
        return Ok(Frozen::Map(Vec::new()));
    };
    let namespace = (known.namespaced && !namespace.is_empty()).then_some(namespace);
    let at = Request::new(DynamicObject::url_path(&known.resource, namespace));
    let request =
        if name.is_empty() { at.list(&ListParams::default()) } else { at.get(name, &GetParams::default()) };
    let request = request.map_err(|error| error.to_string())?;
    match call::<Value>(client, request).await {
        Ok(answer) => Ok(from_json(&answer.body)),
        Err(error) if is_not_found(&error) => Ok(Frozen::Map(Vec::<(GoStr, Frozen)>::new())),
        Err(error) => Err(explain(&error)),
    }
}
