//! Objects of API versions the cluster no longer serves → the same objects in a version it does serve.
//!
//! The table follows Kubernetes' deprecation guide. It is consulted only for objects whose own version is not served, so
//! a cluster that still has the old version gets what the chart says. Fields that moved are moved, and what the old
//! server filled in and the new one demands is filled in as the old one did.

mod autoscaling;
mod crd;
mod ingress;
mod misc;
mod webhooks;
mod workloads;

use serde_json::{Map, Value};

use super::identity::Kinds;

/// A JSON object.
type Object = Map<String, Value>;

/// Changes an object of the old version (the second argument) into one of the new; the reason if it cannot.
type Fix = fn(&mut Object, &str) -> Result<(), String>;

/// One line of the table.
struct Rule {
    kinds: &'static [&'static str],
    /// The versions it converts from.
    from: &'static [&'static str],
    /// The versions it can convert to, the best first.
    to: &'static [&'static str],
    fix: Fix,
}

const RULES: &[Rule] = &[
    Rule {
        kinds: &["Deployment"],
        from: &["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"],
        to: &["apps/v1"],
        fix: workloads::deployment,
    },
    Rule {
        kinds: &["StatefulSet"],
        from: &["apps/v1beta1", "apps/v1beta2"],
        to: &["apps/v1"],
        fix: workloads::workload,
    },
    Rule {
        kinds: &["DaemonSet"],
        from: &["extensions/v1beta1", "apps/v1beta2"],
        to: &["apps/v1"],
        fix: workloads::daemon_set,
    },
    Rule {
        kinds: &["ReplicaSet"],
        from: &["extensions/v1beta1", "apps/v1beta2"],
        to: &["apps/v1"],
        fix: workloads::workload,
    },
    Rule {
        kinds: &["Ingress"],
        from: &["extensions/v1beta1", "networking.k8s.io/v1beta1"],
        to: &["networking.k8s.io/v1"],
        fix: ingress::ingress,
    },
    Rule {
        kinds: &["IngressClass", "IPAddress", "ServiceCIDR"],
        from: &["networking.k8s.io/v1beta1", "networking.k8s.io/v1alpha1"],
        to: &["networking.k8s.io/v1"],
        fix: same,
    },
    Rule {
        kinds: &["NetworkPolicy"],
        from: &["extensions/v1beta1"],
        to: &["networking.k8s.io/v1"],
        fix: same,
    },
    Rule {
        kinds: &["PodDisruptionBudget"],
        from: &["policy/v1beta1"],
        to: &["policy/v1"],
        fix: misc::pod_disruption_budget,
    },
    Rule { kinds: &["CronJob"], from: &["batch/v1beta1", "batch/v2alpha1"], to: &["batch/v1"], fix: same },
    Rule {
        kinds: &["HorizontalPodAutoscaler"],
        from: &["autoscaling/v2beta1", "autoscaling/v2beta2"],
        to: &["autoscaling/v2"],
        fix: autoscaling::autoscaler,
    },
    Rule {
        kinds: &["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"],
        from: &["rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1alpha1"],
        to: &["rbac.authorization.k8s.io/v1"],
        fix: misc::rbac,
    },
    Rule {
        kinds: &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        from: &["admissionregistration.k8s.io/v1beta1"],
        to: &["admissionregistration.k8s.io/v1"],
        fix: webhooks::configuration,
    },
    Rule {
        kinds: &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
        from: &["admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1alpha1"],
        to: &["admissionregistration.k8s.io/v1"],
        fix: same,
    },
    Rule {
        kinds: &["CustomResourceDefinition"],
        from: &["apiextensions.k8s.io/v1beta1"],
        to: &["apiextensions.k8s.io/v1"],
        fix: crd::definition,
    },
    Rule {
        kinds: &["APIService"],
        from: &["apiregistration.k8s.io/v1beta1"],
        to: &["apiregistration.k8s.io/v1"],
        fix: same,
    },
    Rule {
        kinds: &["CertificateSigningRequest"],
        from: &["certificates.k8s.io/v1beta1"],
        to: &["certificates.k8s.io/v1"],
        fix: misc::signing_request,
    },
    Rule {
        kinds: &["Lease"],
        from: &["coordination.k8s.io/v1beta1"],
        to: &["coordination.k8s.io/v1"],
        fix: same,
    },
    Rule {
        kinds: &["EndpointSlice"],
        from: &["discovery.k8s.io/v1beta1"],
        to: &["discovery.k8s.io/v1"],
        fix: misc::endpoint_slice,
    },
    Rule {
        kinds: &["FlowSchema", "PriorityLevelConfiguration"],
        from: &[
            "flowcontrol.apiserver.k8s.io/v1alpha1",
            "flowcontrol.apiserver.k8s.io/v1beta1",
            "flowcontrol.apiserver.k8s.io/v1beta2",
            "flowcontrol.apiserver.k8s.io/v1beta3",
        ],
        to: &["flowcontrol.apiserver.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1beta3"],
        fix: misc::flow_control,
    },
    Rule {
        kinds: &["RuntimeClass"],
        from: &["node.k8s.io/v1beta1", "node.k8s.io/v1alpha1"],
        to: &["node.k8s.io/v1"],
        fix: misc::runtime_class,
    },
    Rule {
        kinds: &["PriorityClass"],
        from: &["scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha1"],
        to: &["scheduling.k8s.io/v1"],
        fix: same,
    },
    Rule {
        kinds: &["StorageClass", "VolumeAttachment", "CSIDriver", "CSINode", "CSIStorageCapacity"],
        from: &["storage.k8s.io/v1beta1", "storage.k8s.io/v1alpha1"],
        to: &["storage.k8s.io/v1"],
        fix: same,
    },
];

/// Kinds that are gone without a successor.
const REMOVED: &[(&str, &[&str], &str)] = &[
    (
        "PodSecurityPolicy",
        &["policy/v1beta1", "extensions/v1beta1"],
        "Kubernetes removed it in 1.25 in favour of the namespace labels of Pod Security Admission; turn it off in the \
         chart's values",
    ),
    (
        "PodPreset",
        &["settings.k8s.io/v1alpha1"],
        "Kubernetes removed it in 1.20 without a successor; turn it off in the chart's values",
    ),
];

/// What became of an object whose version is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Conversion {
    /// It was rewritten for this version.
    Converted(&'static str),
    /// Its kind is gone, or the object lacks what the new version demands; the text says what to do.
    Impossible(String),
    /// The table does not know it.
    Unknown,
}

/// Rewrites an object for a version the cluster serves.
pub(super) fn convert(object: &mut Object, api_version: &str, kind: &str, kinds: &Kinds) -> Conversion {
    if let Some((_, _, why)) = REMOVED.iter().find(|(k, from, _)| *k == kind && from.contains(&api_version)) {
        return Conversion::Impossible((*why).to_owned());
    }
    let served = |rule: &&Rule| rule.kinds.contains(&kind) && rule.from.contains(&api_version);
    let Some(rule) = RULES.iter().find(served) else {
        return Conversion::Unknown;
    };
    let Some(to) = rule.to.iter().find(|to| kinds.get(to, kind).is_some()) else {
        return Conversion::Unknown;
    };
    if let Err(why) = (rule.fix)(object, api_version) {
        return Conversion::Impossible(why);
    }
    object.insert("apiVersion".into(), Value::from(*to));
    Conversion::Converted(to)
}

/// Mends references to kinds by versions that are not served, in objects that are otherwise current.
pub(super) fn mend_references(object: &mut Object, kind: &str, kinds: &Kinds) {
    if kind == "HorizontalPodAutoscaler"
        && let Some(target) = object.get_mut("spec").and_then(|spec| spec.get_mut("scaleTargetRef"))
    {
        autoscaling::mend_target(target, kinds);
    }
}

/// Finds the version the table would use instead of one that is not served.
pub(super) fn successor(api_version: &str, kind: &str, kinds: &Kinds) -> Option<&'static str> {
    let rule = RULES.iter().find(|rule| rule.kinds.contains(&kind) && rule.from.contains(&api_version))?;
    rule.to.iter().copied().find(|to| kinds.get(to, kind).is_some())
}

/// Versions that differ in name only.
fn same(_: &mut Object, _: &str) -> Result<(), String> {
    Ok(())
}

/// Returns the entry as an object, if it is one.
fn child<'a>(object: &'a mut Object, key: &str) -> Option<&'a mut Object> {
    object.get_mut(key)?.as_object_mut()
}

/// Returns the objects in a list; other elements are skipped.
fn children<'a>(object: &'a mut Object, key: &str) -> impl Iterator<Item = &'a mut Object> {
    let list = object.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Sets an entry that is missing or null.
fn default(object: &mut Object, key: &str, value: impl Into<Value>) {
    let entry = object.entry(key).or_insert(Value::Null);
    if entry.is_null() {
        *entry = value.into();
    }
}

/// Moves an entry to another name, if it is there.
fn rename(object: &mut Object, from: &str, to: &str) {
    if let Some(value) = object.remove(from) {
        object.insert(to.into(), value);
    }
}

#[cfg(test)]
mod tests;
