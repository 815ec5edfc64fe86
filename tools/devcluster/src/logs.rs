//! The ends of log files, for error messages.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// How much of the end of a log is looked at, in bytes.
const WINDOW: u64 = 64 << 10;
/// How many lines an error message quotes.
const LINES: usize = 12;
/// How long a quoted line may be, in characters; structured logs have stack traces in one line.
const WIDTH: usize = 300;

/// The last lines of a log, for quoting. Empty if it cannot be read: the error it goes into matters more.
pub(crate) fn tail(path: &Path) -> Vec<String> {
    quotable(&end(path))
}

/// The last 64 KiB of a log as text.
pub(crate) fn end(path: &Path) -> String {
    let read = || {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(WINDOW)))?;
        let mut bytes = Vec::new();
        file.take(WINDOW).read_to_end(&mut bytes)?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_default()
}

/// The last lines worth quoting of a text.
pub(crate) fn quotable(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = lines.len().saturating_sub(LINES);
    lines.iter().skip(first).map(|line| shorten(line)).collect()
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((cut, _)) => format!("{}…", line.get(..cut).unwrap_or(line)),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_quoted_and_blank_ones_left_out() {
        let text: String = (1..=40).map(|n| format!("line {n}\n\n")).collect();
        let quoted = quotable(&text);
        assert_eq!(quoted.len(), LINES);
        assert_eq!(quoted.last().unwrap(), "line 40");
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let shortened = shorten(&"é".repeat(WIDTH + 1));
        assert_eq!(shortened.chars().count(), WIDTH + 1);
        assert!(shortened.ends_with('…'));
        assert_eq!(shorten("short"), "short");
    }

    #[test]
    fn a_log_that_is_not_there_has_no_lines() {
        assert!(tail(Path::new("/no/such/log")).is_empty());
    }
}
