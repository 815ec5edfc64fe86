//! What others see of the operator: probes and metrics.

pub(crate) mod http;
pub(crate) mod metrics;
pub(crate) mod probes;
pub(crate) mod scrape;
pub(crate) mod served;
