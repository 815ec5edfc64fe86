//! Leaving a cluster running: a second process of ours holds it, in a session of its own.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{self, ExitCode, Stdio},
    thread,
};

use devcluster::Error;

/// What the process that stays prints when its cluster is ready.
pub(crate) const READY: &str = "--ready--";

/// Starts the process that stays, shows what it prints until its cluster is ready, and leaves it.
pub(crate) fn start(state: &Path) -> Result<ExitCode, Error> {
    let io = |action: &'static str| move |source| Error::Io { action, path: state.to_owned(), source };
    let program = env::current_exe().map_err(io("find this program to detach"))?;
    let given = env::args_os().skip(1).filter(|argument| argument != "--detach");
    let mut child = process::Command::new(program)
        .args(given)
        .arg("--detached")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(io("start the process that holds"))?;
    let complaints = child.stderr.take().map(|stderr| {
        thread::spawn(move || {
            BufReader::new(stderr).lines().map_while(Result::ok).for_each(|line| eprintln!("{line}"))
        })
    });
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if line == READY {
                return Ok(ExitCode::SUCCESS);
            }
            println!("{line}");
        }
    }
    // It ended before it was ready, or had nothing to stay for; it has said why.
    let status = child.wait().map_err(io("wait for the process that holds"))?;
    let _ = complaints.map(thread::JoinHandle::join);
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Leaves the terminal and its signals behind.
pub(crate) fn leave_session() {
    // It fails only for the leader of a group, who was not started by `start`.
    let _ = rustix::process::setsid();
}

/// Writes down why the cluster ended, as nobody reads what is printed.
pub(crate) fn record(state: &Path, error: &Error) {
    let _ = fs::write(state.join("logs").join("devcluster.log"), format!("{error}\n"));
}
