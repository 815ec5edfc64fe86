//! The order in which kinds are installed and uninstalled (Helm's `kind_sorter.go`).

/// Installation order of the kinds Helm knows; others follow, by name.
const INSTALL: &[&str] = &[
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
];

/// Uninstallation goes backwards, but services go before workloads.
const SERVICE: &str = "Service";
const BEFORE_SERVICE_WHEN_UNINSTALLING: &str = "IngressClass";

/// Returns the place of a kind in Helm's installation order; `None` for kinds it does not know, which come last.
pub fn install_rank(kind: &str) -> Option<usize> {
    INSTALL.iter().position(|known| *known == kind)
}

fn uninstall_rank(kind: &str) -> Option<usize> {
    let backwards = |kind| install_rank(kind).map(|rank| 2 * (INSTALL.len() - rank));
    if kind == SERVICE {
        return backwards(BEFORE_SERVICE_WHEN_UNINSTALLING).map(|rank| rank + 1);
    }
    backwards(kind)
}

/// Sorts by kind in installation order; objects of one kind keep their order.
pub fn sort_for_install<T>(objects: &mut [T], kind: impl Fn(&T) -> &str) {
    sort(objects, kind, install_rank);
}

/// Sorts by kind in uninstallation order; objects of one kind keep their order.
pub fn sort_for_uninstall<T>(objects: &mut [T], kind: impl Fn(&T) -> &str) {
    sort(objects, kind, uninstall_rank);
}

fn sort<T>(objects: &mut [T], kind: impl Fn(&T) -> &str, rank: fn(&str) -> Option<usize>) {
    objects.sort_by(|a, b| {
        let (a, b) = (kind(a), kind(b));
        match (rank(a), rank(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => a.cmp(b),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_kinds_come_last_by_name() {
        let mut kinds = ["Zed", "Deployment", "", "Alpha", "Namespace", "Service"];
        sort_for_install(&mut kinds, |kind| kind);
        assert_eq!(kinds, ["Namespace", "Service", "Deployment", "", "Alpha", "Zed"]);
    }

    #[test]
    fn services_are_uninstalled_before_workloads() {
        let mut kinds =
            ["Namespace", "ConfigMap", "DaemonSet", "Deployment", "CronJob", "Service", "IngressClass"];
        sort_for_uninstall(&mut kinds, |kind| kind);
        assert_eq!(
            kinds,
            ["IngressClass", "Service", "CronJob", "Deployment", "DaemonSet", "ConfigMap", "Namespace"]
        );
    }
}
