//! Counts what the client asks of the API server.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use tower_layer::Layer;
use tower_service::Service;

use crate::observe::metrics::Requests;

/// Puts a counter before a client's requests.
pub(super) struct Counting {
    pub(super) requests: Requests,
    /// The API server's address, as metrics show it.
    pub(super) host: Arc<str>,
}

impl<S> Layer<S> for Counting {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        Counted { inner, requests: self.requests.clone(), host: self.host.clone() }
    }
}

/// See [`Counting`].
pub(super) struct Counted<S> {
    inner: S,
    requests: Requests,
    host: Arc<str>,
}

impl<S, A, B> Service<Request<A>> for Counted<S>
where
    S: Service<Request<A>, Response = Response<B>>,
    S::Future: Send + 'static,
{
    type Response = Response<B>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<B>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<A>) -> Self::Future {
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
