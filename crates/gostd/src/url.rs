//! URLs as Go's `net/url` reads and writes them.
//!
//! Go follows RFC 3986 loosely and normalises nothing: what was read is what is written. Texts are bytes, since Go
//! strings may be invalid UTF-8.

mod address;
mod authority;
mod escape;

use std::fmt;

use crate::strconv::quote;
pub use address::AddressError;
use escape::{Part, escape, unescape};

/// A parsed URL (Go `url.URL`). Absent parts are empty.
///
/// ```
/// use gostd::url::Url;
/// let url = Url::parse(b"https://user:pw@example.com:8443/a%20b?q=1#top")?;
/// assert_eq!(url.hostname(), b"example.com");
/// assert_eq!(url.path, b"/a b");
/// assert_eq!(url.to_bytes(), b"https://user:pw@example.com:8443/a%20b?q=1#top");
/// # Ok::<(), gostd::url::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// The scheme in lower case.
    pub scheme: Vec<u8>,
    /// What follows the scheme when that is not a slash, still encoded (`a@b` of `mailto:a@b`).
    pub opaque: Vec<u8>,
    /// User name and password.
    pub user: Option<Userinfo>,
    /// Host or `host:port`, decoded.
    pub host: Vec<u8>,
    /// The path, decoded.
    pub path: Vec<u8>,
    /// The encoded path, where it differs from the default encoding of `path`.
    pub raw_path: Vec<u8>,
    /// Whether the URL ends in a question mark that no query follows.
    pub force_query: bool,
    /// The query without its question mark, still encoded.
    pub raw_query: Vec<u8>,
    /// The fragment without its hash sign, decoded.
    pub fragment: Vec<u8>,
    /// The encoded fragment, where it differs from the default encoding of `fragment`.
    pub raw_fragment: Vec<u8>,
    /// Whether a URL with a scheme and an absolute path has no `//` before it.
    pub omit_host: bool,
}

/// User name and password, decoded (Go `url.Userinfo`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Userinfo {
    /// The user name.
    pub username: Vec<u8>,
    /// The password; an empty one still has its colon.
    pub password: Option<Vec<u8>>,
}

/// A text that is no URL. Prints as Go's `url.Error`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parse {}: {cause}", quote(.url))]
pub struct Error {
    /// The text, without its fragment if the fault lies before it.
    pub url: Vec<u8>,
    /// The fault.
    pub cause: Cause,
}

/// What is wrong with a URL. The texts are Go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// A byte below space, or DEL.
    #[error("net/url: invalid control character in URL")]
    ControlCharacter,
    /// It begins with a colon.
    #[error("missing protocol scheme")]
    MissingScheme,
    /// A relative path could be taken for a scheme.
    #[error("first path segment in URL cannot contain colon")]
    ColonInFirstSegment,
    /// A percent sign without two hexadecimal digits, or an escape that is not allowed at its place.
    #[error("invalid URL escape {}", quote(.0))]
    Escape(Vec<u8>),
    /// A byte that must not stand in a host name.
    #[error("invalid character {} in host name", quote(&[*.0]))]
    HostCharacter(u8),
    /// The part before the last `@` has bytes that must be escaped there.
    #[error("net/url: invalid userinfo")]
    Userinfo,
    /// Brackets at the wrong place, or around an IPv4 address.
    #[error("invalid IP-literal")]
    IpLiteral,
    /// An opening bracket only.
    #[error("missing ']' in host")]
    MissingBracket,
    /// What follows the host's colon is no number.
    #[error("invalid port {} after host", quote(.0))]
    Port(Vec<u8>),
    /// The text in brackets is no IPv6 address.
    #[error("invalid host: {0}")]
    Address(AddressError),
}

impl Url {
    /// Reads an absolute or relative URL (Go `url.Parse`).
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let (before, fragment) = cut(text, b'#');
        let failed = |url: &[u8], cause| Error { url: url.to_vec(), cause };
        let mut url = Self::parse_without_fragment(before).map_err(|cause| failed(before, cause))?;
        let fragment = fragment.unwrap_or_default();
        url.fragment = unescape(fragment, Part::Fragment).map_err(|cause| failed(text, cause))?;
        if escape(&url.fragment, Part::Fragment) != fragment {
            url.raw_fragment = fragment.to_vec();
        }
        Ok(url)
    }

    fn parse_without_fragment(text: &[u8]) -> Result<Self, Cause> {
        if text.iter().any(u8::is_ascii_control) {
            return Err(Cause::ControlCharacter);
        }
        let mut url = Self::default();
        if text == b"*" {
            url.path = text.to_vec();
            return Ok(url);
        }
        let (scheme, rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        let (rest, query) = cut(rest, b'?');
        url.raw_query = query.unwrap_or_default().to_vec();
        url.force_query = query == Some(b"");

        if !rest.starts_with(b"/") {
            if !scheme.is_empty() {
                url.opaque = rest.to_vec();
                return Ok(url);
            }
            if cut(rest, b'/').0.contains(&b':') {
                return Err(Cause::ColonInFirstSegment);
            }
        }
        let relative = scheme.is_empty();
        let path = match rest.strip_prefix(b"//") {
            Some(authority) if !relative || !authority.starts_with(b"/") => {
                let slash = authority.iter().position(|byte| *byte == b'/').unwrap_or(authority.len());
                let (authority, path) = authority.split_at(slash);
                (url.user, url.host) = authority::parse(&url.scheme, authority)?;
                path
            }
            _ => {
                url.omit_host = !relative && rest.starts_with(b"/");
                rest
            }
        };
        url.path = unescape(path, Part::Path)?;
        if escape(&url.path, Part::Path) != path {
            url.raw_path = path.to_vec();
        }
        Ok(url)
    }

    /// Returns the host without port and brackets (Go `URL.Hostname`).
    pub fn hostname(&self) -> &[u8] {
        authority::split_port(&self.host).0
    }

    /// Returns the port, empty if there is none (Go `URL.Port`).
    pub fn port(&self) -> &[u8] {
        authority::split_port(&self.host).1
    }

    /// Returns the encoded path: as it was read if that still fits, else in the default encoding (Go
    /// `URL.EscapedPath`).
    pub fn escaped_path(&self) -> Vec<u8> {
        match escape::kept(&self.raw_path, &self.path, Part::Path) {
            Some(raw) => raw.to_vec(),
            None if self.path == b"*" => self.path.clone(),
            None => escape(&self.path, Part::Path),
        }
    }

    /// Returns the encoded fragment (Go `URL.EscapedFragment`).
    pub fn escaped_fragment(&self) -> Vec<u8> {
        match escape::kept(&self.raw_fragment, &self.fragment, Part::Fragment) {
            Some(raw) => raw.to_vec(),
            None => escape(&self.fragment, Part::Fragment),
        }
    }

    /// Puts the URL together again (Go `URL.String`).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if !self.scheme.is_empty() {
            out.extend_from_slice(&self.scheme);
            out.push(b':');
        }
        if self.opaque.is_empty() {
            self.write_hierarchy(&mut out);
        } else {
            out.extend_from_slice(&self.opaque);
        }
        if self.force_query || !self.raw_query.is_empty() {
            out.push(b'?');
            out.extend_from_slice(&self.raw_query);
        }
        if !self.fragment.is_empty() {
            out.push(b'#');
            out.extend(self.escaped_fragment());
        }
        out
    }

    fn write_hierarchy(&self, out: &mut Vec<u8>) {
        let no_host = self.host.is_empty() && self.user.is_none();
        let omitted = no_host && (self.scheme.is_empty() || self.omit_host || self.path.is_empty());
        if !omitted {
            out.extend_from_slice(b"//");
            if let Some(user) = &self.user {
                out.extend(user.to_bytes());
                out.push(b'@');
            }
            out.extend(escape(&self.host, Part::Host));
        }
        let path = self.escaped_path();
        if !path.is_empty() && !path.starts_with(b"/") && !self.host.is_empty() {
            out.push(b'/');
        }
        // A relative path must not read like a scheme.
        if out.is_empty() && cut(&path, b'/').0.contains(&b':') {
            out.extend_from_slice(b"./");
        }
        out.extend(path);
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.to_bytes()))
    }
}

impl Userinfo {
    /// Returns `username[:password]`, encoded (Go `Userinfo.String`).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = escape(&self.username, Part::UserPassword);
        if let Some(password) = &self.password {
            out.push(b':');
            out.extend(escape(password, Part::UserPassword));
        }
        out
    }
}

/// Escapes a text for use in a query: space becomes `+` (Go `url.QueryEscape`).
///
/// ```
/// assert_eq!(gostd::url::query_escape("a b&ü".as_bytes()), b"a+b%26%C3%BC");
/// ```
pub fn query_escape(text: &[u8]) -> Vec<u8> {
    escape(text, Part::Query)
}

/// Escapes a text for use as one segment of a path (Go `url.PathEscape`).
///
/// ```
/// assert_eq!(gostd::url::path_escape(b"a b/c"), b"a%20b%2Fc");
/// ```
pub fn path_escape(text: &[u8]) -> Vec<u8> {
    escape(text, Part::PathSegment)
}

/// Reports whether an IP address is one of version 6, which may have a zone; other texts are errors (Go
/// `netip.ParseAddr`).
///
/// ```
/// assert_eq!(gostd::url::is_ipv6(b"fe80::1%eth0"), Ok(true));
/// assert_eq!(gostd::url::is_ipv6(b"10.0.0.1"), Ok(false));
/// assert!(gostd::url::is_ipv6(b"10.0.0").is_err());
/// ```
pub fn is_ipv6(address: &[u8]) -> Result<bool, AddressError> {
    address::check(address).map(|family| family == address::Family::V6)
}

/// Undoes [`query_escape`] (Go `url.QueryUnescape`).
pub fn query_unescape(text: &[u8]) -> Result<Vec<u8>, Cause> {
    unescape(text, Part::Query)
}

/// Undoes [`path_escape`] (Go `url.PathUnescape`).
pub fn path_unescape(text: &[u8]) -> Result<Vec<u8>, Cause> {
    unescape(text, Part::PathSegment)
}

/// Splits at the first `mark`, which neither part keeps.
fn cut(text: &[u8], mark: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|byte| *byte == mark) {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
        None => (text, None),
    }
}

/// Splits off `[a-zA-Z][a-zA-Z0-9+.-]*:`; without one the scheme is empty.
fn split_scheme(text: &[u8]) -> Result<(&[u8], &[u8]), Cause> {
    let in_scheme = |(at, byte): (usize, &u8)| {
        byte.is_ascii_alphabetic() || at > 0 && (byte.is_ascii_digit() || b"+-.".contains(byte))
    };
    let len = text.iter().enumerate().take_while(|pair| in_scheme(*pair)).count();
    match (text.get(len), len) {
        (Some(b':'), 0) => Err(Cause::MissingScheme),
        (Some(b':'), _) => Ok((text.get(..len).unwrap_or_default(), text.get(len + 1..).unwrap_or_default())),
        _ => Ok((b"", text)),
    }
}

#[cfg(test)]
mod tests;
