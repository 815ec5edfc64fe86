//! The machine that figures are of.

use std::fmt::Write as _;

/// Describes the machine and when this is, for the reader of figures.
pub(crate) fn describe() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpus = read("/proc/cpuinfo");
    let model = field(&cpus, "model name").unwrap_or("an unnamed processor");
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let memory: u64 = field(&read("/proc/meminfo"), "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse().ok())
        .unwrap_or_default();
    let mut text = format!(
        "{count} × {model}, {} GiB, Linux {}",
        memory >> 20,
        read("/proc/sys/kernel/osrelease").trim()
    );
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let _ = write!(text, "; {date}");
    if let Some(load) = load().filter(|load| *load > 0.5 * count as f64) {
        let _ = write!(text, "; **not quiet**: load {load:.1} before the run, so times mean little");
    }
    text
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim_start().strip_prefix(':')?.trim()))
}

/// The number of processes that wanted to run during the last minute.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_are_read_from_both_kinds_of_lists() {
        assert_eq!(field("a\t: 1\nmodel name\t: X Y\n", "model name"), Some("X Y"));
        assert_eq!(field("MemTotal:       123 kB\n", "MemTotal"), Some("123 kB"));
        assert_eq!(field("", "x"), None);
    }
}
