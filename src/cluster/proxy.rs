//! Whether the API server is reached without the proxy that the environment names, by the rules of Go's httpproxy: kubectl
//! and helm-operator go by them, so `NO_PROXY` must mean the same here.

use std::net::IpAddr;

use http::Uri;

/// Whether an address is on this machine, or excepted by the text of `NO_PROXY`: a list of names (of a host, and of all
/// below it), names that begin with a dot (of all below it), IP addresses, ranges of them, each but the ranges with or
/// without a port, or `*`.
pub(crate) fn is_direct(url: &Uri, no_proxy: &str) -> bool {
    let host = url.host().unwrap_or_default().to_lowercase();
    let port = url.port_u16().unwrap_or(if url.scheme_str() == Some("http") { 80 } else { 443 }).to_string();
    let ip = address(&host);
    if host == "localhost" || ip.is_some_and(|ip| ip.is_loopback()) {
        return true;
    }
    no_proxy.split(',').map(str::trim).any(|entry| fits(&entry.to_lowercase(), &host, &port, ip))
}

fn fits(entry: &str, host: &str, port: &str, ip: Option<IpAddr>) -> bool {
    if entry == "*" {
        return true;
    }
    if let Some((base, bits)) = range(entry) {
        return ip.is_some_and(|ip| is_within(ip, base, bits));
    }
    let (name, wanted) = split_port(entry);
    if name.is_empty() || wanted.is_some_and(|wanted| !wanted.is_empty() && wanted != port) {
        return false;
    }
    match (address(name), ip) {
        (Some(one), ip) => ip == Some(one),
        (None, Some(_)) => false,
        (None, None) => {
            let name = name.strip_prefix('*').filter(|rest| rest.starts_with('.')).unwrap_or(name);
            let below = |name: &str| host.strip_suffix(name).is_some_and(|host| host.ends_with('.'));
            match name.strip_prefix('.') {
                Some(name) => below(name),
                None => host == name || below(name),
            }
        }
    }
}

/// Reads an address, with or without brackets.
fn address(text: &str) -> Option<IpAddr> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    inner.parse().ok().map(|ip: IpAddr| ip.to_canonical())
}

fn range(text: &str) -> Option<(IpAddr, u32)> {
    let (base, bits) = text.split_once('/')?;
    let (base, bits) = (address(base)?, bits.parse().ok()?);
    (bits <= if base.is_ipv4() { 32 } else { 128 }).then_some((base, bits))
}

fn is_within(ip: IpAddr, base: IpAddr, bits: u32) -> bool {
    let (one, other, size) = match (ip, base) {
        (IpAddr::V4(ip), IpAddr::V4(base)) => (u128::from(ip.to_bits()), u128::from(base.to_bits()), 32),
        (IpAddr::V6(ip), IpAddr::V6(base)) => (ip.to_bits(), base.to_bits(), 128),
        _ => return false,
    };
    // No bit is left to compare in a range of all.
    (one ^ other).checked_shr(size - bits).unwrap_or_default() == 0
}

/// Splits `name:port`; an address of colons has its port behind brackets.
fn split_port(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, Some(port)),
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_read_as_go_reads_them() {
        const NAME: &str = "https://api.example.com:6443";
        const V4: &str = "https://10.1.2.3";
        const V6: &str = "https://[2001:db8::1]:6443";
        for (no_proxy, url, want) in [
            ("", NAME, false),
            ("*", NAME, true),
            ("other.org, *", V4, true),
            ("api.example.com", NAME, true),
            ("API.Example.com ,x", NAME, true),
            ("example.com", NAME, true),
            (".example.com", NAME, true),
            ("*.example.com", NAME, true),
            ("*", "https://localhost:1", true),
            (".api.example.com", NAME, false),
            ("*.api.example.com", NAME, false),
            ("ample.com", NAME, false),
            ("*example.com", NAME, false),
            ("example.com:6443", NAME, true),
            ("example.com:443", NAME, false),
            ("example.com:", NAME, true),
            ("example.com:443", "https://example.com", true),
            (":6443", NAME, false),
            (".", NAME, false),
            ("10.1.2.3", V4, true),
            ("10.1.2.3:443", V4, true),
            ("10.1.2.3:6443", V4, false),
            ("10.1.2.4", V4, false),
            ("2.3", V4, false),
            ("10.0.0.0/8", V4, true),
            ("10.1.2.9/24", V4, true),
            ("10.1.3.0/24", V4, false),
            ("0.0.0.0/0", V4, true),
            ("10.1.2.3/32", V4, true),
            ("10.1.2.3/33", V4, false),
            ("10.0.0.0/8", NAME, false),
            ("::/0", V4, false),
            ("::ffff:10.1.2.3", V4, true),
            ("2001:db8::1", V6, true),
            ("[2001:db8::1]:6443", V6, true),
            ("[2001:db8::1]:443", V6, false),
            ("2001:db8::/32", V6, true),
            ("2001:db9::/32", V6, false),
            ("::/0", V6, true),
            ("", "https://localhost:6443", true),
            ("", "https://127.0.0.1:34567", true),
            ("", "https://[::1]:6443", true),
            ("", "https://localhost.example.com", false),
        ] {
            assert_eq!(is_direct(&url.parse().unwrap(), no_proxy), want, "NO_PROXY={no_proxy:?} {url}");
        }
    }
}
