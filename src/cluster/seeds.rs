//! The seed of a release's random values and its clock, in a Secret beside the release record.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::Client;
use kube::api::{DeleteParams, GetParams, Patch, PatchParams, PostParams, Request};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::FIELD_MANAGER;
use super::error::is_not_found;
use super::histories::{Histories, SEED_OWNER};
use super::records::{Item, Place};
use super::request::{call, find};
use crate::reconcile::render::{Drawing, Seed};

/// Reads and writes seeds.
#[derive(Clone)]
pub(crate) struct Seeds {
    client: Client,
    histories: Arc<Histories>,
}

/// What there is of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Seed(Seed),
    /// A Secret that holds none that can be read.
    Damaged,
    Nothing,
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
    /// [`BY_PLACE`], or nothing in seeds that are older.
    drawing: String,
}

/// The word for [`Drawing::ByPlace`].
const BY_PLACE: &str = "by-place";

impl Seeds {
    pub(crate) fn new(client: Client, histories: Arc<Histories>) -> Self {
        Self { client, histories }
    }

    /// Reads the seed.
    pub(crate) async fn read(&self, namespace: &str, release: &str) -> Result<Found, kube::Error> {
        let name = secret_name(release);
        let request = at(namespace).get(&name, &GetParams::default()).map_err(kube::Error::BuildRequest)?;
        Ok(match find::<Secret>(&self.client, request).await? {
            Some(secret) => parse(&secret.data).map_or(Found::Damaged, Found::Seed),
            None => Found::Nothing,
        })
    }

    /// Writes a new seed; with `over` in place of the one that may be there.
    pub(crate) async fn write(&self, place: &Place<'_>, seed: &Seed, over: bool) -> Result<(), kube::Error> {
        let name = secret_name(place.release);
        let drawing = match seed.drawing {
            Drawing::ByPlace => BY_PLACE,
            Drawing::InOrder => "",
        };
        let body = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "chartwright.io/seed.v1",
            "metadata": {
                "name": name, "namespace": place.namespace, "ownerReferences": [place.owner],
                "labels": {"owner": SEED_OWNER, "name": place.release},
            },
            "data": {
                "key": BASE64.encode(seed.key), "epoch": BASE64.encode(seed.epoch.to_string()),
                "drawing": BASE64.encode(drawing),
            },
        });
        let request = if over {
            let parameters = PatchParams::apply(FIELD_MANAGER).force();
            at(place.namespace).patch(&name, &parameters, &Patch::Apply(body))
        } else {
            let parameters =
                PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
            let bytes = serde_json::to_vec(&body).map_err(kube::Error::SerdeError)?;
            at(place.namespace).create(&parameters, bytes)
        };
        let answer = call::<Item>(&self.client, request.map_err(kube::Error::BuildRequest)?).await?;
        self.histories.enter(&answer.body.metadata);
        Ok(())
    }

    /// Whether the seed of a release is known to be gone.
    pub(crate) fn is_lost(&self, namespace: &str, release: &str) -> bool {
        self.histories.lacks_seed(namespace, release)
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

/// Writes a seed in one line, for the copy in a release record.
pub(super) fn to_line(seed: &Seed) -> String {
    let drawing = match seed.drawing {
        Drawing::ByPlace => BY_PLACE,
        Drawing::InOrder => "in-order",
    };
    format!("{drawing} {} {}", seed.epoch, BASE64.encode(seed.key))
}

/// Reads what [`to_line`] writes.
pub(super) fn from_line(line: &str) -> Option<Seed> {
    let (drawing, rest) = line.split_once(' ')?;
    let (epoch, key) = rest.split_once(' ')?;
    let drawing = if drawing == BY_PLACE { Drawing::ByPlace } else { Drawing::InOrder };
    Some(Seed { key: BASE64.decode(key).ok()?.try_into().ok()?, epoch: epoch.parse().ok()?, drawing })
}

fn parse(data: &Data) -> Option<Seed> {
    let text = |encoded: &str| String::from_utf8(BASE64.decode(encoded).ok()?).ok();
    let drawing = if text(&data.drawing)? == BY_PLACE { Drawing::ByPlace } else { Drawing::InOrder };
    let key = BASE64.decode(&data.key).ok()?.try_into().ok()?;
    Some(Seed { key, epoch: text(&data.epoch)?.parse().ok()?, drawing })
}

fn at(namespace: &str) -> Request {
    Request::new(format!("/api/v1/namespaces/{namespace}/secrets"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_of_old_keep_their_way_of_drawing() {
        let data = |drawing: &str| Data {
            key: BASE64.encode([7; 32]),
            epoch: BASE64.encode("1700000000"),
            drawing: BASE64.encode(drawing),
        };
        let seed = |drawing| Some(Seed { key: [7; 32], epoch: 1_700_000_000, drawing });
        assert_eq!(parse(&data("")), seed(Drawing::InOrder));
        assert_eq!(parse(&data(BY_PLACE)), seed(Drawing::ByPlace));
        assert_eq!(parse(&Data { key: BASE64.encode("short"), ..data("") }), None);
    }

    #[test]
    fn a_copy_is_the_same_seed() {
        for drawing in [Drawing::InOrder, Drawing::ByPlace] {
            let seed = Seed { key: [9; 32], epoch: -5, drawing };
            assert_eq!(from_line(&to_line(&seed)), Some(seed));
        }
        assert_eq!(from_line("by-place 5"), None);
        assert_eq!(from_line("by-place 5 short"), None);
    }
}
