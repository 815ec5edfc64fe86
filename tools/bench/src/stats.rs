//! Medians.

/// Returns the middle of the values (the upper one of two), or zero of none.
pub(crate) fn median<T: Copy + PartialOrd + Default>(values: &[T]) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians() {
        assert_eq!(median(&[3, 1, 2]), 2);
        assert_eq!(median(&[4.0, 1.0]), 4.0);
        assert_eq!(median::<u32>(&[]), 0);
    }
}
