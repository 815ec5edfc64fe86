//! Go's slice: a view of elements that other slices may share.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use super::{ANY_LIST, ListType, STRING_LIST, Value, release};

/// A reference to a run of elements. Clones and [`List::slice`]s share the elements, as Go's slices do.
#[derive(Clone)]
pub struct List {
    ty: &'static ListType,
    data: Option<Rc<ListData>>,
}

pub(super) enum ListData {
    Whole(RefCell<Vec<Value>>),
    View { base: List, start: usize, len: usize },
}

impl Drop for ListData {
    fn drop(&mut self) {
        if let ListData::Whole(items) = self {
            release::items(std::mem::take(items.get_mut()));
        }
    }
}

impl List {
    /// Makes a list of the given type.
    pub fn of(ty: &'static ListType, items: Vec<Value>) -> Self {
        Self { ty, data: Some(Rc::new(ListData::Whole(RefCell::new(items)))) }
    }

    /// Makes a `[]interface {}`.
    pub fn any(items: Vec<Value>) -> Self {
        Self::of(&ANY_LIST, items)
    }

    /// Makes a `[]string`.
    pub fn strings<S: Into<super::GoStr>>(items: impl IntoIterator<Item = S>) -> Self {
        Self::of(&STRING_LIST, items.into_iter().map(|item| Value::String(item.into())).collect())
    }

    /// Makes a nil list: empty, and `null` in JSON.
    pub fn nil(ty: &'static ListType) -> Self {
        Self { ty, data: None }
    }

    /// Returns the type.
    pub fn ty(&self) -> &'static ListType {
        self.ty
    }

    /// Reports whether the list is nil (which is not the same as empty).
    pub fn is_nil(&self) -> bool {
        self.data.is_none()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self.data.as_deref() {
            None => 0,
            Some(ListData::Whole(items)) => items.borrow().len(),
            Some(ListData::View { len, .. }) => *len,
        }
    }

    /// Reports whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a clone of an element (containers are shared, not copied).
    pub fn get(&self, index: usize) -> Option<Value> {
        self.with(|items| items.get(index).cloned())
    }

    /// Calls `read` with the elements. They must not be changed meanwhile.
    pub fn with<R>(&self, read: impl FnOnce(&[Value]) -> R) -> R {
        match self.window() {
            None => read(&[]),
            Some((items, range)) => read(items.borrow().get(range).unwrap_or_default()),
        }
    }

    /// Changes the elements in place for all who share them (Go's `sort.Strings` on a shared slice). The number of
    /// elements stays the same.
    pub fn modify(&self, change: impl FnOnce(&mut [Value])) {
        if let Some((items, range)) = self.window()
            && let Some(part) = items.borrow_mut().get_mut(range)
        {
            change(part);
        }
    }

    /// Returns the elements' owner and the part of it that this list shows. The base of a view is never a view.
    fn window(&self) -> Option<(&RefCell<Vec<Value>>, std::ops::Range<usize>)> {
        match self.data.as_deref()? {
            ListData::Whole(items) => Some((items, 0..items.borrow().len())),
            ListData::View { base, start, len } => match base.data.as_deref()? {
                ListData::Whole(items) => Some((items, *start..*start + *len)),
                ListData::View { .. } => None,
            },
        }
    }

    /// Returns a shallow copy of the elements.
    pub fn to_vec(&self) -> Vec<Value> {
        self.with(<[Value]>::to_vec)
    }

    /// Returns `l[start:end]`, sharing the elements; `None` if the bounds are out of range.
    pub fn slice(&self, start: usize, end: usize) -> Option<Self> {
        if start > end || end > self.len() {
            return None;
        }
        let (base, offset) = match self.data.as_deref() {
            None => return Some(self.clone()),
            Some(ListData::Whole(_)) => (self.clone(), 0),
            Some(ListData::View { base, start, .. }) => (base.clone(), *start),
        };
        let view = ListData::View { base, start: offset + start, len: end - start };
        Some(Self { ty: self.ty, data: Some(Rc::new(view)) })
    }

    /// Returns an address that is equal exactly for clones of one list; 0 for a nil list.
    pub fn address(&self) -> usize {
        self.data.as_ref().map_or(0, |data| Rc::as_ptr(data).addr())
    }

    /// Takes what the list holds (elements, or the list it is a view of) if this is the only reference, so that it
    /// can be freed without recursion.
    pub(super) fn into_sole_items(self) -> Option<Vec<Value>> {
        match &mut Rc::into_inner(self.data?)? {
            ListData::Whole(items) => Some(std::mem::take(items.get_mut())),
            ListData::View { base, .. } => Some(vec![Value::List(base.clone())]),
        }
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self::any(items.into_iter().collect())
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::debug::guarded(f, self.address(), |f| {
            self.with(|items| f.debug_list().entries(items).finish())
        })
    }
}
