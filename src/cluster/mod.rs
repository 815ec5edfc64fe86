//! Everything that talks to the API server; nothing here decides.

pub(crate) mod access;
pub(crate) mod client;
mod counted;
mod creation;
pub(crate) mod dependents;
pub(crate) mod discovery;
pub(crate) mod error;
pub(crate) mod events;
pub(crate) mod histories;
pub(crate) mod instances;
pub(crate) mod leases;
pub(crate) mod lookup;
pub(crate) mod lookups;
pub(crate) mod objects;
pub(crate) mod ownership;
mod paced;
pub(crate) mod pods;
pub(crate) mod proxy;
pub(crate) mod records;
pub(crate) mod references;
pub(crate) mod refused;
pub(crate) mod request;
pub(crate) mod seeds;
pub(crate) mod seen;
pub(crate) mod tenure;
mod yaml_text;

/// The name under which our writes own fields.
pub(crate) const FIELD_MANAGER: &str = "chartwright";
