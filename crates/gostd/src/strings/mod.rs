//! Go's `strings` package, its character classes, and the escapers of `text/template`.
//!
//! Texts are bytes, since Go strings may hold invalid UTF-8. Where Go's Unicode tables and Rust's differ, Go's count.
//!
//! ```
//! use gostd::strings;
//!
//! assert_eq!(strings::to_upper("straße".as_bytes()), "STRAßE".as_bytes());
//! assert_eq!(strings::split_n(b"a,b,c", b",", 2), [&b"a"[..], b"b,c"]);
//! assert_eq!(strings::trim_space("\u{3000}x\n".as_bytes()), b"x");
//! ```

mod case;
mod edit;
mod escape;
mod split;
mod tables;
mod trim;
mod unicode;

pub use crate::runes::{decode_last_rune, decode_rune, push_rune, rune_count, runes};
pub use crate::url::query_escape as url_query_escape;
pub use case::{map, title, to_lower, to_title, to_upper};
pub(crate) use edit::LONGEST_TEXT;
pub use edit::{RepeatError, count, index, last_index, repeat, replace};
pub use escape::{html_escape, js_escape};
pub use split::{explode, fields, split, split_n};
pub use trim::{trim, trim_left, trim_matches, trim_right, trim_space, trim_space_right};
pub use unicode::{
    is_digit, is_letter, is_lower, is_number, is_print, is_punct, is_space, is_title, is_upper, lower,
    title as title_rune, upper,
};

#[cfg(test)]
mod tests;
