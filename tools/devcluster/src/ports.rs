//! Ports on the loopback interface.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    time::Duration,
};

/// Picks `N` different ports that nobody listens on. They are all held until the last is found, then let go, so
/// another program may still take one: whoever uses them must bear that.
pub(crate) fn pick<const N: usize>() -> io::Result<[u16; N]> {
    let mut ports = [0; N];
    let mut held = Vec::with_capacity(N);
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        *port = listener.local_addr()?.port();
        held.push(listener);
    }
    Ok(ports)
}

/// Whether the port can be listened on.
pub(crate) fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Whether somebody accepts connections on the port.
pub(crate) fn answers(port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn picked_ports_differ_and_are_free() {
        let ports = pick::<8>().unwrap();
        assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), 8);
        assert!(ports.iter().all(|port| *port != 0));
    }

    #[test]
    fn a_port_in_use_is_seen() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(!is_free(port));
        assert!(answers(port));
        drop(listener);
        assert!(!answers(port));
    }
}
