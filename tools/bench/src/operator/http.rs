//! The operators' own pages: probes and metrics, read with the least there is.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// A port that was free a moment ago.
pub(crate) fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Returns the body of a page if the answer is 200.
pub(crate) fn get(port: u16, path: &str) -> Option<String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.split(' ').nth(1).filter(|status| *status == "200").map(|_| body.to_owned())
}

/// Adds up a metric over all its labels; `None` if it is not there.
pub(crate) fn sum(metrics: &str, name: &str) -> Option<f64> {
    let values = metrics.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        (rest.starts_with('{') || rest.starts_with(' '))
            .then(|| rest.rsplit_once(' ')?.1.parse::<f64>().ok())?
    });
    values.reduce(|a, b| a + b)
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn metrics_are_added_up() {
        let metrics =
            "# TYPE a_total counter\na_total{x=\"1\"} 2\na_total{x=\"2\"} 3.5\na_total_more 9\nb 4\n";
        assert_eq!(sum(metrics, "a_total"), Some(5.5));
        assert_eq!(sum(metrics, "b"), Some(4.0));
        assert_eq!(sum(metrics, "c"), None);
    }
}
