//! What the API server is told: a ValidatingWebhookConfiguration for each kind.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, Preconditions,
};
use kube::{Api, Client, ResourceExt as _};
use serde_json::{Value, json};

use super::{At, DEADLINE, PATH};
use crate::cluster::FIELD_MANAGER;
use crate::cluster::error::is_not_found;
use crate::settings::{Scope, Watch};

/// The name of a kind's configuration.
pub(crate) fn name(watch: &Watch) -> String {
    format!("chartwright-{}", watch.crd_name())
}

/// Makes the configuration of a kind. `authorities` are certificates in PEM.
pub(super) fn configuration(watch: &Watch, namespaces: &[String], at: &At, authorities: &str) -> Value {
    let bundle = BASE64.encode(authorities);
    let mut client = match at {
        At::Url(url) => json!({"url": format!("{}{PATH}", url.trim_end_matches('/'))}),
        At::Service { namespace, name } => {
            json!({"service": {"namespace": namespace, "name": name, "path": PATH, "port": 443}})
        }
    };
    if let Some(client) = client.as_object_mut() {
        client.insert("caBundle".into(), bundle.into());
    }
    let mut webhook = json!({
        "name": format!("values.{}", watch.crd_name()),
        "clientConfig": client,
        "rules": [{
            "apiGroups": [watch.api_version.group], "apiVersions": [watch.api_version.version],
            "operations": ["CREATE", "UPDATE"], "resources": [watch.names.plural], "scope": watch.scope.name(),
        }],
        // Versions besides ours come converted.
        "matchPolicy": "Equivalent",
        // Nobody must be kept from working by an operator that is away.
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "timeoutSeconds": DEADLINE.as_secs(),
        "admissionReviewVersions": ["v1"],
    });
    if let Some(webhook) = webhook.as_object_mut() {
        if !namespaces.is_empty() && watch.scope == Scope::Namespaced {
            let served =
                json!({"key": "kubernetes.io/metadata.name", "operator": "In", "values": namespaces});
            webhook.insert("namespaceSelector".into(), json!({"matchExpressions": [served]}));
        }
        webhook.extend(watch.selector.clone().map(|selector| ("objectSelector".to_owned(), selector)));
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name(watch)},
        "webhooks": [webhook],
    })
}

fn api(client: &Client) -> Api<DynamicObject> {
    let gvk = GroupVersionKind::gvk("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration");
    Api::all_with(client.clone(), &ApiResource::from_gvk(&gvk))
}

/// Applies a configuration.
pub(super) async fn apply(client: &Client, configuration: &Value) -> Result<(), kube::Error> {
    let name = configuration.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let parameters = PatchParams::apply(FIELD_MANAGER).force();
    api(client).patch(name, &parameters, &Patch::Apply(configuration)).await.map(|_| ())
}

/// Removes a configuration, unless another operator has put its own in its place.
pub(super) async fn remove(client: &Client, configuration: &Value) -> Result<(), kube::Error> {
    let name = configuration.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let api = api(client);
    let Some(known) = api.get_opt(name).await? else { return Ok(()) };
    let bundle = |configuration: &Value| configuration.pointer("/webhooks/0/clientConfig/caBundle").cloned();
    if bundle(&known.data) != bundle(configuration) {
        return Ok(());
    }
    let parameters = DeleteParams::default()
        .preconditions(Preconditions { uid: None, resource_version: known.resource_version() });
    match api.delete(name, &parameters).await {
        Err(error) if !is_not_found(&error) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{ApiVersion, Names};

    #[test]
    fn only_what_is_served_is_asked_about() {
        let names = Names::of("Memcached", None).unwrap();
        let mut watch = Watch::new(ApiVersion::parse("a.io/v1").unwrap(), names, "chart".into());
        watch.selector = Some(json!({"matchLabels": {"tier": "x"}}));
        let at = At::Service { namespace: "ops".into(), name: "hook".into() };
        let made = configuration(&watch, &["one".to_owned()], &at, "PEM");
        assert_eq!(made["metadata"]["name"], "chartwright-memcacheds.a.io");
        let webhook = &made["webhooks"][0];
        assert_eq!(webhook["failurePolicy"], "Ignore");
        assert_eq!(webhook["objectSelector"], json!({"matchLabels": {"tier": "x"}}));
        assert_eq!(webhook["namespaceSelector"]["matchExpressions"][0]["values"], json!(["one"]));
        assert_eq!(webhook["clientConfig"]["service"]["path"], PATH);
        let made = configuration(&watch, &[], &At::Url("https://127.0.0.1:9443/".into()), "PEM");
        assert_eq!(made["webhooks"][0]["clientConfig"]["url"], format!("https://127.0.0.1:9443{PATH}"));
        assert_eq!(made["webhooks"][0].get("namespaceSelector"), None);
    }
}
