//! Charts: metadata, templates, defaults, files, and the charts inside them.

use std::path::Path;

use gostd::GoStr;
use gostd::value::Frozen;

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
    /// Loaded subcharts (all of `charts/`, enabled or not).
    pub dependencies: Vec<Chart>,
    /// Things Helm logs while loading.
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

/// The content of Chart.yaml.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// `name`.
    pub name: String,
    /// `home`.
    pub home: String,
    /// `sources`.
    pub sources: Vec<String>,
    /// `version`.
    pub version: String,
    /// `description`.
    pub description: String,
    /// `keywords`.
    pub keywords: Vec<String>,
    /// `maintainers`.
    pub maintainers: Vec<Maintainer>,
    /// `icon`.
    pub icon: String,
    /// `apiVersion`.
    pub api_version: String,
    /// `condition`.
    pub condition: String,
    /// `tags`.
    pub tags: String,
    /// `appVersion`.
    pub app_version: String,
    /// `deprecated`.
    pub deprecated: bool,
    /// `annotations`, by key.
    pub annotations: Vec<(String, String)>,
    /// `kubeVersion`.
    pub kube_version: String,
    /// `dependencies`; `None` when the key is missing or null.
    pub dependencies: Option<Vec<Dependency>>,
    /// `type`.
    pub chart_type: String,
}

/// An entry of `maintainers`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Maintainer {
    /// `name`.
    pub name: String,
    /// `email`.
    pub email: String,
    /// `url`.
    pub url: String,
}

/// An entry of `dependencies`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dependency {
    /// `name`.
    pub name: String,
    /// `version`, a range.
    pub version: String,
    /// `repository`.
    pub repository: String,
    /// `condition`.
    pub condition: String,
    /// `tags`.
    pub tags: Vec<String>,
    /// `enabled`; rendering sets it.
    pub enabled: bool,
    /// `import-values`.
    pub import_values: Vec<Frozen>,
    /// `alias`.
    pub alias: String,
}

impl Chart {
    /// Loads a chart from a folder or an archive.
    pub fn load_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        Err(Error::Chart(format!("loading {} is not there yet", path.display())))
    }

    /// Loads a chart from a folder.
    pub fn load_dir(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::load_path(path)
    }

    /// Loads a chart from the bytes of a gzipped tar archive.
    pub fn load_archive(bytes: &[u8]) -> Result<Self, Error> {
        Err(Error::Chart(format!("loading an archive of {} bytes is not there yet", bytes.len())))
    }

    /// Returns the chart's name.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }
}
