//! Attempts at a release that nobody pursues any more: their spec was put back, or overtaken by one that cannot be begun, or
//! their resource lets its release go. What of them is at work ends, and their records do not stand for the release: as the
//! newest one, `pending-upgrade` would hide it from `helm list` and have `helm upgrade` refuse, and `failed` would deny that
//! it runs.

use super::Controller;
use super::error::Error;
use super::plan;
use super::tracked::Settled;
use super::uninstall::hook;
use super::values::Values;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::release::{self, Entry, Info, Record, RecordBytes, State};

/// What becomes of the record of an attempt that is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// It goes: what ran before runs as it did.
    Forgotten,
    /// It says that the attempt failed: what it made is there.
    Failed,
}

impl Controller {
    /// What a resource wants is what runs: later attempts at something else are over, also those that failed.
    pub(super) async fn end_later(&self, instance: &Instance, settled: &Settled) -> Result<(), Error> {
        if !self.has_open_attempt(instance, settled.revision) {
            return Ok(());
        }
        let history = self.own_history(instance).await?;
        for entry in open_attempts(&history, &instance.uid).filter(|entry| entry.revision > settled.revision)
        {
            let stored = self.stored(instance, entry.revision).await?;
            let stored = stored.map(|(record, _, bytes)| (record, bytes));
            self.give_up(instance, entry, stored, Ending::Forgotten).await?;
        }
        Ok(())
    }

    /// What a resource wants cannot be begun, or has to wait: an attempt at something else that it has overtaken is not gone
    /// on with. Trouble with that is logged: the user is told what keeps the resource from what it wants.
    pub(super) async fn end_overtaken(&self, instance: &Instance, values: &Values) {
        if let Err(error) = self.try_end_overtaken(instance, values).await {
            tracing::warn!(resource = %instance.key, %error, "Cannot end an attempt that was overtaken");
        }
    }

    async fn try_end_overtaken(&self, instance: &Instance, values: &Values) -> Result<(), Error> {
        if !self.has_open_attempt(instance, 0) {
            return Ok(());
        }
        let history = self.own_history(instance).await?;
        let last = open_attempts(&history, &instance.uid).next().filter(|last| last.state.is_pending());
        let Some(last) = last else { return Ok(()) };
        let Some((record, chart, bytes)) = self.stored(instance, last.revision).await? else { return Ok(()) };
        if record.config == values.config && chart.version == self.chart_of(instance).chart().metadata.version
        {
            // It is what is wanted, and will be gone on with.
            return Ok(());
        }
        let deployed = release::deployed(&history);
        let ending = match deployed {
            Some(_) if self.recall(instance, None).is_some() => Ending::Forgotten,
            Some(deployed) if self.goes_back(instance) => {
                let Some((before, ..)) = self.stored(instance, deployed.revision).await? else {
                    return Ok(());
                };
                // As after a failure; the others are put back by whoever guards what runs.
                let objects = self.recorded(instance, &before)?;
                let made = plan::dropped(&objects, self.ids_of(instance, &record.manifest));
                self.prune(instance, &made).await?;
                Ending::Forgotten
            }
            _ => Ending::Failed,
        };
        self.give_up(instance, last, Some((record, bytes)), ending).await
    }

    /// Before a release is left to Helm: no attempt at it is under way any more. Its objects stay, whatever they are.
    pub(super) async fn end_for_good(&self, instance: &Instance) -> Result<(), Error> {
        let history = self.own_history(instance).await?;
        let is_as_before = history.iter().any(|entry| entry.state == State::Deployed)
            && self.recall(instance, None).is_some();
        for entry in open_attempts(&history, &instance.uid) {
            let ending = if is_as_before { Ending::Forgotten } else { Ending::Failed };
            let stored = self.stored(instance, entry.revision).await?;
            let stored = stored.map(|(record, _, bytes)| (record, bytes));
            self.give_up(instance, entry, stored, ending).await?;
        }
        Ok(())
    }

    fn has_open_attempt(&self, instance: &Instance, after: i64) -> bool {
        let (namespace, release) = (self.release_namespace(&instance.key), self.release_name(&instance.key));
        self.records.is_left_open(namespace, release, after, &instance.uid)
    }

    async fn give_up(
        &self,
        instance: &Instance,
        entry: &Entry,
        stored: Option<(Record, RecordBytes)>,
        ending: Ending,
    ) -> Result<(), Error> {
        if let Some((record, _)) = &stored {
            let hooks: Vec<_> = record.hooks.iter().filter_map(hook).collect();
            self.stop_hooks(instance, &hooks, entry.revision).await?;
        }
        let place = self.place(instance);
        match (ending, stored) {
            (Ending::Failed, _) if entry.state == State::Failed => return Ok(()),
            (Ending::Failed, Some((record, bytes))) => {
                let info = Info {
                    status: State::Failed,
                    description: "Given up: it is not wanted any more".to_owned(),
                    ..record.info
                };
                // It was readable a moment ago.
                let Ok(bytes) = release::with_info(&bytes, &info) else { return Ok(()) };
                let written = self.records.replace(&place, entry.revision, State::Failed, &bytes).await;
                written.map_err(Error::api("write the release's record"))?;
            }
            (Ending::Failed, None) => {
                let written = self.records.relabel(&place, entry, State::Failed).await;
                written.map_err(Error::api("write the release's record"))?;
            }
            (Ending::Forgotten, _) => {
                let gone = self.records.delete(place.namespace, place.release, entry).await;
                gone.map_err(Error::api("delete the record of an attempt that is given up"))?;
            }
        }
        let note =
            format!("revision {} is not wanted any more; the attempt at it was given up", entry.revision);
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
            revision = entry.revision, "Gave up an attempt"
        );
        self.events.tell(instance, Severity::Normal, "Upgrade", "GivenUp", &note);
        Ok(())
    }
}

/// The attempts of a resource since its release was last deployed that did not come to a good end, the newest first; none if
/// somebody else wrote the newest record.
fn open_attempts<'a>(history: &'a [Entry], uid: &'a str) -> impl Iterator<Item = &'a Entry> {
    history.iter().rev().take_while(move |entry| entry.is_open_attempt_of(uid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Owner;

    #[test]
    fn attempts_are_open_until_something_is_deployed_or_helm_writes() {
        use State::{Deployed, Failed, PendingUpgrade, Superseded};
        let entry = |(index, (state, uid)): (usize, &(State, &str))| Entry {
            revision: i64::try_from(index).unwrap() + 1,
            state: *state,
            owner: (!uid.is_empty()).then(|| Owner {
                group: "a.b".into(),
                kind: "Web".into(),
                name: "web".into(),
                uid: (*uid).into(),
            }),
            uid: String::new(),
        };
        let open = |history: &[(State, &str)]| {
            let history: Vec<_> = history.iter().enumerate().map(entry).collect();
            open_attempts(&history, "u").map(|entry| entry.revision).collect::<Vec<_>>()
        };
        assert_eq!(open(&[(Deployed, "u"), (Failed, "u"), (PendingUpgrade, "u")]), [3, 2]);
        assert_eq!(open(&[(Superseded, "u"), (Failed, "u"), (Deployed, "u")]), [0; 0]);
        assert_eq!(open(&[(Deployed, "u"), (PendingUpgrade, "u"), (Failed, "")]), [0; 0]);
        assert_eq!(open(&[(PendingUpgrade, "other")]), [0; 0]);
    }
}
