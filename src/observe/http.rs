//! The small HTTP server behind probes and metrics.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// Clients served at a time; more wait.
const MOST_CLIENTS: usize = 64;

/// What is served.
pub(crate) trait Site: Send + Sync + 'static {
    /// Answers a request.
    fn answer(&self, request: &Request<Incoming>) -> impl Future<Output = Answer> + Send;
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) media_type: &'static str,
    pub(crate) body: String,
}

impl Answer {
    /// A few words.
    pub(crate) fn text(status: StatusCode, body: &str) -> Self {
        Self { status, media_type: "text/plain; charset=utf-8", body: body.to_owned() }
    }
}

/// Listens at an address.
pub(crate) async fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Err(error),
        // A machine without IPv6 has no [::], which stands for "every address" here.
        Err(_) if address.ip().is_unspecified() && address.is_ipv6() => {
            TcpListener::bind((std::net::Ipv4Addr::UNSPECIFIED, address.port())).await
        }
        bound => bound,
    }
}

/// Serves a site for ever, over TLS if there is an acceptor.
pub(crate) async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, site: Arc<impl Site>) {
    let slots = Arc::new(Semaphore::new(MOST_CLIENTS));
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, for example: give it a moment.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (site, tls) = (site.clone(), tls.clone());
        tokio::spawn(async move {
            let _slot = slot;
            match tls {
                None => converse(stream, site).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, tls.accept(stream)).await {
                        converse(stream, site).await;
                    }
                }
            }
        });
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, site: Arc<impl Site>) {
    let service = service_fn(|request: Request<Incoming>| {
        let site = site.clone();
        async move { Ok::<_, Infallible>(response(site.answer(&request).await)) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    // A client that hangs up early is no concern of ours.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

fn response(answer: Answer) -> Response<String> {
    let mut response = Response::new(answer.body);
    *response.status_mut() = answer.status;
    let media_type = header::HeaderValue::from_static(answer.media_type);
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}
