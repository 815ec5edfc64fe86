//! How many resources of a kind are worked on at a time. Work that does nothing but wait steps aside, so that others get on.

use std::future::Future;
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::lock::lock;

/// So many may stand aside at a time: each keeps what it has in memory.
const MOST_ASIDE: usize = 64;

tokio::task_local! {
    /// The slot of the work that this task does.
    static SLOT: Arc<Slot>;
}

/// The slots of a kind.
pub(crate) struct Slots {
    working: Arc<Semaphore>,
    aside: Arc<Semaphore>,
}

/// A place among those that work.
pub(crate) struct Slot {
    working: Arc<Semaphore>,
    aside: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Slots {
    pub(crate) fn new(number: usize) -> Self {
        Self { working: Arc::new(Semaphore::new(number)), aside: Arc::new(Semaphore::new(MOST_ASIDE)) }
    }

    /// Waits for a free slot.
    pub(crate) async fn take(&self) -> Arc<Slot> {
        let slot = Slot { working: self.working.clone(), aside: self.aside.clone(), held: Mutex::default() };
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
        // The semaphore is never closed.
        let place = self.working.clone().acquire_owned().await.ok();
        *lock(&self.held) = place;
    }
}

/// Waits for something that may take long, and lets others work in this task's slot meanwhile.
pub(crate) async fn aside<T>(wait: impl Future<Output = T>) -> T {
    let Ok(slot) = SLOT.try_with(Arc::clone) else { return wait.await };
    let Ok(_place) = slot.aside.clone().try_acquire_owned() else { return wait.await };
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
    async fn a_crowd_that_waits_holds_its_slots() {
        let slots = Arc::new(Slots::new(1));
        for _ in 0..MOST_ASIDE {
            let slot = slots.take().await;
            tokio::spawn(async move { slot.work(aside(std::future::pending::<()>())).await });
            tokio::task::yield_now().await;
        }
        let slot = slots.take().await;
        tokio::spawn(async move { slot.work(aside(std::future::pending::<()>())).await });
        assert!(timeout(MOMENT, slots.take()).await.is_err());
        assert_eq!(aside(async { 7 }).await, 7, "outside of all slots there is nothing to give up");
    }
}
