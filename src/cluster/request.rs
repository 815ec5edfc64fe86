//! One request and its answer, warnings included (the client's typed calls drop them).

use std::time::Duration;

use http_body_util::BodyExt as _;
use kube::Client;
use kube::api::{ListMeta, ListParams, Request};
use kube::core::Status;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::is_not_found;
use super::yaml_text::escaped;
use crate::json;

/// What the server answered.
pub(crate) struct Answer<T> {
    pub(crate) body: T,
    /// The texts of its `Warning` headers.
    pub(super) warnings: Vec<String>,
}

/// What a request accepts whose answer need not be the whole object.
pub(super) const METADATA_ONLY: http::HeaderValue =
    http::HeaderValue::from_static("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");

/// How often a request is sent again when the server is busy, and the pause before the first time.
const RETRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(200);
/// The longest pause, whatever the server asks for: a worker has better things to do.
const LONGEST_PAUSE: Duration = Duration::from_secs(3);

/// Objects per page of a list.
const PAGE: u32 = 100;

/// How long the server may take to answer: as long as it gives itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends a request and reads its answer; a busy server is asked again a few times.
pub(crate) async fn call<T: DeserializeOwned>(
    client: &Client,
    request: http::Request<Vec<u8>>,
) -> Result<Answer<T>, kube::Error> {
    let request = if is_yaml(&request) { request.map(escaped) } else { request };
    for retry in 0..RETRIES {
        match send(client, request.clone()).await {
            Err(kube::Error::Api(status)) if matches!(status.code, 429 | 503 | 504) => {
                let asked = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
                let pause = Duration::from_secs(asked.into()).max(PAUSE * 2_u32.pow(retry));
                tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
            }
            answer => return answer,
        }
    }
    send(client, request).await
}

/// Whether the server reads what is sent as YAML.
fn is_yaml(request: &http::Request<Vec<u8>>) -> bool {
    let sort = request.headers().get(http::header::CONTENT_TYPE);
    sort.is_some_and(|sort| sort.as_bytes().ends_with(b"yaml"))
}

/// Sends a request for one object; `None` if it is not there.
pub(crate) async fn find<T: DeserializeOwned>(
    client: &Client,
    request: http::Request<Vec<u8>>,
) -> Result<Option<T>, kube::Error> {
    match call::<T>(client, request).await {
        Ok(answer) => Ok(Some(answer.body)),
        Err(error) if is_not_found(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A list, or a page of one.
#[derive(Deserialize)]
pub(super) struct List<T> {
    #[serde(default)]
    metadata: ListMeta,
    /// Go writes an empty list as null.
    pub(super) items: Option<Vec<T>>,
}

/// A list that is read page by page: it may be longer than is to be held.
pub(crate) struct Pages<'c> {
    client: &'c Client,
    of: Request,
    metadata_only: bool,
    next: Option<ListParams>,
}

impl<'c> Pages<'c> {
    /// Of whole objects.
    pub(crate) fn new(client: &'c Client, of: Request) -> Self {
        Self { client, of, metadata_only: false, next: Some(ListParams::default().limit(PAGE)) }
    }

    /// Of the metadata of objects.
    pub(crate) fn of_metadata(client: &'c Client, of: Request) -> Self {
        Self { metadata_only: true, ..Self::new(client, of) }
    }

    /// Reads the next page; `None` after the last.
    pub(crate) async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<Vec<T>>, kube::Error> {
        let Some(page) = self.next.take() else { return Ok(None) };
        let request = if self.metadata_only { self.of.list_metadata(&page) } else { self.of.list(&page) };
        let list = call::<List<T>>(self.client, request.map_err(kube::Error::BuildRequest)?).await?.body;
        let more = list.metadata.continue_.filter(|token| !token.is_empty());
        self.next = more.map(|token| ListParams::default().limit(PAGE).continue_token(&token));
        Ok(Some(list.items.unwrap_or_default()))
    }
}

/// Sends a request once. One that is never answered fails, and somebody else may be asked.
async fn send<T: DeserializeOwned>(
    client: &Client,
    request: http::Request<Vec<u8>>,
) -> Result<Answer<T>, kube::Error> {
    let late = |_| kube::Error::Service(format!("it did not answer within {PATIENCE:?}").into());
    tokio::time::timeout(PATIENCE, send_patiently(client, request)).await.map_err(late)?
}

async fn send_patiently<T: DeserializeOwned>(
    client: &Client,
    request: http::Request<Vec<u8>>,
) -> Result<Answer<T>, kube::Error> {
    let answer = client.send(request.map(kube::client::Body::from)).await?;
    let status = answer.status();
    let warnings = answer.headers().get_all(http::header::WARNING).iter().filter_map(warning).collect();
    let body = answer.into_body().collect().await?.to_bytes();
    if status.is_client_error() || status.is_server_error() {
        let told = serde_json::from_slice::<Status>(&body).unwrap_or_else(|_| {
            // A proxy in between answers in its own words.
            Status::failure(String::from_utf8_lossy(&body).trim(), "").with_code(status.as_u16())
        });
        return Err(kube::Error::Api(told.boxed()));
    }
    let body = json::from_slice(&body).map_err(kube::Error::SerdeError)?;
    Ok(Answer { body, warnings })
}

/// Takes the text out of `299 - "text"`.
fn warning(header: &http::HeaderValue) -> Option<String> {
    let text = header.to_str().ok()?;
    let quoted = text.split_once('"')?.1.rsplit_once('"')?.0;
    Some(quoted.replace("\\\"", "\"").replace("\\\\", "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_lose_their_envelope() {
        let header = http::HeaderValue::from_static(r#"299 - "unknown field \"spec.x\"""#);
        assert_eq!(warning(&header).as_deref(), Some(r#"unknown field "spec.x""#));
        assert_eq!(warning(&http::HeaderValue::from_static("odd")), None);
    }
}
