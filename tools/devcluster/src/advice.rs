//! What to do about a failure, read from what the failing program printed.

use std::fmt;

/// One sentence of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice(&'static str);

/// Words that programs print (lower case), and what they mean for the person reading. The first that fits wins.
const KNOWN: &[(&str, &str)] = &[
    (
        "no space left on device",
        "the disk is full: free some space, or move the cache (XDG_CACHE_HOME) and TMPDIR to a larger disk",
    ),
    (
        "disk quota exceeded",
        "the disk quota is used up: free some space, or move the cache (XDG_CACHE_HOME) and TMPDIR elsewhere",
    ),
    (
        "address already in use",
        "another program took the port meanwhile: run it again to have other ports picked",
    ),
    (
        "too many open files",
        "raise the limits: `ulimit -n 8192`, and on Linux `sysctl fs.inotify.max_user_instances=512`",
    ),
    (
        "cannot allocate memory",
        "the machine is out of memory: the whole cluster takes about 700 MiB, building it about 4 GiB",
    ),
    ("signal: killed", "the kernel ended it, most often for lack of memory: building takes about 4 GiB"),
    (
        "signal 9",
        "it was killed from outside, most often for lack of memory: the whole cluster takes about 700 MiB",
    ),
    (
        "unknown flag",
        "the binary is of another version than expected: unset KUBEBUILDER_ASSETS to use the pinned one",
    ),
    (
        "flag provided but not defined",
        "the binary is of another version than expected: unset KUBEBUILDER_ASSETS to use the pinned one",
    ),
    (
        "exec format error",
        "the binary is for another kind of machine: unset KUBEBUILDER_ASSETS, or remove the cache and build again",
    ),
    (
        "permission denied",
        "make sure that the state directory and the cache belong to you and can be written and executed from",
    ),
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
    ("connection refused", "the API server does not answer: see whether the cluster is still running"),
    ("unauthorized", "the credentials do not fit the server: give another kubeconfig"),
    ("forbidden", "the user lacks a permission: give it with a Role and a RoleBinding"),
    ("not found", "create what is named there first"),
];

impl Advice {
    /// Finds the advice for what a program printed or how it ended.
    pub fn from_text(text: &str) -> Advice {
        let text = text.to_lowercase();
        let known = KNOWN.iter().find(|(words, _)| text.contains(words));
        Advice(known.map_or(
            "read the whole log; if it does not tell, run `devcluster build` and try again",
            |(_, advice)| advice,
        ))
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
        for (words, _) in KNOWN {
            assert_eq!(*words, words.to_lowercase());
            assert_ne!(Advice::from_text(words), Advice::from_text(""));
        }
    }

    #[test]
    fn the_most_telling_words_win() {
        let text = "write tcp: dial tcp 1.2.3.4: No space left on device";
        assert!(Advice::from_text(text).to_string().starts_with("the disk is full"));
    }
}
