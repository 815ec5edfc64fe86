//! Where symbolic links lead, step by step as Go goes: messages name the step that failed.

use std::collections::VecDeque;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::source::io_text;

/// Links on one path; Go gives up at the same number.
const MOST_LINKS: usize = 255;

/// Follows all symbolic links of an absolute path, as Go's `filepath.EvalSymlinks` does.
pub(super) fn resolve(path: &Path) -> Result<PathBuf, String> {
    let mut rest: VecDeque<PathBuf> = parts(path).collect();
    let mut done = PathBuf::new();
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        match part.components().next() {
            Some(Component::CurDir) | None => continue,
            Some(Component::ParentDir) => {
                done.pop();
                continue;
            }
            Some(_) => done.push(&part),
        }
        let info = fs::symlink_metadata(&done).map_err(|error| io_text("lstat", &done, &error))?;
        if !info.is_symlink() {
            if !info.is_dir() && !rest.is_empty() {
                return Err("not a directory".to_owned());
            }
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err("EvalSymlinks: too many links".to_owned());
        }
        let target = fs::read_link(&done).map_err(|error| io_text("readlink", &done, &error))?;
        // A relative target starts beside the link; an absolute one takes the place of all before it when it is pushed.
        done.pop();
        for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
            rest.push_front(part);
        }
    }
    Ok(done)
}

fn parts(path: &Path) -> impl Iterator<Item = PathBuf> {
    path.components().map(|part| PathBuf::from(part.as_os_str()))
}
