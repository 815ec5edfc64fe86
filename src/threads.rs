//! Threads for work that needs a large stack: made when they are needed, used again, ended when there is nothing to do.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, ThreadId, current};
use std::time::Duration;

use crate::lock::lock;

type Work = Box<dyn FnOnce() + Send>;

/// See the module's description.
pub(crate) struct Threads {
    /// Those without work, and where to send it; who takes one out sends some.
    idle: Mutex<Vec<(ThreadId, Sender<Work>)>>,
    stack: usize,
    patience: Duration,
}

impl Threads {
    /// Threads with stacks of so many bytes of address space, which wait so long for more work.
    pub(crate) fn new(stack: usize, patience: Duration) -> Arc<Self> {
        Arc::new(Self { idle: Mutex::default(), stack, patience })
    }

    /// Has a thread do some work, which must not panic.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn run(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let work: Work = Box::new(work);
        let idle = lock(&self.idle).pop();
        let work = match idle {
            None => work,
            Some((_, thread)) => match thread.send(work) {
                Ok(()) => return Ok(()),
                // It waits, so this does not happen.
                Err(unsent) => unsent.0,
            },
        };
        let all = self.clone();
        let thread = Builder::new().name("render".into()).stack_size(self.stack);
        thread.spawn(move || all.go_on(work)).map(drop)
    }

    fn go_on(&self, mut work: Work) {
        let (sender, receiver) = channel();
        loop {
            work();
            lock(&self.idle).push((current().id(), sender.clone()));
            match self.more(&receiver) {
                Some(more) => work = more,
                None => return,
            }
        }
    }

    fn more(&self, receiver: &Receiver<Work>) -> Option<Work> {
        match receiver.recv_timeout(self.patience) {
            Ok(more) => Some(more),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                let mut idle = lock(&self.idle);
                let here = idle.iter().position(|(id, _)| *id == current().id());
                match here {
                    Some(here) => {
                        idle.swap_remove(here);
                        None
                    }
                    // Somebody has just taken it out.
                    None => {
                        drop(idle);
                        receiver.recv().ok()
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_thread_is_used_again_and_ends_when_idle() {
        let threads = Threads::new(1 << 20, Duration::from_secs(1));
        let mut used = HashSet::new();
        for _ in 0..3 {
            let (sender, receiver) = channel();
            threads.run(move || sender.send(current().id()).unwrap()).unwrap();
            used.insert(receiver.recv().unwrap());
            while lock(&threads.idle).is_empty() {
                std::thread::yield_now();
            }
        }
        assert_eq!(used.len(), 1);
        let end = Instant::now() + Duration::from_secs(30);
        while !lock(&threads.idle).is_empty() || Arc::strong_count(&threads) > 1 {
            assert!(Instant::now() < end);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn no_work_is_lost_to_a_thread_that_ends() {
        let threads = Threads::new(1 << 20, Duration::from_micros(50));
        for _ in 0..2000 {
            let (sender, receiver) = channel();
            threads.run(move || sender.send(7).unwrap()).unwrap();
            assert_eq!(receiver.recv_timeout(Duration::from_secs(30)), Ok(7));
            std::thread::sleep(Duration::from_micros(40));
        }
    }
}
