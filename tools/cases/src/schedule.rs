//! Runs several cases at a time, as far as they go together.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::case::Case;

#[derive(Default)]
struct State {
    waiting: Vec<usize>,
    running: Vec<usize>,
}

/// Runs all cases on `jobs` threads and returns which passed, in the cases' order. Those that must be alone come last.
pub(crate) fn all(cases: &[Case], jobs: usize, run: impl Fn(&Case) -> bool + Sync) -> Vec<bool> {
    let mut waiting: Vec<usize> = (0..cases.len()).collect();
    waiting.sort_by_key(|index| cases.get(*index).is_some_and(Case::alone));
    let state = Mutex::new(State { waiting, running: Vec::new() });
    let (changed, passed) = (Condvar::new(), Mutex::new(vec![false; cases.len()]));
    thread::scope(|scope| {
        for _ in 0..jobs.min(cases.len()) {
            scope.spawn(|| {
                while let Some((index, case)) = next(cases, &state, &changed) {
                    let fine = run(case);
                    if let Some(slot) = lock(&passed).get_mut(index) {
                        *slot = fine;
                    }
                    lock(&state).running.retain(|other| *other != index);
                    changed.notify_all();
                }
            });
        }
    });
    passed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the next case that goes with those that run; waits if there is none yet.
fn next<'c>(cases: &'c [Case], state: &Mutex<State>, changed: &Condvar) -> Option<(usize, &'c Case)> {
    let mut state = lock(state);
    loop {
        let running: Vec<&Case> = state.running.iter().filter_map(|index| cases.get(*index)).collect();
        let fits = |index: &usize| {
            cases.get(*index).is_some_and(|case| running.iter().all(|other| case.goes_with(other)))
        };
        if let Some(position) = state.waiting.iter().position(fits) {
            let index = state.waiting.remove(position);
            state.running.push(index);
            return cases.get(index).map(|case| (index, case));
        }
        if state.waiting.is_empty() {
            return None;
        }
        state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn case(id: &str, kind: &str, steps: &str) -> Case {
        let text =
            format!("{{id: {id}, type: operator, api_version: a.b/v1, kind: {kind}, steps: [{steps}]}}");
        Case::read(Path::new("x"), text.as_bytes()).unwrap()
    }

    #[test]
    fn cases_run_together_only_if_they_may() {
        let cases = [
            case("a", "One", ""),
            case("b", "One", ""),
            case("c", "Two", "control_plane: restart"),
            case("d", "Three", ""),
            case("e", "Four", ""),
        ];
        let (now, most) = (Mutex::new(Vec::<String>::new()), AtomicUsize::new(0));
        let passed = all(&cases, 3, |case| {
            {
                let mut now = lock(&now);
                now.push(case.id.clone());
                most.fetch_max(now.len(), Ordering::Relaxed);
                assert!(!now.contains(&"c".to_owned()) || now.len() == 1, "{now:?}");
                assert!(!(now.contains(&"a".to_owned()) && now.contains(&"b".to_owned())), "{now:?}");
            }
            thread::sleep(Duration::from_millis(30));
            lock(&now).retain(|id| *id != case.id);
            case.id != "d"
        });
        assert_eq!(passed, [true, true, true, false, true]);
        assert!(most.into_inner() > 1);
    }
}
