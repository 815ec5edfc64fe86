//! The threads on which everything runs but renders.

use tokio::runtime::{Builder, Runtime};

use super::error::CliError;
use crate::limits::STACK;

/// Starts threads for what waits for the network.
pub(super) fn start() -> Result<Runtime, CliError> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(CliError::Runtime)
}
