//! The annotations that mean something to the operator, all in one place: what users write on a custom resource, and what
//! charts write on their objects.

use crate::cluster::instances::Instance;

/// helm-operator's: the resource waits until every object of its release is gone.
pub(crate) const UNINSTALL_WAIT: &str = "helm.sdk.operatorframework.io/uninstall-wait";
/// helm-operator's: how often a settled resource is looked at again, as Go writes durations.
pub(crate) const RECONCILE_PERIOD: &str = "helm.sdk.operatorframework.io/reconcile-period";

/// Whether an annotation of a custom resource says true; anything else is false, as in helm-operator.
pub(crate) fn is_true(instance: &Instance, annotation: &str) -> bool {
    let value = instance.annotations.get(annotation).map(|value| value.trim().to_ascii_lowercase());
    matches!(value.as_deref(), Some("true" | "t" | "1"))
}
