//! What templates ask of the outside, answered from the cluster while a render's thread waits.

use std::sync::{Arc, Mutex};

use gostd::value::Frozen;
use kube::Client;
use tokio::runtime::Handle;

use super::render::{Drawing, Outside, Seed};
use crate::cluster::discovery::Served;
use crate::cluster::error::explain;
use crate::cluster::lookup::lookup;
use crate::cluster::records::Records;
use crate::cluster::seeds::{Found, Seeds, secret_name};
use crate::lock::lock;
use crate::release;

/// Which random values a render gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draw {
    /// Those of the release; where it has none yet, new ones that become its own.
    AsBefore,
    /// New ones, which are the release's from then on.
    Anew,
    /// New ones, and another time, to be compared with.
    Otherwise,
}

/// So many seconds earlier, each part of a date is another: the year, the month, its day, the weekday, the hour, the minute
/// and the second.
const OTHER_TIME: i64 = ((400 * 24 + 1) * 60 + 1) * 60 + 1;

/// Answers for the render of one release.
pub(super) struct ClusterOutside {
    pub(super) client: Client,
    pub(super) runtime: Handle,
    pub(super) served: Arc<Served>,
    pub(super) seeds: Seeds,
    pub(super) records: Records,
    pub(super) namespace: String,
    pub(super) release: String,
    pub(super) draw: Draw,
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
    /// The same where its Secret holds another one: what runs was made of the record's.
    Recalled(Seed),
}

impl SeedState {
    /// The seed, if one was asked for.
    pub(super) fn seed(self) -> Option<Seed> {
        match self {
            Self::Unknown => None,
            Self::Stored(seed) | Self::Fresh(seed) | Self::Copied(seed) | Self::Recalled(seed) => Some(seed),
        }
    }
}

impl ClusterOutside {
    /// The copy of the seed that the record of what runs holds, or where there is none in its own Secret, the last record.
    fn copy_for(&self, found: Found) -> Result<Option<Seed>, String> {
        if self.draw != Draw::AsBefore {
            return Ok(None);
        }
        let is_found = matches!(found, Found::Seed(_));
        let copied = async {
            let history = self.records.history(&self.namespace, &self.release).await?;
            let deployed = release::deployed(&history);
            let last = history.last().filter(|last| deployed != Some(last) && !is_found);
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
        if copied.is_some() && !is_found {
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

impl Outside for ClusterOutside {
    fn seed(&self) -> Result<Seed, String> {
        let mut state = lock(&self.seed);
        if let Some(seed) = state.seed() {
            return Ok(seed);
        }
        let found = if self.draw != Draw::AsBefore {
            Found::Nothing
        } else {
            let found = self.runtime.block_on(self.seeds.read(&self.namespace, &self.release));
            found.map_err(|error| format!("cannot read the release's seed: {}", explain(&error)))?
        };
        let (state_now, seed) = match (found, self.copy_for(found)?) {
            (Found::Seed(seed), Some(copy)) if copy != seed => (SeedState::Recalled(copy), copy),
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
                let mut seed = fresh()?;
                if self.draw == Draw::Otherwise {
                    seed.epoch -= OTHER_TIME;
                }
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
