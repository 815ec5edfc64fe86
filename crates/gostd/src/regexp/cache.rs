//! Keeps compiled expressions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Error, Regexp};

/// Compiled expressions by pattern, for callers that meet the same patterns again and again. Bounded: when half of the
/// capacity is filled, the expressions that were not asked for since the last time that happened are dropped.
///
/// ```
/// use gostd::regexp::Cache;
/// let cache = Cache::new(100);
/// assert!(cache.get(b"^a+$")?.is_match(b"aaa"));
/// # Ok::<(), gostd::regexp::Error>(())
/// ```
#[derive(Debug)]
pub struct Cache {
    half: usize,
    generations: Mutex<Generations>,
    largest: AtomicUsize,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<Vec<u8>, Regexp>,
    old: HashMap<Vec<u8>, Regexp>,
}

/// Longer patterns are compiled anew each time, so that the cache stays small.
const LONGEST_PATTERN: usize = 4096;

impl Cache {
    /// Makes an empty cache for at most so many expressions (at least two).
    pub fn new(capacity: usize) -> Self {
        Self { half: (capacity / 2).max(1), generations: Mutex::default(), largest: AtomicUsize::new(0) }
    }

    /// Returns the compiled expression.
    pub fn get(&self, pattern: &[u8]) -> Result<Regexp, Error> {
        if let Some(known) =
            self.generations.lock().unwrap_or_else(PoisonError::into_inner).get(pattern, self.half)
        {
            return Ok(known);
        }
        let compiled = Regexp::compile(pattern)?;
        self.largest.fetch_max(compiled.size(), Ordering::Relaxed);
        if pattern.len() <= LONGEST_PATTERN {
            let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
            generations.keep(pattern.to_vec(), compiled.clone(), self.half);
        }
        Ok(compiled)
    }

    /// Returns the size of the largest expression compiled so far ([`Regexp::size`]).
    pub fn largest(&self) -> usize {
        self.largest.load(Ordering::Relaxed)
    }
}

impl Generations {
    fn get(&mut self, pattern: &[u8], half: usize) -> Option<Regexp> {
        if let Some(known) = self.young.get(pattern) {
            return Some(known.clone());
        }
        let (pattern, known) = self.old.remove_entry(pattern)?;
        self.keep(pattern, known.clone(), half);
        Some(known)
    }

    fn keep(&mut self, pattern: Vec<u8>, compiled: Regexp, half: usize) {
        if self.young.len() >= half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(pattern, compiled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_is_used_and_stays_small() {
        let cache = Cache::new(8);
        for round in 0..100 {
            assert!(cache.get(b"often").is_ok_and(|re| re.is_match(b"often")));
            assert!(cache.get(format!("rare{round}").as_bytes()).is_ok());
            let generations = cache.generations.lock().expect("no panic inside");
            assert!(generations.young.len() + generations.old.len() <= 8);
            assert!(
                generations.young.contains_key(&b"often"[..]) || generations.old.contains_key(&b"often"[..])
            );
        }
        assert!(cache.get(b"(").is_err());
    }
}
