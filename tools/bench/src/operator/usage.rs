//! What a running process has used, as Linux tells in /proc.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::BenchError;

/// Linux counts a process's CPU time in hundredths of a second, whatever its own clock does.
const TICKS_PER_SECOND: u64 = 100;

/// The resident memory of a process, in KiB.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// All that is in memory now.
    pub(crate) resident: u64,
    /// The part of it that holds data; the rest is the program itself.
    pub(crate) data: u64,
    /// The most that was ever resident.
    pub(crate) peak: u64,
}

/// Returns the CPU time, user and system, of a process so far, of all its threads, the ended ones too.
pub(crate) fn cpu(pid: u32) -> Result<Duration, BenchError> {
    let path = PathBuf::from(format!("/proc/{pid}/stat"));
    let text = std::fs::read_to_string(&path).map_err(BenchError::input(&path))?;
    parse_cpu(&text).ok_or(BenchError::Input { path, reason: "has no times".into() })
}

fn parse_cpu(stat: &str) -> Option<Duration> {
    // The program's name, in parentheses, may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    // From the third field on; the times are the 14th and 15th.
    let mut times = rest.split_whitespace().skip(11).map(str::parse::<u64>);
    let ticks = times.next()?.ok()? + times.next()?.ok()?;
    Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

/// Returns the resident memory of a process.
pub(crate) fn memory(pid: u32) -> Result<Memory, BenchError> {
    let path = PathBuf::from(format!("/proc/{pid}/status"));
    let text = std::fs::read_to_string(&path).map_err(BenchError::input(&path))?;
    Ok(parse_memory(&text))
}

fn parse_memory(status: &str) -> Memory {
    let figure = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim_start_matches(':').split_whitespace().next()?.parse().ok())
            .unwrap_or_default()
    };
    Memory { resident: figure("VmRSS"), data: figure("RssAnon"), peak: figure("VmHWM") }
}

/// Finds the process of a program one of whose arguments names a directory.
pub(crate) fn find(program: &str, directory: &Path) -> Option<u32> {
    let directory = directory.to_string_lossy();
    let processes = std::fs::read_dir("/proc").ok()?.filter_map(Result::ok);
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(|pid: &u32| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command);
        let mut words = command.split('\0');
        words.next().is_some_and(|first| Path::new(first).file_name().is_some_and(|name| name == program))
            && words.any(|word| word.contains(&*directory))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_any_name() {
        let stat = "77 (odd) name) S 1 77 77 0 -1 4194560 900 0 1 0 250 50 0 0 20 0 5 0 100 1 2 3";
        assert_eq!(parse_cpu(stat), Some(Duration::from_secs(3)));
        assert_eq!(parse_cpu(""), None);
    }

    #[test]
    fn memory_is_read() {
        let memory = parse_memory("VmHWM:\t  900 kB\nVmRSS:\t  800 kB\nRssAnon:\t  300 kB\n");
        assert_eq!((memory.resident, memory.data, memory.peak), (800, 300, 900));
    }

    #[test]
    fn this_process_is_found() {
        let own = std::process::id();
        assert!(memory(own).unwrap().resident > 0);
        assert!(cpu(own).is_ok());
    }
}
