//! Processes that cannot outlive their owner.
//!
//! Each program runs under a small shell script that holds the reading end of a pipe. The owner holds the writing end;
//! when it goes, for whatever reason, the script ends the program. No signal handler, no list of process ids and no
//! help from the owner is needed, so ^C, a panic, an abort and `kill -9` of the owner all leave nothing behind.

use std::{
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{Error, Result};

const GUARD: &str = include_str!("guard.sh");

/// What a guarded program is told and given.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<String>,
    pub(crate) directory: &'a Path,
    /// The whole environment, or `None` to pass on the owner's.
    pub(crate) environment: Option<Vec<(&'static str, String)>>,
    /// What to add to the environment.
    pub(crate) additional: Vec<(&'static str, String)>,
    /// How long the program may take to end once told to.
    pub(crate) grace: Duration,
    /// Receives everything the program prints.
    pub(crate) output: Stdio,
    /// Held open for as long as the guard lives.
    pub(crate) lifeline: Stdio,
}

/// A running program and its guard. Dropping it ends the program and waits for that.
#[derive(Debug)]
pub(crate) struct Guarded {
    guard: Child,
    leash: Option<ChildStdin>,
    grace: Duration,
    status: Option<ExitStatus>,
}

impl Guarded {
    /// Starts a program under a guard, in a process group of its own so that a terminal's ^C reaches only the owner.
    pub(crate) fn launch(launch: Launch<'_>) -> Result<Guarded> {
        // `sh` would report a missing program too, but only in the log.
        launch.program.metadata().map_err(Error::io("find the program", launch.program))?;
        let mut command = Command::new("/bin/sh");
        if let Some(environment) = launch.environment {
            command.env_clear().envs(environment);
        }
        let tenths = launch.grace.as_millis() / 100;
        let mut guard = command
            .args(["-c", GUARD, "guard", &tenths.to_string()])
            .arg(launch.program)
            .args(launch.arguments)
            .envs(launch.additional)
            .current_dir(launch.directory)
            .stdin(Stdio::piped())
            .stdout(launch.lifeline)
            .stderr(launch.output)
            .process_group(0)
            .spawn()
            .map_err(Error::io("start the guard of", launch.program))?;
        let leash = guard.stdin.take();
        Ok(Guarded { guard, leash, grace: launch.grace, status: None })
    }

    /// The pipe the program's output comes through, if `output` was [`Stdio::piped`]. Gives it away once.
    pub(crate) fn take_output(&mut self) -> Option<std::process::ChildStderr> {
        self.guard.stderr.take()
    }

    /// How the program ended, or `None` while it runs.
    pub(crate) fn status(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.guard.try_wait()?;
        }
        Ok(self.status)
    }

    /// Tells the program to end, without waiting for it.
    pub(crate) fn release(&mut self) {
        self.leash = None;
    }

    /// Kills the program without warning.
    pub(crate) fn kill(&mut self) {
        if let Ok(None) = self.status() {
            self.kill_group();
        }
    }

    /// Ends the program and waits until it is gone.
    pub(crate) fn end(&mut self) {
        self.release();
        // The guard needs a moment after the grace period to see the end; after that something is wrong with it.
        let deadline = Instant::now() + self.grace + Duration::from_secs(2);
        while let Ok(None) = self.status() {
            if Instant::now() > deadline {
                self.kill_group();
                self.status = self.guard.wait().ok();
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills guard and program. Only before the guard is reaped: until then its id cannot name anybody else.
    fn kill_group(&self) {
        let group = i32::try_from(self.guard.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // It fails only if the group is gone, which is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.end();
    }
}

/// Says how a guarded program ended. The guard reports a signal as 128 and its number, as shells do.
pub(crate) fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) if code > 128 => format!("signal {}", code - 128),
        (Some(code), _) => format!("exit status {code}"),
        // The guard shares the program's group and its fate.
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, File},
        io::{BufRead, BufReader, Read},
    };

    use super::*;

    fn launch(script: &str, grace: Duration) -> Launch<'static> {
        Launch {
            program: Path::new("/bin/sh"),
            arguments: vec!["-c".into(), script.into()],
            directory: Path::new("/"),
            environment: None,
            additional: Vec::new(),
            grace,
            output: Stdio::piped(),
            lifeline: Stdio::null(),
        }
    }

    fn output(guarded: &mut Guarded) -> String {
        let mut text = String::new();
        guarded.take_output().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    fn first_line(guarded: &mut Guarded) -> String {
        let mut line = String::new();
        BufReader::new(guarded.take_output().unwrap()).read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    fn wait(guarded: &mut Guarded) -> ExitStatus {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = guarded.status().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "still running");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the process is there and not merely unreaped.
    fn lives(pid: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    }

    #[test]
    fn output_and_status_come_through() {
        let mut guarded = Guarded::launch(launch("echo out; echo err >&2; exit 7", Duration::ZERO)).unwrap();
        assert_eq!(output(&mut guarded), "out\nerr\n");
        assert_eq!(describe(wait(&mut guarded)), "exit status 7");
    }

    #[test]
    fn death_by_signal_is_told() {
        let mut guarded = Guarded::launch(launch("kill -KILL $$", Duration::ZERO)).unwrap();
        assert_eq!(describe(wait(&mut guarded)), "signal 9");
    }

    #[test]
    fn a_released_program_may_end_in_order() {
        let script = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
        let mut guarded = Guarded::launch(launch(script, Duration::from_secs(10))).unwrap();
        let mut pipe = guarded.take_output().unwrap();
        let mut ready = [0; 6];
        pipe.read_exact(&mut ready).unwrap();
        guarded.end();
        let mut rest = String::new();
        pipe.read_to_string(&mut rest).unwrap();
        // The shell may also tell what became of its `sleep`.
        assert!(rest.ends_with("bye\n"), "{rest}");
    }

    #[test]
    fn a_stubborn_program_is_killed_after_its_grace() {
        let script = "trap '' TERM; echo $$; while :; do sleep 0.05; done";
        let mut guarded = Guarded::launch(launch(script, Duration::from_millis(300))).unwrap();
        let pid = first_line(&mut guarded);
        let started = Instant::now();
        drop(guarded);
        assert!(started.elapsed() >= Duration::from_millis(250), "{:?}", started.elapsed());
        assert!(!lives(&pid));
    }

    #[test]
    fn what_the_program_started_ends_with_it() {
        let script = "sleep 60 & echo $!; trap 'exit 0' TERM; while :; do sleep 0.05; done";
        let mut guarded = Guarded::launch(launch(script, Duration::from_secs(10))).unwrap();
        let pid = first_line(&mut guarded);
        drop(guarded);
        let deadline = Instant::now() + Duration::from_secs(10);
        while lives(&pid) {
            assert!(Instant::now() < deadline, "still running");
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_guard_is_not_ended_in_passing() {
        let mut guarded = Guarded::launch(launch("echo ready; sleep 1; exit 3", Duration::ZERO)).unwrap();
        first_line(&mut guarded);
        let guard = guarded.guard.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &guard]).status().unwrap().success());
        assert_eq!(describe(wait(&mut guarded)), "exit status 3");
    }

    #[test]
    fn a_missing_program_is_an_error_at_once() {
        let missing = Launch { program: Path::new("/no/such/program"), ..launch("", Duration::ZERO) };
        let error = Guarded::launch(missing).unwrap_err().to_string();
        assert!(error.starts_with("cannot find the program /no/such/program:"), "{error}");
    }

    #[test]
    fn the_environment_can_be_replaced() {
        let clean = Launch {
            environment: Some(vec![("PATH", "/bin:/usr/bin".into())]),
            additional: vec![("EXTRA", "1".into())],
            ..launch("echo ${HOME-none} $EXTRA", Duration::ZERO)
        };
        assert_eq!(output(&mut Guarded::launch(clean).unwrap()), "none 1\n");
    }

    #[test]
    fn the_lifeline_is_held_by_the_guard_but_not_by_the_program() {
        let (mut reader, writer) = io::pipe().unwrap();
        let held = Launch { lifeline: writer.into(), ..launch("sleep 30", Duration::ZERO) };
        let guarded = Guarded::launch(held).unwrap();
        let ended = thread::spawn(move || {
            let mut nothing = Vec::new();
            reader.read_to_end(&mut nothing).map(|_| Instant::now())
        });
        thread::sleep(Duration::from_millis(200));
        assert!(!ended.is_finished(), "the lifeline closed while the guard lived");
        drop(guarded);
        ended.join().unwrap().unwrap();
    }

    #[test]
    fn output_can_go_to_a_file() {
        let path = std::env::temp_dir().join(format!("devcluster-guard-{}.log", std::process::id()));
        let to_file =
            Launch { output: File::create(&path).unwrap().into(), ..launch("echo hello", Duration::ZERO) };
        wait(&mut Guarded::launch(to_file).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "hello\n");
        fs::remove_file(path).unwrap();
    }
}
