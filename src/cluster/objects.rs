//! Writes of single objects: tried, applied, deleted, let go.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::Client;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GetParams, ListParams, Patch, PatchParams, Preconditions,
    Request, Resource as _, ValidationDirective,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::FIELD_MANAGER;
use super::creation::{Proven, tells_all};
use super::dependents::Dependents;
use super::error::{is_conflict, is_not_found, is_transient};
use super::ownership;
use super::request::{Answer, List, METADATA_ONLY, call, find};
use super::seen::Seen;
use crate::discretion::discreet;
use crate::reconcile::identity::{ApiKind, Digest, InstanceKey, ObjectId};
use crate::reconcile::objects::{CHART_LABEL, OWNER_LABEL, Object, PRIMARY_RESOURCE, PRIMARY_TYPE};

/// Writes the objects of one served kind.
#[derive(Clone)]
pub(crate) struct Writer {
    client: Client,
    dependents: Arc<Dependents>,
    proven: Proven,
}

/// What a dry run showed.
#[derive(Clone, Debug)]
pub(crate) struct Tried {
    /// Whether the object is there already.
    pub(crate) exists: bool,
    /// Whether fields of it belong to a manager whose place we take.
    pub(crate) former: bool,
    /// What the server warns of.
    pub(crate) warnings: Vec<String>,
}

/// What an apply left.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) uid: Box<str>,
    pub(crate) fields: Digest,
}

/// Who owns which fields of an object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Managers {
    #[serde(rename = "resourceVersion")]
    version: String,
    #[serde(rename = "managedFields")]
    pub(crate) entries: Vec<Value>,
}

/// Who says an object is his.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Marks {
    pub(crate) uid: String,
    #[serde(rename = "ownerReferences")]
    pub(crate) owners: Vec<OwnerMark>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
}

impl Marks {
    /// Those of an object.
    pub(crate) fn of(object: &Value) -> Self {
        object.get("metadata").and_then(|meta| Self::deserialize(meta).ok()).unwrap_or_default()
    }
}

/// An owner reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct OwnerMark {
    #[serde(rename = "apiVersion")]
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) controller: bool,
}

impl Writer {
    pub(crate) fn new(client: Client, dependents: Arc<Dependents>) -> Self {
        Self { client, dependents, proven: Proven::default() }
    }

    /// Asks what an apply would do, with unknown fields refused.
    pub(crate) async fn try_apply(&self, object: &Object) -> Result<Tried, kube::Error> {
        let parameters = PatchParams::apply(FIELD_MANAGER).force().validation_strict().dry_run();
        let answer = call::<Seen<true>>(&self.client, patch(object, &parameters)?).await;
        let Answer { body: seen, warnings } = answer.map_err(discreetly(&object.body))?;
        self.proven.enter(&at(&object.kind, &object.id).url_path);
        let warnings = warnings.iter().map(|warning| discreet(warning, &object.body)).collect();
        Ok(Tried { exists: seen.stored, former: seen.former, warnings })
    }

    /// As [`Writer::try_apply`], of an object that is not known to be there.
    pub(crate) async fn try_new(&self, object: &Object) -> Result<Tried, kube::Error> {
        let url = at(&object.kind, &object.id).url_path;
        if self.proven.contains(&url) && tells_all(&object.body) {
            match self.try_create(&url, object).await {
                // It is there, or it is refused: what an apply would be told is to be told.
                Err(error @ kube::Error::Api(_)) if !is_transient(&error) || is_conflict(&error) => {}
                answer => return answer,
            }
        }
        self.try_apply(object).await
    }

    async fn try_create(&self, url: &str, object: &Object) -> Result<Tried, kube::Error> {
        let request = dry_creation(url, &object.body, METADATA_ONLY)?;
        let answer = call::<IgnoredAny>(&self.client, request).await?;
        let warnings = answer.warnings.iter().map(|warning| discreet(warning, &object.body)).collect();
        Ok(Tried { exists: false, former: false, warnings })
    }

    /// Asks whether an object would be taken if the one of its name were not there, by making it under a name that is
    /// free; returns what it would be.
    pub(crate) async fn try_successor(&self, object: &Object) -> Result<Value, kube::Error> {
        /// With a dash and a digest it stays below the limits that kinds have for names.
        const LONGEST: usize = 30;
        let name = &*object.id.name;
        let head: String = name.chars().take(LONGEST).collect();
        let free = format!("{}-{}", head.trim_end_matches(['-', '.']), Digest::of([name]));
        let (mut body, url) = (object.body.clone(), at(&object.kind, &object.id).url_path);
        set_name(&mut body, &free);
        let whole = http::HeaderValue::from_static("application/json");
        let request = dry_creation(&url, &body, whole)?;
        match call::<Value>(&self.client, request).await.map_err(discreetly(&object.body)) {
            Ok(answer) => {
                let mut made = answer.body;
                set_name(&mut made, name);
                Ok(made)
            }
            Err(kube::Error::Api(mut status)) => {
                status.message = status.message.replace(&free, name);
                Err(kube::Error::Api(status))
            }
            Err(error) => Err(error),
        }
    }

    /// Asks what would be made of an object if its lists took the place of those that are there, and its other fields came to
    /// them.
    pub(crate) async fn try_merge(&self, object: &Object) -> Result<Value, kube::Error> {
        let parameters = PatchParams {
            field_manager: Some(FIELD_MANAGER.into()),
            ..PatchParams::default().validation_strict().dry_run()
        };
        let request =
            at(&object.kind, &object.id).patch(&object.id.name, &parameters, &Patch::Merge(&object.body));
        let answer = call::<Value>(&self.client, request.map_err(kube::Error::BuildRequest)?).await;
        Ok(answer.map_err(discreetly(&object.body))?.body)
    }

    /// Asks what an apply would make of an object.
    pub(crate) async fn preview(&self, object: &Object) -> Result<Value, kube::Error> {
        let parameters = PatchParams::apply(FIELD_MANAGER).force().validation_strict().dry_run();
        let request =
            at(&object.kind, &object.id).patch(&object.id.name, &parameters, &Patch::Apply(&object.body));
        let answer = call::<Value>(&self.client, request.map_err(kube::Error::BuildRequest)?).await;
        Ok(answer.map_err(discreetly(&object.body))?.body)
    }

    /// Applies an object.
    pub(crate) async fn apply(&self, key: &InstanceKey, object: &Object) -> Result<Applied, kube::Error> {
        // Unknown fields are refused whatever is asked for here. What it adds is a second reading of the body for
        // duplicate ones, which ours never has.
        let parameters = PatchParams {
            field_validation: Some(ValidationDirective::Ignore),
            ..PatchParams::apply(FIELD_MANAGER).force()
        };
        let answer = call::<Seen<true>>(&self.client, patch(object, &parameters)?).await;
        let answer = answer.map_err(discreetly(&object.body))?;
        self.dependents.enter(key, &object.id, &answer.body);
        for warning in answer.warnings {
            let warning = discreet(&warning, &object.body);
            tracing::debug!(resource = %key, object = %object.id, warning, "The API server warns");
        }
        Ok(Applied { uid: answer.body.uid, fields: answer.body.fields })
    }

    /// Applies a definition, which belongs to no release.
    pub(crate) async fn define(&self, object: &Object) -> Result<(), kube::Error> {
        let parameters = PatchParams::apply(FIELD_MANAGER).force();
        let answer = call::<IgnoredAny>(&self.client, patch(object, &parameters)?).await;
        answer.map(|_| ()).map_err(discreetly(&object.body))
    }

    /// Makes the fields that former managers own ours, so that what is not applied any more goes.
    pub(crate) async fn take_fields(&self, kind: &ApiKind, id: &ObjectId) -> Result<(), kube::Error> {
        let Some(Managers { version, entries }) = self.managers(kind, id).await? else { return Ok(()) };
        let Some(moved) = ownership::moved(&entries) else { return Ok(()) };
        let body = json!([
            {"op": "replace", "path": "/metadata/managedFields", "value": moved},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
        ]);
        self.amend(kind, id, &body, false).await
    }

    /// Changes an object by a JSON patch, or asks whether that could be done.
    pub(crate) async fn amend(
        &self,
        kind: &ApiKind,
        id: &ObjectId,
        patch: &Value,
        dry_run: bool,
    ) -> Result<(), kube::Error> {
        let dry_run = if dry_run { "&dryRun=All" } else { "" };
        let url = format!("{}/{}?fieldManager={FIELD_MANAGER}{dry_run}", at(kind, id).url_path, id.name);
        let request = http::Request::patch(url)
            .header(http::header::ACCEPT, "application/json")
            .header(http::header::CONTENT_TYPE, "application/json-patch+json")
            .body(patch.to_string().into_bytes())
            .map_err(kube::Error::HttpError)?;
        call::<IgnoredAny>(&self.client, request).await.map(|_| ())
    }

    /// Reads who owns which fields of an object; `None` if it is not there.
    pub(crate) async fn managers(
        &self,
        kind: &ApiKind,
        id: &ObjectId,
    ) -> Result<Option<Managers>, kube::Error> {
        #[derive(Deserialize)]
        struct Answer {
            metadata: Managers,
        }
        let request =
            at(kind, id).get_metadata(&id.name, &GetParams::default()).map_err(kube::Error::BuildRequest)?;
        Ok(find::<Answer>(&self.client, request).await?.map(|found| found.metadata))
    }

    /// Reads who says an object is his; `None` if it is not there.
    pub(crate) async fn marks(&self, kind: &ApiKind, id: &ObjectId) -> Result<Option<Marks>, kube::Error> {
        #[derive(Deserialize)]
        struct Meta {
            metadata: Marks,
        }
        let request =
            at(kind, id).get_metadata(&id.name, &GetParams::default()).map_err(kube::Error::BuildRequest)?;
        Ok(find::<Meta>(&self.client, request).await?.map(|found| found.metadata))
    }

    /// Reads an object; `None` if it is not there.
    pub(crate) async fn get(&self, kind: &ApiKind, id: &ObjectId) -> Result<Option<Value>, kube::Error> {
        let request = at(kind, id).get(&id.name, &GetParams::default()).map_err(kube::Error::BuildRequest)?;
        find(&self.client, request).await
    }

    /// Deletes an object, if it is still the one with that uid; reports whether it was there.
    pub(crate) async fn delete(
        &self,
        key: &InstanceKey,
        kind: &ApiKind,
        id: &ObjectId,
        uid: Option<&str>,
    ) -> Result<bool, kube::Error> {
        let mut parameters = DeleteParams::background();
        if let Some(uid) = uid {
            parameters =
                parameters.preconditions(Preconditions { uid: Some(uid.to_owned()), resource_version: None });
        }
        let request = at(kind, id).delete(&id.name, &parameters).map_err(kube::Error::BuildRequest)?;
        match call::<IgnoredAny>(&self.client, request).await {
            Ok(_) => Ok(true),
            Err(error) if is_not_found(&error) => {
                self.dependents.forget(key, id);
                Ok(false)
            }
            // Another object has its name now: the one that was meant is gone.
            Err(kube::Error::Api(status)) if uid.is_some() && status.code == 409 => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether a HorizontalPodAutoscaler has an object as its target.
    pub(crate) async fn has_autoscaler(
        &self,
        kind: &ApiKind,
        target: &ObjectId,
    ) -> Result<bool, kube::Error> {
        let here = kind.object(&target.namespace, "");
        let request = at(kind, &here).list(&ListParams::default()).map_err(kube::Error::BuildRequest)?;
        let list = call::<List<Value>>(&self.client, request).await?.body;
        let aims = |scaler: &Value| {
            let of =
                |key: &str| scaler.pointer(&format!("/spec/scaleTargetRef/{key}")).and_then(Value::as_str);
            of("kind") == Some(&target.kind) && of("name") == Some(&target.name)
        };
        Ok(list.items.into_iter().flatten().any(|scaler| aims(&scaler)))
    }

    /// Deletes an object that is to be made anew; with `orphan` what it controls stays for its successor.
    pub(crate) async fn clear_way(
        &self,
        kind: &ApiKind,
        id: &ObjectId,
        orphan: bool,
    ) -> Result<(), kube::Error> {
        let parameters = if orphan { DeleteParams::orphan() } else { DeleteParams::foreground() };
        let request = at(kind, id).delete(&id.name, &parameters).map_err(kube::Error::BuildRequest)?;
        match call::<IgnoredAny>(&self.client, request).await {
            Err(error) if !is_not_found(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes our marks off an object that stays although its release lets it go.
    pub(crate) async fn let_go(
        &self,
        key: &InstanceKey,
        kind: &ApiKind,
        id: &ObjectId,
    ) -> Result<(), kube::Error> {
        let body = json!({"metadata": {
            "labels": {OWNER_LABEL: null, CHART_LABEL: null},
            "annotations": {PRIMARY_RESOURCE: null, PRIMARY_TYPE: null},
            "ownerReferences": null,
        }});
        let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
        let request = at(kind, id)
            .patch_metadata(&id.name, &parameters, &Patch::Merge(body))
            .map_err(kube::Error::BuildRequest)?;
        match call::<IgnoredAny>(&self.client, request).await {
            Err(error) if !is_not_found(&error) => Err(error),
            _ => {
                self.dependents.forget(key, id);
                Ok(())
            }
        }
    }

    /// Creates an object that must not be there yet, as hooks are.
    pub(crate) async fn create(
        &self,
        kind: &ApiKind,
        id: &ObjectId,
        body: &Value,
    ) -> Result<(), kube::Error> {
        let parameters =
            kube::api::PostParams { field_manager: Some(FIELD_MANAGER.into()), ..Default::default() };
        let bytes = serde_json::to_vec(body).map_err(kube::Error::SerdeError)?;
        let request = at(kind, id).create(&parameters, bytes).map_err(kube::Error::BuildRequest)?;
        call::<IgnoredAny>(&self.client, request).await.map(|_| ()).map_err(discreetly(body))
    }
}

fn set_name(object: &mut Value, name: &str) {
    if let Some(place) = object.pointer_mut("/metadata/name") {
        *place = name.into();
    }
}

/// Takes out of the server's words about an object what is not to be shown.
fn discreetly(object: &Value) -> impl FnOnce(kube::Error) -> kube::Error {
    |error| match error {
        kube::Error::Api(mut status) => {
            status.message = discreet(&status.message, object);
            kube::Error::Api(status)
        }
        other => other,
    }
}

/// Asks what a creation would make, with unknown fields refused.
fn dry_creation(
    url: &str,
    body: &Value,
    accept: http::HeaderValue,
) -> Result<http::Request<Vec<u8>>, kube::Error> {
    http::Request::post(format!("{url}?dryRun=All&fieldManager={FIELD_MANAGER}&fieldValidation=Strict"))
        .header(http::header::ACCEPT, accept)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(serde_json::to_vec(body).map_err(kube::Error::SerdeError)?)
        .map_err(kube::Error::HttpError)
}

fn at(kind: &ApiKind, id: &ObjectId) -> Request {
    let namespace = (!id.namespace.is_empty()).then_some(&*id.namespace);
    Request::new(url(&kind.resource, namespace))
}

fn url(resource: &ApiResource, namespace: Option<&str>) -> String {
    DynamicObject::url_path(resource, namespace)
}

fn patch(object: &Object, parameters: &PatchParams) -> Result<http::Request<Vec<u8>>, kube::Error> {
    at(&object.kind, &object.id)
        .patch_metadata(&object.id.name, parameters, &Patch::Apply(&object.body))
        .map_err(kube::Error::BuildRequest)
}
