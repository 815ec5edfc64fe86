//! How many resources of a kind are worked on at a time. Work that does nothing but wait steps aside, so that others get on.

use std::future::Future;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::lock::lock;

/// So many may be under way beyond those that work: each keeps what it has in memory while it waits.
const MOST_ASIDE: usize = 256;

tokio::task_local! {
    /// The slot of the work that this task does.
    static SLOT: Arc<Slot>;
}

/// The slots of a kind.
pub(crate) struct Slots {
    working: Arc<Semaphore>,
    under_way: Arc<Semaphore>,
}

/// A place among those that work.
pub(crate) struct Slot {
    working: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
    /// Kept also while it waits: what waits always gives its slot up, so that whoever has waited gets on.
    _under_way: Option<OwnedSemaphorePermit>,
}

impl Slots {
    pub(crate) fn new(number: usize) -> Self {
        let under_way = number.saturating_add(MOST_ASIDE).min(Semaphore::MAX_PERMITS);
        Self { working: Arc::new(Semaphore::new(number)), under_way: Arc::new(Semaphore::new(under_way)) }
    }

    /// Waits for a free slot.
    pub(crate) async fn take(&self) -> Arc<Slot> {
        // The semaphores are never closed.
        let under_way = self.under_way.clone().acquire_owned().await.ok();
        let slot = Slot { working: self.working.clone(), held: Mutex::default(), _under_way: under_way };
        slot.retake().await;
        Arc::new(slot)
    }
}

impl Slot {
    /// Works in this slot: what it calls may step [`aside`].
    pub(crate) fn work<T>(self: &Arc<Self>, work: impl Future<Output = T>) -> impl Future<Output = T> {
        SLOT.scope(self.clone(), work)
    }

    async fn retake(&self) {
        let place = self.working.clone().acquire_owned().await.ok();
        *lock(&self.held) = place;
    }
}

/// Waits for something that may take long, and lets others work in this task's slot meanwhile.
pub(crate) async fn aside<T>(wait: impl Future<Output = T>) -> T {
    let Ok(slot) = SLOT.try_with(Arc::clone) else { return wait.await };
    drop(lock(&slot.held).take());
    let result = wait.await;
    slot.retake().await;
    result
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;

    const MOMENT: Duration = Duration::from_millis(10);

    #[tokio::test(start_paused = true)]
    async fn who_steps_aside_lets_another_work_and_waits_for_it() {
        let slots = Slots::new(1);
        let (go, gone) = oneshot::channel::<()>();
        let slot = slots.take().await;
        assert!(timeout(MOMENT, slots.take()).await.is_err(), "there is one slot");
        let first = tokio::spawn(async move { slot.work(aside(gone)).await.is_ok() });
        let second = slots.take().await;
        go.send(()).unwrap();
        tokio::time::sleep(MOMENT).await;
        assert!(!first.is_finished(), "its slot is another's now");
        drop(second);
        assert!(first.await.unwrap());
        slots.take().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_that_waits_is_bounded_and_holds_up_none_that_is_under_way() {
        let slots = Slots::new(1);
        let (go, gone) = oneshot::channel::<()>();
        let slot = slots.take().await;
        let first = tokio::spawn(async move { slot.work(aside(gone)).await.is_ok() });
        for _ in 0..MOST_ASIDE {
            let slot = slots.take().await;
            tokio::spawn(async move { slot.work(aside(std::future::pending::<()>())).await });
            tokio::task::yield_now().await;
        }
        assert!(timeout(MOMENT, slots.take()).await.is_err(), "so many are under way at most");
        go.send(()).unwrap();
        assert!(timeout(MOMENT, first).await.unwrap().unwrap(), "who has waited works on");
        assert!(timeout(MOMENT, slots.take()).await.is_ok(), "and makes room for another");
        assert_eq!(aside(async { 7 }).await, 7, "outside of all slots there is nothing to give up");
    }
}
