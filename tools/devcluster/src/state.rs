//! The directory a cluster keeps its data, keys and logs in, and what is left of it afterwards.
//!
//! A lock in it tells whether a cluster is running: the system lets go of it when the owner and the janitor are gone,
//! so nothing has to be guessed from process ids. A cluster is asked to stop by a file, for the same reason.

use std::{
    env, fs,
    fs::{DirBuilder, File},
    io::{self, PipeWriter, Read},
    os::unix::{
        fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    Error, Result,
    advice::Advice,
    disk::{self, Need},
    logs,
    part::Part,
};

const JANITOR: &str = include_str!("janitor.sh");

/// etcd reserves two write-ahead segments of 64 MB; the rest is its database and the logs.
const STATE_BYTES: u64 = 300 << 20;

const LOCK: &str = "devcluster.lock";
const STOP: &str = "stop";
const KEEP: &str = "keep";
const FACTS: &str = "cluster.json";

/// A locked state directory. Dropping it lets the janitor remove it.
#[derive(Debug)]
pub(crate) struct State {
    path: PathBuf,
    lifeline: Option<PipeWriter>,
    janitor: Child,
    _lock: File,
}

impl State {
    /// A new directory under the system's directory for temporary files.
    pub(crate) fn temporary() -> Result<State> {
        let name = format!("devcluster-{}", random_hex::<6>()?);
        State::at(&env::temp_dir().join(name))
    }

    /// A directory of the caller's choice: one that does not exist, is empty, or was left by an earlier cluster.
    pub(crate) fn at(path: &Path) -> Result<State> {
        let path = std::path::absolute(path).map_err(Error::io("resolve", path))?;
        disk::require(
            "a cluster",
            &[Need { path: path.clone(), bytes: STATE_BYTES, variable: "TMPDIR (or --state)" }],
        )?;
        create_private(&path)?;
        let lock = claim(&path)?;
        let (reader, lifeline) = io::pipe().map_err(Error::io("open a pipe for", &path))?;
        let janitor = Command::new("/bin/sh")
            .args(["-c", JANITOR, "janitor"])
            .arg(&path)
            .current_dir("/")
            .stdin(reader)
            // The janitor shares the lock: nobody may move in before it has cleaned up.
            .stdout(lock.try_clone().map_err(Error::io("share the lock of", &path))?)
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(Error::io("start the janitor of", &path))?;
        create_private(&path.join("logs"))?;
        create_private(&path.join("kubeconfigs"))?;
        Ok(State { path, lifeline: Some(lifeline), janitor, _lock: lock })
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What a guard must hold for the janitor to wait for it.
    pub(crate) fn lifeline(&self) -> Result<Stdio> {
        let lifeline = self.lifeline.as_ref().map(PipeWriter::try_clone).transpose();
        Ok(lifeline
            .map_err(Error::io("share the lifeline of", &self.path))?
            .map_or_else(Stdio::null, Stdio::from))
    }

    /// Where a part's output goes.
    pub(crate) fn log(&self, part: Part) -> PathBuf {
        self.path.join("logs").join(format!("{part}.log"))
    }

    /// Opens a part's log for adding to it.
    pub(crate) fn open_log(&self, part: Part) -> Result<File> {
        let path = self.log(part);
        File::options().create(true).append(true).open(&path).map_err(Error::io("open the log", path))
    }

    /// Writes a file that nobody else may read, for tokens.
    pub(crate) fn write_private(&self, path: &Path, contents: &str) -> Result<()> {
        let mut options = File::options();
        let file = options.create(true).truncate(true).write(true).mode(0o600).open(path);
        let mut file = file.map_err(Error::io("create", path))?;
        io::Write::write_all(&mut file, contents.as_bytes()).map_err(Error::io("write", path))
    }

    /// Has the janitor leave the logs, for finding out what went wrong.
    pub(crate) fn keep_logs(&self) {
        // Failing to keep them must not hide the error that made them worth keeping.
        let _ = File::create(self.path.join(KEEP));
    }

    /// Leaves word for those who want to use the cluster.
    pub(crate) fn announce(&self, facts: &Facts) -> Result<()> {
        let path = self.path.join(FACTS);
        let text = facts.to_json().to_string();
        fs::write(&path, text).map_err(Error::io("write", path))
    }

    /// Whether somebody asked this cluster to stop.
    pub(crate) fn stop_requested(&self) -> bool {
        self.path.join(STOP).exists()
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.lifeline = None;
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline && matches!(self.janitor.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// What a running cluster says about itself in its state directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The administrator's kubeconfig.
    pub kubeconfig: PathBuf,
    /// The API server's address.
    pub server: String,
    /// Directories with the programs to use it with, for PATH.
    pub programs: Vec<PathBuf>,
}

impl Facts {
    fn to_json(&self) -> Value {
        json!({ "kubeconfig": self.kubeconfig, "server": self.server, "programs": self.programs })
    }

    fn from_json(value: &Value) -> Option<Facts> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Facts {
            kubeconfig: text(value.get("kubeconfig")?)?.into(),
            server: text(value.get("server")?)?,
            programs: value.get("programs")?.as_array()?.iter().filter_map(text).map(PathBuf::from).collect(),
        })
    }
}

/// Asks after the cluster whose state is in a directory.
pub fn find(path: &Path) -> Result<Facts> {
    let problem = |problem: &str| {
        let advice = Advice::fixed(
            "start one with `devcluster up --detach`, or name the right directory with --state",
        );
        Err(Error::State { path: path.to_owned(), problem: problem.to_owned(), advice })
    };
    let Some(lock) = open_lock(path)? else { return problem("no cluster was started there") };
    if lock.try_lock().is_ok() {
        let last = logs::tail(&path.join("logs").join("devcluster.log")).join("\n");
        let reason = if last.is_empty() { "its logs are beside it" } else { &last };
        return problem(&format!("the cluster there has ended: {reason}"));
    }
    let text = fs::read_to_string(path.join(FACTS)).unwrap_or_default();
    let facts = serde_json::from_str(&text).ok().as_ref().and_then(Facts::from_json);
    facts.map_or_else(|| problem("the cluster there is not ready yet"), Ok)
}

/// Asks the cluster whose state is in a directory to stop, and waits until it has. `false` means that it had ended
/// before, and only its leavings were removed.
pub fn stop(path: &Path, timeout: Duration) -> Result<bool> {
    let state_error =
        |problem: &str, advice| Error::State { path: path.to_owned(), problem: problem.to_owned(), advice };
    let Some(lock) = open_lock(path)? else {
        let advice = Advice::fixed("name the directory that `devcluster up` printed with --state");
        return Err(state_error("no cluster was started there", advice));
    };
    let was_running = lock.try_lock().is_err();
    if was_running {
        let request = path.join(STOP);
        File::create(&request).map_err(Error::io("create", request))?;
        let deadline = Instant::now() + timeout;
        while lock.try_lock().is_err() {
            if Instant::now() > deadline {
                let advice =
                    Advice::fixed("see its logs; ending the `devcluster up` process ends all its parts");
                return Err(state_error("the cluster there does not stop", advice));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
    // Left by a cluster that failed, or removed by the janitor already.
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        _ => Ok(was_running),
    }
}

/// Random bytes from the system in hexadecimal, for tokens and names.
pub(crate) fn random_hex<const BYTES: usize>() -> Result<String> {
    let source = Path::new("/dev/urandom");
    let mut bytes = [0; BYTES];
    let read = File::open(source).and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(Error::io("read random bytes from", source))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn create_private(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(Error::io("create the directory", path))
}

/// The lock file of a directory, or `None` if it holds no cluster's state.
fn open_lock(path: &Path) -> Result<Option<File>> {
    let path = path.join(LOCK);
    match File::options().write(true).open(&path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("open the lock file", path)(error)),
    }
}

/// Takes possession of a directory, and empties it of what an earlier cluster left.
fn claim(path: &Path) -> Result<File> {
    let state_error =
        |problem: &str, advice| Error::State { path: path.to_owned(), problem: problem.to_owned(), advice };
    let entries = || fs::read_dir(path).map_err(Error::io("list the directory", path));
    let lock_path = path.join(LOCK);
    if !lock_path.exists() && entries()?.next().is_some() {
        let advice =
            Advice::fixed("name a directory that is empty or does not exist: it is removed at the end");
        return Err(state_error("it has files in it that no cluster left there", advice));
    }
    let mut options = File::options();
    let lock = options.create(true).truncate(false).write(true).open(&lock_path);
    let lock = lock.map_err(Error::io("create the lock file", &lock_path))?;
    // A janitor may have removed the very file that was just opened and locked.
    let is_current = || Some(lock.metadata().ok()?.ino() == lock_path.metadata().ok()?.ino());
    if lock.try_lock().is_err() || is_current() != Some(true) {
        let advice = Advice::fixed(
            "stop it with `devcluster down --state` and the directory, or name another with --state",
        );
        return Err(state_error("a cluster is running there", advice));
    }
    for entry in entries()?.flatten().map(|entry| entry.path()).filter(|entry| *entry != lock_path) {
        let is_directory = entry.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let removed = if is_directory { fs::remove_dir_all(&entry) } else { fs::remove_file(&entry) };
        removed.map_err(Error::io("remove", &entry))?;
    }
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn place(name: &str) -> PathBuf {
        env::temp_dir().join(format!("devcluster-state-{name}-{}", random_hex::<4>().unwrap()))
    }

    #[test]
    fn nothing_is_left_of_a_temporary_state() {
        let state = State::temporary().unwrap();
        let path = state.path().to_owned();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        fs::write(path.join("logs/x.log"), "x").unwrap();
        drop(state);
        assert!(!path.exists());
    }

    #[test]
    fn logs_can_be_kept_and_are_cleared_by_the_next_cluster() {
        let path = place("keep");
        let state = State::at(&path).unwrap();
        fs::write(path.join("logs/etcd.log"), "x").unwrap();
        state.write_private(&path.join("secret"), "x").unwrap();
        state.keep_logs();
        drop(state);
        assert!(path.join("logs/etcd.log").exists());
        assert!(!path.join("secret").exists());
        assert!(find(&path).unwrap_err().to_string().contains("the cluster there has ended"));
        let next = State::at(&path).unwrap();
        assert!(!path.join("logs/etcd.log").exists());
        drop(next);
        assert!(!path.exists());
    }

    #[test]
    fn two_clusters_cannot_share_a_directory() {
        let path = place("shared");
        let state = State::at(&path).unwrap();
        let error = State::at(&path).unwrap_err().to_string();
        assert!(error.contains("a cluster is running there"), "{error}");
        drop(state);
        drop(State::at(&path).unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn a_directory_with_other_files_is_refused_and_left_alone() {
        let path = place("foreign");
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("thesis.txt"), "x").unwrap();
        let error = State::at(&path).unwrap_err().to_string();
        assert!(error.contains("no cluster left there"), "{error}");
        assert!(path.join("thesis.txt").exists());
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn the_lifeline_keeps_the_janitor_waiting() {
        let path = place("lifeline");
        let state = State::at(&path).unwrap();
        let lifeline = state.lifeline().unwrap();
        let mut holder = Command::new("/bin/sh").args(["-c", "sleep 0.4"]).stdout(lifeline).spawn().unwrap();
        let started = Instant::now();
        drop(state);
        assert!(started.elapsed() > Duration::from_millis(300), "{:?}", started.elapsed());
        assert!(!path.exists());
        holder.wait().unwrap();
    }

    #[test]
    fn a_cluster_is_found_and_stopped_by_its_directory() {
        let path = place("found");
        let none = find(&path).unwrap_err().to_string();
        assert!(none.contains("no cluster was started there"), "{none}");
        let state = State::at(&path).unwrap();
        assert!(find(&path).unwrap_err().to_string().contains("not ready yet"));
        let facts = Facts {
            kubeconfig: "/k".into(),
            server: "https://127.0.0.1:1".into(),
            programs: vec!["/bin".into()],
        };
        state.announce(&facts).unwrap();
        assert_eq!(find(&path).unwrap(), facts);
        let owner = thread::spawn(move || {
            while !state.stop_requested() {
                thread::sleep(Duration::from_millis(5));
            }
        });
        assert!(stop(&path, Duration::from_secs(10)).unwrap());
        owner.join().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_cluster_that_does_not_stop_is_told() {
        let path = place("stubborn");
        let state = State::at(&path).unwrap();
        let error = stop(&path, Duration::from_millis(50)).unwrap_err().to_string();
        assert!(error.contains("does not stop"), "{error}");
        drop(state);
    }
}
