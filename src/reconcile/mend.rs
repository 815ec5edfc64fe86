//! What was deleted of a release's own books, its record and the seed of its random values, is written again: without the
//! one Helm does not know the release and the next change would install it anew, without the other the next change would
//! make new passwords.

use std::borrow::Cow;

use super::Controller;
use super::deploy::{self, Before};
use super::error::Error;
use super::plan::Revision;
use super::status::Remembered;
use super::tracked::Settled;
use super::values::Values;
use crate::cluster::error::is_conflict;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::release::State;

/// What it means that nobody knows any more what runs.
const UNRECORDED: &str = "its release record was deleted by somebody, and without it what runs cannot be put back where it is \
                          changed, until a change of the resource works, be it back to what it was";

impl Controller {
    /// Whether a release runs of which no record tells: it cannot be kept as it is while another is due.
    fn is_unrecorded(&self, instance: &Instance) -> bool {
        let runs = Remembered::read(&instance.status()).revision.is_some()
            || self.tracked().get(&instance.key).is_some_and(|tracked| tracked.settled.is_some());
        let place = self.place(instance);
        runs && !instance.deleting && self.records.lacks_deployed(place.namespace, place.release)
    }

    /// Warns, once, where a release that is to be kept as it is cannot be.
    pub(super) fn tell_unrecorded(&self, instance: &Instance) {
        let is_unrecorded = self.is_unrecorded(instance);
        let was_told = match self.tracked().get_mut(&instance.key) {
            Some(tracked) => std::mem::replace(&mut tracked.told_unrecorded, is_unrecorded),
            None => true,
        };
        if is_unrecorded && !was_told {
            tracing::warn!(resource = %instance.key, "A deleted release record leaves what runs unguarded");
            self.events.tell(instance, Severity::Warning, "Repair", "RecordLost", UNRECORDED);
        }
    }

    /// A message of why a release does not move on, with what keeps it from being guarded meanwhile.
    pub(super) fn or_unrecorded<'a>(&self, instance: &Instance, message: &'a str) -> Cow<'a, str> {
        match self.is_unrecorded(instance) {
            true => format!("{message}; {UNRECORDED}").into(),
            false => message.into(),
        }
    }

    /// Looks, in memory, whether a settled release's books are there, and mends them.
    pub(super) async fn mend(
        &self,
        instance: &Instance,
        values: &Values,
        settled: &Settled,
    ) -> Result<(), Error> {
        let (namespace, release) = (self.release_namespace(&instance.key), self.release_name(&instance.key));
        let (seed, given_up) = match self.tracked().get(&instance.key) {
            Some(tracked) => (tracked.seed, tracked.record_given_up),
            None => (None, None),
        };
        if let Some(seed) = seed
            && self.seeds.is_lost(namespace, release)
        {
            // Over one that came meanwhile: what runs was made of this one.
            let written = self.seeds.write(&self.place(instance), &seed, true).await;
            written.map_err(Error::api("store the release's seed"))?;
            self.tell_mended(
                instance,
                "the seed of its random values was deleted by somebody; written again",
            );
        }
        if given_up != Some(settled.revision) && self.records.is_lost(namespace, release, settled.revision) {
            self.mend_record(instance, values, settled).await?;
        }
        if self.records.is_doubled(namespace, release, settled.revision) {
            // Work ended between the record of this revision and that of the one before.
            let mut history = self.own_history(instance).await?;
            history.retain(|entry| entry.revision < settled.revision);
            self.supersede(instance, &history, settled.revision).await?;
        }
        Ok(())
    }

    async fn mend_record(
        &self,
        instance: &Instance,
        values: &Values,
        settled: &Settled,
    ) -> Result<(), Error> {
        let (output, _) = self.render(instance, values, settled.revision, settled.is_install).await?;
        if output.digest != settled.rendered || settled.as_recorded {
            // Without the seed it cannot be known what runs.
            if let Some(tracked) = self.tracked().get_mut(&instance.key) {
                tracked.record_given_up = Some(settled.revision);
            }
            let why = match settled.as_recorded {
                true => "it alone knew what Helm had drawn at random",
                false => "the chart renders something else now",
            };
            let note = format!(
                "its release record was deleted by somebody and cannot be written again, for {why}: the next change begins a \
                 new history"
            );
            tracing::warn!(resource = %instance.key, "A deleted release record cannot be written again");
            self.events.tell(instance, Severity::Warning, "Repair", "RecordLost", &note);
            return Ok(());
        }
        let revision = Revision {
            number: settled.revision,
            is_install: settled.is_install,
            recorded: false,
            resumes: false,
            follows: None,
        };
        let mut record = self.record(instance, values, &output.rendered, revision, &Before::default());
        record.info.status = State::Deployed;
        record.info.description = deploy::description(instance, settled.is_install);
        self.still_wanted(instance)?;
        let seed = self.place(instance).seed;
        match self.write_record(instance, &record, false, seed).await {
            // It is there and was not seen: somebody took its labels.
            Err(Error::Api { error, .. }) if is_conflict(&error) => {
                self.write_record(instance, &record, true, seed).await?;
            }
            written => _ = written?,
        }
        self.tell_mended(instance, "its release record was deleted by somebody; written again");
        Ok(())
    }

    fn tell_mended(&self, instance: &Instance, note: &str) {
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name, "{note}"
        );
        self.events.tell(instance, Severity::Normal, "Repair", "Recreated", note);
    }
}
