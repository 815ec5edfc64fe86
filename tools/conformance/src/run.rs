//! Runs cases on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::args::Args;
use crate::case::{Case, Difference};

/// Templates may nest deep; a case must fail by the engine's own limits, not by the thread's.
const STACK: usize = 64 << 20;

/// How a case ended.
pub(crate) struct Outcome {
    pub(crate) suite: String,
    pub(crate) name: String,
    pub(crate) difference: Option<Difference>,
    pub(crate) time: Duration,
}

/// Runs all cases; the outcomes are in the cases' order.
pub(crate) fn all(cases: Vec<Case>, args: &Args) -> Vec<Outcome> {
    let count = cases.len();
    let queue = Mutex::new(cases.into_iter().enumerate());
    let outcomes = Mutex::new(Vec::with_capacity(count));
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..args.jobs {
            let work = || {
                while let Some((index, case)) = lock(&queue).next() {
                    let outcome = run(case);
                    lock(&outcomes).push((index, outcome));
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            if thread.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
    });
    drop(std::panic::take_hook());
    let mut outcomes = outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    outcomes.sort_by_key(|(index, _)| *index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn run(case: Case) -> Outcome {
    let Case { suite, name, check } = case;
    let start = Instant::now();
    let difference = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Some(Difference::new("panic", "no panic", text.unwrap_or_default()))
    });
    Outcome { suite, name, difference, time: start.elapsed() }
}
