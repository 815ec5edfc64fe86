//! Requests about definitions and their resources. Types of large charts, and what others write into resources, may nest
//! deeper than the client's typed calls read.

use kube::Client;
use kube::api::{ApiResource, DynamicObject, GetParams, Patch, PatchParams, Request, Resource as _};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::cluster::FIELD_MANAGER;
use crate::cluster::error::is_not_found;
use crate::cluster::request::{call, find};

/// Reads and writes one CustomResourceDefinition.
#[derive(Clone)]
pub(super) struct Definition {
    client: Client,
    name: String,
}

impl Definition {
    pub(super) fn new(client: &Client, name: &str) -> Self {
        Self { client: client.clone(), name: name.to_owned() }
    }

    fn request() -> Request {
        Request::new("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
    }

    /// Reads it; `None` if it is not there.
    pub(super) async fn read(&self) -> Result<Option<Value>, kube::Error> {
        let request = Self::request().get(&self.name, &GetParams::default());
        find(&self.client, request.map_err(kube::Error::BuildRequest)?).await
    }

    /// Applies it.
    pub(super) async fn apply(&self, wanted: &Value) -> Result<(), kube::Error> {
        let parameters = PatchParams::apply(FIELD_MANAGER).force();
        let request = Self::request().patch(&self.name, &parameters, &Patch::Apply(wanted));
        call::<IgnoredAny>(&self.client, request.map_err(kube::Error::BuildRequest)?).await.map(|_| ())
    }

    /// Says that no other version is stored any more, unless the definition has changed since it was read.
    pub(super) async fn set_stored(&self, read: &Value, version: &str) -> Result<(), kube::Error> {
        let status = json!({
            "metadata": {"resourceVersion": read.pointer("/metadata/resourceVersion")},
            "status": {"storedVersions": [version]},
        });
        let request =
            Self::request().patch_subresource("status", &self.name, &merging(), &Patch::Merge(status));
        call::<IgnoredAny>(&self.client, request.map_err(kube::Error::BuildRequest)?).await.map(|_| ())
    }
}

/// The resources of a kind, as a version of it has them.
pub(super) struct Resources {
    pub(super) client: Client,
    pub(super) resource: ApiResource,
    pub(super) namespaced: bool,
}

impl Resources {
    /// A request for those of a namespace, or for all.
    pub(super) fn within(&self, namespace: Option<&str>) -> Request {
        Request::new(DynamicObject::url_path(&self.resource, namespace))
    }

    /// A change of nothing: the server stores the resource anew if it is stored in another version.
    pub(super) async fn rewrite(&self, namespace: &str, name: &str) -> Result<(), kube::Error> {
        let namespace = Some(namespace).filter(|namespace| !namespace.is_empty());
        let request = self.within(namespace).patch(name, &merging(), &Patch::Merge(json!({})));
        match call::<IgnoredAny>(&self.client, request.map_err(kube::Error::BuildRequest)?).await {
            Err(error) if !is_not_found(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

fn merging() -> PatchParams {
    PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() }
}
