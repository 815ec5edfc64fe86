//! Why a reconcile ended early: one variant per stage, each with the word that status, events and metrics share.

use std::sync::Arc;
use std::time::Duration;

use super::identity::ObjectId;
use super::objects::Problem;
use super::render::RenderError;
use super::status::Failing;
use super::values::ValuesError;
use crate::annotations::CHART_VERSION;
use crate::cluster::error::{explain, is_transient};
use crate::release::EncodeError;

/// The word for a chart that cannot be used, in conditions and events.
pub(crate) const UNUSABLE: &str = "ChartUnusable";

/// See the module's description.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The resource's name is no release name.
    #[error("{0}")]
    Name(String),
    /// The values cannot be made.
    #[error("{0}")]
    Values(#[from] ValuesError),
    /// The chart does not render with these values.
    #[error("{0}")]
    Render(#[from] RenderError),
    /// What was rendered are no objects the cluster takes.
    #[error("{} rendered {} cannot be applied: {}", .0.len(), plural(.0.len(), "document"), join(.0))]
    Objects(Vec<Problem>),
    /// The API server refused objects in a dry run.
    #[error("nothing was changed, for the API server refuses {} {}: {}", .0.len(), plural(.0.len(), "object"), join(.0))]
    Refused(Vec<String>),
    /// Objects of these names belong to somebody else.
    #[error("nothing was changed, for {}", join(.0))]
    Foreign(Vec<String>),
    /// A release of this name was made from another chart.
    #[error(
        "duplicate release name: found existing release with name {name:?} for chart {other:?}, and this is chart {chart:?}"
    )]
    ReleaseTaken {
        /// The release.
        name: String,
        /// The chart it was made from.
        other: String,
        /// Ours.
        chart: String,
    },
    /// The resource asks for a version of the chart that the operator does not have.
    #[error(
        "the operator has no version {wanted} of chart {chart}, which the annotation {CHART_VERSION} asks for: it has \
         {there}; ask for one of these, or take the annotation away to follow the newest"
    )]
    NoSuchVersion {
        /// The version.
        wanted: String,
        /// The chart's name.
        chart: String,
        /// The versions there are.
        there: String,
    },
    /// The kind's chart does not load, or its templates are none.
    #[error("{0}")]
    Unusable(Arc<str>),
    /// A request failed.
    #[error("cannot {doing}: {}", explain(error))]
    Api {
        /// What it was for, as "apply Deployment web".
        doing: String,
        /// The answer.
        error: Box<kube::Error>,
    },
    /// Some objects could not be applied although the dry run had let them pass.
    #[error("{} of the objects could not be applied: {}", .0.len(), join(.0))]
    Apply(Vec<String>),
    /// A hook failed or took too long.
    #[error("{event} hooks failed: {what}")]
    Hook {
        /// `pre-install` and so on.
        event: &'static str,
        /// Which, and why.
        what: String,
    },
    /// A CRD was not established in time.
    #[error("CustomResourceDefinition {0} was not established within {1:?}")]
    NotEstablished(String, Duration),
    /// An upgrade failed, and the last good release runs again.
    #[error("{cause}; went back to revision {to}")]
    RolledBack {
        /// Why it failed.
        cause: Box<Error>,
        /// The last good revision.
        to: i64,
        /// The revision that records the way back, if a new one does.
        revision: Option<i64>,
    },
    /// An upgrade failed, and so did the way back.
    #[error("{cause}; going back to revision {to} failed too: {why}")]
    Between {
        /// Why it failed.
        cause: Box<Error>,
        /// The last good revision.
        to: i64,
        /// Why that one does not run again.
        why: Box<Error>,
    },
    /// The manifest of a revision is not in its record.
    #[error("the record of revision {0} was too large to hold its manifest")]
    Outlined(i64),
    /// The release record is too large.
    #[error("{0}")]
    Record(#[from] EncodeError),
    /// It is not known whether an object is there, for the server of its kind does not answer.
    #[error("cannot learn whether {0} is there: the API server that serves its group is out of order")]
    OutOfOrder(ObjectId),
    /// It is not known what a release that runs would be now, for templates may ask what the cluster serves.
    #[error(
        "the API server of {0} is out of order, and the chart may render otherwise without it: the release stays as it is \
         until it is known what the cluster serves"
    )]
    Gaps(String),
    /// The resource changed or was deleted meanwhile: start again.
    #[error("the resource changed meanwhile")]
    Overtaken,
}

fn join<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join("; ")
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

impl Error {
    /// Wraps the failure of a request.
    pub(crate) fn api(doing: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let doing = doing.into();
        move |error| Error::Api { doing, error: Box::new(error) }
    }

    /// One word for what went wrong.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Error::Name(_) => "InvalidName",
            Error::Values(_) => "InvalidValues",
            Error::Render(RenderError::Chart(_)) => "RenderFailed",
            Error::Render(_) => "RenderInterrupted",
            Error::Objects(_) => "InvalidManifest",
            Error::Refused(_) => "Refused",
            Error::Foreign(_) => "OwnedByOthers",
            Error::ReleaseTaken { .. } => "ReleaseTaken",
            Error::NoSuchVersion { .. } => "ChartVersionMissing",
            Error::Unusable(_) => UNUSABLE,
            Error::Api { error, .. } if matches!(&**error, kube::Error::Api(status) if status.is_forbidden()) => {
                "Forbidden"
            }
            Error::Api { .. } => "RequestFailed",
            Error::Apply(_) => "ApplyFailed",
            Error::Hook { .. } => "HookFailed",
            Error::NotEstablished(..) => "NotEstablished",
            Error::RolledBack { cause, .. } | Error::Between { cause, .. } => cause.reason(),
            Error::Outlined(_) | Error::Record(_) => "RecordTooLarge",
            Error::OutOfOrder(_) | Error::Gaps(_) => "ApiOutOfOrder",
            Error::Overtaken => "Overtaken",
        }
    }

    /// Which of helm-operator's conditions shows it.
    pub(crate) fn condition(&self, installed: bool) -> Failing {
        match self {
            Error::Unusable(_) => Failing::Reconcile,
            _ if !installed => Failing::Install,
            Error::RolledBack { cause, .. } | Error::Between { cause, .. } => cause.condition(installed),
            Error::Name(_)
            | Error::Values(_)
            | Error::Render(_)
            | Error::ReleaseTaken { .. }
            | Error::NoSuchVersion { .. } => Failing::Reconcile,
            _ => Failing::Upgrade,
        }
    }

    /// Whether it fails for what others have, which may become free at any time.
    pub(crate) fn waits_for_others(&self) -> bool {
        matches!(self, Error::Foreign(_) | Error::ReleaseTaken { .. })
    }

    /// Whether it fails for an aggregated API that is out of order.
    pub(crate) fn is_outage(&self) -> bool {
        matches!(self, Error::OutOfOrder(_) | Error::Gaps(_))
    }

    /// Whether the same attempt may work a moment later, so that it is not worth telling the user yet.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Error::Overtaken => true,
            _ if self.is_outage() => true,
            Error::Api { error, .. } => is_transient(error),
            _ => false,
        }
    }
}
