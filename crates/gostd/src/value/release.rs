//! Frees nested containers with a work list, so that depth never costs stack.

use super::Value;
use super::map::Entries;

/// Drops the entries of a map.
pub(super) fn entries(entries: Entries) {
    if entries.values().any(Value::is_container) {
        drain(entries.into_values().filter(Value::is_container).collect());
    }
}

/// Drops the elements of a list.
pub(super) fn items(items: Vec<Value>) {
    if items.iter().any(Value::is_container) {
        drain(items.into_iter().filter(Value::is_container).collect());
    }
}

fn drain(mut work: Vec<Value>) {
    while let Some(value) = work.pop() {
        match value {
            Value::Map(map) => {
                if let Some(entries) = map.into_sole_entries() {
                    work.extend(entries.into_values().filter(Value::is_container));
                }
            }
            Value::List(list) => {
                if let Some(items) = list.into_sole_items() {
                    work.extend(items.into_iter().filter(Value::is_container));
                }
            }
            _ => {}
        }
    }
}
