//! Names that charts took over from Kubernetes, and what Kubernetes takes there.

use crate::types::Types;

/// Maps of Kubernetes' own.
const MAPS: &[&str] = &[
    "affinity",
    "annotations",
    "commonAnnotations",
    "commonLabels",
    "extraLabels",
    "labels",
    "limits",
    "livenessProbe",
    "matchLabels",
    "nodeAffinity",
    "nodeSelector",
    "podAffinity",
    "podAntiAffinity",
    "podAnnotations",
    "podLabels",
    "readinessProbe",
    "requests",
    "resources",
    "startupProbe",
    "additionalLabels",
    "additionalAnnotations",
];

/// Their ends, where the name has more in front.
const MAP_ENDS: &[&str] = &["Annotations", "Labels", "NodeSelector", "Affinity", "SecurityContext", "Probe"];

const LISTS: &[&str] = &[
    "accessModes",
    "externalIPs",
    "hostAliases",
    "imagePullSecrets",
    "ipFamilies",
    "loadBalancerSourceRanges",
    "metricRelabelings",
    "pullSecrets",
    "relabelings",
    "tolerations",
    "topologySpreadConstraints",
    "volumeMounts",
    "volumes",
];

/// Names of things, and words Kubernetes has a choice of.
const TEXTS: &[&str] = &[
    "clusterIP",
    "digest",
    "dnsPolicy",
    "externalTrafficPolicy",
    "fullnameOverride",
    "host",
    "hostname",
    "imagePullPolicy",
    "imageRegistry",
    "interval",
    "ipFamilyPolicy",
    "loadBalancerClass",
    "loadBalancerIP",
    "logLevel",
    "name",
    "nameOverride",
    "namespace",
    "password",
    "path",
    "pullPolicy",
    "registry",
    "repository",
    "scrapeTimeout",
    "storageClass",
    "subPath",
    "user",
    "username",
];

const TEXT_ENDS: &[&str] =
    &["Name", "Namespace", "Password", "Username", "Secret", "Claim", "ConfigMap", "Policy"];

const WHOLE: &[&str] = &[
    "healthCheckNodePort",
    "maxReplicas",
    "maxUnavailable",
    "minAvailable",
    "minReplicas",
    "nodePort",
    "port",
    "priority",
    "replicaCount",
    "replicas",
    "revisionHistoryLimit",
    "targetCPUUtilizationPercentage",
    "targetMemoryUtilizationPercentage",
];

const FLAGS: &[&str] = &[
    "allowPrivilegeEscalation",
    "automountServiceAccountToken",
    "create",
    "enabled",
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "hostUsers",
    "insecureSkipVerify",
    "readOnlyRootFilesystem",
    "runAsNonRoot",
    "shareProcessNamespace",
];

/// Counts and times that Kubernetes refuses as text, and no chart writes in quotes.
const COUNTS: &[&str] = &[
    "activeDeadlineSeconds",
    "backoffLimit",
    "completions",
    "defaultMode",
    "failedJobsHistoryLimit",
    "failureThreshold",
    "fsGroup",
    "initialDelaySeconds",
    "maxReplicas",
    "minReadySeconds",
    "minReplicas",
    "parallelism",
    "periodSeconds",
    "progressDeadlineSeconds",
    "replicaCount",
    "replicas",
    "revisionHistoryLimit",
    "runAsGroup",
    "runAsUser",
    "startingDeadlineSeconds",
    "successThreshold",
    "successfulJobsHistoryLimit",
    "targetCPUUtilizationPercentage",
    "targetMemoryUtilizationPercentage",
    "terminationGracePeriodSeconds",
    "timeoutSeconds",
    "ttlSecondsAfterFinished",
];

/// Returns the types of a value that has no default, where its name tells.
pub(super) fn by_name(name: &str) -> Option<Types> {
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if FLAGS.contains(&name) {
        Some(Types::BOOL)
    } else if MAPS.contains(&name) || ends(MAP_ENDS) || matches!(name, "securityContext") {
        Some(Types::MAP)
    } else if LISTS.contains(&name) {
        Some(Types::LIST)
    } else if TEXTS.contains(&name) || WHOLE.contains(&name) || ends(TEXT_ENDS) || name.ends_with("Seconds") {
        Some(Types::TEXT_OR_WHOLE)
    } else if is_version(name) {
        Some(Types::TEXT | Types::NUMBER)
    } else {
        None
    }
}

/// Reports whether a name is that of a version, which many write without quotes: `1.25`.
pub(super) fn is_version(name: &str) -> bool {
    name == "tag" || name == "version" || name.ends_with("Version") || name.ends_with("Tag")
}

/// Reports whether Kubernetes takes whole numbers alone under a name.
pub(super) fn is_count(name: &str) -> bool {
    COUNTS.contains(&name)
}

/// Reports whether a name holds an amount of a resource: `1`, `0.5`, `200m` and `1Gi` are all good.
pub(super) fn is_quantity(name: &str, parent: &str) -> bool {
    matches!(parent, "requests" | "limits") || matches!(name, "cpu" | "memory" | "ephemeral-storage")
}
