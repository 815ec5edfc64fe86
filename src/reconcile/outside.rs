//! What templates ask of the outside, answered from the cluster while a render's thread waits.

use std::sync::{Arc, Mutex};

use gostd::value::Frozen;
use kube::Client;
use tokio::runtime::Handle;

use super::Controller;
use super::render::{Drawing, Outside, Seed};
use crate::cluster::discovery::Served;
use crate::cluster::error::explain;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::lookup::lookup;
use crate::cluster::records::Records;
use crate::cluster::seeds::{Found, Seeds, secret_name};
use crate::lock::lock;
use crate::release::{Entry, State};

/// Answers for the render of one release.
pub(super) struct ClusterOutside {
    pub(super) client: Client,
    pub(super) runtime: Handle,
    pub(super) served: Arc<Served>,
    pub(super) seeds: Seeds,
    pub(super) records: Records,
    pub(super) namespace: String,
    pub(super) release: String,
    /// Whether the release gets a new seed with this render.
    pub(super) reseed: bool,
    pub(super) seed: Mutex<SeedState>,
}

/// The seed as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SeedState {
    /// Nobody has asked yet.
    #[default]
    Unknown,
    /// It is in its Secret.
    Stored(Seed),
    /// It was made up for this render and has to be stored before anything made of it is applied.
    Fresh(Seed),
    /// It was taken from the release's record, for its Secret is gone or damaged, and is to be written there again.
    Copied(Seed),
}

impl ClusterOutside {
    /// The copy of the seed that the release's record holds, where its own Secret does not.
    fn copy_for(&self, found: Found) -> Result<Option<Seed>, String> {
        if self.reseed || matches!(found, Found::Seed(_)) {
            return Ok(None);
        }
        let copied = async {
            let history = self.records.history(&self.namespace, &self.release).await?;
            let deployed = history.iter().rev().find(|entry| entry.state == State::Deployed);
            let last = history.last().filter(|last| deployed != Some(last));
            for entry in deployed.into_iter().chain(last) {
                let seed = self.records.read_seed(&self.namespace, &self.release, entry.revision).await?;
                if seed.is_some() {
                    return Ok(seed);
                }
            }
            Ok(None)
        };
        let copied = self.runtime.block_on(copied);
        let copied = copied.map_err(|error: kube::Error| {
            format!("cannot read the release's seed from its record: {}", explain(&error))
        })?;
        if copied.is_some() {
            tracing::info!(
                namespace = %self.namespace, release = %self.release,
                "The Secret with the release's seed is gone or damaged; the copy in its record is taken"
            );
        }
        Ok(copied)
    }

    /// The seed as this render left it.
    pub(super) fn seed_state(&self) -> SeedState {
        *lock(&self.seed)
    }
}

impl Controller {
    /// Warns that random values of a release of Helm's, which keeps none, are drawn anew. `kept` tells whether it was taken
    /// over with those it had.
    pub(super) fn tell_drawn(
        &self,
        instance: &Instance,
        last: Option<&Entry>,
        kept: bool,
        outside: &ClusterOutside,
    ) {
        let is_own = |last: &Entry| last.owner.as_ref().is_some_and(|owner| owner.uid == *instance.uid);
        let Some(last) = last.filter(|last| last.state == State::Deployed) else { return };
        let are_new = match outside.seed_state() {
            SeedState::Unknown => false,
            SeedState::Fresh(_) => kept || (!outside.reseed && !is_own(last)),
            SeedState::Stored(_) | SeedState::Copied(_) => kept,
        };
        if are_new {
            let note = format!(
                "Helm keeps no random values: those that the chart draws (passwords, certificates) are new now and stay so; \
                 the ones before are in revision {} of the release",
                last.revision
            );
            tracing::warn!(resource = %instance.key, revision = last.revision, "Random values of a release of Helm's are new");
            self.events.tell(instance, Severity::Warning, "TakeOver", "RandomValuesDrawn", &note);
        }
    }
}

impl Outside for ClusterOutside {
    fn seed(&self) -> Result<Seed, String> {
        let mut state = lock(&self.seed);
        if let SeedState::Stored(seed) | SeedState::Fresh(seed) | SeedState::Copied(seed) = *state {
            return Ok(seed);
        }
        let found = if self.reseed {
            Found::Nothing
        } else {
            let found = self.runtime.block_on(self.seeds.read(&self.namespace, &self.release));
            found.map_err(|error| format!("cannot read the release's seed: {}", explain(&error)))?
        };
        let (state_now, seed) = match (found, self.copy_for(found)?) {
            (Found::Seed(seed), _) => (SeedState::Stored(seed), seed),
            (_, Some(seed)) => (SeedState::Copied(seed), seed),
            (Found::Damaged, None) => {
                return Err(format!(
                    "the Secret {} holds no seed of random values that can be read, and no record of the release has a \
                     copy: put back what it held, or delete it to have all random values made anew",
                    secret_name(&self.release)
                ));
            }
            (Found::Nothing, None) => {
                let seed = fresh()?;
                (SeedState::Fresh(seed), seed)
            }
        };
        *state = state_now;
        Ok(seed)
    }

    fn lookup(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Result<Frozen, String> {
        self.runtime.block_on(lookup(&self.client, &self.served.kinds, api_version, kind, namespace, name))
    }
}

fn fresh() -> Result<Seed, String> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| format!("the system has no random numbers: {error}"))?;
    Ok(Seed { key, epoch: jiff::Timestamp::now().as_second(), drawing: Drawing::ByPlace })
}
