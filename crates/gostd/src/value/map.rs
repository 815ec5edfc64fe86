//! Go's map with string keys: a reference, shared by all who hold it.

use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::{ANY_MAP, GoStr, MapType, Value, release, scope};

/// The entries of a map, in Go's sorted (byte) order.
pub type Entries = BTreeMap<GoStr, Value>;

/// A reference to a map. Clones share the entries, as copies of a Go map do; the type belongs to the reference, so
/// that the same entries can be seen as `chartutil.Values` and as `map[string]interface {}`.
#[derive(Clone)]
pub struct Map {
    ty: &'static MapType,
    data: Option<Rc<MapData>>,
}

pub(super) struct MapData {
    pub(super) entries: RefCell<Entries>,
    /// Whether the open [`super::Scope`] knows of this map already.
    pub(super) noted: Cell<bool>,
}

impl Drop for MapData {
    fn drop(&mut self) {
        release::entries(std::mem::take(self.entries.get_mut()));
    }
}

impl Map {
    /// Makes an empty `map[string]interface {}`.
    pub fn new() -> Self {
        Self::of(&ANY_MAP, Entries::new())
    }

    /// Makes a map of the given type.
    pub fn of(ty: &'static MapType, entries: Entries) -> Self {
        Self { ty, data: Some(Rc::new(MapData { entries: RefCell::new(entries), noted: Cell::new(false) })) }
    }

    /// Makes a nil map of the given type: reads see an empty map, writes fail.
    pub fn nil(ty: &'static MapType) -> Self {
        Self { ty, data: None }
    }

    /// Returns the same entries under another type (Go's conversion between map types).
    pub fn retyped(&self, ty: &'static MapType) -> Self {
        Self { ty, data: self.data.clone() }
    }

    /// Returns the type.
    pub fn ty(&self) -> &'static MapType {
        self.ty
    }

    /// Reports whether the map is nil (which is not the same as empty).
    pub fn is_nil(&self) -> bool {
        self.data.is_none()
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.data.as_ref().map_or(0, |data| data.entries.borrow().len())
    }

    /// Reports whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a clone of the entry (containers are shared, not copied).
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<Value> {
        self.data.as_ref()?.entries.borrow().get(key.as_ref()).cloned()
    }

    /// Returns what [`Map::get`] does, faster than for a key that is no `GoStr` yet.
    pub fn get_by(&self, key: &GoStr) -> Option<Value> {
        self.data.as_ref()?.entries.borrow().get(key).cloned()
    }

    /// Reports whether the key is there, a null entry included.
    pub fn contains_key(&self, key: impl AsRef<[u8]>) -> bool {
        self.data.as_ref().is_some_and(|data| data.entries.borrow().contains_key(key.as_ref()))
    }

    /// Sets an entry; everybody who holds the map sees it. Returns false on a nil map, where Go panics with
    /// `assignment to entry in nil map`.
    #[must_use = "a nil map takes no entries"]
    pub fn insert(&self, key: impl Into<GoStr>, value: Value) -> bool {
        let Some(data) = &self.data else { return false };
        if value.is_container() {
            scope::note_mutation(data);
        }
        let previous = data.entries.borrow_mut().insert(key.into(), value);
        drop(previous); // After the borrow has ended: dropping a value may drop maps.
        true
    }

    /// Removes an entry and returns it.
    pub fn remove(&self, key: impl AsRef<[u8]>) -> Option<Value> {
        self.data.as_ref()?.entries.borrow_mut().remove(key.as_ref())
    }

    /// Removes all entries.
    pub fn clear(&self) {
        if let Some(data) = &self.data {
            let entries = std::mem::take(&mut *data.entries.borrow_mut());
            release::entries(entries);
        }
    }

    /// Borrows the entries for reading; `None` for a nil map. The map must not be changed while the borrow lives:
    /// take [`Map::snapshot`] where template code may run meanwhile.
    pub fn borrow(&self) -> Option<Ref<'_, Entries>> {
        self.data.as_ref().map(|data| data.entries.borrow())
    }

    /// Returns a shallow copy of the entries, in key order.
    pub fn snapshot(&self) -> Vec<(GoStr, Value)> {
        self.data.as_ref().map_or_else(Vec::new, |data| {
            data.entries.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
        })
    }

    /// Returns the keys, in order.
    pub fn keys(&self) -> Vec<GoStr> {
        self.data.as_ref().map_or_else(Vec::new, |data| data.entries.borrow().keys().cloned().collect())
    }

    /// Reports whether both refer to the same map.
    pub fn same(&self, other: &Map) -> bool {
        match (&self.data, &other.data) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Returns an address that is equal exactly for references to the same map; 0 for a nil map.
    pub fn address(&self) -> usize {
        self.data.as_ref().map_or(0, |data| Rc::as_ptr(data).addr())
    }

    /// Takes the entries out if this is the only reference, so that they can be freed without recursion.
    pub(super) fn into_sole_entries(self) -> Option<Entries> {
        let mut data = Rc::into_inner(self.data?)?;
        Some(std::mem::take(data.entries.get_mut()))
    }
}

impl Default for Map {
    fn default() -> Self {
        Self::new()
    }
}

impl FromIterator<(GoStr, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (GoStr, Value)>>(entries: I) -> Self {
        Self::of(&ANY_MAP, entries.into_iter().collect())
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::debug::guarded(f, self.address(), |f| match self.borrow() {
            None => f.write_str("nil"),
            Some(entries) => f.debug_map().entries(entries.iter()).finish(),
        })
    }
}
