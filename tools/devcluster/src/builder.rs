//! Builds parts from the pinned modules into the cache.

use std::{
    env, fs,
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Error, Result,
    advice::Advice,
    cache::{Cache, create_directory},
    disk::{self, Need},
    guard::{self, Guarded, Launch},
    logs,
    part::Part,
    pins::{self, Module},
    progress::Progress,
    toolchain::{self, Go},
};

/// What a part takes on disk, measured over all parts on an empty cache: the binary, and Go's caches of modules and
/// compiled packages.
const BINARY_BYTES: u64 = 110 << 20;
const GO_CACHES_BYTES: u64 = 900 << 20;

/// How often a build tells how far it is.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The stage files taken from kwok's module: each in a folder of `kustomize/stage`.
pub(crate) const STAGES: &[(&str, &str)] = &[
    ("node/fast", "node-initialize.yaml"),
    ("node/heartbeat-with-lease", "node-heartbeat-with-lease.yaml"),
    ("pod/fast", "pod-ready.yaml"),
    ("pod/fast", "pod-complete.yaml"),
    ("pod/fast", "pod-delete.yaml"),
    ("volume/fast", "pv-bind.yaml"),
    ("volume/fast", "pv-delete.yaml"),
    ("volume/fast", "pvc-provision.yaml"),
    ("volume/fast", "pvc-delete.yaml"),
];

/// The storage class whose claims kwok's volume stages answer; an object to create rather than a stage.
pub(crate) const STORAGE_CLASS: (&str, &str) = ("volume/fast", "storage-class.yaml");

/// Builds those of the parts that the cache lacks. Of two builds at the same time, the second waits for the first.
pub(crate) fn build(cache: &Cache, parts: &[Part], progress: &mut dyn FnMut(Progress)) -> Result<()> {
    let _lock = cache.lock(|| progress(Progress::WaitingForOtherBuild))?;
    let missing: Vec<_> = parts.iter().copied().filter(|part| !is_built(cache, *part)).collect();
    if !missing.is_empty() {
        require_room(cache, missing.len())?;
        create_directory(&cache.bin())?;
        let workspace = Workspace::new(cache)?;
        let go = toolchain::find_or_fetch(cache, progress)?;
        let mut build = Build { cache, go, workspace, progress };
        for (index, part) in missing.iter().enumerate() {
            let version = part.module().version()?;
            (build.progress)(Progress::Started {
                part: *part,
                version,
                number: index + 1,
                of: missing.len(),
            });
            build.part(*part)?;
        }
    }
    cache.make_current()
}

/// Whether a part, with everything it needs, is in the cache.
pub(crate) fn is_built(cache: &Cache, part: Part) -> bool {
    toolchain::is_executable(&cache.binary(part))
        && (part != Part::Kwok || stages_are_complete(&cache.stages()))
}

fn stages_are_complete(directory: &Path) -> bool {
    STAGES.iter().chain([&STORAGE_CLASS]).all(|(_, file)| directory.join(file).is_file())
}

fn require_room(cache: &Cache, parts: usize) -> Result<()> {
    let parts = u64::try_from(parts).unwrap_or(u64::MAX);
    let home = env::var_os("HOME").map_or_else(|| cache.root().to_owned(), PathBuf::from);
    let go_cache = env::var_os("GOCACHE").map_or(home, PathBuf::from);
    let needs = [
        Need { path: cache.root().to_owned(), bytes: parts * BINARY_BYTES, variable: "XDG_CACHE_HOME" },
        Need { path: go_cache, bytes: parts * GO_CACHES_BYTES, variable: "GOCACHE and GOMODCACHE" },
    ];
    disk::require("building the control plane", &needs)
}

/// Where the compiler keeps unfinished work. It would leave that in the system's temporary directory when ended.
struct Workspace(PathBuf);

impl Workspace {
    fn new(cache: &Cache) -> Result<Workspace> {
        let workspace = Workspace(cache.workspace());
        workspace.clear();
        create_directory(&workspace.0)?;
        Ok(workspace)
    }

    /// Removes it. What cannot be removed now is tried again by the next build.
    fn clear(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A build under way.
struct Build<'a> {
    cache: &'a Cache,
    go: Go,
    workspace: Workspace,
    progress: &'a mut dyn FnMut(Progress),
}

impl Build<'_> {
    fn part(&mut self, part: Part) -> Result<()> {
        let started = Instant::now();
        let source = self.write_module(part.module())?;
        // In the same directory, so that the finished binary can be renamed into place in one step.
        let unfinished = self.cache.bin().join(format!(".{}.unfinished", part.binary()));
        self.compile(part, &source, &unfinished, started)?;
        if part == Part::Kwok {
            self.copy_stages(&source)?;
        }
        let target = self.cache.binary(part);
        fs::rename(&unfinished, &target).map_err(Error::io("put in place the binary", &target))?;
        let bytes = target.metadata().map_err(Error::io("look at the binary", &target))?.len();
        (self.progress)(Progress::Finished { part, elapsed: started.elapsed(), bytes });
        Ok(())
    }

    /// Writes a pinned module's files to where `go` can work on them.
    fn write_module(&self, module: &Module) -> Result<PathBuf> {
        let directory = self.cache.source(module.name);
        create_directory(&directory)?;
        for (name, contents) in [("go.mod", module.go_mod), ("go.sum", module.go_sum)] {
            let path = directory.join(name);
            fs::write(&path, contents).map_err(Error::io("write", &path))?;
        }
        Ok(directory)
    }

    /// Runs `go build` under a guard, so that it ends when we do.
    fn compile(&mut self, part: Part, source: &Path, target: &Path, started: Instant) -> Result<()> {
        let flags = pins::linker_flags(part)?;
        let target = target.to_string_lossy();
        let arguments = [
            "build",
            "-v",
            "-trimpath",
            "-buildvcs=false",
            "-ldflags",
            &flags,
            "-o",
            &target,
            part.package(),
        ];
        let log = self.cache.build_log(part);
        create_directory(log.parent().unwrap_or(self.cache.root()))?;
        let mut compiler = Guarded::launch(Launch {
            program: &self.go.program,
            arguments: arguments.map(str::to_owned).to_vec(),
            directory: source,
            environment: None,
            additional: self.environment(),
            grace: Duration::from_secs(5),
            output: Stdio::piped(),
            lifeline: Stdio::null(),
        })?;
        if let Some(output) = compiler.take_output() {
            let file = File::create(&log).map_err(Error::io("create the log", &log))?;
            self.follow(part, &lines_of(output), file, started);
        }
        let status = loop {
            match compiler.status().map_err(Error::io("wait for", &self.go.program))? {
                Some(status) => break status,
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        if status.success() { Ok(()) } else { Err(failure(part, log, guard::describe(status))) }
    }

    /// Reports what the compiler does until it closes its output.
    fn follow(&mut self, part: Part, lines: &mpsc::Receiver<String>, mut log: File, started: Instant) {
        let mut packages = 0;
        let mut latest = String::new();
        let mut reported = Instant::now();
        loop {
            match lines.recv_timeout(REPORT_INTERVAL) {
                Ok(line) => {
                    // The log is for looking things up later; a build need not fail because it cannot be written.
                    let _ = writeln!(log, "{line}");
                    match what(&line) {
                        Line::Package => {
                            packages += 1;
                            latest = line;
                        }
                        Line::Download(name) => latest = format!("downloading {name}"),
                        Line::Other => {}
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if reported.elapsed() >= REPORT_INTERVAL {
                let (latest, elapsed) = (latest.clone(), started.elapsed());
                (self.progress)(Progress::Working { part, packages, latest, elapsed });
                reported = Instant::now();
            }
        }
    }

    /// Keeps a user's Go settings from changing what is built. Where modules come from is left to the user.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let fixed = [
            ("CGO_ENABLED", "0"),
            ("GO111MODULE", "on"),
            ("GOWORK", "off"),
            ("GOTOOLCHAIN", "local"),
            ("GOEXPERIMENT", ""),
            ("GOOS", ""),
            ("GOARCH", ""),
        ];
        let mut variables = fixed.map(|(name, value)| (name, value.to_owned())).to_vec();
        let mut flags = "-mod=readonly".to_owned();
        if self.go.fetched || env::var_os("HOME").is_none() {
            // Someone without Go would not look for its leavings in ~/go, and by default could not delete them.
            let own = |folder: &str| self.cache.root().join(folder).to_string_lossy().into_owned();
            variables.push(("GOMODCACHE", own("go-modules")));
            variables.push(("GOCACHE", own("go-build")));
            flags.push_str(" -modcacherw");
        }
        variables.push(("GOFLAGS", flags));
        variables.push(("GOTMPDIR", self.workspace.0.to_string_lossy().into_owned()));
        variables
    }

    /// Copies kwok's stage files out of its module, which the build has just downloaded.
    fn copy_stages(&self, source: &Path) -> Result<()> {
        let output = Command::new(&self.go.program)
            .args(["list", "-m", "-f", "{{.Dir}}", pins::KWOK.project])
            .current_dir(source)
            .envs(self.environment())
            .stdin(Stdio::null())
            .output()
            .map_err(Error::io("run", &self.go.program))?;
        let module = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim_end());
        if !output.status.success() || !module.is_absolute() {
            let log = self.cache.build_log(Part::Kwok);
            fs::write(&log, output.stderr).map_err(Error::io("write the log", &log))?;
            return Err(failure(Part::Kwok, log, output.status.to_string()));
        }
        let target = self.cache.stages();
        create_directory(&target)?;
        for (folder, file) in STAGES.iter().chain([&STORAGE_CLASS]) {
            let from = module.join("kustomize").join("stage").join(folder).join(file);
            let contents = fs::read(&from).map_err(Error::io("read kwok's stage", &from))?;
            let to = target.join(file);
            fs::write(&to, contents).map_err(Error::io("write kwok's stage", &to))?;
        }
        Ok(())
    }
}

/// The error for a build whose output is in a log.
fn failure(part: Part, log: PathBuf, status: String) -> Error {
    let text = logs::end(&log);
    let told: Vec<_> = text.lines().filter(|line| what(line) == Line::Other).collect();
    let told = told.join("\n");
    let advice = Advice::for_build(&told, &status);
    Error::Build { part, status, log, tail: logs::quotable(&told), advice }
}

/// Reads lines in a thread of its own, so that the reader can do something else while none comes.
fn lines_of(output: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

/// The kinds of lines that `go build -v` prints.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// The import path of a package that is being compiled.
    Package,
    /// A module is being fetched.
    Download(&'a str),
    /// Something to tell in an error.
    Other,
}

fn what(line: &str) -> Line<'_> {
    if let Some(name) = line.strip_prefix("go: downloading ") {
        Line::Download(name)
    } else if !line.is_empty() && !line.contains([' ', ':']) {
        Line::Package
    } else {
        Line::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_compiler_are_told_apart() {
        assert_eq!(what("k8s.io/api/core/v1"), Line::Package);
        assert_eq!(what("internal/abi"), Line::Package);
        assert_eq!(what("go: downloading k8s.io/api v0.36.3"), Line::Download("k8s.io/api v0.36.3"));
        assert_eq!(what("# k8s.io/api/core/v1"), Line::Other);
        assert_eq!(what("x.go:3:4: undefined: y"), Line::Other);
        assert_eq!(what(""), Line::Other);
    }

    #[test]
    fn lines_are_read_even_without_a_last_newline() {
        let lines = lines_of(&b"one\ntwo \xff\nthree"[..]);
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["one", "two \u{fffd}", "three"]);
    }

    #[test]
    fn stage_files_do_not_overwrite_each_other() {
        let mut names: Vec<_> = STAGES.iter().map(|(_, file)| file).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), STAGES.len());
    }
}
