//! Where a chart's files come from: a folder, an archive, or memory.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::File;
use super::ignore::{self, Rules};
use super::links;

/// Files above this size are refused (Helm 3's `MaxDecompressedFileSize`).
pub(super) const LARGEST_FILE: u64 = 5 * 1024 * 1024;
/// Charts above this size are refused (Helm's `MaxDecompressedChartSize`); Helm itself sets no limit for folders.
pub(super) const LARGEST_CHART: u64 = 100 * 1024 * 1024;
/// Symbolic links on one path.
const MOST_LINKS: usize = 255;
/// A folder with symbolic links in circles can list files without end.
const MOST_FILES: usize = 100_000;

/// A place that holds the files of one chart.
pub trait Source {
    /// Returns the chart's files in Helm's loading order, and what Helm would log on the way.
    fn files(&self) -> Result<(Vec<File>, Vec<String>), String>;
}

/// A folder of the file system; `.helmignore` applies.
#[derive(Clone, Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// Names a folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

impl Source for Directory {
    fn files(&self) -> Result<(Vec<File>, Vec<String>), String> {
        let top = std::path::absolute(&self.0).map_err(|error| io_text("stat", &self.0, &error))?;
        let rules = match fs::read(top.join(ignore::FILE_NAME)) {
            Ok(text) => Rules::parse(&text)?,
            Err(_) => Rules::parse(b"")?,
        };
        let mut walk = Walk { rules, files: Vec::new(), warnings: Vec::new(), size: 0 };
        walk.folder(&top, "", 0)?;
        Ok((walk.files, walk.warnings))
    }
}

struct Walk {
    rules: Rules,
    files: Vec<File>,
    warnings: Vec<String>,
    size: u64,
}

impl Walk {
    /// Visits the entries of a folder in byte order.
    fn folder(&mut self, path: &Path, name: &str, links: usize) -> Result<(), String> {
        let entries = fs::read_dir(path).map_err(|error| io_text("open", path, &error))?;
        let mut names = Vec::new();
        for entry in entries {
            names.push(entry.map_err(|error| io_text("readdirent", path, &error))?.file_name());
        }
        names.sort_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
        for entry in names {
            let child = entry.to_string_lossy();
            let child = if name.is_empty() { child.into_owned() } else { format!("{name}/{child}") };
            self.entry(&path.join(&entry), &child, links)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, name: &str, mut link_count: usize) -> Result<(), String> {
        let mut info = fs::symlink_metadata(path).map_err(|error| io_text("lstat", path, &error))?;
        let mut target = path.to_owned();
        if info.is_symlink() {
            link_count += 1;
            if link_count > MOST_LINKS {
                return Err(link_text(path, "EvalSymlinks: too many links"));
            }
            target = links::resolve(path).map_err(|error| link_text(path, &error))?;
            self.warnings.push(format!(
                "found symbolic link in path: {} resolves to {}. Contents of linked file included and used",
                path.display(),
                target.display()
            ));
            info = fs::symlink_metadata(&target).map_err(|error| io_text("lstat", &target, &error))?;
        }
        if self.rules.ignores(name, info.is_dir()) {
            return Ok(());
        }
        if info.is_dir() {
            return self.folder(path, name, link_count);
        }
        if !info.is_file() {
            let path = path.display();
            return Err(format!("cannot load irregular file {path} as it has file mode type bits set"));
        }
        check_size(&target, info.len())?;
        let data = fs::read(path);
        let data =
            data.map_err(|error| format!("error reading {name}: {}", io_text("open", path, &error)))?;
        self.add(name, &data)
    }

    fn add(&mut self, name: &str, data: &[u8]) -> Result<(), String> {
        self.size += data.len() as u64;
        if self.size > LARGEST_CHART || self.files.len() >= MOST_FILES {
            return Err(format!(
                "chart folder is larger than {LARGEST_CHART} bytes or {MOST_FILES} files; list what does not belong \
                 to the chart in {}",
                ignore::FILE_NAME
            ));
        }
        self.files.push(File::new(name, data));
        Ok(())
    }
}

fn check_size(path: &Path, size: u64) -> Result<(), String> {
    if size <= LARGEST_FILE {
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Err(format!("chart file {name:?} is larger than the maximum file size {LARGEST_FILE}"))
}

fn link_text(path: &Path, reason: &str) -> String {
    format!("error evaluating symlink {}: {reason}", path.display())
}

/// Words an I/O error as Go does: `open /x: no such file or directory`.
pub(super) fn io_text(operation: &str, path: &Path, error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    let reason: String = first.into_iter().chain(letters).collect();
    format!("{operation} {}: {reason}", path.display())
}

/// A folder held in memory: paths from the chart's root to contents. `.helmignore` applies as in a real folder.
#[derive(Clone, Debug, Default)]
pub struct Memory(BTreeMap<String, Vec<u8>>);

impl Memory {
    /// Makes a folder of the given files.
    pub fn new<N: Into<String>, D: Into<Vec<u8>>>(files: impl IntoIterator<Item = (N, D)>) -> Self {
        Self(files.into_iter().map(|(name, data)| (name.into(), data.into())).collect())
    }
}

impl Source for Memory {
    fn files(&self) -> Result<(Vec<File>, Vec<String>), String> {
        let rules = Rules::parse(self.0.get(ignore::FILE_NAME).map(Vec::as_slice).unwrap_or_default())?;
        let mut ignored: HashSet<&str> = HashSet::new();
        let mut files = Vec::new();
        let mut paths: Vec<_> = self.0.iter().collect();
        // A walk visits `a/b` before `a-b`: entries of one folder are ordered, not whole paths.
        paths.sort_by(|(a, _), (b, _)| a.split('/').cmp(b.split('/')));
        for (path, data) in paths {
            let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
            if folders.any(|folder| {
                ignored.contains(folder) || (rules.ignores(folder, true) && ignored.insert(folder))
            }) || rules.ignores(path, false)
            {
                continue;
            }
            check_size(Path::new(path), data.len() as u64)?;
            files.push(File::new(path, data));
        }
        Ok((files, Vec::new()))
    }
}
