//! Breaks reference cycles that template code makes.
//!
//! `set $ "root" $` makes a map that holds itself, which reference counting never frees. A cycle can only come about
//! through a map that was changed after it was made, so a [`Scope`] remembers those and empties them at its end.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::map::MapData;
use super::release;

thread_local! {
    static CHANGED: RefCell<Option<Changed>> = const { RefCell::new(None) };
}

/// The maps that took a container. Those freed meanwhile are forgotten now and then.
struct Changed {
    maps: Vec<Weak<MapData>>,
    /// How many there may be before the freed ones are dropped.
    limit: usize,
}

const FIRST_LIMIT: usize = 1024;

impl Changed {
    fn note(&mut self, data: &Rc<MapData>) {
        if self.maps.len() >= self.limit {
            self.maps.retain(|data| data.strong_count() > 0);
            self.limit = FIRST_LIMIT.max(self.maps.len() * 2);
        }
        self.maps.push(Rc::downgrade(data));
    }
}

/// While it lives, maps of this thread that take a container are noted; when it ends they are emptied.
///
/// Values made inside a scope must not be used after it. Scopes do not nest: an inner one is part of the outer.
#[derive(Debug)]
pub struct Scope {
    outermost: bool,
}

impl Scope {
    /// Opens a scope on this thread.
    pub fn enter() -> Self {
        let outermost = CHANGED.with_borrow_mut(|changed| {
            let outermost = changed.is_none();
            changed.get_or_insert(Changed { maps: Vec::new(), limit: FIRST_LIMIT });
            outermost
        });
        Self { outermost }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        if !self.outermost {
            return;
        }
        let Some(changed) = CHANGED.with_borrow_mut(Option::take) else { return };
        for data in changed.maps.iter().filter_map(Weak::upgrade) {
            data.noted.set(false);
            let entries = data.entries.try_borrow_mut().map(|mut entries| std::mem::take(&mut *entries));
            release::entries(entries.unwrap_or_default());
        }
    }
}

/// Remembers that a map has taken a container, if a scope is open.
pub(super) fn note_mutation(data: &Rc<MapData>) {
    if data.noted.get() {
        return;
    }
    CHANGED.with_borrow_mut(|changed| {
        if let Some(changed) = changed {
            data.noted.set(true);
            changed.note(data);
        }
    });
}
