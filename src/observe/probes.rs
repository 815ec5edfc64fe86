//! `/healthz` and `/readyz`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use http::{Request, StatusCode};
use hyper::body::Incoming;

use super::http::{Answer, Site};

/// Tells what is not served although the operator works, a line each.
type Troubles = dyn Fn() -> Vec<String> + Send + Sync;

/// What the probes tell.
#[derive(Default)]
pub(crate) struct Probes {
    ready: AtomicBool,
    troubles: OnceLock<Box<Troubles>>,
}

impl Probes {
    /// Says whether the operator serves its kinds now, or stands by.
    pub(crate) fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Relaxed);
    }

    /// Says whom to ask for what is not served.
    pub(crate) fn ask(&self, troubles: Box<Troubles>) {
        // There is one to ask for the life of the process.
        let _ = self.troubles.set(troubles);
    }

    fn tell(&self, path: &str) -> (StatusCode, String) {
        let (code, text) = match path {
            "/healthz" => return (StatusCode::OK, "ok".into()),
            "/readyz" if self.ready.load(Ordering::Relaxed) => (StatusCode::OK, "ok"),
            "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "the kinds are not served yet"),
            _ => return (StatusCode::NOT_FOUND, "there are /healthz and /readyz".into()),
        };
        let troubles = self.troubles.get().map(|ask| ask()).unwrap_or_default();
        let lines = std::iter::once(text.to_owned()).chain(troubles);
        (code, lines.collect::<Vec<_>>().join("\n"))
    }
}

impl Site for Probes {
    async fn answer(&self, request: &Request<Incoming>) -> Answer {
        let (status, text) = self.tell(request.uri().path());
        Answer::text(status, &text)
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
        probes.set_ready(true);
        assert_eq!(probes.tell("/readyz"), (StatusCode::OK, "ok".into()));
        probes.ask(Box::new(|| vec!["but".into()]));
        assert_eq!(probes.tell("/readyz"), (StatusCode::OK, "ok\nbut".into()));
        assert_eq!(probes.tell("/x").0, StatusCode::NOT_FOUND);
        probes.set_ready(false);
        assert_eq!(probes.tell("/readyz").0, StatusCode::SERVICE_UNAVAILABLE);
    }
}
