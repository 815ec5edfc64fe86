//! Whether there is room, asked before it runs out.

use std::{
    collections::BTreeMap,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::{Error, Result};

/// Room needed at one place.
#[derive(Debug, Clone)]
pub(crate) struct Need {
    /// A path that may not exist yet; its nearest existing ancestor decides.
    pub(crate) path: PathBuf,
    /// Bytes.
    pub(crate) bytes: u64,
    /// The environment variable that moves the place elsewhere.
    pub(crate) variable: &'static str,
}

/// Fails with the first file system that cannot hold the sum of what is needed on it.
pub(crate) fn require(purpose: &'static str, needs: &[Need]) -> Result<()> {
    let mut by_device: BTreeMap<u64, (u64, &Need)> = BTreeMap::new();
    for need in needs {
        let Some(device) = existing(&need.path).and_then(|path| path.metadata().ok()).map(|meta| meta.dev())
        else {
            continue;
        };
        by_device
            .entry(device)
            .and_modify(|(sum, _)| *sum = sum.saturating_add(need.bytes))
            .or_insert((need.bytes, need));
    }
    for (needed, need) in by_device.into_values() {
        let Some(free) = existing(&need.path).and_then(free_bytes) else { continue };
        if free < needed {
            let Need { path, variable, .. } = need.clone();
            return Err(Error::DiskFull { path, purpose, free, needed, variable });
        }
    }
    Ok(())
}

fn existing(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| path.exists())
}

/// Bytes an unprivileged user may still write; `None` where the file system does not tell.
fn free_bytes(path: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(path).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(path: &str, bytes: u64, variable: &'static str) -> Need {
        Need { path: path.into(), bytes, variable }
    }

    #[test]
    fn a_place_that_does_not_exist_yet_counts_where_it_will_be() {
        assert!(require("testing", &[need("/no/such/place/yet", 1, "A")]).is_ok());
    }

    #[test]
    fn needs_on_one_file_system_add_up() {
        let half = free_bytes(Path::new("/")).unwrap() / 4 * 3;
        assert!(require("testing", &[need("/", half, "A")]).is_ok());
        let error = require("testing", &[need("/x", half, "A"), need("/y", half, "B")]).unwrap_err();
        assert!(
            matches!(error, Error::DiskFull { needed, variable: "A", .. } if needed == half * 2),
            "{error}"
        );
    }
}
