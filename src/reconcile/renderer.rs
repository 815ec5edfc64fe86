//! Where renders run: few at a time, each on a thread with a large stack (untouched stack costs nothing). One that takes long
//! goes on in a slow lane beside the others: charts are other people's programs, and none must hold up all other resources.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::render::{Job, Output, RenderError, render};
use crate::limits::RenderLimits;
use crate::lock::lock;
use crate::slots::aside;
use crate::threads::Threads;

/// Address space for a render's stack: the engine's own limits on recursion fit in it with room to spare.
const STACK: usize = 256 * 1024 * 1024;

/// A thread without work ends after so long.
const IDLE: Duration = Duration::from_secs(10);

/// What takes longer leaves the quick lane.
const QUICK: Duration = Duration::from_secs(1);

/// Two lanes for renders.
#[derive(Clone)]
pub(crate) struct Renderer {
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    threads: Arc<Threads>,
    limits: RenderLimits,
}

/// A render under way. It ends when this is dropped.
struct Begun {
    answer: oneshot::Receiver<Result<Output, RenderError>>,
    turn: Arc<Turn>,
}

/// What a render's thread shares with those who wait for it.
struct Turn {
    /// Its place in a lane.
    place: Mutex<Option<OwnedSemaphorePermit>>,
    /// Whether it is to end before it is done.
    stopped: AtomicBool,
}

impl Renderer {
    /// Makes lanes for so many renders at a time each.
    pub(crate) fn new(width: usize, limits: RenderLimits) -> Self {
        let lane = || Arc::new(Semaphore::new(width.max(1)));
        Self { quick: lane(), slow: lane(), threads: Threads::new(STACK, IDLE), limits }
    }

    /// Renders.
    pub(crate) async fn render(&self, job: Job) -> Result<Output, RenderError> {
        let job = Arc::new(job);
        let mut begun = self.begin(&job, &self.quick).await?;
        if let Ok(answer) = tokio::time::timeout(QUICK, &mut begun.answer).await {
            return told(answer);
        }
        let goes_on = begun.move_to(&self.slow);
        aside(async {
            match told(begun.answer.await) {
                // It made room where the slow lane had none, and begins anew when it has.
                Err(RenderError::Chart(_)) if !goes_on => {
                    told(self.begin(&job, &self.slow).await?.answer.await)
                }
                result => result,
            }
        })
        .await
    }

    async fn begin(&self, job: &Arc<Job>, lane: &Arc<Semaphore>) -> Result<Begun, RenderError> {
        // The semaphore is never closed.
        let place = Mutex::new(lane.clone().acquire_owned().await.ok());
        let turn = Arc::new(Turn { place, stopped: AtomicBool::new(false) });
        let (reply, answer) = oneshot::channel();
        let (job, limits, shared) = (job.clone(), self.limits, turn.clone());
        let work = move || {
            let stop = || shared.stopped.load(Ordering::Relaxed) || reply.is_closed();
            let result = catch_unwind(AssertUnwindSafe(|| render(&job, limits, &stop)))
                .unwrap_or_else(|panic| Err(RenderError::Engine(panic_text(panic.as_ref()))));
            drop(job);
            lock(&shared.place).take();
            // Nobody may be waiting any more.
            let _ = reply.send(result);
        };
        self.threads.run(work).map_err(|error| RenderError::Engine(format!("it got no thread: {error}")))?;
        Ok(Begun { answer, turn })
    }
}

impl Begun {
    /// Moves the render to another lane, or has it end if there is no room in that; returns whether it goes on.
    fn move_to(&self, lane: &Arc<Semaphore>) -> bool {
        let Ok(there) = lane.clone().try_acquire_owned() else {
            self.turn.stopped.store(true, Ordering::Relaxed);
            return false;
        };
        // Where it has ended meanwhile there is no place any more.
        if let Some(place) = lock(&self.turn.place).as_mut() {
            *place = there;
        }
        true
    }
}

fn told(
    answer: Result<Result<Output, RenderError>, oneshot::error::RecvError>,
) -> Result<Output, RenderError> {
    answer.unwrap_or_else(|_| Err(RenderError::Engine("its thread is gone".into())))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("for an unknown reason").to_owned()
}
