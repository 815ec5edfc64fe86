//! The order in which Helm installs kinds; uninstalling goes backwards.

/// Helm's order (its `InstallOrder`); kinds that are not here come last, by name.
const INSTALL_ORDER: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Where a kind stands: first its place in the list, then, for kinds outside it, its name.
pub(crate) fn rank(kind: &str) -> (usize, &str) {
    match INSTALL_ORDER.iter().position(|known| *known == kind) {
        Some(place) => (place, ""),
        None => (INSTALL_ORDER.len(), kind),
    }
}

/// Kinds that come before others and whose objects need no object of each other: nothing of them is looked up when one is
/// made, and what runs only comes after them all.
const FOUNDATIONS: &[&str] = &["ServiceAccount", "Secret", "ConfigMap", "Service"];

/// Whether an object may be made while another is, that comes before it in the order.
pub(crate) fn together(first: &str, next: &str) -> bool {
    first == next || (FOUNDATIONS.contains(&first) && FOUNDATIONS.contains(&next))
}

#[cfg(test)]
mod tests {
    use super::{rank, together};

    #[test]
    fn only_foundations_are_laid_together() {
        assert!(together("ServiceAccount", "Service") && together("Job", "Job"));
        assert!(!together("Service", "Deployment") && !together("Role", "RoleBinding"));
        assert!(!together("Deployment", "StatefulSet"));
    }

    #[test]
    fn configuration_comes_before_what_uses_it() {
        let mut kinds = ["Zebra", "Deployment", "Alpaca", "Secret", "Namespace", "Service"];
        kinds.sort_by_key(|kind| rank(kind));
        assert_eq!(kinds, ["Namespace", "Secret", "Service", "Deployment", "Alpaca", "Zebra"]);
    }
}
