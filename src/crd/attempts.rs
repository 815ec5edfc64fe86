//! Brings a kind's type up to date, as often as it takes: at the start, when its definition was deleted, when its chart changed.

use std::time::Duration;

use kube::Client;

use super::permitted::is_served_anyway;
use super::register::{RegisterError, register};
use crate::charts::Charts;
use crate::settings::Watch;

/// The first pause between attempts, and the longest.
const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long to go on trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Until the cluster has answered, be it with a refusal.
    Answered,
    /// Until the type is there: somebody may remove what stands in the way.
    Done,
}

/// Brings a kind's type up to date with the chart that is in use, which may change meanwhile; does nothing while there is none
/// that can be used. A type that the operator may not look after is good enough if it is served. `namespaces` are those
/// that are served, all if empty.
///
/// # Errors
/// When the cluster refuses, unless that is waited for too.
pub(crate) async fn bring_up_to_date(
    client: &Client,
    watch: &Watch,
    namespaces: &[String],
    charts: impl Fn() -> Charts,
    until: Until,
) -> Result<(), RegisterError> {
    let (crd, mut pause, mut told) = (watch.crd_name(), PAUSE, String::new());
    loop {
        let charts = charts();
        if charts.why_unusable().is_some() {
            return Ok(());
        }
        let newest = charts.newest();
        let error = match register(client, watch, namespaces, newest.chart()).await {
            Ok(()) => {
                let (kind, chart, versions) = (&watch.names.kind, newest.title(), charts.versions());
                tracing::info!(%crd, %kind, chart, versions, "Registered");
                return Ok(());
            }
            Err(error) if is_served_anyway(client, watch, &error).await => {
                tracing::warn!(%crd, %error, "The type is taken as somebody else made it");
                return Ok(());
            }
            Err(error) => error,
        };
        if until == Until::Answered && !error.may_pass() {
            return Err(error);
        }
        // Said once, however often it is tried.
        let why = error.to_string();
        if why == told {
            tracing::debug!(%crd, error = why, "Still cannot bring the type up to date");
        } else {
            tracing::warn!(%crd, error = why, "Cannot bring the type up to date yet, trying again");
            told = why;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
