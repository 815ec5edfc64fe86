//! Finding the binaries: the user's own first, then the cache, and building what neither has.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
};

use crate::{Error, Result, builder, cache::Cache, part::Part, progress::Progress, toolchain};

/// The variable in which controller-runtime's envtest names a folder with etcd, kube-apiserver and kubectl.
pub const ASSETS_VARIABLE: &str = "KUBEBUILDER_ASSETS";

/// Where the binaries of some parts are.
#[derive(Debug, Clone)]
pub struct Assets {
    binaries: BTreeMap<Part, PathBuf>,
    cache: Cache,
}

impl Assets {
    /// Finds the parts without building anything; [`Error::NotBuilt`] names those that are nowhere.
    pub fn locate(parts: &[Part]) -> Result<Assets> {
        Assets::locate_in(
            parts,
            &Cache::locate()?,
            env::var_os(ASSETS_VARIABLE).map(PathBuf::from).as_deref(),
        )
    }

    /// Finds the parts, building what is missing, which takes tens of minutes the first time.
    pub fn locate_or_build(parts: &[Part]) -> Result<Assets> {
        Assets::locate_or_build_with(parts, &mut |_| {})
    }

    /// Like [`Assets::locate_or_build`], and tells what it does.
    pub fn locate_or_build_with(parts: &[Part], progress: &mut dyn FnMut(Progress)) -> Result<Assets> {
        match Assets::locate(parts) {
            Err(Error::NotBuilt { .. }) => Assets::build(parts, progress),
            located => located,
        }
    }

    /// The same, and makes the cache's link `current` lead to the pinned versions even if nothing had to be built.
    pub fn build(parts: &[Part], progress: &mut dyn FnMut(Progress)) -> Result<Assets> {
        let missing = match Assets::locate(parts) {
            Err(Error::NotBuilt { parts: missing, .. }) => missing,
            located => located.map(|_| Vec::new())?,
        };
        builder::build(&Cache::locate()?, &missing, progress)?;
        Assets::locate(parts)
    }

    /// The binary of a part, which must be among those that were asked for.
    pub fn path(&self, part: Part) -> Result<&Path> {
        let looked_in = || self.cache.bin();
        let found = self.binaries.get(&part).map(PathBuf::as_path);
        found.ok_or_else(|| Error::NotBuilt { parts: vec![part], looked_in: looked_in() })
    }

    /// The directories the binaries are in, for PATH: a user's own folder before the cache.
    pub fn directories(&self) -> Vec<PathBuf> {
        let mut directories = Vec::new();
        for directory in self.binaries.values().filter_map(|binary| binary.parent()) {
            if !directories.iter().any(|known| known == directory) {
                directories.push(directory.to_owned());
            }
        }
        directories
    }

    /// The directory of kwok's stage files.
    pub(crate) fn stages(&self) -> PathBuf {
        self.cache.stages()
    }

    /// Adds the optional parts that happen to be there.
    pub(crate) fn add_if_built(&mut self, parts: &[Part]) {
        for part in parts {
            if builder::is_built(&self.cache, *part) {
                self.binaries.insert(*part, self.cache.binary(*part));
            }
        }
    }

    /// Makes do with a program somewhere on PATH, for a part whose version does not matter.
    pub(crate) fn from_path(part: Part) -> Result<Option<Assets>> {
        let Some(program) = toolchain::on_path(part.binary()) else { return Ok(None) };
        Ok(Some(Assets { binaries: BTreeMap::from([(part, program)]), cache: Cache::locate()? }))
    }

    fn locate_in(parts: &[Part], cache: &Cache, own: Option<&Path>) -> Result<Assets> {
        let own = own.map(|folder| own_binaries(folder, parts)).transpose()?.unwrap_or_default();
        let mut binaries = BTreeMap::new();
        let mut missing = Vec::new();
        for part in parts {
            if let Some(binary) = own.get(part) {
                binaries.insert(*part, binary.clone());
            } else if builder::is_built(cache, *part) {
                binaries.insert(*part, cache.binary(*part));
            } else {
                missing.push(*part);
            }
        }
        if missing.is_empty() {
            Ok(Assets { binaries, cache: cache.clone() })
        } else {
            Err(Error::NotBuilt { parts: missing, looked_in: cache.bin() })
        }
    }
}

/// The parts a user's folder has. kwok and Helm are not looked for: kwok needs the stages of its own version, and the
/// Helm versions are a matter of what is compared with what.
fn own_binaries(folder: &Path, parts: &[Part]) -> Result<BTreeMap<Part, PathBuf>> {
    let wanted: Vec<_> =
        parts.iter().filter(|part| !matches!(part, Part::Kwok | Part::Helm3 | Part::Helm4)).collect();
    let bad = |problem: String| Error::BadAssets { path: folder.to_owned(), problem };
    if !wanted.is_empty() && !folder.is_dir() {
        return Err(bad("is not a directory".to_owned()));
    }
    let mut found = BTreeMap::new();
    for part in wanted {
        let binary = folder.join(part.binary());
        if toolchain::is_executable(&binary) {
            found.insert(*part, binary);
        } else if matches!(part, Part::Etcd | Part::KubeApiserver) {
            return Err(bad(format!("has no program {part}")));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, programs: &[&str]) -> Folder {
            let path = env::temp_dir().join(format!("devcluster-assets-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            for program in programs {
                let file = path.join(program);
                fs::write(&file, "#!/bin/sh\n").unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            }
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn empty_cache() -> Cache {
        Cache::at(Path::new("/no/such/cache")).unwrap()
    }

    #[test]
    fn a_users_folder_comes_first() {
        let folder = Folder::new("own", &["etcd", "kube-apiserver", "kubectl", "helm"]);
        let parts = [Part::Etcd, Part::KubeApiserver, Part::Kubectl];
        let assets = Assets::locate_in(&parts, &empty_cache(), Some(&folder.0)).unwrap();
        assert_eq!(assets.path(Part::Kubectl).unwrap(), folder.0.join("kubectl"));
        let error =
            Assets::locate_in(&[Part::Etcd, Part::Helm3], &empty_cache(), Some(&folder.0)).unwrap_err();
        assert!(matches!(error, Error::NotBuilt { ref parts, .. } if parts == &[Part::Helm3]), "{error}");
    }

    #[test]
    fn a_users_folder_must_have_the_control_plane() {
        let folder = Folder::new("bad", &["etcd"]);
        let error =
            Assets::locate_in(&Part::CLUSTER, &empty_cache(), Some(&folder.0)).unwrap_err().to_string();
        assert!(error.starts_with("KUBEBUILDER_ASSETS names "), "{error}");
        assert!(error.contains("has no program kube-apiserver"), "{error}");
        let error =
            Assets::locate_in(&Part::CLUSTER, &empty_cache(), Some(Path::new("/no/such"))).unwrap_err();
        assert!(error.to_string().contains("which is not a directory"), "{error}");
    }

    #[test]
    fn all_missing_parts_are_named_at_once() {
        let error =
            Assets::locate_in(&[Part::Etcd, Part::Kwok], &empty_cache(), None).unwrap_err().to_string();
        assert!(error.starts_with("not built yet: etcd, kwok "), "{error}");
    }

    #[test]
    fn a_part_not_asked_for_is_an_error() {
        let assets = Assets::locate_in(&[], &empty_cache(), None).unwrap();
        assert!(matches!(assets.path(Part::Etcd), Err(Error::NotBuilt { .. })));
    }
}
