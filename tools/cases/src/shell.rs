//! Runs one command and returns what it printed.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    /// `None` if a signal ended it, or the limit.
    pub(crate) code: Option<i32>,
    /// What it printed, trimmed.
    pub(crate) output: String,
    /// What it complained about, trimmed.
    pub(crate) complaints: String,
    /// It was ended because it took too long.
    pub(crate) too_slow: bool,
}

impl Ran {
    pub(crate) fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// Whether it failed because the API server could not be asked, so that its output says nothing.
    pub(crate) fn was_unheard(&self) -> bool {
        const UNHEARD: &[&str] =
            &["The connection to the server", "Unable to connect to the server", "connection refused"];
        !self.succeeded() && UNHEARD.iter().any(|text| self.complaints.contains(text))
    }
}

/// Runs a command, for at most `limit`. Its output goes through files in `scratch`, so that what it leaves running in
/// the background keeps nobody waiting.
pub(crate) fn run(command: &mut Command, scratch: &Path, limit: Duration) -> io::Result<Ran> {
    let (out, err) = (scratch.join("stdout"), scratch.join("stderr"));
    let child = command
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .process_group(0)
        .spawn();
    let mut child = child?;
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    let (status, too_slow) = loop {
        if let Some(status) = child.try_wait()? {
            break (status, false);
        }
        if Instant::now() > deadline {
            let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            if let Some(group) = group {
                // It fails only if the group is gone, which is what is wanted.
                let _ = kill_process_group(group, Signal::KILL);
            }
            break (child.wait()?, true);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(25));
    };
    Ok(Ran { code: status.code(), output: read(&out)?, complaints: read(&err)?, too_slow })
}

fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bash(name: &str, script: &str, limit: Duration) -> Ran {
        let scratch = std::env::temp_dir().join(format!("cases-shell-{name}-{}", std::process::id()));
        fs::create_dir_all(&scratch).unwrap();
        let ran = run(Command::new("bash").args(["-c", script]), &scratch, limit).unwrap();
        fs::remove_dir_all(scratch).unwrap();
        ran
    }

    #[test]
    fn output_and_complaints_are_apart() {
        let ran = bash("both", "echo ' out '; echo err >&2; exit 3", Duration::from_secs(20));
        assert_eq!((ran.code, &*ran.output, &*ran.complaints), (Some(3), "out", "err"));
        assert!(!ran.succeeded() && !ran.was_unheard());
    }

    #[test]
    fn what_hangs_is_ended_with_its_children() {
        let started = Instant::now();
        let ran = bash("hangs", "echo begun; sleep 60 | cat", Duration::from_millis(500));
        assert!(ran.too_slow && started.elapsed() < Duration::from_secs(20));
        assert_eq!(ran.output, "begun");
    }

    #[test]
    fn the_background_keeps_nobody_waiting() {
        let started = Instant::now();
        let ran = bash("background", "sleep 15 & echo done", Duration::from_secs(60));
        assert_eq!(ran.output, "done");
        assert!(started.elapsed() < Duration::from_secs(14));
    }

    #[test]
    fn a_server_that_cannot_be_asked_says_nothing() {
        let script = "echo 'The connection to the server 127.0.0.1:1 was refused' >&2; exit 1";
        assert!(bash("unheard", script, Duration::from_secs(20)).was_unheard());
    }
}
