//! What can go wrong, told so that the reader knows which part failed, why, and what to do next.

use std::{fmt, io, path::PathBuf};

use crate::{advice::Advice, part::Part};

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of building, starting, using or stopping a development cluster.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or process operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was attempted, as a verb phrase ("create the directory").
        action: &'static str,
        /// The file, directory or program concerned.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// Neither `XDG_CACHE_HOME` nor `HOME` says where the cache belongs.
    #[error("no place for the cache: set XDG_CACHE_HOME (or HOME) to a directory that can be written")]
    NoCacheDirectory,

    /// The folder named in `KUBEBUILDER_ASSETS` cannot be used.
    #[error(
        "KUBEBUILDER_ASSETS names {}, which {problem}\n\
         what to do: point it at a folder with kube-apiserver, etcd and kubectl (setup-envtest prints one), \
         or unset it and run `devcluster build`", path.display()
    )]
    BadAssets {
        /// The folder named.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },

    /// Binaries are needed that nobody has built yet.
    #[error(
        "not built yet: {} (looked in {})\n\
         what to do: run `devcluster build{}` once, or name a folder that has them in KUBEBUILDER_ASSETS, \
         or give a cluster of your own in CHARTWRIGHT_KUBECONFIG", list(parts), looked_in.display(), with_flag(parts)
    )]
    NotBuilt {
        /// The missing parts.
        parts: Vec<Part>,
        /// Where they were looked for.
        looked_in: PathBuf,
    },

    /// There is no Go toolchain and none could be fetched.
    #[error(
        "nothing to build the control plane with: it needs Go {needed} or newer\n{}\n\
         what to do: install Go (https://go.dev/dl), or Python 3 with venv and pip so that it can be fetched, \
         or name a folder with the binaries in KUBEBUILDER_ASSETS, \
         or give a cluster of your own in CHARTWRIGHT_KUBECONFIG",
        indent(tried)
    )]
    NoToolchain {
        /// The oldest Go that will do.
        needed: String,
        /// One line for each thing that was tried.
        tried: Vec<String>,
    },

    /// The Go compiler failed on one part.
    #[error("building {part} failed ({status})\nlast lines of {}:\n{}\nwhat to do: {advice}", log.display(), indent(tail))]
    Build {
        /// The part.
        part: Part,
        /// How the compiler ended.
        status: String,
        /// Where its whole output is.
        log: PathBuf,
        /// Its last lines.
        tail: Vec<String>,
        /// What to do about it.
        advice: Advice,
    },

    /// A pinned version cannot be read from the embedded module files.
    #[error("go/{module}/go.mod pins no version of {path}: this devcluster was built from a broken checkout")]
    NoPin {
        /// The module's folder.
        module: &'static str,
        /// The Go module that is not pinned.
        path: &'static str,
    },

    /// A file system lacks room.
    #[error(
        "{} has {} free, {purpose} needs about {}\n\
         what to do: free some space there, or set {variable} to a directory on a larger disk",
        path.display(), mebibytes(*free), mebibytes(*needed)
    )]
    DiskFull {
        /// Where room is needed.
        path: PathBuf,
        /// What for.
        purpose: &'static str,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are needed.
        needed: u64,
        /// The environment variable that moves it elsewhere.
        variable: &'static str,
    },

    /// A port that was asked for, or just picked, belongs to somebody else.
    #[error(
        "port {port} for {part} is already in use on 127.0.0.1\n\
         what to do: end the program that listens there, or leave out the fixed port to have a free one picked"
    )]
    PortInUse {
        /// Whose port it is.
        part: Part,
        /// The port.
        port: u16,
    },

    /// A part ended although nobody asked it to.
    #[error("{part} ended by itself ({status})\nlast lines of {}:\n{}\nwhat to do: {advice}", log.display(), indent(tail))]
    PartDied {
        /// The part.
        part: Part,
        /// How it ended.
        status: String,
        /// Its log, kept.
        log: PathBuf,
        /// The log's last lines.
        tail: Vec<String>,
        /// What to do about it.
        advice: Advice,
    },

    /// Something did not come about in time although every part is alive.
    #[error(
        "{what} within {seconds} s\nlast answer: {answer}\nlast lines of {}:\n{}\n\
         what to do: look at the logs beside that one; on a slow or busy machine allow more time (--timeout)", log.display(), indent(tail)
    )]
    TooSlow {
        /// What did not happen ("kube-apiserver did not become ready").
        what: &'static str,
        /// How long, in seconds.
        seconds: u64,
        /// What the last attempt answered.
        answer: String,
        /// The log of the part waited for.
        log: PathBuf,
        /// The log's last lines.
        tail: Vec<String>,
    },

    /// `kubectl` said no.
    #[error("kubectl {arguments} failed ({status}): {stderr}\nwhat to do: {advice}")]
    Kubectl {
        /// Its arguments.
        arguments: String,
        /// How it ended.
        status: String,
        /// What it printed on standard error.
        stderr: String,
        /// What to do about it.
        advice: Advice,
    },

    /// The operation makes sense only for a cluster this crate started.
    #[error("cannot {action}: the cluster was given by a kubeconfig, so its parts are not ours to touch")]
    NotOurs {
        /// What was asked for.
        action: &'static str,
    },

    /// A part was asked for that the cluster was started without.
    #[error("this cluster was started without {part}: start it with the option that includes it")]
    NotRunning {
        /// The part.
        part: Part,
    },

    /// A state directory cannot be used.
    #[error("{} cannot hold a cluster's state: {problem}\nwhat to do: {advice}", path.display())]
    State {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        advice: Advice,
    },

    /// Options contradict each other.
    #[error("{0}")]
    Options(&'static str),
}

impl Error {
    /// Turns an operating system error into ours.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { action, path, source }
    }
}

fn list(parts: &[Part]) -> String {
    parts.iter().map(Part::to_string).collect::<Vec<_>>().join(", ")
}

/// The `--with` flag that would build the missing optional parts.
fn with_flag(parts: &[Part]) -> String {
    let optional: Vec<_> =
        parts.iter().filter(|part| !Part::CLUSTER.contains(part)).map(Part::to_string).collect();
    if optional.is_empty() { String::new() } else { format!(" --with {}", optional.join(",")) }
}

fn indent(lines: &[String]) -> Indented<'_> {
    Indented(lines)
}

struct Indented<'a>(&'a [String]);

impl fmt::Display for Indented<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("  (nothing)");
        }
        for (index, line) in self.0.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}  {line}")?;
        }
        Ok(())
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_optional_part_names_the_flag_that_builds_it() {
        let error =
            Error::NotBuilt { parts: vec![Part::Kubectl, Part::Helm3], looked_in: "/cache/bin".into() };
        let text = error.to_string();
        assert!(text.contains("not built yet: kubectl, helm3 (looked in /cache/bin)"), "{text}");
        assert!(text.contains("`devcluster build --with helm3`"), "{text}");
    }

    #[test]
    fn a_dead_part_is_told_with_its_log_and_advice() {
        let error = Error::PartDied {
            part: Part::Etcd,
            status: "exit status 1".into(),
            log: "/tmp/x/logs/etcd.log".into(),
            tail: vec!["one".into(), "two".into()],
            advice: Advice::for_part("write /x: no space left on device", "exit status 1"),
        };
        let text = error.to_string();
        assert!(text.starts_with("etcd ended by itself (exit status 1)\n"), "{text}");
        assert!(text.contains("last lines of /tmp/x/logs/etcd.log:\n  one\n  two\n"), "{text}");
        assert!(text.contains("what to do: the disk is full"), "{text}");
    }

    #[test]
    fn a_full_disk_is_told_in_numbers() {
        let error = Error::DiskFull {
            path: "/cache".into(),
            purpose: "building",
            free: 12 << 20,
            needed: 4 << 30,
            variable: "XDG_CACHE_HOME",
        };
        let text = error.to_string();
        assert!(text.starts_with("/cache has 12 MiB free, building needs about 4096 MiB"), "{text}");
        assert!(text.contains("XDG_CACHE_HOME"), "{text}");
    }
}
