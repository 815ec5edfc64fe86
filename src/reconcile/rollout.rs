//! A new chart in the operator's image → the resources of a kind move to it a few at a time, and no further when too many
//! fail. Pure: who moves next is decided from what was told.

use std::collections::BTreeSet;

use super::identity::InstanceKey;

/// How many of some number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// So many.
    Number(usize),
    /// So many in a hundred, rounded up.
    Percent(usize),
}

impl Share {
    /// Reads `3` or `25%`.
    ///
    /// # Errors
    /// With what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (digits, make): (_, fn(usize) -> Self) = match text.strip_suffix('%') {
            Some(digits) => (digits, Share::Percent),
            None => (text, Share::Number),
        };
        match digits.trim().parse() {
            Ok(number) if number > 0 && (!text.ends_with('%') || number <= 100) => Ok(make(number)),
            _ => Err(format!("{text:?} is no share: write a number from 1, or a percentage as 25%")),
        }
    }

    /// At least 1.
    fn of(self, all: usize) -> usize {
        match self {
            Share::Number(number) => number,
            Share::Percent(percent) => all.saturating_mul(percent).div_ceil(100),
        }
        .max(1)
    }
}

/// How fast resources move on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pace {
    /// How many may be under way or not ready yet at a time; all if not set.
    pub(crate) max_unavailable: Option<Share>,
    /// How many may fail before no further one is moved; any number if not set.
    pub(crate) max_failures: Option<usize>,
}

/// Why a resource is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The chart is a new one.
    Chart,
    /// The chart is a new one, and the resource is not ready as it is: its move makes nothing unavailable.
    Unready,
    /// The same, and it failed with what it had: that it fails again tells nothing of the chart.
    Failed,
    /// Its user has changed it, and chosen the moment so.
    Changed,
}

/// Whether a resource may move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Go,
    /// Not now: these are under way.
    Wait(Vec<InstanceKey>),
    /// Not at all, until what failed works; these did.
    Halted(Vec<InstanceKey>),
}

/// How it stood with the resources of a kind when the operator was started.
#[derive(Debug, Default)]
pub(crate) struct Interrupted {
    /// On the new chart, or about to be, and not ready.
    pub(crate) moving: BTreeSet<InstanceKey>,
    /// The same without a place.
    pub(crate) beside: BTreeSet<InstanceKey>,
    /// Their move failed.
    pub(crate) failed: BTreeSet<InstanceKey>,
}

/// The resources of a kind on their way from one chart to another.
#[derive(Debug, Default)]
pub(crate) struct Rollout {
    begun: bool,
    /// Those that were let go and are not ready with the new chart yet.
    moving: BTreeSet<InstanceKey>,
    /// Those that were let go and take no place, as long as they are not ready.
    beside: BTreeSet<InstanceKey>,
    /// Those of them whose failures do not count.
    excused: BTreeSet<InstanceKey>,
    failed: BTreeSet<InstanceKey>,
    waiting: BTreeSet<InstanceKey>,
}

impl Rollout {
    /// Tells what a restart may have interrupted. Done once, before the first question.
    pub(crate) fn begin(&mut self, read: impl FnOnce() -> Interrupted) {
        if !std::mem::replace(&mut self.begun, true) {
            let Interrupted { moving, beside, failed } = read();
            *self = Self { moving, beside, failed, ..std::mem::take(self) };
        }
    }

    /// Asks whether a resource may move, one of `all`.
    pub(crate) fn ask(&mut self, key: &InstanceKey, claim: Claim, all: usize, pace: Pace) -> Turn {
        if [&self.moving, &self.beside, &self.failed].iter().any(|set| set.contains(key)) {
            return Turn::Go;
        }
        let goes_beside = match claim {
            Claim::Changed => true,
            Claim::Unready | Claim::Failed => !self.is_halted(pace),
            Claim::Chart => false,
        };
        if goes_beside {
            self.waiting.remove(key);
            self.beside.insert(key.clone());
            if claim == Claim::Failed {
                self.excused.insert(key.clone());
            }
            return Turn::Go;
        }
        self.waiting.insert(key.clone());
        if self.is_halted(pace) {
            return Turn::Halted(self.failed.iter().cloned().collect());
        }
        if self.room(all, pace) == 0 {
            return Turn::Wait(self.moving.iter().cloned().collect());
        }
        self.waiting.remove(key);
        self.moving.insert(key.clone());
        Turn::Go
    }

    fn is_halted(&self, pace: Pace) -> bool {
        pace.max_failures.is_some_and(|most| self.failed.len() > most)
    }

    fn room(&self, all: usize, pace: Pace) -> usize {
        let most = pace.max_unavailable.map_or(usize::MAX, |share| share.of(all));
        most.saturating_sub(self.moving.len())
    }

    /// A resource is ready with the new chart, or does not take part any more. Returns who should ask again.
    pub(crate) fn leave(&mut self, key: &InstanceKey, all: usize, pace: Pace) -> Vec<InstanceKey> {
        self.waiting.remove(key);
        self.beside.remove(key);
        self.excused.remove(key);
        let made_room = self.moving.remove(key);
        let was_halted = self.is_halted(pace);
        let mended = self.failed.remove(key) && was_halted && !self.is_halted(pace);
        if made_room || mended { self.next(all, pace) } else { Vec::new() }
    }

    /// The move of a resource failed: what ran before runs again. Returns whether that halts the rest, and who should ask
    /// again.
    pub(crate) fn fail(&mut self, key: &InstanceKey, all: usize, pace: Pace) -> (bool, Vec<InstanceKey>) {
        if self.excused.contains(key) {
            return (false, Vec::new());
        }
        let was_halted = self.is_halted(pace);
        self.moving.remove(key);
        self.beside.remove(key);
        self.failed.insert(key.clone());
        (!was_halted && self.is_halted(pace), self.next(all, pace))
    }

    /// A resource has not got ready in time with the new chart. That counts as a failure, if failures can halt the rest;
    /// otherwise nothing but its place keeps a chart that does not work from going on.
    pub(crate) fn is_late(&mut self, key: &InstanceKey, all: usize, pace: Pace) -> (bool, Vec<InstanceKey>) {
        if pace.max_failures.is_none() || !self.moving.contains(key) {
            return (false, Vec::new());
        }
        self.fail(key, all, pace)
    }

    /// Whether a resource was let go without taking a place.
    pub(crate) fn is_beside(&self, key: &InstanceKey) -> bool {
        self.beside.contains(key)
    }

    /// Whether the move of a resource failed and counts.
    pub(crate) fn has_failed(&self, key: &InstanceKey) -> bool {
        self.failed.contains(key)
    }

    /// Those whose turn it is, in the order of their names.
    fn next(&self, all: usize, pace: Pace) -> Vec<InstanceKey> {
        if self.is_halted(pace) {
            return Vec::new();
        }
        self.waiting.iter().take(self.room(all, pace)).cloned().collect()
    }

    /// Whether nobody is on the way or waits for it.
    pub(crate) fn is_over(&self) -> bool {
        self.moving.is_empty() && self.waiting.is_empty() && self.failed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> InstanceKey {
        InstanceKey::new("n", name)
    }

    fn pace(share: &str, max_failures: Option<usize>) -> Pace {
        Pace { max_unavailable: Some(Share::parse(share).unwrap()), max_failures }
    }

    #[test]
    fn shares_are_read() {
        assert_eq!(Share::parse("3").unwrap().of(10), 3);
        assert_eq!(Share::parse(" 25% ").unwrap().of(10), 3);
        assert_eq!(Share::parse("1%").unwrap().of(0), 1);
        for wrong in ["", "0", "0%", "101%", "-1", "many", "%"] {
            assert!(Share::parse(wrong).unwrap_err().contains("write a number"), "{wrong}");
        }
    }

    #[test]
    fn no_more_than_the_share_are_under_way() {
        let mut rollout = Rollout::default();
        let pace = pace("50%", None);
        assert_eq!(rollout.ask(&key("b"), Claim::Chart, 4, pace), Turn::Go);
        assert_eq!(rollout.ask(&key("c"), Claim::Chart, 4, pace), Turn::Go);
        assert_eq!(rollout.ask(&key("d"), Claim::Chart, 4, pace), Turn::Wait(vec![key("b"), key("c")]));
        assert_eq!(rollout.ask(&key("a"), Claim::Chart, 4, pace), Turn::Wait(vec![key("b"), key("c")]));
        assert_eq!(rollout.ask(&key("b"), Claim::Chart, 4, pace), Turn::Go, "it goes on");
        assert_eq!(rollout.leave(&key("c"), 4, pace), [key("a")], "the first by name");
        assert_eq!(rollout.ask(&key("a"), Claim::Chart, 4, pace), Turn::Go);
        assert_eq!(rollout.leave(&key("c"), 4, pace), [], "told once");
        assert_eq!(rollout.leave(&key("b"), 4, pace), [key("d")]);
        assert_eq!(rollout.ask(&key("d"), Claim::Chart, 4, pace), Turn::Go);
        assert!([key("a"), key("d")].iter().all(|one| rollout.leave(one, 4, pace).is_empty()));
        assert!(rollout.is_over());
    }

    #[test]
    fn too_many_failures_halt_it_until_they_are_mended() {
        let mut rollout = Rollout::default();
        let pace = pace("1", Some(1));
        for (name, halts) in [("a", false), ("b", true)] {
            assert_eq!(rollout.ask(&key(name), Claim::Chart, 4, pace), Turn::Go);
            assert_eq!(rollout.fail(&key(name), 4, pace), (halts, vec![]));
        }
        assert_eq!(rollout.ask(&key("c"), Claim::Chart, 4, pace), Turn::Halted(vec![key("a"), key("b")]));
        assert_eq!(rollout.ask(&key("a"), Claim::Chart, 4, pace), Turn::Go, "what failed is tried again");
        assert_eq!(rollout.leave(&key("a"), 4, pace), [key("c")]);
        assert_eq!(rollout.ask(&key("c"), Claim::Chart, 4, pace), Turn::Go);
    }

    #[test]
    fn a_restart_goes_on_where_it_was() {
        let mut rollout = Rollout::default();
        rollout.begin(|| Interrupted { moving: [key("a")].into(), ..Interrupted::default() });
        rollout.begin(|| panic!("once"));
        assert_eq!(rollout.ask(&key("b"), Claim::Chart, 2, pace("1", None)), Turn::Wait(vec![key("a")]));
        assert_eq!(
            rollout.ask(&key("b"), Claim::Chart, 2, Pace::default()),
            Turn::Go,
            "without a pace all go"
        );
    }

    #[test]
    fn who_was_not_ready_anyway_or_is_changed_takes_no_place() {
        let mut rollout = Rollout::default();
        let pace = pace("1", Some(0));
        assert_eq!(rollout.ask(&key("a"), Claim::Unready, 4, pace), Turn::Go);
        assert_eq!(rollout.ask(&key("b"), Claim::Chart, 4, pace), Turn::Go, "there is room");
        assert_eq!(rollout.ask(&key("c"), Claim::Chart, 4, pace), Turn::Wait(vec![key("b")]));
        assert_eq!(rollout.ask(&key("c"), Claim::Changed, 4, pace), Turn::Go);
        assert!(
            rollout.is_beside(&key("a")) && rollout.is_beside(&key("c")) && !rollout.is_beside(&key("b"))
        );
        assert_eq!(rollout.ask(&key("c"), Claim::Chart, 4, pace), Turn::Go, "it goes on");
        assert_eq!(rollout.fail(&key("b"), 4, pace), (true, vec![]));
        for claim in [Claim::Chart, Claim::Unready] {
            assert_eq!(rollout.ask(&key("d"), claim, 4, pace), Turn::Halted(vec![key("b")]));
        }
        assert_eq!(rollout.ask(&key("d"), Claim::Changed, 4, pace), Turn::Go, "its user wants it");
        assert!(rollout.leave(&key("a"), 4, pace).is_empty() && !rollout.is_beside(&key("a")));
    }

    #[test]
    fn who_failed_before_halts_nobody() {
        let mut rollout = Rollout::default();
        let pace = pace("1", Some(0));
        assert_eq!(rollout.ask(&key("a"), Claim::Failed, 4, pace), Turn::Go);
        assert_eq!(rollout.fail(&key("a"), 4, pace), (false, vec![]));
        assert!(rollout.is_beside(&key("a")) && !rollout.has_failed(&key("a")));
        assert_eq!(rollout.ask(&key("b"), Claim::Chart, 4, pace), Turn::Go);
        assert_eq!(rollout.ask(&key("a"), Claim::Failed, 4, pace), Turn::Go, "it is tried again");
        assert!(rollout.leave(&key("a"), 4, pace).is_empty());
        assert_eq!(rollout.ask(&key("a"), Claim::Unready, 4, pace), Turn::Go);
        assert_eq!(rollout.fail(&key("a"), 4, pace), (true, vec![]), "it worked meanwhile");
    }

    #[test]
    fn who_is_late_has_failed_where_failures_count() {
        for (most, late, then) in [
            (None, (false, vec![]), Turn::Wait(vec![key("a")])),
            (Some(0), (true, vec![]), Turn::Halted(vec![key("a")])),
            (Some(1), (false, vec![key("b")]), Turn::Go),
        ] {
            let mut rollout = Rollout::default();
            let pace = pace("1", most);
            assert_eq!(rollout.ask(&key("a"), Claim::Chart, 4, pace), Turn::Go);
            assert_eq!(rollout.ask(&key("b"), Claim::Chart, 4, pace), Turn::Wait(vec![key("a")]));
            assert_eq!(rollout.is_late(&key("a"), 4, pace), late);
            assert_eq!(rollout.ask(&key("b"), Claim::Chart, 4, pace), then);
            assert_eq!(rollout.is_late(&key("a"), 4, pace), (false, vec![]), "told once");
        }
    }
}
