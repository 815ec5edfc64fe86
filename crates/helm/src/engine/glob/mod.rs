//! The patterns of `.Files.Glob`, as github.com/gobwas/glob v0.2.3 takes them with `/` as separator.
//!
//! `*` and `?` stop at slashes, `**` does not, `[a-z]`, `[!abc]` and `{a,b}` are there, and a backslash quotes. Charts rely on
//! where the library strays from that: `files/**/x` fits `files/x`, for it asks for a beginning and an end that may overlap;
//! sets at times count bytes. So its steps are followed: `syntax` reads a pattern, `compile` joins parts as the library does,
//! `matcher` holds what each of the joined parts takes for a match.

mod compile;
mod matcher;
mod syntax;

use matcher::Matcher;

/// How many parts a pattern may have, and how many of them may stand in a row; joining these takes the cube of that.
const PARTS: usize = 2000;
const IN_A_ROW: usize = 100;
/// How many steps one pattern may take for all names of a chart.
const STEPS: usize = 20_000_000;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Glob(Matcher);

/// Why a name cannot be compared with a pattern.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// The library reads behind the end of the name.
    #[error("runtime error: slice bounds out of range [:{end}] with length {length}")]
    Bounds { end: usize, length: usize },
    #[error(
        "the pattern is too complex: it takes more than {STEPS} steps, or has more than {PARTS} parts or {IN_A_ROW} in a row"
    )]
    Complex,
}

impl Glob {
    /// Compiles a pattern; `Ok(None)` if it is not valid.
    pub(super) fn compile(pattern: &[u8]) -> Result<Option<Self>, Fault> {
        let Some(tree) = syntax::parse(pattern) else { return Ok(None) };
        if tree.parts() > PARTS || tree.longest_row() > IN_A_ROW {
            return Err(Fault::Complex);
        }
        Ok(compile::compile(&tree).map(Self))
    }

    /// Reports whether the whole name fits. `steps` are those left, see [`steps`].
    pub(super) fn matches(&self, name: &[u8], steps: &mut usize) -> Result<bool, Fault> {
        self.0.matches(name, steps)
    }
}

/// Returns the steps that the use of one pattern may take.
pub(super) fn steps() -> usize {
    STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, name: &str) -> bool {
        let glob = Glob::compile(pattern.as_bytes()).unwrap().unwrap();
        glob.matches(name.as_bytes(), &mut steps()).unwrap()
    }

    #[test]
    fn stars_and_slashes() {
        assert!(fits("conf/*", "conf/a.yaml"));
        assert!(!fits("conf/*", "conf/a/b"));
        assert!(fits("conf/**", "conf/a/b"));
        assert!(fits("**.txt", "a/b.txt"));
        assert!(!fits("**/*.txt", "b.txt"));
        assert!(!fits("a?b", "a/b"));
        assert!(!fits("", "a"));
        assert!(fits("", ""));
    }

    #[test]
    fn sets_and_alternatives() {
        assert!(fits("[a-c]x", "bx"));
        assert!(fits("[!a-c]x", "dx"));
        assert!(fits("[!abc]", "/"));
        assert!(fits("{a,b/{c,d}}.y*", "b/d.yaml"));
        assert!(!fits("{a,b}", "ab"));
        assert!(fits("{a,b", "b"));
        assert!(fits("a\\*", "a*"));
        assert!(fits("a,b}", "a,b}"));
        assert!(fits("{,x}y", "y"));
    }

    #[test]
    fn a_beginning_and_an_end_may_overlap() {
        assert!(fits("files/**/c.txt", "files/c.txt"));
        assert!(fits("files/**/c.txt", "files/a/b/c.txt"));
        assert!(!fits("files/**/*.txt", "files/c.txt"));
    }

    #[test]
    fn sets_side_by_side_become_one() {
        // Neither may hold the letters of both in a row.
        assert!(fits("[!ab][!ab]", "ba"));
        assert!(!fits("[!ab][!ab]", "ab"));
    }

    #[test]
    fn letters_count_as_bytes_in_a_row() {
        assert!(fits("?", "é"));
        assert!(!fits("?.txt", "é.txt"));
        assert!(fits("*.txt", "é.txt"));
    }

    #[test]
    fn nothing_in_a_row_reads_too_far() {
        let glob = Glob::compile(b"a{}").unwrap().unwrap();
        let fault = glob.matches(b"a", &mut steps()).unwrap_err();
        assert_eq!(fault.to_string(), "runtime error: slice bounds out of range [:2] with length 1");
    }

    #[test]
    fn broken_patterns_do_not_compile() {
        for pattern in ["[", "[a", "[]", "[z-a]", "[a-", "[a-b"] {
            assert!(Glob::compile(pattern.as_bytes()).unwrap().is_none(), "{pattern}");
        }
    }

    #[test]
    fn work_is_bounded() {
        assert!(matches!(Glob::compile("?*".repeat(5000).as_bytes()), Err(Fault::Complex)));
        let glob = Glob::compile("**a".repeat(40).as_bytes()).unwrap().unwrap();
        let name = "a".repeat(4000) + "b";
        assert!(matches!(glob.matches(name.as_bytes(), &mut steps()), Err(Fault::Complex)));
    }
}
