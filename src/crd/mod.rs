//! The type of the custom resource: inferred from the chart, named by the watch → applied → established.

mod adopt;
mod attempts;
mod definition;
mod evolve;
mod migrate;
mod permitted;
mod register;
mod requests;
mod survey;

pub(crate) use adopt::successor;
pub(crate) use attempts::{Until, bring_up_to_date};
pub(crate) use definition::{NoReplicas, api, definition};
pub(crate) use evolve::changes;
pub(crate) use register::RegisterError;
