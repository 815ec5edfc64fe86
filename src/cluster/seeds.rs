//! The seed of a release's random values and its clock, in a Secret beside the release record.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::Client;
use kube::api::{DeleteParams, GetParams, PostParams, Request};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::FIELD_MANAGER;
use super::error::is_not_found;
use super::records::Place;
use super::request::call;
use crate::reconcile::render::Seed;

/// Reads and writes seeds.
#[derive(Clone)]
pub(crate) struct Seeds {
    client: Client,
}

/// Returns the name of the Secret of a release's seed.
pub(crate) fn secret_name(release: &str) -> String {
    format!("sh.chartwright.seed.v1.{release}")
}

#[derive(Deserialize)]
struct Secret {
    #[serde(default)]
    data: Data,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    key: String,
    epoch: String,
}

impl Seeds {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Reads the seed; `None` if there is none (or none that can be read).
    pub(crate) async fn read(&self, namespace: &str, release: &str) -> Result<Option<Seed>, kube::Error> {
        let name = secret_name(release);
        let request = at(namespace).get(&name, &GetParams::default()).map_err(kube::Error::BuildRequest)?;
        match call::<Secret>(&self.client, request).await {
            Ok(answer) => Ok(parse(&answer.body.data)),
            Err(error) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a new seed.
    pub(crate) async fn create(&self, place: &Place<'_>, seed: &Seed) -> Result<(), kube::Error> {
        let body = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "chartwright.io/seed.v1",
            "metadata": {
                "name": secret_name(place.release), "namespace": place.namespace, "ownerReferences": [place.owner],
            },
            "data": {"key": BASE64.encode(seed.key), "epoch": BASE64.encode(seed.epoch.to_string())},
        });
        let parameters = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
        let bytes = serde_json::to_vec(&body).map_err(kube::Error::SerdeError)?;
        let request = at(place.namespace).create(&parameters, bytes).map_err(kube::Error::BuildRequest)?;
        call::<IgnoredAny>(&self.client, request).await.map(|_| ())
    }

    /// Deletes the seed, if there is one.
    pub(crate) async fn delete(&self, namespace: &str, release: &str) -> Result<(), kube::Error> {
        let name = secret_name(release);
        let request =
            at(namespace).delete(&name, &DeleteParams::background()).map_err(kube::Error::BuildRequest)?;
        match call::<IgnoredAny>(&self.client, request).await {
            Err(error) if !is_not_found(&error) => Err(error),
            _ => Ok(()),
        }
    }
}

fn parse(data: &Data) -> Option<Seed> {
    let key = BASE64.decode(&data.key).ok()?.try_into().ok()?;
    let epoch = String::from_utf8(BASE64.decode(&data.epoch).ok()?).ok()?.parse().ok()?;
    Some(Seed { key, epoch })
}

fn at(namespace: &str) -> Request {
    Request::new(format!("/api/v1/namespaces/{namespace}/secrets"))
}
