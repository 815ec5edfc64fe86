//! Who may read something of ours: asked of the API server by the token that was shown, and remembered for a while.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use kube::Client;
use kube::api::{PostParams, Request};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::request::call;
use crate::lock::lock;
use crate::reconcile::identity::Digest;

/// How long a verdict holds: scrapes come every few seconds.
const HOLDS: Duration = Duration::from_secs(60);
/// The most verdicts that are remembered.
const MOST: usize = 256;

/// What the API server thinks of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allowed,
    /// It is nobody's.
    Unknown,
    /// Its owner may not.
    Forbidden,
}

/// Asks the API server.
pub(crate) struct Access {
    client: Client,
    known: Mutex<HashMap<Digest, (Verdict, Instant)>>,
}

#[derive(Deserialize)]
struct Review<T> {
    status: T,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Token {
    authenticated: bool,
    user: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Allowed {
    allowed: bool,
}

impl Access {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, known: Mutex::default() }
    }

    /// Whether the owner of a token may get a path that is no resource, as `/metrics`.
    pub(crate) async fn judge(&self, token: &str, path: &str) -> Result<Verdict, kube::Error> {
        let asked = Digest::of([token, path]);
        if let Some((verdict, until)) = self.lock().get(&asked)
            && *until > Instant::now()
        {
            return Ok(*verdict);
        }
        let verdict = self.ask(token, path).await?;
        let mut known = self.lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(asked, (verdict, Instant::now() + HOLDS));
        Ok(verdict)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Digest, (Verdict, Instant)>> {
        lock(&self.known)
    }

    async fn ask(&self, token: &str, path: &str) -> Result<Verdict, kube::Error> {
        let review = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token},
        });
        let Review { status: Token { authenticated, user } } =
            self.post("/apis/authentication.k8s.io/v1/tokenreviews", &review).await?;
        if !authenticated {
            return Ok(Verdict::Unknown);
        }
        let of = |key: &str| user.get(key).cloned().unwrap_or_default();
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {
                "user": of("username"), "uid": of("uid"), "groups": of("groups"), "extra": of("extra"),
                "nonResourceAttributes": {"path": path, "verb": "get"},
            },
        });
        let Review { status: Allowed { allowed } } =
            self.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", &review).await?;
        Ok(if allowed { Verdict::Allowed } else { Verdict::Forbidden })
    }

    async fn post<T: serde::de::DeserializeOwned>(&self, url: &str, body: &Value) -> Result<T, kube::Error> {
        let request = Request::new(url).create(&PostParams::default(), body.to_string().into_bytes());
        Ok(call::<T>(&self.client, request.map_err(kube::Error::BuildRequest)?).await?.body)
    }
}
