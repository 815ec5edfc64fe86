//! The order of keys: like people sort them, numbers by value. go-yaml's comparison, which is not always consistent.

use std::borrow::Cow;

use gostd::strings::{is_digit, is_letter};
use gostd::{GoStr, Value};

use crate::resolve::Version;

/// Sorts entries that are in byte order. Where the comparison contradicts itself (`v10`, `v1alpha1`, `v2`), Go's result
/// is random; this one is always the same.
pub(super) fn sort(entries: Vec<(GoStr, Value)>, version: Version) -> Vec<(GoStr, Value)> {
    let less = |a: &(GoStr, Value), b: &(GoStr, Value)| less(&a.0, &b.0, version);
    if entries.is_sorted_by(|a, b| !less(b, a)) { entries } else { merge_sort(entries, &less) }
}

/// Runs up to this length are sorted by insertion.
const SHORT: usize = 12;

/// The standard library's sort may panic if the comparison is inconsistent; this one cannot.
fn merge_sort<T>(mut items: Vec<T>, less: &impl Fn(&T, &T) -> bool) -> Vec<T> {
    if items.len() <= SHORT {
        for end in 1..items.len() {
            let mut place = end;
            while let Some([before, here]) = items.get(place.wrapping_sub(1)..=place)
                && less(here, before)
            {
                items.swap(place, place - 1);
                place -= 1;
            }
        }
        return items;
    }
    let right = merge_sort(items.split_off(items.len() / 2), less);
    let left = merge_sort(items, less);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => {
                if less(b, a) {
                    right.next()
                } else {
                    left.next()
                }
            }
            (Some(_), None) => left.next(),
            (None, _) => right.next(),
        };
        match next {
            Some(item) => merged.push(item),
            None => return merged,
        }
    }
}

fn less(a: &[u8], b: &[u8], version: Version) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return less_units(a, b, version);
    }
    let runes = |text: &[u8]| -> Vec<u32> {
        let text =
            std::str::from_utf8(text).map_or_else(|_| Cow::Owned(gostd::value::lossy(text)), Cow::Borrowed);
        text.chars().map(u32::from).collect()
    };
    less_units(&runes(a), &runes(b), version)
}

/// go-yaml's `keyList.Less` for two strings, character by character.
fn less_units<T: Copy + PartialEq + Into<u32>>(a: &[T], b: &[T], version: Version) -> bool {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (Some(x), Some(y)) = (a.get(same).copied(), b.get(same).copied()) else { return a.len() < b.len() };
    let (x, y): (u32, u32) = (x.into(), y.into());
    let before = a.get(..same).unwrap_or_default();
    match (letter(x), letter(y)) {
        (true, true) => return x < y,
        (false, false) => {}
        (x_is_letter, y_is_letter) => {
            let after_digit = before.last().is_some_and(|last| digit((*last).into()));
            return if version == Version::V3 && after_digit { x_is_letter } else { y_is_letter };
        }
    }
    // A zero inside a number counts: both numbers then get a leading 1.
    let zero = u32::from(b'0');
    let inside_number = (x == zero || y == zero)
        && before
            .iter()
            .rev()
            .map(|unit| (*unit).into())
            .take_while(|unit| digit(*unit))
            .any(|unit| unit != zero);
    let number = |text: &[T]| {
        let digits = text.get(same..).unwrap_or_default();
        let digits = digits.iter().map(|unit| (*unit).into()).take_while(|unit| digit(*unit));
        digits.fold((i64::from(inside_number), 0usize), |(value, count), unit| {
            (value.wrapping_mul(10).wrapping_add(i64::from(unit) - i64::from(zero)), count + 1)
        })
    };
    let ((x_value, x_digits), (y_value, y_digits)) = (number(a), number(b));
    if x_value != y_value {
        return x_value < y_value;
    }
    if x_digits != y_digits {
        return x_digits < y_digits;
    }
    x < y
}

fn letter(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(is_letter)
}

fn digit(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: &str, version: Version) -> String {
        let mut keys: Vec<&str> = keys.split(' ').collect();
        keys.sort_unstable();
        let entries = keys.into_iter().map(|key| (GoStr::from(key), Value::Nil)).collect();
        let sorted: Vec<String> = sort(entries, version).iter().map(|(key, _)| key.to_string()).collect();
        sorted.join(" ")
    }

    #[test]
    fn numbers_sort_by_value_and_letters_last() {
        for keys in [
            "- . _ 1 2 10 A B C a a1 a2 a10 b",
            "a a-b a.b a/b a_b aB ab",
            "Port port port.name ports",
            "1item item item-1 item2b item12a",
            "0 00 1 01",
        ] {
            assert_eq!(sorted(keys, Version::V2), keys);
        }
        assert_eq!(sorted("v1 v1alpha1 v1beta1 v2 v10", Version::V3), "v1 v1alpha1 v1beta1 v2 v10");
    }

    #[test]
    fn contradictory_orders_still_end() {
        let mut keys: Vec<String> = (0..300).map(|n| format!("v{n}")).collect();
        keys.extend((0..300).map(|n| format!("v{n}alpha{}", n % 7)));
        keys.sort_unstable();
        let sorted = merge_sort(keys.clone(), &|a, b| less(a.as_bytes(), b.as_bytes(), Version::V2));
        assert_eq!(sorted.len(), keys.len());
    }

    #[test]
    fn long_numbers_wrap_as_in_go() {
        let long = "9".repeat(40);
        assert!(
            less(b"a1", format!("a{long}").as_bytes(), Version::V2)
                || less(format!("a{long}").as_bytes(), b"a1", Version::V2)
        );
    }
}
