//! `/metrics`.

use std::sync::Arc;

use http::{Request, StatusCode};
use hyper::body::Incoming;

use super::http::{Answer, Site};
use super::metrics::{MEDIA_TYPE, Metrics};

/// Shows the metrics to whoever asks.
pub(crate) struct Scrape(pub(crate) Arc<Metrics>);

impl Site for Scrape {
    async fn answer(&self, request: &Request<Incoming>) -> Answer {
        match request.uri().path() {
            "/metrics" => Answer { status: StatusCode::OK, media_type: MEDIA_TYPE, body: self.0.text() },
            _ => Answer::text(StatusCode::NOT_FOUND, "there is /metrics"),
        }
    }
}
