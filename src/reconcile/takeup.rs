//! Releases that run already, of which nothing is in memory: taken up as they are, under their own revision.

use std::sync::Arc;

use super::chance::differs_by_chance;
use super::error::Error;
use super::identity::Digest;
use super::ledger::{manifest_text, same_config, same_content, same_hooks};
use super::objects::{Object, Objects};
use super::outside::{ClusterOutside, Draw, SeedState};
use super::render::Output;
use super::status::Remembered;
use super::tracked::Settled;
use super::values::Values;
use super::{Controller, Next, plan};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::release::{Entry, Record, RecordBytes, State};

/// So often a chart is rendered with other random values at most, to see where it draws them: a coin falls on the same side
/// as often as not.
const MOST_DRAWN: usize = 8;

/// A release that runs and stays as it is.
pub(super) struct Standing {
    pub(super) output: Output,
    outside: Arc<ClusterOutside>,
    /// As it was recorded.
    pub(super) objects: Objects,
    /// What the cluster served when they were made.
    served: Digest,
    is_own: bool,
    is_install: bool,
    /// Whether its objects are rendered so; otherwise chance makes the difference.
    is_same: bool,
    /// Whether chance makes any difference, be it to the hooks alone.
    as_recorded: bool,
}

impl Controller {
    /// Takes up a deployed release of which nothing is in memory: if it renders as it was recorded, its objects are
    /// applied under its own revision (which changes nothing where nothing changed), and no new one is made.
    pub(super) async fn take_up(
        &self,
        instance: &Instance,
        values: &Values,
        inputs: Digest,
        entry: &Entry,
        record: &Record,
        bytes: &RecordBytes,
    ) -> Result<Option<Next>, Error> {
        let standing = self.standing(instance, values, inputs, entry, record).await?;
        let Some(Standing { output, outside, objects, served, is_own, is_install, is_same, as_recorded }) =
            standing
        else {
            return Ok(None);
        };
        let crds = self.crds_of(instance, &output.rendered, false);
        let definitions = self.try_definitions(instance, crds, &objects, false).await?;
        let observed = self.dependents.of(&instance.key);
        // A Job that removes itself has done so: it was applied when the release was recorded.
        let is_done = |object: &&Object| object.is_fleeting() && !observed.contains_key(&object.id);
        let all: Vec<&Object> = objects.list.iter().filter(|object| !is_done(object)).collect();
        // Objects of a release of Helm's own carry its marks, which the check of strangers reads.
        let known = observed.keys().map(|id| (id.clone(), ())).collect();
        let trial = self.try_all(instance, &all, &known, &definitions).await?;
        self.check_strangers(instance, &trial.strangers, &all).await?;
        self.still_wanted(instance)?;
        let finalizer = self.settle_finalizer(instance, &objects, &output.rendered.hooks).await?;
        self.store_seed(instance, &outside).await?;
        self.apply_definitions(instance, &definitions, &all).await?;
        self.take_fields(&all, &trial.former).await?;
        let applied = self.apply_all(instance, &all).await?;
        let dropped = plan::dropped(&objects, observed.into_keys());
        let dropped = self.keep_definitions(instance, dropped, &output.rendered.crds).await?;
        self.prune(instance, &dropped).await?;
        if !is_own {
            let mut place = self.place(instance);
            if as_recorded {
                // The seed is of what comes next: what runs was drawn by Helm.
                place.seed = None;
            }
            let taken = self.records.replace(&place, entry.revision, State::Deployed, bytes).await;
            taken.map_err(Error::api("take over the release record"))?;
        }
        let scaled = self.find_scaled(instance, values, &objects, entry.revision, is_install).await;
        let settled = Arc::new(Settled {
            inputs,
            chart: self.chart_of(instance).digest,
            rendered: output.digest,
            capabilities: served,
            first_capabilities: served,
            revision: entry.revision,
            is_install,
            lookups: Some(output.lookups),
            scaled,
            renew_at: output.renew_at,
            finalizer,
            first_deployed: Some(record.info.first_deployed.as_str().into()),
            as_recorded,
            objects: applied,
        });
        self.remember(instance, settled.clone());
        let was_told = Remembered::read(&instance.status()).seal.is_some_and(|seal| seal.as_recorded);
        if !is_same && !was_told {
            self.tell_kept(instance);
        }
        self.report_applied(instance, &settled, Some(&output.rendered)).await;
        Ok(Some(Next::Settled))
    }

    /// What stays of a deployed release: everything, if it renders as it was recorded, or would but for chance, and its
    /// random values are to stay.
    pub(super) async fn standing(
        &self,
        instance: &Instance,
        values: &Values,
        inputs: Digest,
        entry: &Entry,
        record: &Record,
    ) -> Result<Option<Standing>, Error> {
        let remembered = Remembered::read(&instance.status());
        let is_install = match remembered.revision {
            Some(revision) if revision == entry.revision => remembered.is_install,
            _ => entry.revision == 1,
        };
        let (output, outside) = self.render(instance, values, entry.revision, is_install).await?;
        let is_own = entry.owner.as_ref().is_some_and(|owner| owner.uid == *instance.uid);
        let is_alike = same_content(record, &manifest_text(&output.rendered), &values.config);
        let has_same_hooks = same_hooks(&output.rendered.hooks, &record.hooks);
        // Helm's own hooks have been run, and are not run again for what it drew in them.
        let is_same = is_alike && (has_same_hooks || !is_own);
        if !is_same {
            let has_drawn = outside.seed_state() != SeedState::Unknown;
            let is_of_status = is_own && remembered.revision == Some(entry.revision);
            let is_kept = match remembered.seal {
                Some(seal) if !seal.as_recorded => false,
                Some(seal) if is_of_status => seal.inputs == inputs,
                _ => has_drawn && self.is_helms_own(instance).await?,
            };
            if !is_kept || !same_config(&record.config, &values.config) {
                return Ok(None);
            }
        }
        let crds = self.crds_of(instance, &output.rendered, false);
        let (mut objects, served) = self.build(instance, &output.rendered, crds).await?;
        if !is_same {
            let recorded = self.recorded(instance, record)?;
            let mut others = Vec::new();
            while others.is_empty() || !differs_by_chance(&objects, &others, &recorded) {
                if others.len() == MOST_DRAWN {
                    return Ok(None);
                }
                let (other, _) = self
                    .render_drawing(instance, values, entry.revision, is_install, Draw::Otherwise)
                    .await?;
                others.push(self.build(instance, &other.rendered, crds).await?.0);
            }
            objects = recorded;
        }
        let served = served.digest;
        let as_recorded = !(is_alike && has_same_hooks);
        Ok(Some(Standing { output, outside, objects, served, is_own, is_install, is_same, as_recorded }))
    }

    /// Whether nothing that has run of a release was made of a seed of ours, as far as records tell: those that Helm has
    /// written over have lost their copy.
    async fn is_helms_own(&self, instance: &Instance) -> Result<bool, Error> {
        let place = self.place(instance);
        for entry in self.history(instance).await? {
            if !matches!(entry.state, State::Deployed | State::Superseded) {
                continue;
            }
            let seed = self.records.read_seed(place.namespace, place.release, entry.revision).await;
            if seed.map_err(Error::api("read the seed in the release record"))?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Warns that random values of a release of Helm's, which keeps none, are its own until something changes.
    fn tell_kept(&self, instance: &Instance) {
        let note = "what the chart draws at random (passwords, certificates) stays as Helm recorded it until the resource or \
                    its chart changes; it is drawn anew then, for Helm keeps no random values. Give what is to stay in spec";
        tracing::warn!(resource = %instance.key, "Random values of a release of Helm's are kept until it changes");
        self.events.tell(instance, Severity::Warning, "TakeOver", "RandomValuesKept", note);
    }
}
