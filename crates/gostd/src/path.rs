//! Go's package `path`: slash-separated names, handled as text without looking at any file system.
//!
//! All functions take `str` as well as `[u8]` (a Go string may be invalid UTF-8) and give back the same kind.

mod pattern;

use std::ops::Range;

pub use pattern::{BadPattern, match_pattern};

/// Text that paths are made of: `str` or `[u8]`.
pub trait Text: sealed::Sealed {
    /// The owned form.
    type Owned: std::ops::Deref<Target = Self>;
    /// Returns the bytes.
    fn bytes(&self) -> &[u8];
    /// Returns a part whose ends lie at the ends of the text or next to an ASCII byte.
    fn part(&self, range: Range<usize>) -> &Self;
    /// Owns bytes that were joined from parts.
    fn own(bytes: Vec<u8>) -> Self::Owned;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for str {}
    impl Sealed for [u8] {}
}

impl Text for str {
    type Owned = String;
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
    fn part(&self, range: Range<usize>) -> &str {
        self.get(range).unwrap_or_default()
    }
    fn own(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).unwrap_or_default()
    }
}

impl Text for [u8] {
    type Owned = Vec<u8>;
    fn bytes(&self) -> &[u8] {
        self
    }
    fn part(&self, range: Range<usize>) -> &[u8] {
        self.get(range).unwrap_or_default()
    }
    fn own(bytes: Vec<u8>) -> Vec<u8> {
        bytes
    }
}

/// Returns the shortest equivalent path, by text alone (Go `path.Clean`).
///
/// ```
/// use gostd::path::clean;
/// assert_eq!(clean("a//b/../c/."), "a/c");
/// assert_eq!(clean("/../a"), "/a");
/// assert_eq!(clean(""), ".");
/// ```
pub fn clean<T: Text + ?Sized>(path: &T) -> T::Owned {
    let bytes = path.bytes();
    let rooted = bytes.first() == Some(&b'/');
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len().max(1));
    if rooted {
        out.push(b'/');
    }
    // Nothing before this length can be taken back by a "..": the root, or leading ".." elements.
    let mut fixed = out.len();
    for element in bytes.split(|byte| *byte == b'/') {
        match element {
            b"" | b"." => {}
            b".." if out.len() > fixed => {
                let parent = out.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                out.truncate(parent.max(fixed));
            }
            b".." if rooted => {}
            _ => {
                if out.len() > usize::from(rooted) {
                    out.push(b'/');
                }
                out.extend_from_slice(element);
                if element == b".." {
                    fixed = out.len();
                }
            }
        }
    }
    if out.is_empty() {
        out.push(b'.');
    }
    T::own(out)
}

/// Returns the last element, `.` for an empty path and `/` for one of slashes only (Go `path.Base`).
///
/// ```
/// assert_eq!(gostd::path::base("templates/_helpers.tpl"), "_helpers.tpl");
/// assert_eq!(gostd::path::base("a/b/"), "b");
/// ```
pub fn base<T: Text + ?Sized>(path: &T) -> T::Owned {
    let bytes = path.bytes();
    if bytes.is_empty() {
        return T::own(b".".to_vec());
    }
    let end = bytes.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    if end == 0 {
        return T::own(b"/".to_vec());
    }
    let start = last_slash(bytes.get(..end).unwrap_or_default()).map_or(0, |slash| slash + 1);
    T::own(path.part(start..end).bytes().to_vec())
}

/// Returns all but the last element, cleaned (Go `path.Dir`).
///
/// ```
/// assert_eq!(gostd::path::dir("/a/../b/c.txt"), "/b");
/// assert_eq!(gostd::path::dir("c.txt"), ".");
/// ```
pub fn dir<T: Text + ?Sized>(path: &T) -> T::Owned {
    let end = last_slash(path.bytes()).map_or(0, |slash| slash + 1);
    clean(path.part(0..end))
}

/// Returns the suffix of the last element from its last dot on, or nothing (Go `path.Ext`).
///
/// ```
/// assert_eq!(gostd::path::ext("x.tar.gz"), ".gz");
/// assert_eq!(gostd::path::ext("a.d/b"), "");
/// ```
pub fn ext<T: Text + ?Sized>(path: &T) -> &T {
    let bytes = path.bytes();
    let start = last_slash(bytes).map_or(0, |slash| slash + 1);
    let dot = bytes.get(start..).unwrap_or_default().iter().rposition(|byte| *byte == b'.');
    path.part(dot.map_or(bytes.len(), |dot| start + dot)..bytes.len())
}

/// Reports whether the path begins with a slash (Go `path.IsAbs`).
pub fn is_abs<T: Text + ?Sized>(path: &T) -> bool {
    path.bytes().first() == Some(&b'/')
}

/// Splits after the last slash into directory (with the slash) and file name (Go `path.Split`).
///
/// ```
/// assert_eq!(gostd::path::split("a/b/c"), ("a/b/", "c"));
/// ```
pub fn split<T: Text + ?Sized>(path: &T) -> (&T, &T) {
    let len = path.bytes().len();
    let cut = last_slash(path.bytes()).map_or(0, |slash| slash + 1);
    (path.part(0..cut), path.part(cut..len))
}

/// Joins elements with slashes and cleans the result; empty elements are left out (Go `path.Join`).
///
/// ```
/// assert_eq!(gostd::path::join(["charts", "", "../x"]), "x");
/// assert_eq!(gostd::path::join::<str>([]), "");
/// ```
pub fn join<'a, T: Text + ?Sized + 'a>(elements: impl IntoIterator<Item = &'a T>) -> T::Owned {
    let mut joined: Vec<u8> = Vec::new();
    for element in elements {
        let bytes = element.bytes();
        if bytes.is_empty() {
            continue;
        }
        if !joined.is_empty() {
            joined.push(b'/');
        }
        joined.extend_from_slice(bytes);
    }
    if joined.is_empty() { T::own(joined) } else { clean(&*T::own(joined)) }
}

fn last_slash(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| *byte == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_follows_go() {
        let cases = [
            ("", "."),
            ("/", "/"),
            ("//", "/"),
            ("a/b/", "a/b"),
            ("a//b/../c", "a/c"),
            ("../x", "../x"),
            ("../../x/..", "../.."),
            ("/etc/nginx/../conf.d/site.conf", "/etc/conf.d/site.conf"),
            ("/../../a", "/a"),
            ("a/..", "."),
            ("a/../..", ".."),
            ("a/../../b", "../b"),
            ("./.", "."),
            ("...", "..."),
            ("/.../..", "/"),
            ("ab/..x/..", "ab"),
        ];
        for (path, want) in cases {
            assert_eq!(clean(path), want, "{path}");
            assert_eq!(clean(path.as_bytes()), want.as_bytes(), "{path}");
        }
        assert_eq!(clean(&b"\xff//\xfe"[..]), b"\xff/\xfe");
    }

    #[test]
    fn parts_follow_go() {
        // path, base, dir, ext
        let cases = [
            ("", ".", ".", ""),
            ("/", "/", "/", ""),
            ("///", "/", "/", ""),
            ("a", "a", ".", ""),
            ("a/b/", "b", "a/b", ""),
            ("a/b//", "b", "a/b", ""),
            ("../x", "x", "..", ""),
            ("x.tar.gz", "x.tar.gz", ".", ".gz"),
            (".hidden", ".hidden", ".", ".hidden"),
            ("/a/b.c/d", "d", "/a/b.c", ""),
            ("é/ö.ü", "ö.ü", "é", ".ü"),
        ];
        for (path, want_base, want_dir, want_ext) in cases {
            assert_eq!(base(path), want_base, "base of {path}");
            assert_eq!(dir(path), want_dir, "dir of {path}");
            assert_eq!(ext(path), want_ext, "ext of {path}");
            assert_eq!(is_abs(path), path.starts_with('/'), "{path}");
        }
    }

    #[test]
    fn join_skips_empty_elements() {
        assert_eq!(join(["a", "b"]), "a/b");
        assert_eq!(join(["", "a"]), "a");
        assert_eq!(join(["/", "a", "/b"]), "/a/b");
        assert_eq!(join(["a", ""]), "a");
        assert_eq!(join(["", ""]), "");
    }
}
