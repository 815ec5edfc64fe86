//! What others see of the operator: probes.

pub(crate) mod probes;
