//! The names of a custom resource type: from API_VERSION and KIND to what a CRD lists.

use thiserror::Error;

/// A group and version, as in `apiVersion: anywhere.io/v1alpha1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiVersion {
    /// The API group, a DNS subdomain.
    pub(crate) group: String,
    /// The version, as `v1alpha1`.
    pub(crate) version: String,
}

/// The names under which Kubernetes serves a custom resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// The kind, as the user spelt it.
    pub(crate) kind: String,
    /// The kind of a list of them.
    pub(crate) list_kind: String,
    /// The name in URLs and in `kubectl get`.
    pub(crate) plural: String,
    /// The kind in lower case.
    pub(crate) singular: String,
}

/// A name that Kubernetes would refuse, and what it should look like.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum NameError {
    /// No slash.
    #[error("API version {0:?} has no group: write GROUP/VERSION, for example anywhere.io/v1alpha1")]
    NoGroup(String),
    /// Not a DNS subdomain, or one Kubernetes keeps for itself.
    #[error("API group {group:?} {problem}: use a domain name of your own, for example anywhere.io")]
    Group {
        /// What was given.
        group: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Not `v1`, `v1alpha1` and the like.
    #[error(
        "API version {0:?} is not a version name: use lower-case letters and digits starting with a letter, \
         for example v1alpha1"
    )]
    Version(String),
    /// Not an identifier.
    #[error(
        "kind {0:?} is not a kind name: use at most 63 letters and digits starting with a letter, \
         for example Memcached"
    )]
    Kind(String),
    /// Not a resource name.
    #[error(
        "plural {0:?} is not a resource name: use lower-case letters, digits and '-', for example memcacheds"
    )]
    Plural(String),
    /// Not a resource name either.
    #[error("{what} {name:?} is not a resource name: use lower-case letters, digits and '-'")]
    Other {
        /// What the name is for.
        what: &'static str,
        /// The name.
        name: String,
    },
}

impl ApiVersion {
    /// Reads `GROUP/VERSION`.
    ///
    /// # Errors
    /// When there is no group, or when Kubernetes would refuse the group or the version in a CRD.
    pub(crate) fn parse(text: &str) -> Result<Self, NameError> {
        let (group, version) = text.split_once('/').ok_or_else(|| NameError::NoGroup(text.to_owned()))?;
        check_group(group)?;
        if !is_label(version) || !version.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err(NameError::Version(version.to_owned()));
        }
        Ok(Self { group: group.to_owned(), version: version.to_owned() })
    }
}

impl std::fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.group, self.version)
    }
}

impl Names {
    /// Derives the names from a kind; `plural` overrides the English plural.
    ///
    /// # Errors
    /// When Kubernetes would refuse the kind or the plural.
    pub(crate) fn of(kind: &str, plural: Option<&str>) -> Result<Self, NameError> {
        let starts_well = kind.starts_with(|c: char| c.is_ascii_alphabetic());
        if !starts_well || kind.len() > 63 || !kind.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(NameError::Kind(kind.to_owned()));
        }
        let singular = kind.to_ascii_lowercase();
        let plural = match plural {
            Some(plural) if is_label(plural) => plural.to_owned(),
            Some(plural) => return Err(NameError::Plural(plural.to_owned())),
            None => pluralize(&singular),
        };
        Ok(Self { kind: kind.to_owned(), list_kind: format!("{kind}List"), plural, singular })
    }
}

/// Checks a short name or a category, which `what` says.
///
/// # Errors
/// When Kubernetes would refuse it.
pub(crate) fn check_resource_name(what: &'static str, name: &str) -> Result<(), NameError> {
    if is_label(name) { Ok(()) } else { Err(NameError::Other { what, name: name.to_owned() }) }
}

/// Kubernetes keeps these domains for APIs approved by its own community.
const PROTECTED: &[&str] = &["k8s.io", "kubernetes.io"];

fn check_group(group: &str) -> Result<(), NameError> {
    let refuse = |problem| Err(NameError::Group { group: group.to_owned(), problem });
    if group.is_empty() {
        return refuse("is empty");
    }
    if group.len() > 253 || !group.split('.').all(is_label) {
        return refuse("is not a domain name in lower case");
    }
    if !group.contains('.') {
        return refuse("has no dot");
    }
    if PROTECTED.iter().any(|domain| group == *domain || group.ends_with(&format!(".{domain}"))) {
        return refuse("belongs to Kubernetes itself");
    }
    Ok(())
}

/// Reports whether a text is a DNS label (RFC 1123).
fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty()
        && text.len() <= 63
        && text.bytes().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// Forms the English plural of a lower-case word: `-es` after a hiss, `-ies` for `-y` after a consonant, else `-s`.
fn pluralize(word: &str) -> String {
    const HISSES: &[&str] = &["s", "x", "z", "ch", "sh"];
    if HISSES.iter().any(|end| word.ends_with(end)) {
        return format!("{word}es");
    }
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) && !stem.is_empty() => format!("{stem}ies"),
        _ => format!("{word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_english() {
        for (kind, plural) in [
            ("Memcached", "memcacheds"),
            ("memcached", "memcacheds"),
            ("Proxy", "proxies"),
            ("Gateway", "gateways"),
            ("Ingress", "ingresses"),
            ("Box", "boxes"),
            ("Patch", "patches"),
        ] {
            let names = Names::of(kind, None).unwrap();
            assert_eq!(names.plural, plural);
            assert_eq!(names.kind, kind);
            assert_eq!(names.list_kind, format!("{kind}List"));
            assert_eq!(names.singular, kind.to_ascii_lowercase());
        }
    }

    #[test]
    fn a_plural_can_be_chosen() {
        assert_eq!(Names::of("Redis", Some("redis")).unwrap().plural, "redis");
        assert_eq!(Names::of("Redis", Some("Redis")), Err(NameError::Plural("Redis".into())));
    }

    #[test]
    fn bad_kinds_are_refused() {
        for kind in ["", "1st", "My-Kind", "Käse", "A B", &"k".repeat(64)] {
            assert_eq!(Names::of(kind, None), Err(NameError::Kind(kind.to_owned())));
        }
    }

    #[test]
    fn api_versions_need_a_group_of_ones_own() {
        assert_eq!(ApiVersion::parse("anywhere.io/v1alpha1").unwrap().to_string(), "anywhere.io/v1alpha1");
        assert_eq!(ApiVersion::parse("v1"), Err(NameError::NoGroup("v1".into())));
        for (text, problem) in [
            ("/v1", "is empty"),
            ("cache/v1", "has no dot"),
            ("Cache.io/v1", "is not a domain name in lower case"),
            ("apps.k8s.io/v1", "belongs to Kubernetes itself"),
        ] {
            match ApiVersion::parse(text) {
                Err(NameError::Group { problem: found, .. }) => assert_eq!(found, problem, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        for text in ["a.io/", "a.io/1", "a.io/V1", "a.io/v1/x"] {
            assert!(matches!(ApiVersion::parse(text), Err(NameError::Version(_))), "{text}");
        }
    }
}
