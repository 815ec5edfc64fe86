//! Release records in the cluster: found by label, read, written, pruned.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::Client;
use kube::api::{
    DeleteParams, GetParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, Preconditions, Request,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::FIELD_MANAGER;
use super::error::is_not_found;
use super::histories::{Histories, entry};
use super::request::{List, METADATA_ONLY, call, find};
use super::seeds::{from_line, to_line};
use crate::reconcile::render::Seed;
use crate::release::{self, Entry, RecordBytes, SECRET_TYPE, State, secret_name};

/// Reads and writes release records.
#[derive(Clone)]
pub(crate) struct Records {
    client: Client,
    histories: Arc<Histories>,
}

/// Where a release's records are, and whose they are.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) release: &'a str,
    /// The owner reference the records carry.
    pub(crate) owner: Value,
    /// The seed of the release's random values, of which each record that is written holds a copy: the seed of a revision.
    pub(crate) seed: Option<Seed>,
}

/// What a record's Secret holds, in base64.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Data {
    release: String,
    seed: String,
}

#[derive(Deserialize)]
pub(super) struct Item {
    pub(super) metadata: ObjectMeta,
}

impl Records {
    pub(crate) fn new(client: Client, histories: Arc<Histories>) -> Self {
        Self { client, histories }
    }

    /// Lists a release's records, oldest first: from memory where they are watched.
    pub(crate) async fn history(&self, namespace: &str, release: &str) -> Result<Vec<Entry>, kube::Error> {
        if let Some(known) = self.histories.of(namespace, release) {
            return Ok(known);
        }
        let parameters = ListParams::default().labels(&format!("owner=helm,name={release}"));
        let request = at(namespace).list_metadata(&parameters).map_err(kube::Error::BuildRequest)?;
        let list = call::<List<Item>>(&self.client, request).await?.body;
        let mut entries: Vec<_> =
            list.items.into_iter().flatten().filter_map(|item| entry(&item.metadata)).collect();
        entries.sort_by_key(|entry| entry.revision);
        Ok(entries)
    }

    /// Whether the record of a release's last revision is known to be gone, and no later one is there.
    pub(crate) fn is_lost(&self, namespace: &str, release: &str, revision: i64) -> bool {
        self.histories.lacks_record(namespace, release, revision)
    }

    /// Whether no record of a release is known to say that it runs, nor that Helm takes, or took, it away.
    pub(crate) fn lacks_deployed(&self, namespace: &str, release: &str) -> bool {
        self.histories.lacks_deployed(namespace, release)
    }

    /// Whether an older revision than the one that runs is known to count as deployed, too.
    pub(crate) fn is_doubled(&self, namespace: &str, release: &str, revision: i64) -> bool {
        self.histories.has_older_deployed(namespace, release, revision)
    }

    /// Whether the newest record of a release is known to be of an attempt of a resource's, later than a revision, that did
    /// not come to a good end.
    pub(crate) fn is_left_open(&self, namespace: &str, release: &str, after: i64, uid: &str) -> bool {
        self.histories.is_left_open(namespace, release, after, uid)
    }

    /// Whether Helm is known to be taking away what a revision of ours made, or to be making a later one.
    pub(crate) fn is_at_helms_hands(&self, namespace: &str, release: &str, revision: i64) -> bool {
        self.histories.is_at_helms_hands(namespace, release, revision)
    }

    /// Whether Helm is known to have gone on from a revision of ours: it took it away, or made a later one.
    pub(crate) fn is_overtaken(&self, namespace: &str, release: &str, revision: i64) -> bool {
        self.histories.is_overtaken(namespace, release, revision)
    }

    /// Reads a record; `None` if it is not there.
    pub(crate) async fn read(
        &self,
        namespace: &str,
        release: &str,
        revision: i64,
    ) -> Result<Option<RecordBytes>, kube::Error> {
        let data = self.data(namespace, release, revision).await?;
        Ok(data.map(|data| RecordBytes(BASE64.decode(data.release).unwrap_or_default())))
    }

    /// Reads the copy of the seed that a record holds; `None` if it holds none.
    pub(crate) async fn read_seed(
        &self,
        namespace: &str,
        release: &str,
        revision: i64,
    ) -> Result<Option<Seed>, kube::Error> {
        let data = self.data(namespace, release, revision).await?;
        let line = data.and_then(|data| BASE64.decode(data.seed).ok());
        Ok(line.and_then(|line| from_line(&String::from_utf8(line).ok()?)))
    }

    async fn data(&self, namespace: &str, release: &str, revision: i64) -> Result<Option<Data>, kube::Error> {
        #[derive(Deserialize)]
        struct Secret {
            #[serde(default)]
            data: Data,
        }
        let name = secret_name(release, revision);
        let request = at(namespace).get(&name, &GetParams::default()).map_err(kube::Error::BuildRequest)?;
        Ok(find::<Secret>(&self.client, request).await?.map(|secret| secret.data))
    }

    /// Writes a new record; a conflict if there is one of that revision.
    pub(crate) async fn create(
        &self,
        place: &Place<'_>,
        revision: i64,
        state: State,
        bytes: &RecordBytes,
    ) -> Result<(), kube::Error> {
        let body = secret(place, revision, state, bytes, "createdAt")?;
        let parameters = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
        let request = at(place.namespace).create(&parameters, body).map_err(kube::Error::BuildRequest)?;
        self.write(request).await
    }

    /// Writes over a record.
    pub(crate) async fn replace(
        &self,
        place: &Place<'_>,
        revision: i64,
        state: State,
        bytes: &RecordBytes,
    ) -> Result<(), kube::Error> {
        let body = secret(place, revision, state, bytes, "modifiedAt")?;
        let parameters = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
        let name = secret_name(place.release, revision);
        let request =
            at(place.namespace).replace(&name, &parameters, body).map_err(kube::Error::BuildRequest)?;
        self.write(request).await
    }

    /// Changes what a record's label says of its state, and nothing else. One that is gone needs none.
    pub(crate) async fn relabel(
        &self,
        place: &Place<'_>,
        entry: &Entry,
        state: State,
    ) -> Result<(), kube::Error> {
        let metadata = json!({"uid": entry.uid, "labels": {"status": state.word()}});
        self.amend(place, entry, json!({"metadata": metadata})).await
    }

    /// Writes over what a record says of its release and its state, and takes it over; its copy of the seed stays. One that
    /// is gone needs none.
    pub(crate) async fn rewrite(
        &self,
        place: &Place<'_>,
        entry: &Entry,
        state: State,
        bytes: &RecordBytes,
    ) -> Result<(), kube::Error> {
        let metadata = json!({
            "uid": entry.uid, "ownerReferences": [place.owner],
            "labels": {"status": state.word(), "modifiedAt": jiff::Timestamp::now().as_second().to_string()},
        });
        let data = json!({"release": BASE64.encode(&bytes.0)});
        self.amend(place, entry, json!({"metadata": metadata, "data": data})).await
    }

    /// Gives a record that Helm wrote its owner. One that is gone needs none.
    pub(crate) async fn own(&self, place: &Place<'_>, entry: &Entry) -> Result<(), kube::Error> {
        let metadata = json!({"uid": entry.uid, "ownerReferences": [place.owner]});
        self.amend(place, entry, json!({"metadata": metadata})).await
    }

    /// Reads the record of the release that runs.
    pub(crate) async fn deployed(
        &self,
        namespace: &str,
        release: &str,
    ) -> Result<Option<RecordBytes>, kube::Error> {
        let history = self.history(namespace, release).await?;
        match release::deployed(&history) {
            Some(deployed) => self.read(namespace, release, deployed.revision).await,
            None => Ok(None),
        }
    }

    /// Changes a part of a record; one that is gone needs it no more.
    async fn amend(&self, place: &Place<'_>, entry: &Entry, body: Value) -> Result<(), kube::Error> {
        let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
        let name = secret_name(place.release, entry.revision);
        let request = at(place.namespace).patch(&name, &parameters, &Patch::Merge(body));
        match self.write(request.map_err(kube::Error::BuildRequest)?).await {
            Err(error) if is_not_found(&error) => Ok(()),
            written => written,
        }
    }

    /// Sends a record and enters the answer, so that the next look sees it.
    async fn write(&self, mut request: http::Request<Vec<u8>>) -> Result<(), kube::Error> {
        // The record itself need not come back.
        request.headers_mut().insert(http::header::ACCEPT, METADATA_ONLY);
        let answer = call::<Item>(&self.client, request).await?;
        self.histories.enter(&answer.body.metadata);
        Ok(())
    }

    /// Deletes a record.
    pub(crate) async fn delete(
        &self,
        namespace: &str,
        release: &str,
        entry: &Entry,
    ) -> Result<(), kube::Error> {
        let preconditions = Preconditions { uid: Some(entry.uid.clone()), resource_version: None };
        let parameters = DeleteParams::background().preconditions(preconditions);
        let name = secret_name(release, entry.revision);
        let request = at(namespace).delete(&name, &parameters).map_err(kube::Error::BuildRequest)?;
        match call::<IgnoredAny>(&self.client, request).await {
            Err(error) if !is_not_found(&error) => Err(error),
            _ => {
                self.histories.forget(namespace, release, &entry.uid);
                Ok(())
            }
        }
    }
}

fn at(namespace: &str) -> Request {
    Request::new(format!("/api/v1/namespaces/{namespace}/secrets"))
}

fn secret(
    place: &Place<'_>,
    revision: i64,
    state: State,
    bytes: &RecordBytes,
    stamp: &str,
) -> Result<Vec<u8>, kube::Error> {
    let release = BASE64.encode(&bytes.0);
    // Helm reads `release` alone.
    let data = match &place.seed {
        Some(seed) => json!({"release": release, "seed": BASE64.encode(to_line(seed))}),
        None => json!({"release": release}),
    };
    let body = json!({
        "apiVersion": "v1", "kind": "Secret", "type": SECRET_TYPE,
        "metadata": {
            "name": secret_name(place.release, revision), "namespace": place.namespace,
            "labels": {
                "name": place.release, "owner": "helm", "status": state.word(), "version": revision.to_string(),
                stamp: jiff::Timestamp::now().as_second().to_string(),
            },
            "ownerReferences": [place.owner],
        },
        "data": data,
    });
    serde_json::to_vec(&body).map_err(kube::Error::SerdeError)
}
