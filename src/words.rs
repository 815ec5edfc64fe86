//! Words that somebody may have meant.

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

#[cfg(test)]
mod tests {
    use super::*;

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
