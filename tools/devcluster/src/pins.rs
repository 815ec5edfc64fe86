//! The pinned sources: the Go modules under `go/`, embedded so that the tool works away from its checkout.
//!
//! They are several modules because etcd, kwok and Helm want other versions of the same libraries than Kubernetes.
//! The `go.mod` files are the one place where versions are written down; everything else is read from them.

use crate::{Error, Result, part::Part};

/// A Go module of ours that pins one project.
#[derive(Debug)]
pub(crate) struct Module {
    /// The folder under `go/`, and under the cache.
    pub(crate) name: &'static str,
    /// The Go module of the pinned project.
    pub(crate) project: &'static str,
    /// The contents of `go.mod`.
    pub(crate) go_mod: &'static str,
    /// The contents of `go.sum`.
    pub(crate) go_sum: &'static str,
}

macro_rules! module {
    ($name:literal, $project:literal) => {
        Module {
            name: $name,
            project: $project,
            go_mod: include_str!(concat!("../go/", $name, "/go.mod")),
            go_sum: include_str!(concat!("../go/", $name, "/go.sum")),
        }
    };
}

pub(crate) static KUBERNETES: Module = module!("kubernetes", "k8s.io/kubernetes");
pub(crate) static ETCD: Module = module!("etcd", "go.etcd.io/etcd/server/v3");
pub(crate) static KWOK: Module = module!("kwok", "sigs.k8s.io/kwok");
pub(crate) static HELM3: Module = module!("helm3", "helm.sh/helm/v3");
pub(crate) static HELM4: Module = module!("helm4", "helm.sh/helm/v4");

/// The oldest Go that builds every module, as their `go` lines say.
pub(crate) const MINIMUM_GO: (u32, u32) = (1, 26);

impl Module {
    /// The version of `path` that the module requires, such as `v1.36.3`.
    pub(crate) fn version_of(&self, path: &'static str) -> Result<&'static str> {
        let mut requirements = self.go_mod.lines().map(|line| {
            let line = line.trim_start();
            line.strip_prefix("require ").unwrap_or(line).split_whitespace()
        });
        let version = requirements.find_map(|mut words| match (words.next(), words.next()) {
            (Some(word), Some(version)) if word == path && version.starts_with('v') => Some(version),
            _ => None,
        });
        version.ok_or(Error::NoPin { module: self.name, path })
    }

    /// The version of the pinned project itself.
    pub(crate) fn version(&self) -> Result<&'static str> {
        self.version_of(self.project)
    }
}

/// What the linker writes into a part, so that it reports the version a released binary would.
pub(crate) fn linker_flags(part: Part) -> Result<String> {
    let module = part.module();
    let version = module.version()?;
    let variables = match part {
        Part::Etcd => vec![],
        Part::KubeApiserver | Part::Kubectl | Part::KubeControllerManager | Part::KubeScheduler => {
            let (major, minor) = major_minor(version);
            let base = "k8s.io/component-base/version";
            vec![
                format!("{base}.gitVersion={version}"),
                format!("{base}.gitMajor={major}"),
                format!("{base}.gitMinor={minor}"),
                format!("{base}.gitTreeState=clean"),
            ]
        }
        Part::Kwok => vec![format!("sigs.k8s.io/kwok/pkg/consts.Version={version}")],
        Part::Helm3 => {
            // A Helm 3 release derives its default Kubernetes version from its client library: v0.37.0 means 1.37.
            let (client_major, minor) = major_minor(module.version_of("k8s.io/client-go")?);
            let major = client_major.parse::<u32>().unwrap_or_default().saturating_add(1);
            let capabilities = ["pkg/chartutil", "pkg/lint/rules"].map(|package| {
                let base = format!("helm.sh/helm/v3/{package}");
                format!("{base}.k8sVersionMajor={major} -X {base}.k8sVersionMinor={minor}")
            });
            [helm_version(module.project, version), capabilities.to_vec()].concat()
        }
        // Helm 4 reads its client library's version from the build information.
        Part::Helm4 => helm_version(module.project, version),
    };
    Ok(variables.iter().fold("-s -w".to_owned(), |flags, variable| format!("{flags} -X {variable}")))
}

fn helm_version(project: &str, version: &str) -> Vec<String> {
    let base = format!("{project}/internal/version");
    vec![format!("{base}.version={version}"), format!("{base}.gitTreeState=clean")]
}

/// The first two numbers of `v1.36.3`.
fn major_minor(version: &str) -> (&str, &str) {
    let mut numbers = version.trim_start_matches('v').split('.');
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default())
}

/// Names the folder in the cache: the Kubernetes version to recognise it by, and a hash of everything that decides
/// what the binaries are.
pub(crate) fn key() -> Result<String> {
    let mut hash = Fnv::new();
    for part in Part::ALL {
        let module = part.module();
        for text in [part.package(), module.go_mod, module.go_sum, &linker_flags(part)?] {
            hash.write(text.as_bytes());
        }
    }
    Ok(format!("{}-{:016x}", KUBERNETES.version()?, hash.0))
}

/// FNV-1a: the same on every machine and with every compiler, which the standard library's hashers are not.
struct Fnv(u64);

impl Fnv {
    fn new() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a text and an end mark, so that moving a character from one text to the next changes the hash.
    fn write(&mut self, text: &[u8]) {
        for byte in text.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_pinned_version() {
        for part in Part::ALL {
            let version = part.module().version().unwrap();
            assert!(version.starts_with('v') && version.split('.').count() == 3, "{part} {version}");
        }
        assert!(matches!(ETCD.version_of("example.com/none"), Err(Error::NoPin { module: "etcd", .. })));
    }

    #[test]
    fn modules_ask_for_no_newer_go_than_is_looked_for() {
        for part in Part::ALL {
            let line = part.module().go_mod.lines().find(|line| line.starts_with("go ")).unwrap();
            let (major, minor) = major_minor(line.trim_start_matches("go "));
            assert!((major.parse().unwrap(), minor.parse().unwrap()) <= MINIMUM_GO, "{part}: {line}");
        }
    }

    #[test]
    fn staging_repositories_follow_kubernetes() {
        let staging = KUBERNETES.version().unwrap().replacen("v1.", "v0.", 1);
        let replaced: Vec<_> = KUBERNETES.go_mod.lines().filter(|line| line.contains(" => ")).collect();
        assert!(replaced.len() > 30);
        for line in replaced {
            assert!(line.ends_with(&staging), "{line}");
        }
    }

    #[test]
    fn kubernetes_is_stamped_with_its_version() {
        let flags = linker_flags(Part::KubeApiserver).unwrap();
        let version = KUBERNETES.version().unwrap();
        assert!(flags.starts_with("-s -w -X "), "{flags}");
        assert!(flags.contains(&format!("version.gitVersion={version}")), "{flags}");
        assert!(flags.contains("version.gitMajor=1 "), "{flags}");
    }

    #[test]
    fn helm_3_supposes_the_kubernetes_of_its_client_library() {
        let flags = linker_flags(Part::Helm3).unwrap();
        let client = HELM3.version_of("k8s.io/client-go").unwrap();
        let minor = client.split('.').nth(1).unwrap();
        assert!(
            flags.contains(&format!(
                "pkg/chartutil.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor={minor}"
            )),
            "{flags}"
        );
        assert!(flags.contains("internal/version.version=v3."), "{flags}");
    }

    #[test]
    fn the_key_is_stable_and_tells_the_version() {
        assert_eq!(key().unwrap(), key().unwrap());
        assert!(key().unwrap().starts_with(KUBERNETES.version().unwrap()));
    }

    #[test]
    fn the_hash_sees_where_a_text_ends() {
        let hash = |texts: &[&str]| {
            let mut hash = Fnv::new();
            texts.iter().for_each(|text| hash.write(text.as_bytes()));
            hash.0
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
    }
}
