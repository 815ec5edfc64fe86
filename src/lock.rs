//! Locks on what is shared between tasks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. A panic of another holder is no reason to stop: each change under these locks is a whole one, so what is behind
/// them is good.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
