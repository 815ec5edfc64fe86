//! Counts what the client asks of the API server, and keeps a replica whose time is over from writing.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Method, Request, Response};
use tower::BoxError;
use tower_layer::Layer;
use tower_service::Service;

use super::tenure::{OfLease, Tenure};
use crate::observe::metrics::Requests;

/// Puts a counter before a client's requests.
pub(super) struct Counting {
    pub(super) requests: Requests,
    /// The API server's address, as metrics show it.
    pub(super) host: Arc<str>,
    /// How long may be written.
    pub(super) tenure: Tenure,
}

impl<S> Layer<S> for Counting {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        Counted {
            inner,
            requests: self.requests.clone(),
            host: self.host.clone(),
            tenure: self.tenure.clone(),
        }
    }
}

/// See [`Counting`].
pub(super) struct Counted<S> {
    inner: S,
    requests: Requests,
    host: Arc<str>,
    tenure: Tenure,
}

impl<S> Counted<S> {
    /// Whether a request would change something after another replica may have taken over.
    fn is_too_late<A>(&self, request: &Request<A>) -> bool {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        !reads && request.extensions().get::<OfLease>().is_none() && self.tenure.is_over()
    }
}

impl<S, A, B> Service<Request<A>> for Counted<S>
where
    S: Service<Request<A>, Response = Response<B>, Error = BoxError>,
    S::Future: Send + 'static,
{
    type Response = Response<B>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<B>, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
        if self.is_too_late(&request) {
            let why =
                "nothing is written, for the Lease was not renewed in time and another replica may work now";
            return Box::pin(async move { Err(why.into()) });
        }
        let method = request.method().to_string();
        let (requests, host) = (self.requests.clone(), self.host.clone());
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            match &answer {
                Ok(answer) => requests.count(&host, &method, answer.status().as_str()),
                Err(_) => requests.count(&host, &method, "<error>"),
            }
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::tenure::since_boot;
    use super::*;
    use crate::observe::metrics::Metrics;

    #[tokio::test]
    async fn who_has_lost_the_lease_only_reads() {
        let tenure = Tenure::default();
        let counting = Counting {
            requests: Metrics::default().requests(),
            host: "server".into(),
            tenure: tenure.clone(),
        };
        let server = tower::service_fn(|_: Request<()>| async { Ok::<_, BoxError>(Response::new(())) });
        let mut client = counting.layer(server);
        let mut works = async |method: Method, of_lease: bool| {
            let mut request = Request::builder().method(method).body(()).unwrap();
            if of_lease {
                request.extensions_mut().insert(OfLease);
            }
            client.call(request).await.is_ok()
        };
        assert!(works(Method::PATCH, false).await, "nobody asks for a Lease");
        tenure.extend(since_boot(), Duration::from_secs(100));
        assert!(works(Method::PATCH, false).await);
        tenure.extend(Duration::ZERO, Duration::ZERO);
        assert!(!works(Method::PATCH, false).await && !works(Method::POST, false).await);
        assert!(works(Method::GET, false).await && works(Method::PUT, true).await);
    }
}
