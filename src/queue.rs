//! The work queue: keys that want attention → one at a time, deduplicated, delayed, fair between lanes.
//!
//! A key is in the queue at most once and is handed to at most one worker at a time; what is added while it is being
//! worked on comes back when that work is done. Lanes (namespaces) take turns, so that a crowd in one never starves
//! another. Failures of a key space its attempts out exponentially, with jitter.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::lock::lock;
use crate::observe::metrics::QueueMetrics;

/// What the queue needs to know of a key.
pub(crate) trait Key: Clone + Eq + Ord + Hash + Send + 'static {
    /// Keys of one lane wait for each other; lanes take turns.
    fn lane(&self) -> &str;
}

/// How a key's work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing more to do until something is added, or the time given has passed.
    Settled(Option<Duration>),
    /// Try again after a growing delay.
    Failed,
    /// The key no longer exists: forget its failures.
    Gone,
}

/// How attempts at a failing key are spaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    /// The delay after the first failure.
    pub(crate) first: Duration,
    /// The longest delay.
    pub(crate) longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), longest: Duration::from_secs(300) }
    }
}

impl Backoff {
    /// The delay after the given number of failures in a row (from 1): doubled each time, then varied by up to a fifth
    /// either way so that keys which failed together do not come back together.
    pub(crate) fn delay(&self, failures: u32, key: &impl Hash) -> Duration {
        let doublings = failures.saturating_sub(1).min(30);
        let plain = self.first.saturating_mul(1 << doublings).min(self.longest);
        let mut hasher = DefaultHasher::new();
        (key, failures).hash(&mut hasher);
        plain.mul_f64(0.8 + (hasher.finish() % 1000) as f64 * 0.0004)
    }
}

/// A queue of keys; see the module's description.
pub(crate) struct Queue<K> {
    state: Mutex<State<K>>,
    changed: Notify,
    backoff: Backoff,
    metrics: Option<QueueMetrics>,
}

/// How a queue is at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    /// Keys that could be worked on.
    pub(crate) waiting: usize,
    /// The time that work under way has taken, added up.
    pub(crate) unfinished: Duration,
    /// The longest of it.
    pub(crate) longest: Duration,
}

struct State<K> {
    /// Keys ready to be worked on, by lane; no lane is empty.
    lanes: BTreeMap<Box<str>, VecDeque<K>>,
    /// Whose turn it is: every lane once, in order of turns.
    turns: VecDeque<Box<str>>,
    /// All keys in `lanes`, and since when they are.
    ready: HashMap<K, Instant>,
    /// Keys waiting for their time, each once here and in `due`.
    delayed: BTreeSet<(Instant, K)>,
    due: HashMap<K, Instant>,
    /// Keys being worked on.
    running: HashMap<K, Running>,
    failures: HashMap<K, u32>,
    closed: bool,
}

/// Work on a key.
struct Running {
    since: Instant,
    /// Whether the key was added meanwhile.
    again: bool,
}

impl<K: Key> Queue<K> {
    /// Makes an empty queue.
    pub(crate) fn new(backoff: Backoff) -> Self {
        let state = State {
            lanes: BTreeMap::new(),
            turns: VecDeque::new(),
            ready: HashMap::new(),
            delayed: BTreeSet::new(),
            due: HashMap::new(),
            running: HashMap::new(),
            failures: HashMap::new(),
            closed: false,
        };
        Self { state: Mutex::new(state), changed: Notify::new(), backoff, metrics: None }
    }

    /// Counts what goes through.
    pub(crate) fn with_metrics(self, metrics: QueueMetrics) -> Self {
        Self { metrics: Some(metrics), ..self }
    }

    /// How it is now.
    pub(crate) fn stats(&self) -> Stats {
        let state = self.lock();
        let times = || state.running.values().map(|running| running.since.elapsed());
        Stats {
            waiting: state.ready.len(),
            unfinished: times().sum(),
            longest: times().max().unwrap_or_default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<K>> {
        lock(&self.state)
    }

    /// Wants a key worked on now; a delay it was waiting for is cut short.
    pub(crate) fn add(&self, key: K) {
        let mut state = self.lock();
        state.cancel_delay(&key);
        state.make_ready(key);
        drop(state);
        if let Some(metrics) = &self.metrics {
            metrics.added();
        }
        self.changed.notify_one();
    }

    /// Wants a key worked on after a delay, or earlier if it was wanted earlier.
    pub(crate) fn add_after(&self, key: K, delay: Duration) {
        let mut state = self.lock();
        state.delay_until(key, Instant::now() + delay);
        drop(state);
        self.changed.notify_one();
    }

    /// Waits for the next key to work on; `None` once the queue is closed. Every key must be given back with
    /// [`done`](Queue::done).
    pub(crate) async fn next(&self) -> Option<K> {
        loop {
            let changed = self.changed.notified();
            let wait = {
                let mut state = self.lock();
                if state.closed {
                    drop(state);
                    self.changed.notify_one();
                    return None;
                }
                state.promote(Instant::now());
                if let Some((key, waited)) = state.take() {
                    let more = !state.turns.is_empty();
                    drop(state);
                    if let Some(metrics) = &self.metrics {
                        metrics.waited(waited);
                    }
                    if more {
                        self.changed.notify_one();
                    }
                    return Some(key);
                }
                state.delayed.first().map(|(due, _)| *due)
            };
            match wait {
                Some(due) => tokio::select! {
                    () = changed => {}
                    () = tokio::time::sleep_until(due) => {}
                },
                None => changed.await,
            }
        }
    }

    /// Gives a key back.
    pub(crate) fn done(&self, key: K, outcome: Outcome) {
        let mut state = self.lock();
        let running = state.running.remove(&key);
        if let (Some(metrics), Some(running)) = (&self.metrics, &running) {
            metrics.worked(running.since.elapsed());
            if outcome == Outcome::Failed {
                metrics.retried();
            }
        }
        let added_meanwhile = running.is_some_and(|running| running.again);
        match outcome {
            Outcome::Settled(_) | Outcome::Gone => {
                state.failures.remove(&key);
            }
            Outcome::Failed => {
                let failures = state.failures.entry(key.clone()).or_default();
                *failures = failures.saturating_add(1);
            }
        }
        if added_meanwhile {
            state.make_ready(key);
        } else {
            let delay = match outcome {
                Outcome::Settled(delay) => delay,
                Outcome::Failed => {
                    let failures = state.failures.get(&key).copied().unwrap_or(1);
                    Some(self.backoff.delay(failures, &key))
                }
                Outcome::Gone => None,
            };
            if let Some(delay) = delay {
                state.delay_until(key, Instant::now() + delay);
            }
        }
        drop(state);
        self.changed.notify_one();
    }

    /// How attempts are spaced.
    pub(crate) fn backoff(&self) -> Backoff {
        self.backoff
    }

    /// Lets everyone who waits in [`next`](Queue::next) go.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }
}

impl<K: Key> State<K> {
    fn cancel_delay(&mut self, key: &K) {
        if let Some(due) = self.due.remove(key) {
            self.delayed.remove(&(due, key.clone()));
        }
    }

    fn make_ready(&mut self, key: K) {
        if let Some(running) = self.running.get_mut(&key) {
            running.again = true;
            return;
        }
        match self.ready.entry(key.clone()) {
            Entry::Occupied(_) => return,
            Entry::Vacant(place) => drop(place.insert(Instant::now())),
        }
        let lane = key.lane();
        match self.lanes.get_mut(lane) {
            Some(keys) => keys.push_back(key),
            None => {
                let lane: Box<str> = lane.into();
                self.turns.push_back(lane.clone());
                self.lanes.insert(lane, VecDeque::from([key]));
            }
        }
    }

    fn delay_until(&mut self, key: K, due: Instant) {
        let comes_anyway = self.running.get(&key).is_some_and(|running| running.again);
        if self.ready.contains_key(&key) || comes_anyway {
            return;
        }
        match self.due.get(&key) {
            Some(earlier) if *earlier <= due => {}
            _ => {
                self.cancel_delay(&key);
                self.due.insert(key.clone(), due);
                self.delayed.insert((due, key));
            }
        }
    }

    fn promote(&mut self, now: Instant) {
        while self.delayed.first().is_some_and(|(due, _)| *due <= now) {
            if let Some((_, key)) = self.delayed.pop_first() {
                self.due.remove(&key);
                self.make_ready(key);
            }
        }
    }

    /// The next key, and how long it has waited.
    fn take(&mut self) -> Option<(K, Duration)> {
        let lane = self.turns.pop_front()?;
        let keys = self.lanes.get_mut(&lane)?;
        let key = keys.pop_front()?;
        if keys.is_empty() {
            self.lanes.remove(&lane);
        } else {
            self.turns.push_back(lane);
        }
        let waited = self.ready.remove(&key).map(|since| since.elapsed()).unwrap_or_default();
        self.running.insert(key.clone(), Running { since: Instant::now(), again: false });
        Some((key, waited))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Item = (&'static str, u32);

    impl Key for Item {
        fn lane(&self) -> &str {
            self.0
        }
    }

    fn queue() -> Queue<Item> {
        Queue::new(Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(60) })
    }

    /// The next key if one is there without waiting.
    async fn now(queue: &Queue<Item>) -> Option<Item> {
        tokio::time::timeout(Duration::from_millis(1), queue.next()).await.ok().flatten()
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_is_handed_out_once() {
        let queue = queue();
        queue.add(("a", 1));
        queue.add(("a", 1));
        assert_eq!(now(&queue).await, Some(("a", 1)));
        assert_eq!(now(&queue).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_key_added_during_its_work_comes_back_after_it() {
        let queue = queue();
        queue.add(("a", 1));
        let key = now(&queue).await.unwrap();
        queue.add(("a", 1));
        assert_eq!(now(&queue).await, None, "one worker at a time");
        queue.done(key, Outcome::Settled(None));
        assert_eq!(now(&queue).await, Some(("a", 1)));
    }

    #[tokio::test(start_paused = true)]
    async fn lanes_take_turns() {
        let queue = queue();
        for n in 0..3 {
            queue.add(("crowded", n));
        }
        queue.add(("quiet", 0));
        let mut order = Vec::new();
        while let Some(key) = now(&queue).await {
            order.push(key);
        }
        assert_eq!(order, [("crowded", 0), ("quiet", 0), ("crowded", 1), ("crowded", 2)]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_earliest_delay_counts() {
        let queue = queue();
        queue.add_after(("a", 1), Duration::from_secs(10));
        queue.add_after(("a", 1), Duration::from_secs(2));
        queue.add_after(("a", 1), Duration::from_secs(30));
        let start = Instant::now();
        assert_eq!(queue.next().await, Some(("a", 1)));
        assert_eq!(start.elapsed(), Duration::from_secs(2));
        queue.done(("a", 1), Outcome::Settled(None));
        assert_eq!(now(&queue).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn adding_cuts_a_delay_short() {
        let queue = queue();
        queue.add_after(("a", 1), Duration::from_secs(10));
        queue.add(("a", 1));
        assert_eq!(now(&queue).await, Some(("a", 1)));
        queue.done(("a", 1), Outcome::Settled(None));
        tokio::time::advance(Duration::from_secs(20)).await;
        assert_eq!(now(&queue).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn failures_are_spaced_out_and_success_forgets_them() {
        let queue = queue();
        queue.add(("a", 1));
        let mut last = Duration::ZERO;
        for _ in 0..5 {
            let key = queue.next().await.unwrap();
            queue.done(key, Outcome::Failed);
            let start = Instant::now();
            let key = queue.next().await.unwrap();
            let waited = start.elapsed();
            assert!(waited > last, "{waited:?} after {last:?}");
            last = waited;
            queue.done(key, Outcome::Failed);
        }
        assert!(last < Duration::from_secs(72), "{last:?}");
        let key = queue.next().await.unwrap();
        queue.done(key, Outcome::Settled(Some(Duration::ZERO)));
        let key = queue.next().await.unwrap();
        queue.done(key, Outcome::Failed);
        let start = Instant::now();
        queue.next().await.unwrap();
        assert!(start.elapsed() <= Duration::from_millis(1200));
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_is_worked_on_at_once_in_spite_of_failures() {
        let queue = queue();
        queue.add(("a", 1));
        let key = queue.next().await.unwrap();
        queue.add(("a", 1));
        queue.done(key, Outcome::Failed);
        assert_eq!(now(&queue).await, Some(("a", 1)));
    }

    #[tokio::test]
    async fn closing_lets_every_waiter_go() {
        let queue = std::sync::Arc::new(queue());
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                let queue = queue.clone();
                tokio::spawn(async move { queue.next().await })
            })
            .collect();
        tokio::task::yield_now().await;
        queue.close();
        for waiter in waiters {
            assert_eq!(waiter.await.unwrap(), None);
        }
    }
}
