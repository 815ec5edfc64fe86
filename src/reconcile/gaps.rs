//! Aggregated API servers that do not answer: of their groups it is not known which kinds there are, after a restart at least,
//! and not knowing is no reason to change what runs.

use super::Controller;
use super::deploy::is_asked_anew;
use super::error::Error;
use super::identity::{Digest, ObjectId};
use super::status::Remembered;
use crate::cluster::discovery::Served;
use crate::cluster::instances::Instance;

impl Controller {
    /// Refuses to make anything new of a release that runs, and of whose making nothing but the cluster's kinds has changed,
    /// while these are not known. After a restart an API server that does not answer leaves a gap.
    pub(super) async fn check_gaps(&self, instance: &Instance, inputs: Digest) -> Result<(), Error> {
        let served = self.discovery.current();
        let remembered = Remembered::read(&instance.status());
        let is_same = remembered.seal.is_some_and(|seal| seal.inputs == inputs);
        if !is_same || !served.kinds.has_gaps() || is_asked_anew(instance) {
            return Ok(());
        }
        let groups: Vec<_> = served.kinds.gaps().collect();
        Err(self.out_of_order(Error::Gaps(groups.join(", "))).await)
    }

    /// Refuses an upgrade that drops objects which cannot be reached: nobody would know of them afterwards.
    pub(super) async fn check_reach(&self, served: &Served, dropped: &[ObjectId]) -> Result<(), Error> {
        match dropped.iter().find(|id| served.kinds.is_out_of_order(&id.group)) {
            Some(id) => Err(self.out_of_order(Error::OutOfOrder(id.clone())).await),
            None => Ok(()),
        }
    }

    /// Asks the cluster again, unless it was asked a moment ago; the error if nothing has changed.
    pub(super) async fn out_of_order(&self, error: Error) -> Error {
        match self.discovery.refresh_after_miss().await {
            Ok(true) if !self.discovery.current().kinds.has_gaps() => Error::Overtaken,
            Ok(_) => error,
            Err(failure) => Error::api("learn which kinds the cluster serves")(failure),
        }
    }
}
