//! Where built binaries live: outside any checkout, in a folder named after the versions.

use std::{
    env, fs,
    fs::File,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use crate::{Error, Result, part::Part, pins};

/// The cache's folders. Nothing is created by asking for a path.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
    key: String,
}

impl Cache {
    /// The cache of this user: `$XDG_CACHE_HOME/chartwright/devcluster`, by default under `~/.cache`.
    pub fn locate() -> Result<Cache> {
        // The XDG base directory specification has relative paths ignored.
        let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        Cache::at(&base.ok_or(Error::NoCacheDirectory)?.join("chartwright").join("devcluster"))
    }

    /// A cache in a directory of the caller's choice.
    pub fn at(root: &Path) -> Result<Cache> {
        Ok(Cache { root: root.to_owned(), key: pins::key()? })
    }

    /// The directory everything is under.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of finished binaries for the pinned versions.
    pub fn bin(&self) -> PathBuf {
        self.root.join(&self.key).join("bin")
    }

    /// Where one part's binary is or will be.
    pub fn binary(&self, part: Part) -> PathBuf {
        self.bin().join(part.binary())
    }

    /// kwok's rules of how nodes, pods and volumes come to life, copied out of its module.
    pub(crate) fn stages(&self) -> PathBuf {
        self.root.join(&self.key).join("kwok-stages")
    }

    /// Where one part's build writes what it does.
    pub(crate) fn build_log(&self, part: Part) -> PathBuf {
        self.root.join(&self.key).join("logs").join(format!("{part}.log"))
    }

    /// The folder a module's `go.mod` and `go.sum` are written to.
    pub(crate) fn source(&self, module: &str) -> PathBuf {
        self.root.join(&self.key).join("go").join(module)
    }

    /// Where unfinished work is kept during a build.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.root.join("unfinished")
    }

    /// The virtual environment with a Go toolchain, where the machine has none.
    pub(crate) fn go_environment(&self) -> PathBuf {
        self.root.join("go-toolchain")
    }

    /// The state directory of a cluster started without naming one.
    pub fn default_state(&self) -> PathBuf {
        self.root.join("clusters").join("default")
    }

    /// Takes the lock that keeps two builds apart. `waiting` is called once if another build holds it.
    pub(crate) fn lock(&self, waiting: impl FnOnce()) -> Result<File> {
        create_directory(&self.root)?;
        let path = self.root.join("build.lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::io("open the lock file", &path))?;
        if file.try_lock().is_err() {
            waiting();
            file.lock().map_err(Error::io("take the lock", &path))?;
        }
        Ok(file)
    }

    /// Makes `current` lead to the folder of the pinned versions, for people's PATH, if anything was ever built there.
    pub(crate) fn make_current(&self) -> Result<()> {
        if !self.bin().is_dir() {
            return Ok(());
        }
        let link = self.root.join("current");
        let new = self.root.join(".current.new");
        // Left behind by a build that was cut off; whether it was there does not matter.
        let _ = fs::remove_file(&new);
        symlink(&self.key, &new).map_err(Error::io("create the link", &new))?;
        fs::rename(&new, &link).map_err(Error::io("replace the link", &link))
    }
}

/// Creates a directory and those above it.
pub(crate) fn create_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(Error::io("create the directory", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_follows_the_pinned_versions() {
        let root = env::temp_dir().join(format!("devcluster-cache-{}", std::process::id()));
        let cache = Cache::at(&root).unwrap();
        cache.make_current().unwrap();
        assert!(!root.exists());
        create_directory(&cache.bin()).unwrap();
        symlink("an-older-version", root.join("current")).unwrap();
        cache.make_current().unwrap();
        assert_eq!(
            fs::canonicalize(root.join("current/bin")).unwrap(),
            fs::canonicalize(cache.bin()).unwrap()
        );
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn binaries_are_kept_by_version() {
        let cache = Cache::at(Path::new("/c")).unwrap();
        let key = pins::key().unwrap();
        assert_eq!(cache.binary(Part::Helm3), Path::new("/c").join(&key).join("bin/helm"));
        assert_eq!(cache.stages(), Path::new("/c").join(key).join("kwok-stages"));
        assert!(!cache.go_environment().starts_with(cache.bin()));
    }
}
