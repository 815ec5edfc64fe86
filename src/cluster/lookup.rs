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
    let namespace = if known.namespaced { segment("namespace", namespace)? } else { String::new() };
    let name = segment("resource name", name)?;
    let namespace = Some(namespace.as_str()).filter(|namespace| !namespace.is_empty());
    let at = Request::new(DynamicObject::url_path(&known.resource, namespace));
    let request =
        if name.is_empty() { at.list(&ListParams::default()) } else { at.get(&name, &GetParams::default()) };
    let request = request.map_err(|error| error.to_string())?;
    match call::<Value>(client, request).await {
        Ok(answer) => Ok(from_json(&answer.body)),
        Err(error) if is_not_found(&error) => Ok(Frozen::Map(Vec::<(GoStr, Frozen)>::new())),
        Err(error) => Err(explain(&error)),
    }
}

/// Escapes a name for a path. Templates make up names that no object can have: the server does not find them.
///
/// # Errors
/// In client-go's words, for what would be another path.
fn segment(what: &str, name: &str) -> Result<String, String> {
    let wrong = match name {
        "." | ".." => Some(format!("may not be '{name}'")),
        _ => ["/", "%"]
            .iter()
            .find(|part| name.contains(**part))
            .map(|part| format!("may not contain '{part}'")),
    };
    match wrong {
        Some(why) => Err(format!("invalid {what} {name:?}: [{why}]")),
        None => Ok(String::from_utf8_lossy(&gostd::url::path_escape(name.as_bytes())).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_object_has_are_asked_for_all_the_same() {
        assert_eq!(segment("resource name", "-config x?#é").as_deref(), Ok("-config%20x%3F%23%C3%A9"));
        assert_eq!(segment("resource name", "system:basic-user").as_deref(), Ok("system:basic-user"));
        let error = segment("resource name", "a/b").unwrap_err();
        assert_eq!(error, "invalid resource name \"a/b\": [may not contain '/']");
        assert!(segment("namespace", "..").is_err() && segment("namespace", "a%2f").is_err());
    }
}
