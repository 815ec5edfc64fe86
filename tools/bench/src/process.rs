//! What a whole process takes: wall time and peak resident memory.
//!
//! The kernel only tells the peak of all children so far, so each measured run gets a parent of its own: this program,
//! started anew with `measure`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

use crate::error::BenchError;

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Wall time.
    pub(crate) wall: Duration,
    /// Peak resident memory in KiB.
    pub(crate) peak_kib: u64,
}

/// Runs a command in a fresh parent and returns what it took. The command must succeed.
pub(crate) fn measure(dir: &Path, command: &[String]) -> Result<Usage, BenchError> {
    let failed = |reason: String| BenchError::Command { command: command.join(" "), reason };
    let own = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let output = Command::new(own)
        .args(["measure", "--dir"])
        .arg(dir)
        .arg("--")
        .args(command)
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stdout).trim().to_owned()));
    }
    let figures: Value = serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
    let number = |name: &str| figures.get(name).and_then(Value::as_u64).unwrap_or_default();
    Ok(Usage { wall: Duration::from_nanos(number("wall_ns")), peak_kib: number("peak_kib") })
}

/// Runs a command as a child of this process and reports its figures as JSON.
pub(crate) fn measure_here(dir: &Path, command: &[String]) -> Result<String, BenchError> {
    let failed = |reason: String| BenchError::Command { command: command.join(" "), reason };
    let (program, args) = command.split_first().ok_or_else(|| failed("no command".into()))?;
    let start = Instant::now();
    let output = Command::new(program)
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    let wall = start.elapsed();
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| failed(error.to_string()))?;
    let wall_ns = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
    Ok(json!({ "wall_ns": wall_ns, "peak_kib": usage.max_rss() }).to_string())
}
