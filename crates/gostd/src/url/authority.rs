//! The part between `//` and the path: user, host and port.

use super::escape::{Part, unescape};
use super::{Cause, Userinfo, address, cut};

/// Reads `[userinfo@]host[:port]`.
pub(super) fn parse(scheme: &[u8], text: &[u8]) -> Result<(Option<Userinfo>, Vec<u8>), Cause> {
    let Some(at) = text.iter().rposition(|byte| *byte == b'@') else {
        return Ok((None, parse_host(scheme, text)?));
    };
    let host = parse_host(scheme, text.get(at + 1..).unwrap_or_default())?;
    let userinfo = text.get(..at).unwrap_or_default();
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
    if !userinfo.iter().all(allowed) {
        return Err(Cause::Userinfo);
    }
    let (username, password) = cut(userinfo, b':');
    let username = unescape(username, Part::UserPassword)?;
    let password = password.map(|text| unescape(text, Part::UserPassword)).transpose()?;
    Ok((Some(Userinfo { username, password }), host))
}

fn parse_host(scheme: &[u8], host: &[u8]) -> Result<Vec<u8>, Cause> {
    match host.iter().rposition(|byte| *byte == b'[') {
        Some(0) => return parse_literal(host.get(1..).unwrap_or_default()),
        Some(_) => return Err(Cause::IpLiteral),
        None => {}
    }
    // Only http and https refuse colons in the host: lists of hosts are common in database URLs.
    let strict = scheme == b"http" || scheme == b"https";
    let colon = |byte: &u8| *byte == b':';
    let colon = if strict { host.iter().position(colon) } else { host.iter().rposition(colon) };
    check_port(colon.and_then(|colon| host.get(colon..)).unwrap_or_default())?;
    unescape(host, Part::Host)
}

/// Reads an IPv6 address whose opening bracket was taken, and the port.
fn parse_literal(text: &[u8]) -> Result<Vec<u8>, Cause> {
    let close = text.iter().rposition(|byte| *byte == b']').ok_or(Cause::MissingBracket)?;
    let (name, port) = (text.get(..close).unwrap_or_default(), text.get(close + 1..).unwrap_or_default());
    check_port(port)?;
    let port = unescape(port, Part::Host)?;
    let zone = name.windows(3).position(|window| window == b"%25").unwrap_or(name.len());
    let (address, zone) = name.split_at(zone);
    let mut name = unescape(address, Part::Host)?;
    name.extend(unescape(zone, Part::Zone)?);
    match address::check(&name) {
        Ok(address::Family::V6) => Ok([b"[", &name[..], b"]", &port[..]].concat()),
        Ok(address::Family::V4) => Err(Cause::IpLiteral),
        Err(error) => Err(Cause::Address(error)),
    }
}

fn check_port(text: &[u8]) -> Result<(), Cause> {
    if is_port(text) { Ok(()) } else { Err(Cause::Port(text.to_vec())) }
}

/// Reports whether the text is empty or a colon with digits, if any.
fn is_port(text: &[u8]) -> bool {
    match text.split_first() {
        None => true,
        Some((colon, digits)) => *colon == b':' && digits.iter().all(u8::is_ascii_digit),
    }
}

/// Splits a decoded host into name, without brackets, and port.
pub(super) fn split_port(host: &[u8]) -> (&[u8], &[u8]) {
    let colon = host.iter().rposition(|byte| *byte == b':');
    let (name, port) = match colon.and_then(|colon| host.split_at_checked(colon)) {
        Some((name, port)) if is_port(port) => (name, port.get(1..).unwrap_or_default()),
        _ => (host, &b""[..]),
    };
    let bare = name.strip_prefix(b"[").and_then(|name| name.strip_suffix(b"]"));
    (bare.unwrap_or(name), port)
}
