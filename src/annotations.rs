//! The annotations that mean something to the operator, all in one place: what users write on a custom resource, and what
//! charts write on their objects.

use crate::cluster::instances::Instance;

/// helm-operator's: the resource waits until every object of its release is gone.
pub(crate) const UNINSTALL_WAIT: &str = "helm.sdk.operatorframework.io/uninstall-wait";
/// helm-operator's: how often a settled resource is looked at again, as Go writes durations.
pub(crate) const RECONCILE_PERIOD: &str = "helm.sdk.operatorframework.io/reconcile-period";
/// Whether a failed upgrade goes back to the last good release; overrides the kind's setting.
pub(crate) const ROLLBACK: &str = "chartwright.io/rollback-on-failure";

/// Whether an annotation of a custom resource says true; anything else is false, as in helm-operator.
pub(crate) fn is_true(instance: &Instance, annotation: &str) -> bool {
    let value = instance.annotations.get(annotation).map(|value| value.trim().to_ascii_lowercase());
    matches!(value.as_deref(), Some("true" | "t" | "1"))
}

/// What an annotation of a custom resource says of a switch; `None` if it says neither true nor false.
pub(crate) fn switch(instance: &Instance, annotation: &str) -> Option<bool> {
    match instance.annotations.get(annotation)?.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "1" => Some(true),
        "false" | "f" | "0" => Some(false),
        _ => None,
    }
}
