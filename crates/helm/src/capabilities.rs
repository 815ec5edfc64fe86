//! What the cluster (or its stand-in) can do: `.Capabilities`.

/// The Kubernetes version, the API versions, and Helm's own version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The Kubernetes version.
    pub kube_version: KubeVersion,
    /// `group/version` and, from a cluster, `group/version/Kind` texts.
    pub api_versions: Vec<String>,
    /// Helm's version (`v3.22.0`).
    pub helm_version: String,
}

/// A Kubernetes version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeVersion {
    /// With a leading `v`, as the cluster says it.
    pub version: String,
    /// The major number.
    pub major: String,
    /// The minor number.
    pub minor: String,
}
