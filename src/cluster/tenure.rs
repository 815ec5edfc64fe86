//! How long this replica may still write: a while from the last renewal of the Lease that it holds. A process that was
//! stopped, or whose machine slept, learns by its next request that its time is over, before any timer tells.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Marks requests about the Lease itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfLease;

/// Shared by who renews the Lease and who writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tenure {
    /// When it ends, in milliseconds of [`since_boot`]; zero where no Lease is asked for.
    until: Arc<AtomicU64>,
}

impl Tenure {
    /// It lasts so long from a moment of [`since_boot`].
    pub(crate) fn extend(&self, from: Duration, lasts: Duration) {
        let until = u64::try_from((from + lasts).as_millis()).unwrap_or(u64::MAX);
        self.until.store(until.max(1), Ordering::Release);
    }

    /// What is left of it; `None` where no Lease is asked for.
    pub(crate) fn left(&self) -> Option<Duration> {
        match self.until.load(Ordering::Acquire) {
            0 => None,
            until => Some(Duration::from_millis(until).saturating_sub(since_boot())),
        }
    }

    /// Whether nothing may be written any more.
    pub(crate) fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }
}

/// A clock that runs on while the machine sleeps.
pub(crate) fn since_boot() -> Duration {
    #[cfg(target_os = "linux")]
    let clock = rustix::time::ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let clock = rustix::time::ClockId::Monotonic;
    let now = rustix::time::clock_gettime(clock);
    let (seconds, nanos) = (u64::try_from(now.tv_sec), u32::try_from(now.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_when_it_is_not_extended() {
        let tenure = Tenure::default();
        assert!(tenure.left().is_none() && !tenure.is_over());
        tenure.extend(since_boot(), Duration::from_secs(100));
        assert!(!tenure.is_over() && tenure.left() > Some(Duration::from_secs(90)));
        tenure.clone().extend(since_boot().saturating_sub(Duration::from_secs(10)), Duration::from_secs(5));
        assert!(tenure.is_over());
    }
}
