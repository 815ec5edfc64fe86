//! What to do about a failure, read from what the failing program printed.

use std::fmt;

/// One sentence of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice(&'static str);

/// Words in lower case, and what they mean for the person reading. In each table the first that fits wins.
type Known = &'static [(&'static str, &'static str)];

/// What any program may run into.
const MACHINE: Known = &[
    (
        "no space left on device",
        "the disk is full: free some, or move the cache (XDG_CACHE_HOME) and TMPDIR to a larger disk",
    ),
    (
        "disk quota exceeded",
        "the disk quota is used up: free some, or move the cache (XDG_CACHE_HOME) and TMPDIR elsewhere",
    ),
    (
        "too many open files",
        "raise the limits: `ulimit -n 8192`, and on Linux `sysctl fs.inotify.max_user_instances=512`",
    ),
    (
        "cannot allocate memory",
        "the machine is out of memory: a cluster takes about 700 MiB, building one about 4 GiB",
    ),
    (
        "exec format error",
        "the binary is for another kind of machine: unset KUBEBUILDER_ASSETS, or remove the cache and build again",
    ),
    (
        "permission denied",
        "see that the state directory and the cache are yours and that programs may be run from there",
    ),
];

/// What a part of a cluster says before it ends.
const PART: Known = &[
    ("signal 9", "it was killed from outside, most often for lack of memory: a cluster takes about 700 MiB"),
    (
        "address already in use",
        "another program took its port meanwhile: run it again to have other ports picked",
    ),
    (
        "unknown flag",
        "the binary is of another version than expected: unset KUBEBUILDER_ASSETS to use the pinned one",
    ),
    (
        "flag provided but not defined",
        "the binary is of another version than expected: unset KUBEBUILDER_ASSETS to use the pinned one",
    ),
];

/// What the Go compiler says.
const BUILD: Known = &[
    (
        "signal: killed",
        "the kernel ended the compiler, most often for lack of memory: building takes about 4 GiB",
    ),
    ("signal 9", "the kernel ended the compiler, most often for lack of memory: building takes about 4 GiB"),
    (
        "proxyconnect",
        "the HTTP proxy does not answer: check HTTPS_PROXY, or set GOPROXY to a module proxy that can be reached",
    ),
    (
        "no such host",
        "a name cannot be resolved: check the network, or set GOPROXY to a module proxy that can be reached",
    ),
    (
        "i/o timeout",
        "the network does not answer: check it, or set GOPROXY to a module proxy that can be reached",
    ),
    (
        "dial tcp",
        "a server does not answer: check the network, or set GOPROXY to a module proxy that can be reached",
    ),
    (
        "checksum mismatch",
        "a downloaded module is not what was pinned: clear it with `go clean -modcache` and check GOPROXY",
    ),
    (
        "requires go >=",
        "the Go toolchain is too old: install a newer one, or take it off PATH to have one fetched",
    ),
];

/// What kubectl says.
const CLIENT: Known = &[
    ("was refused", "the API server does not answer: see whether the cluster is still running"),
    ("connection refused", "the API server does not answer: see whether the cluster is still running"),
    ("unauthorized", "the credentials do not fit the server: give another kubeconfig"),
    ("you must be logged in", "the credentials do not fit the server: give another kubeconfig"),
    ("forbidden", "the user lacks a permission: give it with a Role and a RoleBinding"),
    ("not found", "create what is named there first"),
];

impl Advice {
    /// What to do about a part that ended, from its log and how it ended.
    pub(crate) fn for_part(log: &str, status: &str) -> Advice {
        let killed = Advice::look_up(status, &[PART]);
        killed.or_else(|| Advice::look_up(log, &[MACHINE, PART])).unwrap_or(Advice(
            "read the whole log; if the binaries came from KUBEBUILDER_ASSETS, unset it to use the pinned ones",
        ))
    }

    /// What to do about a build that failed, from what the compiler said and how it ended.
    pub(crate) fn for_build(output: &str, status: &str) -> Advice {
        let found = Advice::look_up(output, &[MACHINE, BUILD]).or_else(|| Advice::look_up(status, &[BUILD]));
        found.unwrap_or(Advice("read the whole log; `go clean -cache -modcache` rules out spoilt caches"))
    }

    /// What to do about a client's complaint.
    pub(crate) fn for_client(complaint: &str) -> Advice {
        Advice::look_up(complaint, &[CLIENT, MACHINE])
            .unwrap_or(Advice("mend the arguments or the objects it names"))
    }

    fn look_up(text: &str, tables: &[Known]) -> Option<Advice> {
        let text = text.to_lowercase();
        let mut known = tables.iter().copied().flatten();
        known.find(|(words, _)| text.contains(words)).map(|(_, advice)| Advice(advice))
    }

    /// Advice that is known without reading anything.
    pub(crate) const fn fixed(text: &'static str) -> Advice {
        Advice(text)
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_to_look_for_are_lower_case_so_that_they_can_be_found() {
        for (words, _) in [MACHINE, PART, BUILD, CLIENT].into_iter().flatten() {
            assert_eq!(*words, words.to_lowercase());
        }
    }

    #[test]
    fn the_most_telling_words_win() {
        let text = "write tcp: dial tcp 1.2.3.4: No space left on device";
        assert!(Advice::for_build(text, "exit status 1").to_string().starts_with("the disk is full"));
        assert!(
            Advice::for_part("open x: permission denied", "signal 9")
                .to_string()
                .starts_with("it was killed")
        );
    }

    #[test]
    fn a_parts_everyday_warnings_are_no_cause() {
        let log = "grpc: dial tcp 127.0.0.1:2379: connect: connection refused\npods \"x\" not found";
        assert!(Advice::for_part(log, "exit status 1").to_string().starts_with("read the whole log"));
    }

    #[test]
    fn a_refused_connection_points_at_the_cluster() {
        let complaint =
            "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?";
        assert!(Advice::for_client(complaint).to_string().starts_with("the API server does not answer"));
    }
}
