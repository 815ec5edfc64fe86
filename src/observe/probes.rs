//! `/healthz` and `/readyz`.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// What the probes tell.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    ready: AtomicBool,
}

impl Probes {
    /// Says that the operator serves its kinds now.
    pub(crate) fn set_ready(&self) {
        self.ready.store(true, Ordering::Relaxed);
    }

    fn answer(&self, path: &str) -> (StatusCode, &'static str) {
        match path {
            "/healthz" => (StatusCode::OK, "ok"),
            "/readyz" if self.ready.load(Ordering::Relaxed) => (StatusCode::OK, "ok"),
            "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "not all kinds are watched yet"),
            _ => (StatusCode::NOT_FOUND, "there are /healthz and /readyz"),
        }
    }
}

/// Listens at an address.
pub(crate) async fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    match TcpListener::bind(address).await {
        // A machine without IPv6 has no [::], which stands for "every address" here.
        Err(_) if address.ip().is_unspecified() && address.is_ipv6() => {
            TcpListener::bind((std::net::Ipv4Addr::UNSPECIFIED, address.port())).await
        }
        bound => bound,
    }
}

/// Answers probes for ever.
pub(crate) async fn serve(listener: TcpListener, probes: Arc<Probes>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, for example: give it a moment.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            continue;
        };
        let probes = probes.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let (status, text) = probes.answer(request.uri().path());
                async move {
                    let mut response = Response::new(text.to_owned());
                    *response.status_mut() = status;
                    Ok::<_, Infallible>(response)
                }
            });
            // A probe that hangs up early is no concern of ours.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_only_when_told() {
        let probes = Probes::default();
        assert_eq!(probes.answer("/healthz").0, StatusCode::OK);
        assert_eq!(probes.answer("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
        probes.set_ready();
        assert_eq!(probes.answer("/readyz").0, StatusCode::OK);
        assert_eq!(probes.answer("/x").0, StatusCode::NOT_FOUND);
    }
}
