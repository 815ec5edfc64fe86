//! `/healthz` and `/readyz`.

use std::sync::atomic::{AtomicBool, Ordering};

use http::{Request, StatusCode};
use hyper::body::Incoming;

use super::http::{Answer, Site};

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

    fn tell(&self, path: &str) -> (StatusCode, &'static str) {
        match path {
            "/healthz" => (StatusCode::OK, "ok"),
            "/readyz" if self.ready.load(Ordering::Relaxed) => (StatusCode::OK, "ok"),
            "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "not all kinds are watched yet"),
            _ => (StatusCode::NOT_FOUND, "there are /healthz and /readyz"),
        }
    }
}

impl Site for Probes {
    async fn answer(&self, request: &Request<Incoming>) -> Answer {
        let (status, text) = self.tell(request.uri().path());
        Answer::text(status, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_only_when_told() {
        let probes = Probes::default();
        assert_eq!(probes.tell("/healthz").0, StatusCode::OK);
        assert_eq!(probes.tell("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
        probes.set_ready();
        assert_eq!(probes.tell("/readyz").0, StatusCode::OK);
        assert_eq!(probes.tell("/x").0, StatusCode::NOT_FOUND);
    }
}
