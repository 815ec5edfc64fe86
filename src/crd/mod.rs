//! The type of the custom resource: made of the watch's names → applied → established.

mod definition;
mod register;

pub(crate) use definition::definition;
pub(crate) use register::{RegisterError, register};
