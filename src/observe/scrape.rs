//! `/metrics`, for everybody or for who may read it.

use std::sync::Arc;

use http::{Request, StatusCode, header};
use hyper::body::Incoming;
use tokio_rustls::TlsAcceptor;

use super::http::{Answer, Site};
use super::metrics::{MEDIA_TYPE, Metrics};
use crate::cluster::access::{Access, Verdict};
use crate::cluster::error::explain;
use crate::tls::{Certificate, Current, Place, ROTATE, acceptor};

/// Shows the metrics.
pub(crate) struct Scrape {
    pub(crate) metrics: Arc<Metrics>,
    /// Set when not everybody may read them.
    pub(crate) access: Option<Access>,
}

impl Site for Scrape {
    async fn answer(&self, request: &Request<Incoming>) -> Answer {
        let path = request.uri().path();
        if let Some(access) = &self.access
            && let Some(refusal) = refusal(access, token(request.headers()), path).await
        {
            return refusal;
        }
        match path {
            "/metrics" => {
                Answer { status: StatusCode::OK, media_type: MEDIA_TYPE, body: self.metrics.text() }
            }
            _ => Answer::text(StatusCode::NOT_FOUND, "there is /metrics"),
        }
    }
}

fn token(headers: &header::HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

/// What to say to somebody who may not read the path.
async fn refusal(access: &Access, token: Option<&str>, path: &str) -> Option<Answer> {
    let Some(token) = token else {
        return Some(Answer::text(StatusCode::UNAUTHORIZED, "show a service account's token"));
    };
    match access.judge(token, path).await {
        Ok(Verdict::Allowed) => None,
        Ok(Verdict::Unknown) => Some(Answer::text(StatusCode::UNAUTHORIZED, "the token is not valid")),
        Ok(Verdict::Forbidden) => {
            let rule = format!(r#"its role lacks the rule {{nonResourceURLs: ["{path}"], verbs: ["get"]}}"#);
            Some(Answer::text(StatusCode::FORBIDDEN, &rule))
        }
        Err(error) => {
            let why = explain(&error);
            tracing::warn!(error = %why, "Cannot ask who may read metrics");
            Some(Answer::text(
                StatusCode::INTERNAL_SERVER_ERROR,
                &format!("cannot ask who may read this: {why}"),
            ))
        }
    }
}

/// TLS with a certificate that nobody can check, as controller-runtime's metrics have it: scrapers skip the check.
///
/// # Errors
/// When no certificate can be made.
pub(crate) fn tls() -> Result<TlsAcceptor, String> {
    let place = Place { names: vec!["localhost".to_owned()], addresses: Vec::new() };
    let current = Arc::new(Current::new(Certificate::new(&place)?));
    let acceptor = acceptor(current.clone()).map_err(|error| error.to_string())?;
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(ROTATE).await;
            match Certificate::new(&place) {
                Ok(next) => current.set(next),
                Err(error) => tracing::warn!(error, "Cannot renew the certificate of the metrics"),
            }
        }
    });
    Ok(acceptor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_taken_out_of_their_header() {
        let of = |text: &str| {
            let mut headers = header::HeaderMap::new();
            headers.insert(header::AUTHORIZATION, text.parse().unwrap());
            token(&headers).map(str::to_owned)
        };
        assert_eq!(of("Bearer abc"), Some("abc".into()));
        assert_eq!(of("bearer  abc"), Some("abc".into()));
        for wrong in ["Bearer", "Bearer ", "Basic abc"] {
            assert_eq!(of(wrong), None, "{wrong:?}");
        }
        assert_eq!(token(&header::HeaderMap::new()), None);
    }
}
