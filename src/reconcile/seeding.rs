//! Which seed a release's random values come from. A seed belongs to a revision: where each has one of its own, the seed of
//! what runs stays in its Secret until the next revision runs, whatever becomes of attempts at it. The record of each
//! revision, and of each attempt, holds a copy of its own.

use super::Controller;
use super::error::Error;
use super::outside::{ClusterOutside, Draw, SeedState};
use super::render::Seed;
use crate::annotations::RANDOM_VALUES;
use crate::cluster::error::is_conflict;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::release::Entry;

impl Controller {
    /// Whether every revision gets random values of its own.
    pub(super) fn wants_fresh_values(&self, instance: &Instance) -> bool {
        match instance.annotations.get(RANDOM_VALUES).map(|text| &**text) {
            Some("fresh") => true,
            Some("stable") => false,
            _ => self.watch.fresh_random_values,
        }
    }

    /// The seed of what was rendered.
    pub(super) fn seed_of(&self, instance: &Instance, outside: &ClusterOutside) -> Option<Seed> {
        outside.seed_state().seed().or_else(|| self.place(instance).seed)
    }

    /// Stores the seed of what was rendered before it is applied, unless it is of an attempt alone.
    pub(super) async fn store_seed(
        &self,
        instance: &Instance,
        outside: &ClusterOutside,
    ) -> Result<(), Error> {
        let (seed, over) = match outside.seed_state() {
            SeedState::Fresh(seed) if outside.draw == Draw::AsBefore => (seed, false),
            SeedState::Copied(seed) => (seed, true),
            SeedState::Recalled(seed) => {
                self.tell_recalled(instance);
                (seed, true)
            }
            SeedState::Unknown | SeedState::Stored(_) | SeedState::Fresh(_) => return Ok(()),
        };
        match self.seeds.write(&self.place(instance), &seed, over).await {
            Ok(()) => {
                self.remember_seed(instance, seed);
                Ok(())
            }
            // Another seed is there: everything made of this one must be made again.
            Err(error) if is_conflict(&error) => Err(Error::Overtaken),
            Err(error) => Err(Error::api("store the release's seed")(error)),
        }
    }

    /// An attempt with a seed of its own has become what runs, and its seed the release's. The record has it, too: until the
    /// Secret can be written that counts.
    pub(super) async fn keep_seed(&self, instance: &Instance, outside: &ClusterOutside) {
        let SeedState::Fresh(seed) = outside.seed_state() else { return };
        self.remember_seed(instance, seed);
        if outside.draw == Draw::Anew
            && let Err(error) = self.seeds.write(&self.place(instance), &seed, true).await
        {
            let error = Error::api("store the release's seed")(error);
            tracing::warn!(resource = %instance.key, %error, "Only the release's record has its seed");
        }
    }

    fn remember_seed(&self, instance: &Instance, seed: Seed) {
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.seed = Some(seed);
        }
    }

    fn tell_recalled(&self, instance: &Instance) {
        let note = "the seed of its random values in its Secret was not the one that what runs was made of (an older copy, or \
                    one of another release); the one in the release's record was put in its place";
        tracing::warn!(resource = %instance.key, "The seed of random values was another one; put back");
        self.events.tell(instance, Severity::Warning, "Repair", "SeedPutBack", note);
    }

    /// Warns that random values of a release of Helm's, which keeps none, are drawn anew. `kept` tells whether it was taken
    /// over with those it had.
    pub(super) fn tell_drawn(
        &self,
        instance: &Instance,
        deployed: Option<&Entry>,
        kept: bool,
        outside: &ClusterOutside,
    ) {
        let Some(deployed) = deployed else { return };
        let is_own = deployed.owner.as_ref().is_some_and(|owner| owner.uid == *instance.uid);
        let are_new = match outside.seed_state() {
            SeedState::Unknown => false,
            SeedState::Fresh(_) => kept || (outside.draw == Draw::AsBefore && !is_own),
            SeedState::Stored(_) | SeedState::Copied(_) | SeedState::Recalled(_) => kept,
        };
        if are_new {
            let note = format!(
                "Helm keeps no random values: those that the chart draws (passwords, certificates) are new now and stay so; \
                 the ones before are in revision {} of the release",
                deployed.revision
            );
            tracing::warn!(resource = %instance.key, revision = deployed.revision, "Random values of a release of Helm's are new");
            self.events.tell(instance, Severity::Warning, "TakeOver", "RandomValuesDrawn", &note);
        }
    }
}
