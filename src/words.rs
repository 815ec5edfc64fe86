//! Words for people: what somebody may have meant, and texts that are too long.

use std::borrow::Cow;
use std::ops::Range;

/// The known word that is so near to another one that it may be a slip of it.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, found) = known.map(|known| (distance(word, known), known)).min()?;
    (distance <= 2.max(word.len() / 3)).then_some(found)
}

/// Counts the characters to change, add, drop or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut best =
                (at(&last, j) + usize::from(from != to)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(to) && b.get(j - 1) == Some(from);
            if swapped {
                best = best.min(at(&before_last, j - 1) + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

/// Room for what stands in place of what is left out.
const MARK: usize = 40;

/// Shortens a text to so many bytes by leaving out its middle: what failed stands at the beginning, and why at the end.
pub(crate) fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let room = most.saturating_sub(MARK);
    let (head, tail) =
        (text.floor_char_boundary(room / 3 * 2), text.ceil_char_boundary(text.len() - room / 3));
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    format!("{} [{} bytes left out] {}", part(0..head), tail - head, part(tail..text.len())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_both_ends() {
        assert_eq!(shorten("short", 5), "short");
        for most in [0, 39, 40, 50, 100, 1000] {
            let text = format!("begin {} end", "ä".repeat(2000));
            let short = shorten(&text, most);
            assert!(short.len() <= most.max(MARK), "{most}: {}", short.len());
            if most >= 100 {
                assert!(short.starts_with("begin ä") && short.ends_with("ä end"), "{short}");
                assert!(short.contains(" bytes left out] "), "{short}");
            }
        }
    }

    #[test]
    fn distances() {
        for (a, b, want) in
            [("quote", "quote", 0), ("qoute", "quote", 1), ("indnt", "indent", 1), ("", "ab", 2)]
        {
            assert_eq!(distance(a, b), want, "{a} {b}");
        }
    }

    #[test]
    fn only_near_words_are_meant() {
        let known = ["maxHistory", "values", "valuesFrom"];
        assert_eq!(nearest("maxHistroy", known.into_iter()), Some("maxHistory"));
        assert_eq!(nearest("value", known.into_iter()), Some("values"));
        assert_eq!(nearest("somethingElse", known.into_iter()), None);
    }
}
