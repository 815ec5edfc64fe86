//! Debug printing that survives maps which contain themselves.

use std::cell::RefCell;
use std::fmt;

thread_local! {
    static OPEN: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Prints a container unless it is already being printed further out, or nested too deep to read.
pub(super) fn guarded(
    f: &mut fmt::Formatter<'_>,
    address: usize,
    print: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    const DEEPEST: usize = 64;
    let closed = OPEN.with_borrow(|open| open.contains(&address) || open.len() >= DEEPEST);
    if closed {
        return f.write_str("...");
    }
    OPEN.with_borrow_mut(|open| open.push(address));
    let result = print(f);
    OPEN.with_borrow_mut(|open| open.pop());
    result
}
