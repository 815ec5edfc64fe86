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
    "address",
    "clusterIP",
    "digest",
    "dnsPolicy",
    "domain",
    "endpoint",
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
    "region",
    "registry",
    "repository",
    "scrapeTimeout",
    "script",
    "storageClass",
    "subPath",
    "url",
    "user",
    "username",
];

const TEXT_ENDS: &[&str] = &[
    "Address",
    "Arn",
    "CM",
    "Claim",
    "Class",
    "ConfigMap",
    "Domain",
    "Endpoint",
    "File",
    "Filename",
    "Host",
    "Hostname",
    "Image",
    "Key",
    "Name",
    "Namespace",
    "Password",
    "Path",
    "Policy",
    "Region",
    "Secret",
    "URL",
    "Uri",
    "Url",
    "Username",
];

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

/// Words Kubernetes has a choice of, and names of images: nobody gives a number.
const WORDS_ALONE: &[&str] = &[
    "accessMode",
    "concurrencyPolicy",
    "dnsPolicy",
    "externalTrafficPolicy",
    "imagePullPolicy",
    "internalTrafficPolicy",
    "ipFamilyPolicy",
    "pathType",
    "podManagementPolicy",
    "pullPolicy",
    "reclaimPolicy",
    "registry",
    "repository",
    "restartPolicy",
    "sessionAffinity",
    "volumeBindingMode",
];

/// Reports whether nothing but text makes sense under a name.
pub(super) fn is_word(name: &str, parent: &str) -> bool {
    WORDS_ALONE.contains(&name) || (name == "type" && parent.ends_with("ervice"))
}

/// Reports whether a map is what makes sense under a name.
pub(super) fn is_map(name: &str) -> bool {
    // Monitors list the names of labels to take over.
    by_name(name) == Some(Types::MAP) && !name.ends_with("argetLabels")
}

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

/// Lists by other names than Kubernetes' own.
const LIST_ENDS: &[&str] = &[
    "Args",
    "args",
    "command",
    "Containers",
    "containers",
    "Env",
    "EnvFrom",
    "EnvVars",
    "hosts",
    "Mounts",
    "sidecars",
    "Sidecars",
    "tls",
    "Volumes",
];

/// Reports whether a list is what makes sense under a name.
pub(super) fn is_list(name: &str) -> bool {
    LISTS.contains(&name) || LIST_ENDS.iter().any(|end| name.ends_with(end))
}

/// Reports whether a name is that of a version, which many write without quotes: `1.25`.
pub(super) fn is_version(name: &str) -> bool {
    name == "tag" || name == "version" || name.ends_with("Version") || name.ends_with("Tag")
}

/// Reports whether Kubernetes takes whole numbers alone under a name.
pub(super) fn is_count(name: &str) -> bool {
    COUNTS.contains(&name)
}

/// Ends of the names of what cannot be divided.
const INDIVISIBLE: &[&str] = &[
    "attempts",
    "bytes",
    "count",
    "connections",
    "gid",
    "group",
    "id",
    "index",
    "instances",
    "nodes",
    "number",
    "partitions",
    "port",
    "ports",
    "replicas",
    "retries",
    "shards",
    "threads",
    "uid",
    "user",
    "workers",
];

/// Reports whether a name holds a number that is whole whatever the chart does with it: `service.ports.http` is one.
pub(super) fn is_indivisible(name: &str, parent: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_end = INDIVISIBLE.iter().any(|end| lower.ends_with(end));
    is_end || is_count(name) || WHOLE.contains(&name) || parent.to_ascii_lowercase().ends_with("ports")
}

/// Ends of the names of amounts that are often below one.
const PARTS: &[&str] =
    &["factor", "fraction", "multiplier", "probability", "quantile", "ratio", "sampling", "samplerate"];

/// Reports whether a name holds an amount of which a part makes sense: `1`, `0.5` and `200m` are all good.
pub(super) fn is_fraction(name: &str, parent: &str) -> bool {
    let bytes = ["memory", "ephemeral-storage", "storage"].contains(&name);
    let lower = name.to_ascii_lowercase();
    let part = PARTS.iter().any(|end| lower.ends_with(end)) && lower != "replicationfactor";
    name == "cpu" || part || (matches!(parent, "requests" | "limits") && !bytes)
}

/// What well-known names stand for, in words for values that the chart says nothing about. `{}` is the name of the value
/// around it.
const WORDS: &[(&str, &str)] = &[
    ("accessModes", "Access modes of the volume"),
    ("affinity", "Affinity of the pods, as in a pod's spec"),
    ("allowPrivilegeEscalation", "Whether a process may gain more privileges than its parent"),
    ("annotations", "Annotations of the object"),
    ("args", "Arguments of the command"),
    ("automountServiceAccountToken", "Whether the token of the service account is mounted"),
    ("clusterIP", "Cluster IP of the Service"),
    ("command", "Command of the container"),
    ("containerSecurityContext", "Security context of the containers"),
    ("drop", "Capabilities to drop"),
    ("enabled", "Whether {} is enabled"),
    ("existingClaim", "Name of a PersistentVolumeClaim that exists already"),
    ("existingSecret", "Name of a Secret that exists already"),
    ("externalTrafficPolicy", "External traffic policy of the Service"),
    ("extraEnv", "More environment variables"),
    ("extraInitContainers", "More init containers"),
    ("extraVolumeMounts", "More mounts of volumes"),
    ("extraVolumes", "More volumes"),
    ("failureThreshold", "Failures in a row after which the probe has failed"),
    ("fsGroup", "Group that owns the volumes"),
    ("fullnameOverride", "Replaces the full name of the objects"),
    ("hostNetwork", "Whether the pods use the network of the node"),
    ("imagePullPolicy", "When to pull the image: Always, IfNotPresent or Never"),
    ("imagePullSecrets", "Names of Secrets to pull images with"),
    ("imageTag", "Tag of the image"),
    ("ingressClassName", "Name of the IngressClass"),
    ("initContainers", "Init containers of the pods"),
    ("initialDelaySeconds", "Seconds before the first probe"),
    ("ipFamilies", "IP families of the Service"),
    ("ipFamilyPolicy", "IP family policy of the Service"),
    ("labels", "Labels of the object"),
    ("loadBalancerIP", "IP address of the load balancer"),
    ("loadBalancerSourceRanges", "Addresses that may reach the load balancer"),
    ("maxReplicas", "The most replicas"),
    ("maxUnavailable", "The most pods that may be unavailable, as number or percentage"),
    ("minAvailable", "The least pods that must be available, as number or percentage"),
    ("minReplicas", "The least replicas"),
    ("nameOverride", "Replaces the chart's name in the names of the objects"),
    ("nodePort", "Port of the Service on every node"),
    ("nodeSelector", "Labels of the nodes that pods may run on"),
    ("periodSeconds", "Seconds between probes"),
    ("podAnnotations", "Annotations of the pods"),
    ("podLabels", "Labels of the pods"),
    ("podSecurityContext", "Security context of the pods"),
    ("priorityClassName", "Name of the PriorityClass of the pods"),
    ("pullPolicy", "When to pull the image: Always, IfNotPresent or Never"),
    ("pullSecrets", "Names of Secrets to pull images with"),
    ("readOnlyRootFilesystem", "Whether the root file system is read-only"),
    ("registry", "Registry of the image"),
    ("replicaCount", "Number of replicas"),
    ("replicas", "Number of replicas"),
    ("repository", "Repository of the image"),
    ("resources", "Resources the containers request, and their limits"),
    ("runAsGroup", "Group the containers run as"),
    ("runAsNonRoot", "Whether the containers must not run as root"),
    ("runAsUser", "User the containers run as"),
    ("schedulerName", "Name of the scheduler"),
    ("securityContext", "Security context of pods or containers"),
    ("serviceAccountName", "Name of the service account"),
    ("sidecars", "More containers of the pods"),
    ("storageClass", "Name of the StorageClass"),
    ("successThreshold", "Successes in a row after which the probe has succeeded"),
    ("targetCPUUtilizationPercentage", "Use of the CPU that autoscaling aims at, in percent"),
    ("targetMemoryUtilizationPercentage", "Use of the memory that autoscaling aims at, in percent"),
    ("terminationGracePeriodSeconds", "Seconds the pods have to end"),
    ("timeoutSeconds", "Seconds after which a probe times out"),
    ("tolerations", "Taints of nodes that the pods tolerate"),
    ("topologySpreadConstraints", "How the pods are spread over the cluster"),
];

/// Words for names that mean something under certain others: the name, the end of the other's name, and the words.
const WORDS_UNDER: &[(&str, &str, &str)] = &[
    ("cpu", "limits", "The most CPU a container gets"),
    ("cpu", "requests", "The CPU a container asks for"),
    ("create", "erviceAccount", "Whether a service account is created"),
    ("create", "rbac", "Whether roles and bindings are created"),
    ("hosts", "ngress", "Hosts of the Ingress"),
    ("memory", "limits", "The most memory a container gets"),
    ("memory", "requests", "The memory a container asks for"),
    ("name", "erviceAccount", "Name of the service account"),
    ("path", "ngress", "Path of the Ingress"),
    ("port", "ervice", "Port of the Service"),
    ("size", "ersistence", "Size of the volume"),
    ("tag", "mage", "Tag of the image"),
    ("tls", "ngress", "TLS of the Ingress"),
    ("type", "ervice", "Type of the Service"),
];

/// Returns words for a value that the chart says nothing about, where its name has a meaning of its own.
pub(super) fn words(name: &str, parent: &str) -> Option<String> {
    let under = WORDS_UNDER.iter().find(|(known, end, _)| *known == name && parent.ends_with(end));
    let alone = || WORDS.iter().find(|(known, _)| *known == name).map(|(_, words)| *words);
    let words = under.map(|(.., words)| *words).or_else(alone)?;
    if words.contains("{}") && parent.is_empty() {
        return None;
    }
    Some(words.replace("{}", parent))
}
