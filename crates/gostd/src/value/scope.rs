//! Breaks reference cycles that template code makes.
//!
//! `set $ "root" $` makes a map that holds itself, which reference counting never frees. A cycle can only come about
//! through a map that was changed after it was made, so a [`Scope`] remembers those and empties them at its end.

use std::cell::RefCell;
use std::rc::Rc;

use super::map::MapData;
use super::release;

thread_local! {
    static CHANGED: RefCell<Option<Vec<Rc<MapData>>>> = const { RefCell::new(None) };
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
            changed.get_or_insert_default();
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
        for data in CHANGED.with_borrow_mut(Option::take).unwrap_or_default() {
            let entries = std::mem::take(&mut *data.0.borrow_mut());
            release::entries(entries);
        }
    }
}

pub(super) fn note_mutation(data: &Rc<MapData>) {
    CHANGED.with_borrow_mut(|changed| {
        if let Some(changed) = changed {
            let known = changed.last().is_some_and(|last| Rc::ptr_eq(last, data));
            if !known {
                changed.push(Rc::clone(data));
            }
        }
    });
}
