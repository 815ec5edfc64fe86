//! What the cluster (or its stand-in) can do: the facts behind `.Capabilities`.

use gostd::strconv::quote;

/// The Kubernetes version, the API versions, and Helm's own version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The Kubernetes version.
    pub kube_version: KubeVersion,
    /// `group/version` and, from a cluster, `group/version/Kind` texts.
    pub api_versions: Vec<String>,
    /// Helm's version as templates see it.
    pub helm_version: HelmVersion,
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

/// `.Capabilities.HelmVersion`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelmVersion {
    /// The release, with a leading `v`.
    pub version: String,
    /// The commit it was built from.
    pub git_commit: String,
    /// Whether the source tree was `clean`.
    pub git_tree_state: String,
    /// The Go version it was built with.
    pub go_version: String,
}

/// The Helm release whose behaviour this crate has.
pub const HELM_VERSION: &str = "v3.22.0";

/// The version Helm assumes without a cluster: that of its client library.
const KUBE_VERSION: (&str, &str, &str) = ("v1.37.0", "1", "37");

/// The API groups of Helm's client library and their versions, in its order.
const API_VERSIONS: &[&str] = &[
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "lifecycle.k8s.io/v1alpha1",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

impl Default for Capabilities {
    /// What Helm assumes without a cluster.
    fn default() -> Self {
        let (version, major, minor) = KUBE_VERSION;
        Self {
            kube_version: KubeVersion {
                version: version.to_owned(),
                major: major.to_owned(),
                minor: minor.to_owned(),
            },
            api_versions: API_VERSIONS.iter().map(|version| (*version).to_owned()).collect(),
            helm_version: HelmVersion::default(),
        }
    }
}

impl Default for HelmVersion {
    fn default() -> Self {
        Self {
            version: HELM_VERSION.to_owned(),
            git_commit: String::new(),
            git_tree_state: "clean".to_owned(),
            go_version: "go1.26.8".to_owned(),
        }
    }
}

impl Capabilities {
    /// Adds API versions, as `--api-versions` does.
    #[must_use]
    pub fn with_api_versions<S: Into<String>>(mut self, versions: impl IntoIterator<Item = S>) -> Self {
        self.api_versions.extend(versions.into_iter().map(Into::into));
        self
    }

    /// Takes another Kubernetes version, as `--kube-version` does.
    #[must_use]
    pub fn with_kube_version(mut self, version: KubeVersion) -> Self {
        self.kube_version = version;
        self
    }
}

impl KubeVersion {
    /// Reads a version as `--kube-version` does: whatever follows the numbers is cut off, so `1.29.3-gke.1` is `v1.29.3`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let unusable = || format!("could not parse {} as version", quote(text.as_bytes()));
        let digits = text.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let digits = digits.strip_prefix('v').unwrap_or(digits);
        let numbers = numbers(digits).ok_or_else(unusable)?;
        if digits.get(numbers.len()..).is_none_or(|rest| rest.contains('\n')) {
            return Err(unusable());
        }
        let components: Vec<&str> = numbers.split('.').collect();
        let (Some(major), Some(minor)) = (components.first(), components.get(1)) else {
            return Err(format!("illegal version string {}", quote(text.as_bytes())));
        };
        if major.starts_with('0') && *major != "0" {
            let (component, text) = (quote(major.as_bytes()), quote(text.as_bytes()));
            return Err(format!("illegal zero-prefixed version component {component} in {text}"));
        }
        let mut parsed = Vec::with_capacity(components.len());
        for component in &components {
            let number = gostd::strconv::parse_uint(component.as_bytes(), 10, 64).map_err(|error| {
                let (component, text) = (quote(component.as_bytes()), quote(text.as_bytes()));
                format!("illegal non-numeric version component {component} in {text}: {error}")
            })?;
            parsed.push(number.to_string());
        }
        let (major, minor) = (major.to_string(), plain(minor));
        Ok(Self { version: format!("v{}", parsed.join(".")), major, minor })
    }
}

/// Numbers lose leading zeros on the way.
fn plain(digits: &str) -> String {
    let digits_left = digits.trim_start_matches('0');
    if digits_left.is_empty() { "0".to_owned() } else { digits_left.to_owned() }
}

/// Returns the longest `1.2.3…` at the start.
fn numbers(text: &str) -> Option<&str> {
    let mut end = 0;
    loop {
        let rest = text.get(end..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            // A dot without digits behind it does not belong to the numbers.
            return end.checked_sub(1).and_then(|dot| text.get(..dot));
        }
        end += digits;
        if !rest.get(digits..)?.starts_with('.') {
            return text.get(..end);
        }
        end += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> String {
        KubeVersion::parse(text).map_or_else(|error| error, |version| version.version)
    }

    #[test]
    fn whatever_follows_the_numbers_is_cut_off() {
        assert_eq!(parse("1.29.3-gke.100"), "v1.29.3");
        assert_eq!(parse("v1.29"), "v1.29");
        assert_eq!(parse(" 1.29+"), "v1.29");
        assert_eq!(parse("1.029.3."), "v1.29.3");
        assert_eq!(parse("1.2.3.4"), "v1.2.3.4");
        let version = KubeVersion::parse("v1.08.1").unwrap();
        assert_eq!((version.major.as_str(), version.minor.as_str()), ("1", "8"));
    }

    #[test]
    fn other_texts_are_refused() {
        assert_eq!(parse("abc"), "could not parse \"abc\" as version");
        assert_eq!(parse("1"), "illegal version string \"1\"");
        assert_eq!(parse("01.2"), "illegal zero-prefixed version component \"01\" in \"01.2\"");
        assert_eq!(parse(".1"), "could not parse \".1\" as version");
    }
}
