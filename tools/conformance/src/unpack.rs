//! Unpacks the corpus once.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::args::Args;
use crate::error::Error;

const ARCHIVES: [&str; 2] = ["charts.tar.gz", "expected.tar.gz"];

/// Returns a folder that holds the unpacked corpus. It is made anew when the archives are others than last time.
pub(crate) fn corpus(folder: &Path, args: &Args) -> Result<PathBuf, Error> {
    if folder.join("charts").is_dir() && folder.join("expected").is_dir() {
        return Ok(folder.to_owned());
    }
    let mut hasher = DefaultHasher::new();
    fs::canonicalize(folder).map_err(Error::read(folder))?.hash(&mut hasher);
    for name in ARCHIVES {
        let path = folder.join(name);
        let info = fs::metadata(&path).map_err(Error::read(&path))?;
        (info.len(), info.modified().ok()).hash(&mut hasher);
    }
    let base = args.work.clone().unwrap_or_else(cache);
    let target = base.join(format!("corpus-{:016x}", hasher.finish()));
    if target.is_dir() {
        return Ok(target);
    }
    // Unpacked beside and renamed, so that a folder of the right name is always complete.
    let partial = base.join(format!("partial-{}", std::process::id()));
    fs::create_dir_all(&partial).map_err(Error::write(&partial))?;
    for name in ARCHIVES {
        let path = folder.join(name);
        let file = File::open(&path).map_err(Error::read(&path))?;
        let mut archive = tar::Archive::new(GzDecoder::new(file));
        archive.unpack(&partial).map_err(Error::write(&partial))?;
    }
    if let Err(error) = fs::rename(&partial, &target) {
        // Another run may have been faster.
        let _ = fs::remove_dir_all(&partial);
        if !target.is_dir() {
            return Err(Error::write(&target)(error));
        }
    }
    Ok(target)
}

fn cache() -> PathBuf {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home);
    base.unwrap_or_else(std::env::temp_dir).join("chartwright").join("conformance")
}
