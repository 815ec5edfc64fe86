//! Which version of the chart a resource gets, where the operator has several: the one it asks for, else the newest.

use std::sync::Arc;

use super::Controller;
use super::error::Error;
use crate::annotations::CHART_VERSION;
use crate::charts::Loaded;
use crate::cluster::instances::Instance;

impl Controller {
    /// The chart of a resource. One that asks for a version that is not there gets no other one: see
    /// [`check_pin`](Controller::check_pin).
    pub(super) fn chart_of(&self, instance: &Instance) -> &Arc<Loaded> {
        let pinned = pinned(instance).and_then(|version| self.charts.version(version));
        pinned.unwrap_or_else(|| self.charts.newest())
    }

    /// Refuses to work on a resource that asks for a version of the chart that the operator does not have.
    pub(super) fn check_pin(&self, instance: &Instance) -> Result<(), Error> {
        match pinned(instance) {
            Some(version) if self.charts.version(version).is_none() => Err(Error::NoSuchVersion {
                wanted: version.to_owned(),
                chart: self.charts.newest().chart().name().to_owned(),
                there: self.charts.versions(),
            }),
            _ => Ok(()),
        }
    }
}

/// The version of the chart that a resource asks for.
pub(super) fn pinned(instance: &Instance) -> Option<&str> {
    let version = instance.annotations.get(CHART_VERSION)?.trim();
    (!version.is_empty()).then_some(version)
}
