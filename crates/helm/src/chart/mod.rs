//! Charts: metadata, templates, defaults, files, and the charts inside them.

mod archive;
mod build;
mod ignore;
mod links;
mod metadata;
mod source;
mod subcharts;

use std::path::Path;

use gostd::GoStr;
use gostd::value::Frozen;

pub use archive::Archive;
pub use metadata::{Dependency, EmptyFields, Maintainer, Metadata};
pub use source::{Directory, Memory, Source};
pub use subcharts::Subchart;

use crate::Error;

/// A loaded chart with its subcharts. Immutable and shareable between threads.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Chart.yaml.
    pub metadata: Metadata,
    /// Files under `templates/`, in loading order.
    pub templates: Vec<File>,
    /// All other files, `crds/` included: what `.Files` shows.
    pub files: Vec<File>,
    /// values.yaml as plain data: a map, or nil when there is no such file.
    pub values: Frozen,
    /// values.yaml as text, comments and all; empty when there is no such file.
    pub values_text: GoStr,
    /// values.schema.json.
    pub schema: Option<GoStr>,
    /// Loaded subcharts: all of `charts/`, enabled or not.
    pub dependencies: Vec<Chart>,
    /// What Helm logs while loading.
    pub warnings: Vec<String>,
}

/// A file of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path from the chart's root, with `/`.
    pub name: String,
    /// The bytes, without a leading byte order mark.
    pub data: GoStr,
}

impl File {
    fn new(name: impl Into<String>, data: &[u8]) -> Self {
        let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
        Self { name: name.into(), data: GoStr::from(data) }
    }
}

impl Chart {
    /// Loads a chart from whatever holds its files.
    pub fn load(source: &dyn Source) -> Result<Self, Error> {
        Self::load_logged(source, &mut Vec::new())
    }

    /// Loads a chart as [`Chart::load`] does, and adds what Helm would log to `warnings`, also when loading fails.
    pub fn load_logged(source: &dyn Source, warnings: &mut Vec<String>) -> Result<Self, Error> {
        let (files, mut logged) = source.files().map_err(Error::Chart)?;
        let result = build::build(files, &mut logged);
        warnings.extend(logged.iter().cloned());
        let chart = result?;
        Ok(Self { warnings: logged, ..chart })
    }

    /// Loads a chart from a folder or an archive of the file system.
    pub fn load_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let info = std::fs::metadata(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                Error::Chart(format!("path {:?} not found", path.display().to_string()))
            }
            _ => Error::Chart(source::io_text("stat", path, &error)),
        })?;
        if info.is_dir() {
            return Self::load_dir(path);
        }
        let name = path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|error| Error::Chart(source::io_text("open", path, &error)))?;
        archive::ensure_archive(&name, &bytes).map_err(Error::Chart)?;
        Self::load_archive(&bytes)
    }

    /// Loads a chart from a folder.
    pub fn load_dir(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::load(&Directory::new(path.as_ref()))
    }

    /// Loads a chart from the bytes of a gzipped tar archive.
    pub fn load_archive(bytes: &[u8]) -> Result<Self, Error> {
        Self::load(&Archive::new(bytes))
    }

    /// Returns the chart's name.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Returns the files that hold CustomResourceDefinitions: those under `crds/` with a manifest's extension.
    pub fn crds(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| {
            let extension = gostd::path::ext(file.name.as_str());
            let is_manifest =
                [".yaml", ".yml", ".json"].iter().any(|known| extension.eq_ignore_ascii_case(known));
            file.name.starts_with("crds/") && is_manifest
        })
    }
}
