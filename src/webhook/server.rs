//! Answers the API server over TLS: few connections at a time, small bodies, and always within the deadline.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request as HttpRequest, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::review::{Request, Review, answer};
use super::{DEADLINE, PATH};
use crate::cluster::instances::Instance;
use crate::kind::Kinds;
use crate::reconcile::judge::Verdict;
use crate::tls::{self, Current};

/// Connections at a time; an API server keeps one or two.
const CONNECTIONS: usize = 64;
/// Questions answered at a time. Those that find no place in time are let pass.
const AT_A_TIME: usize = 4;
/// The largest question: it holds a resource as it is and as it was, each up to 3 MiB.
const LARGEST: usize = 7 * 1024 * 1024;
/// How long a handshake and the head of a request may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is left of the deadline for the way back.
const MARGIN: Duration = Duration::from_secs(1);

/// Answers questions about some kinds.
pub(super) struct Server {
    kinds: Arc<Kinds>,
    slots: Semaphore,
}

/// Serves for ever.
pub(super) async fn serve(listener: TcpListener, certificates: Arc<Current>, kinds: Arc<Kinds>) {
    let acceptor = match tls::acceptor(certificates) {
        Ok(acceptor) => acceptor,
        Err(error) => return tracing::error!(%error, "The webhook has no TLS"),
    };
    let server = Arc::new(Server { kinds, slots: Semaphore::new(AT_A_TIME) });
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = connections.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, for example: give it a moment.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let (acceptor, server) = (acceptor.clone(), server.clone());
        tokio::spawn(async move {
            let _place = place;
            let Ok(Ok(stream)) = timeout(PATIENCE, acceptor.accept(stream)).await else { return };
            let service = service_fn(move |request| {
                let server = server.clone();
                async move { Ok::<_, Infallible>(server.handle(request).await) }
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(90));
            // A client that hangs up early is no concern of ours.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

impl Server {
    async fn handle(&self, request: HttpRequest<Incoming>) -> Response<String> {
        if request.uri().path() != PATH {
            return plain(StatusCode::NOT_FOUND, "there is nothing here");
        }
        if request.method() != Method::POST {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "post an AdmissionReview");
        }
        let deadline = deadline(request.uri().query());
        let start = tokio::time::Instant::now();
        let Ok(Ok(_slot)) = timeout(deadline, self.slots.acquire()).await else {
            // Without the question there is no answer to it; the API server lets the resource pass.
            return plain(StatusCode::SERVICE_UNAVAILABLE, "too many questions at a time");
        };
        let body = Limited::new(request.into_body(), LARGEST).collect();
        let body = match timeout(deadline, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) => return plain(StatusCode::PAYLOAD_TOO_LARGE, &error.to_string()),
            Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the question took too long"),
        };
        let review: Review = match serde_json::from_slice(&body) {
            Ok(review) => review,
            Err(error) => return plain(StatusCode::BAD_REQUEST, &format!("no AdmissionReview: {error}")),
        };
        drop(body);
        let rest = deadline.saturating_sub(start.elapsed());
        let verdict = timeout(rest, self.judge(&review.request)).await;
        let verdict =
            verdict.unwrap_or_else(|_| Verdict::unsure(format_args!("it took longer than {deadline:?}")));
        if let Verdict::Refused(why) = &verdict {
            tracing::info!(kind = review.request.kind.kind, why, "Refused a resource");
        }
        let mut response = Response::new(answer(&review.request.uid, &verdict).to_string());
        let json = header::HeaderValue::from_static("application/json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }

    async fn judge(&self, request: &Request) -> Verdict {
        let fine = Verdict::Fine { warnings: Vec::new() };
        let controller = self.kinds.controllers().into_iter().find(|controller| {
            let watch = &controller.watch;
            watch.names.kind == request.kind.kind && watch.api_version.group == request.kind.group
        });
        let parse = |object: &Option<Box<serde_json::value::RawValue>>| {
            object.as_ref().and_then(|object| Instance::parse(object.get()))
        };
        let (Some(controller), Some(instance)) = (controller, parse(&request.object)) else { return fine };
        let same = |before: &Instance| before.spec_digest == instance.spec_digest;
        if instance.deleting
            || instance.key.name.is_empty()
            || parse(&request.old_object).as_ref().is_some_and(same)
        {
            return fine;
        }
        controller.judge(&instance, request.is_new()).await
    }
}

/// When the answer must be ready: the API server names its own deadline.
fn deadline(query: Option<&str>) -> Duration {
    let mut parameters = query.unwrap_or_default().split('&');
    let asked = parameters.find_map(|parameter| parameter.strip_prefix("timeout="));
    let asked =
        asked.and_then(|text| crate::watches::go_duration(text).ok()).unwrap_or(DEADLINE).min(DEADLINE);
    asked.saturating_sub(MARGIN).max(asked / 2)
}

fn plain(status: StatusCode, text: &str) -> Response<String> {
    let mut response = Response::new(text.to_owned());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_before_the_server_gives_up() {
        assert_eq!(deadline(Some("timeout=10s")), Duration::from_secs(9));
        assert_eq!(deadline(Some("a=b&timeout=1s")), Duration::from_millis(500));
        assert_eq!(deadline(Some("timeout=1h")), DEADLINE - MARGIN);
        assert_eq!(deadline(None), DEADLINE - MARGIN);
    }

    use rustls::pki_types::pem::PemObject as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use crate::tls::{Certificate, Place};

    fn certificate() -> Certificate {
        Certificate::new(&Place { names: Vec::new(), addresses: vec!["127.0.0.1".parse().unwrap()] }).unwrap()
    }

    /// Posts a text to the server at an address, trusting one authority.
    async fn post(address: std::net::SocketAddr, authority: &str, body: &str) -> Result<String, String> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(rustls::pki_types::CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
        let config =
            rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_root_certificates(roots)
                .with_no_client_auth();
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
        let stream = connector.connect("127.0.0.1".try_into().unwrap(), stream).await;
        let mut stream = stream.map_err(|error| error.to_string())?;
        let length = body.len();
        let head = format!(
            "POST {PATH}?timeout=2s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // The end of the connection may come without ceremony.
        let _ = stream.read_to_string(&mut answer).await;
        Ok(answer)
    }

    #[tokio::test]
    async fn questions_are_answered_over_tls_whatever_the_certificate_of_the_hour() {
        const QUESTION: &str = r#"{"request": {"uid": "u", "kind": {"group": "a.io", "version": "v1", "kind": "X"},
            "operation": "CREATE", "object": {"metadata": {"name": "x"}}}}"#;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (first, second) = (certificate(), certificate());
        let current = Arc::new(Current::new(first.clone()));
        tokio::spawn(serve(listener, current.clone(), Arc::default()));
        let answer = post(address, &first.authority, QUESTION).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""allowed":true"#), "{answer}");
        let answer = post(address, &first.authority, "nonsense").await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
        let error = post(address, &second.authority, QUESTION).await.unwrap_err();
        assert!(error.contains("certificate"), "{error}");
        current.set(second.clone());
        assert!(post(address, &first.authority, QUESTION).await.is_err());
        assert!(post(address, &second.authority, QUESTION).await.unwrap().contains(r#""allowed":true"#));
    }
}
