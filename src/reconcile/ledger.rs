//! The records of a release: its history read, each revision written before and after the work, old ones cleared away.

use helm::{Manifest, Rendered};
use serde_json::Value;

use super::deploy::Before;
use super::error::Error;
use super::identity::ObjectId;
use super::plan::{self, Revision};
use super::render::Seed;
use super::values::Values;
use super::{Controller, objects, outline};
use crate::cluster::instances::Instance;
use crate::cluster::records::Place;
use crate::release::{self, ChartInfo, Entry, HookRecord, Info, LastRun, Owner, Record, RecordBytes, State};

impl Controller {
    /// The records of a resource's release. Records of an earlier resource of the same name are cleared away.
    ///
    /// # Errors
    /// When the release belongs to a resource of another kind or group, besides failing requests.
    pub(super) async fn history(&self, instance: &Instance) -> Result<Vec<Entry>, Error> {
        let (ours, others) = self.records_of(instance).await?;
        match others {
            None => Ok(ours),
            Some(owner) => Err(Error::Foreign(vec![format!(
                "the release {} belongs to {}.{} {}, and this is {}.{} {}: give one of them another name",
                instance.key.name,
                owner.kind,
                owner.group,
                owner.name,
                self.watch.names.kind,
                self.watch.api_version.group,
                instance.key.name
            )])),
        }
    }

    /// The records of a resource's release that are its own, also where the release has become another's.
    pub(super) async fn own_history(&self, instance: &Instance) -> Result<Vec<Entry>, Error> {
        Ok(self.records_of(instance).await?.0)
    }

    /// The same, and whose the release is if it is not this resource's.
    pub(super) async fn records_of(&self, instance: &Instance) -> Result<(Vec<Entry>, Option<Owner>), Error> {
        let place = self.place(instance);
        let history = self.records.history(place.namespace, place.release).await;
        let mut ours = Vec::new();
        let mut others = None;
        for entry in history.map_err(Error::api("list the release's records"))? {
            match &entry.owner {
                Some(owner) if owner.uid == *instance.uid => ours.push(entry),
                None => ours.push(entry),
                // No two resources of one name live at a time.
                Some(owner) if self.is_called(&instance.key, &owner.group, &owner.kind, &owner.name) => {
                    let gone = self.records.delete(place.namespace, place.release, &entry).await;
                    gone.map_err(Error::api("delete the record of an earlier resource"))?;
                }
                Some(owner) => others = Some(owner.clone()),
            }
        }
        Ok((ours, others))
    }

    /// Reads a record; one that cannot be read counts as none.
    pub(super) async fn stored(
        &self,
        instance: &Instance,
        revision: i64,
    ) -> Result<Option<(Record, ChartInfo, RecordBytes)>, Error> {
        let place = self.place(instance);
        let bytes = self.records.read(place.namespace, place.release, revision).await;
        let Some(bytes) = bytes.map_err(Error::api("read the release's record"))? else { return Ok(None) };
        match release::decode(&bytes) {
            Ok((record, chart)) => Ok(Some((record, chart, bytes))),
            Err(error) => {
                tracing::warn!(resource = %instance.key, revision, %error, "A release record cannot be read");
                Ok(None)
            }
        }
    }

    /// What the release that runs consists of by its record, where that is not the last one: of an attempt that broke off in
    /// the middle nobody knows what it has left.
    pub(super) async fn ids_of_deployed(
        &self,
        instance: &Instance,
        last: Option<&Entry>,
    ) -> Result<Vec<ObjectId>, Error> {
        if last.is_none_or(|last| last.state == State::Deployed) {
            return Ok(Vec::new());
        }
        let (namespace, release) = (self.release_namespace(&instance.key), self.release_name(&instance.key));
        let bytes = self.records.deployed(namespace, release).await;
        let bytes = bytes.map_err(Error::api("read the record of the release that runs"))?;
        let record = bytes.and_then(|bytes| release::decode(&bytes).ok()).map(|(record, _)| record);
        Ok(record.map_or_else(Vec::new, |record| self.ids_of(instance, &record.manifest)))
    }

    /// Refuses a release made from another chart.
    pub(super) fn check_chart(&self, instance: &Instance, stored: &ChartInfo) -> Result<(), Error> {
        let chart = self.charts.newest().chart().name();
        if stored.name.is_empty() || stored.name == chart {
            return Ok(());
        }
        Err(Error::ReleaseTaken {
            name: instance.key.name.to_string(),
            other: stored.name.clone(),
            chart: chart.to_owned(),
        })
    }

    /// The record of a revision that is about to be made.
    pub(super) fn record(
        &self,
        instance: &Instance,
        values: &Values,
        rendered: &Rendered,
        revision: Revision,
        before: &Before,
    ) -> Record {
        let now = release::timestamp(jiff::Timestamp::now());
        let (status, description) = if revision.is_install {
            (State::PendingInstall, "Initial install underway")
        } else {
            (State::PendingUpgrade, "Preparing upgrade")
        };
        Record {
            name: self.release_name(&instance.key).to_owned(),
            namespace: self.release_namespace(&instance.key).to_owned(),
            version: revision.number,
            info: Info {
                first_deployed: before.first_deployed.clone().unwrap_or_else(|| now.clone()),
                last_deployed: now,
                deleted: String::new(),
                description: description.to_owned(),
                status,
                notes: rendered.notes.clone(),
            },
            config: values.config.clone(),
            manifest: manifest_text(rendered),
            hooks: rendered.hooks.iter().map(hook_record).collect(),
        }
    }

    /// Writes a record with the seed of its random values, over the one of its revision if there is one; returns what was
    /// written.
    pub(super) async fn write_record(
        &self,
        instance: &Instance,
        record: &Record,
        over: bool,
        seed: Option<Seed>,
    ) -> Result<RecordBytes, Error> {
        let bytes = self.encoded(instance, record)?;
        let place = Place { seed, ..self.place(instance) };
        let written = if over {
            self.records.replace(&place, record.version, record.info.status, &bytes).await
        } else {
            self.records.create(&place, record.version, record.info.status, &bytes).await
        };
        written.map_err(Error::api("write the release's record"))?;
        Ok(bytes)
    }

    /// Writes over a record what has become of its revision; all else is as it was written before.
    pub(super) async fn conclude_record(
        &self,
        instance: &Instance,
        record: &Record,
        written: &RecordBytes,
        seed: Option<Seed>,
    ) -> Result<(), Error> {
        let bytes = match release::with_info(written, &record.info) {
            Ok(bytes) if bytes.fit() => bytes,
            _ => self.encoded(instance, record)?,
        };
        let place = Place { seed, ..self.place(instance) };
        let written = self.records.replace(&place, record.version, record.info.status, &bytes).await;
        written.map_err(Error::api("write the release's record"))
    }

    fn encoded(&self, instance: &Instance, record: &Record) -> Result<RecordBytes, Error> {
        let outline = || outline::outline(&record.manifest, &record.config);
        Ok(release::encode(record, &self.chart_of(instance).json, outline)?)
    }

    /// Makes the records that Helm wrote before this resource's: they go with it.
    pub(super) async fn own_records(
        &self,
        instance: &Instance,
        history: &[Entry],
        but: i64,
    ) -> Result<(), Error> {
        let place = self.place(instance);
        for entry in history.iter().filter(|entry| entry.owner.is_none() && entry.revision != but) {
            let owned = self.records.own(&place, entry).await;
            owned.map_err(Error::api("take over the release's history"))?;
        }
        Ok(())
    }

    /// After a success: earlier deployed revisions are superseded.
    pub(super) async fn supersede(
        &self,
        instance: &Instance,
        history: &[Entry],
        deployed: i64,
    ) -> Result<(), Error> {
        let place = self.place(instance);
        let others = history.iter().filter(|entry| entry.revision != deployed);
        for entry in others.filter(|entry| entry.state == State::Deployed) {
            let rewritten = self.stored(instance, entry.revision).await?.and_then(|(record, _, bytes)| {
                let info = Info { status: State::Superseded, ..record.info };
                release::with_info(&bytes, &info).ok()
            });
            let written = match rewritten {
                Some(bytes) => self.records.rewrite(&place, entry, State::Superseded, &bytes).await,
                // What cannot be read is left as it is and counts as deployed no more.
                None => self.records.relabel(&place, entry, State::Superseded).await,
            };
            written.map_err(Error::api("mark the last release as superseded"))?;
        }
        Ok(())
    }

    /// Once a revision is known to run: it alone counts as deployed, and all of the history goes with the resource.
    pub(super) async fn settle_history(
        &self,
        instance: &Instance,
        history: &[Entry],
        deployed: i64,
    ) -> Result<(), Error> {
        self.supersede(instance, history, deployed).await?;
        // What was written over has its owner.
        let others: Vec<_> = history.iter().filter(|entry| entry.state != State::Deployed).cloned().collect();
        self.own_records(instance, &others, deployed).await
    }

    /// Deletes records that a revision just recorded has made too many: when its objects are applied, so that they need
    /// not wait for it. `history` is as it was before.
    pub(super) async fn make_room(
        &self,
        instance: &Instance,
        revision: Revision,
        history: &[Entry],
    ) -> Result<(), Error> {
        if revision.recorded { Ok(()) } else { self.trim_history(instance, history).await }
    }

    /// Makes room for one more record.
    pub(super) async fn trim_history(&self, instance: &Instance, history: &[Entry]) -> Result<(), Error> {
        let place = self.place(instance);
        for entry in plan::surplus(history, self.watch.max_history) {
            let gone = self.records.delete(place.namespace, place.release, entry).await;
            gone.map_err(Error::api("delete an old release record"))?;
        }
        Ok(())
    }
}

/// The manifest as Helm records it.
pub(super) fn manifest_text(rendered: &Rendered) -> String {
    let mut text = String::new();
    for manifest in &rendered.manifests {
        text.push_str("---\n# Source: ");
        text.push_str(&manifest.path);
        text.push('\n');
        text.push_str(&manifest.content);
        text.push('\n');
    }
    text
}

/// The manifests of a record's text, with the templates they came from.
pub(super) fn manifests_of(text: &str) -> Vec<Manifest> {
    let source =
        |text: &str| text.lines().find_map(|line| line.strip_prefix("# Source: ")).map(str::to_owned);
    objects::documents(text)
        .into_iter()
        .filter(|content| !content.trim().is_empty())
        .map(|content| Manifest {
            path: source(&content).unwrap_or_else(|| "release record".to_owned()),
            content,
            ..Manifest::default()
        })
        .collect()
}

/// Whether a record is of this manifest and these values. One that was too large to hold them has their digest.
pub(super) fn same_content(record: &Record, manifest: &str, config: &Value) -> bool {
    match outline::outlined(&record.manifest) {
        Some(digest) => digest == outline::content(manifest, config),
        None => same_manifest(&record.manifest, manifest) && same_config(&record.config, config),
    }
}

/// Whether two manifests hold the same documents: Helm 4 ends them with another line break than Helm 3.
fn same_manifest(stored: &str, now: &str) -> bool {
    let documents = |text: &str| {
        let documents = objects::documents(text).into_iter().map(|text| text.trim().to_owned());
        documents.filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    stored == now || documents(stored) == documents(now)
}

/// Whether a release has the same hooks: at its deletion those run that its record has.
pub(super) fn same_hooks(now: &[helm::Hook], stored: &[HookRecord]) -> bool {
    let is_same = |(now, stored): (&helm::Hook, &HookRecord)| {
        let now = hook_record(now);
        (&now.manifest, &now.events, now.weight) == (&stored.manifest, &stored.events, stored.weight)
    };
    now.len() == stored.len() && now.iter().zip(stored).all(is_same)
}

/// Whether a release was made of the same values.
pub(super) fn same_config(stored: &Value, now: &Value) -> bool {
    let is_empty =
        |value: &Value| value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    stored == now || (is_empty(stored) && is_empty(now))
}

fn hook_record(hook: &helm::Hook) -> HookRecord {
    HookRecord {
        name: hook.name.clone(),
        kind: hook.kind.clone(),
        path: hook.path.clone(),
        manifest: hook.manifest.clone(),
        events: hook.events.iter().map(|event| super::hooks::event_name(*event).to_owned()).collect(),
        last_run: LastRun::default(),
        weight: hook.weight,
        delete_policies: hook.delete_policies.iter().map(super::hooks::policy_name).collect(),
        output_log_policies: hook.output_log_policies.clone(),
    }
}
