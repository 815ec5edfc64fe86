//! The charts behind a kind: one, or several versions of it; loaded once, checked, ready to render.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use helm::{Chart, CompiledChart};
use sprig::semver::Version;
use thiserror::Error;

use crate::reconcile::identity::Digest;
use crate::reconcile::objects;
use crate::release::ChartJson;

/// A chart that cannot be used.
#[derive(Debug, Error)]
pub(crate) enum ChartError {
    /// It does not load, or its templates are none.
    #[error("chart {path}: {error}")]
    Chart {
        /// Where it is.
        path: PathBuf,
        /// What is wrong.
        error: helm::Error,
    },
    /// A folder holds charts of different names.
    #[error(
        "{folder} holds the charts {one} and {other}: as the chart of a kind it may hold several versions of one chart only"
    )]
    Names {
        /// The folder.
        folder: PathBuf,
        /// A chart's name.
        one: String,
        /// That of another.
        other: String,
    },
    /// A folder holds a version twice.
    #[error("{folder} holds version {version} of the chart twice, in {one} and {other}")]
    Twice {
        /// The folder.
        folder: PathBuf,
        /// The version.
        version: String,
        /// Where it is.
        one: PathBuf,
        /// Where it is too.
        other: PathBuf,
    },
}

/// Reads the chart at a path: a chart's folder, an archive, or a folder that holds several versions of one chart, as folders
/// or archives. The one that counts where no version is asked for comes first: the newest that is no pre-release, if there
/// is one. The others follow, newest first.
///
/// # Errors
/// When one does not load, or they are not versions of one chart.
pub(crate) fn open(path: &Path) -> Result<Vec<Chart>, ChartError> {
    let mut found: Vec<(PathBuf, Chart)> = Vec::new();
    for path in versions_in(path) {
        let chart =
            Chart::load_path(&path).map_err(|error| ChartError::Chart { path: path.clone(), error })?;
        found.push((path, chart));
    }
    found.sort_by(|(_, a), (_, b)| by_precedence(a, b));
    for (index, (one_path, one)) in found.iter().enumerate() {
        for (other_path, other) in found.iter().skip(index + 1) {
            if one.name() != other.name() {
                let (one, other) = (one.name().to_owned(), other.name().to_owned());
                return Err(ChartError::Names { folder: path.to_owned(), one, other });
            }
            if is_version(one, &other.metadata.version) {
                return Err(ChartError::Twice {
                    folder: path.to_owned(),
                    version: one.metadata.version.clone(),
                    one: one_path.clone(),
                    other: other_path.clone(),
                });
            }
        }
    }
    Ok(found.into_iter().map(|(_, chart)| chart).collect())
}

/// The first of [`open`].
///
/// # Errors
/// As [`open`].
pub(crate) fn newest(path: &Path) -> Result<Chart, ChartError> {
    let found = open(path)?.into_iter().next();
    found.ok_or_else(|| ChartError::Chart {
        path: path.to_owned(),
        error: helm::Error::Chart("there is none".into()),
    })
}

/// The places of the charts at a path; what is no folder of charts is the place of one.
fn versions_in(path: &Path) -> Vec<PathBuf> {
    let is_chart = |path: &Path| {
        path.join("Chart.yaml").is_file() || path.extension().is_some_and(|extension| extension == "tgz")
    };
    let mut inside = Vec::new();
    if !path.join("Chart.yaml").exists()
        && let Ok(entries) = std::fs::read_dir(path)
    {
        inside.extend(entries.flatten().map(|entry| entry.path()).filter(|path| is_chart(path)));
        inside.sort();
    }
    if inside.is_empty() { vec![path.to_owned()] } else { inside }
}

/// Those that are no pre-releases first, then the newer ones.
fn by_precedence(one: &Chart, other: &Chart) -> Ordering {
    let version = |chart: &Chart| Version::parse(&chart.metadata.version).ok();
    let (one, other) = (version(one), version(other));
    let is_pre = |version: &Option<Version>| version.as_ref().is_some_and(|one| !one.prerelease().is_empty());
    is_pre(&one).cmp(&is_pre(&other)).then_with(|| match (&one, &other) {
        (Some(one), Some(other)) => other.compare(one),
        _ => other.is_some().cmp(&one.is_some()),
    })
}

/// Whether a chart has a version, in whatever way it is written (`v1.2.0`, `1.2`).
fn is_version(chart: &Chart, wanted: &str) -> bool {
    let own = &chart.metadata.version;
    let (Ok(one), Ok(other)) = (Version::parse(own), Version::parse(wanted)) else { return own == wanted };
    one.compare(&other) == Ordering::Equal && one.metadata() == other.metadata()
}

/// The charts that serve a kind.
#[derive(Clone)]
pub(crate) struct Charts {
    newest: Arc<Loaded>,
    others: Vec<Arc<Loaded>>,
    /// Why there is none, and the newest stands in for it.
    unusable: Option<Arc<str>>,
}

impl Charts {
    /// Loads the chart, or its versions, at a path and parses the templates.
    ///
    /// # Errors
    /// As [`open`] has them, and when a template does not parse.
    pub(crate) fn load(path: &Path) -> Result<Self, ChartError> {
        let fail = |error| ChartError::Chart { path: path.to_owned(), error };
        let mut charts = Vec::new();
        for chart in open(path)? {
            charts.push(Arc::new(Loaded::new(chart).map_err(fail)?));
        }
        let mut charts = charts.into_iter();
        match charts.next() {
            Some(newest) => Ok(Self { newest, others: charts.collect(), unusable: None }),
            None => Err(fail(helm::Error::Chart("there is none".into()))),
        }
    }

    /// What a kind has whose chart cannot be used: an empty one, of which nothing is to be made, and the reason.
    ///
    /// # Errors
    /// None that is known.
    pub(crate) fn unusable(why: &str) -> Result<Self, ChartError> {
        let fail = |error| ChartError::Chart { path: PathBuf::new(), error };
        let files =
            helm::chart::Memory::new([("Chart.yaml", "apiVersion: v2\nname: unusable\nversion: 0.0.0\n")]);
        let newest = Chart::load(&files).and_then(Loaded::new).map_err(fail)?;
        Ok(Self { newest: Arc::new(newest), others: Vec::new(), unusable: Some(why.into()) })
    }

    /// Why no chart can be used, if that is so.
    pub(crate) fn why_unusable(&self) -> Option<&Arc<str>> {
        self.unusable.as_ref()
    }

    /// The one that counts where no version is asked for.
    pub(crate) fn newest(&self) -> &Arc<Loaded> {
        &self.newest
    }

    /// A version.
    pub(crate) fn version(&self, wanted: &str) -> Option<&Arc<Loaded>> {
        let wanted = wanted.trim();
        self.all().find(|one| is_version(one.chart(), wanted))
    }

    /// All, the newest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        std::iter::once(&self.newest).chain(&self.others)
    }

    /// Whether these are others than some, or the same in another order.
    pub(crate) fn differ(&self, from: &Charts) -> bool {
        self.all().map(|one| one.digest).ne(from.all().map(|one| one.digest))
    }

    /// Their versions, the newest first.
    pub(crate) fn versions(&self) -> String {
        let all: Vec<_> = self.all().map(|one| one.chart().metadata.version.as_str()).collect();
        all.join(", ")
    }
}

/// A chart ready to render.
pub(crate) struct Loaded {
    pub(crate) compiled: Arc<CompiledChart>,
    pub(crate) json: ChartJson,
    /// Of its files.
    pub(crate) digest: Digest,
    /// What templates see of the kinds that the chart's own `crds/` bring, once somebody asked.
    crd_versions: OnceLock<Vec<String>>,
}

impl Loaded {
    fn new(chart: Chart) -> Result<Self, helm::Error> {
        let json = ChartJson::new(&chart);
        let digest = chart_digest(&chart);
        // helm-operator runs such charts, with the dependency switched off.
        let compiled = CompiledChart::without_missing(chart)?;
        let missing = compiled.missing_dependencies();
        if !missing.is_empty() {
            let chart = compiled.chart().name();
            tracing::warn!(
                chart,
                missing = missing.join(", "),
                "Dependencies are not in charts/ and are left out"
            );
        }
        compiled.check_templates()?;
        Ok(Self { compiled: Arc::new(compiled), json, digest, crd_versions: OnceLock::new() })
    }

    pub(crate) fn chart(&self) -> &Chart {
        self.compiled.chart()
    }

    /// Name and version.
    pub(crate) fn title(&self) -> String {
        let metadata = &self.chart().metadata;
        format!("{} {}", metadata.name, metadata.version)
    }

    /// What templates see of the kinds that its own `crds/` bring.
    pub(crate) fn crd_versions(&self) -> &[String] {
        self.crd_versions.get_or_init(|| objects::kinds_of_chart(self.chart()).as_capabilities())
    }
}

/// Digests everything of a chart that can change what it renders.
fn chart_digest(chart: &Chart) -> Digest {
    let mut parts = vec![format!("{:?}", chart.metadata).into_bytes(), chart.values_text.as_bytes().to_vec()];
    parts.push(chart.schema.as_ref().map(|schema| schema.as_bytes().to_vec()).unwrap_or_default());
    for file in chart.templates.iter().chain(&chart.files) {
        parts.push(file.name.clone().into_bytes());
        parts.push(file.data.as_bytes().to_vec());
    }
    parts.extend(chart.dependencies.iter().map(|chart| chart_digest(chart).0.to_le_bytes().to_vec()));
    Digest::of(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with charts; it goes when dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, charts: &[(&str, &str, &str)]) -> Self {
            let folder =
                std::env::temp_dir().join(format!("chartwright-charts-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            for (place, chart, version) in charts {
                let place = folder.join(place);
                std::fs::create_dir_all(&place).unwrap();
                let text = format!("apiVersion: v2\nname: {chart}\nversion: {version}\n");
                std::fs::write(place.join("Chart.yaml"), text).unwrap();
            }
            std::fs::write(folder.join("README.md"), "no chart").unwrap();
            Self(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn versions_are_ordered_and_found() {
        let folder = Folder::new(
            "order",
            &[
                ("a", "web", "1.9.0"),
                ("b", "web", "1.10.0"),
                ("c", "web", "2.0.0-rc.1"),
                ("d", "web", "v1.2.0"),
            ],
        );
        let charts = Charts::load(&folder.0).unwrap();
        assert_eq!(charts.versions(), "1.10.0, 1.9.0, v1.2.0, 2.0.0-rc.1");
        assert_eq!(charts.newest().title(), "web 1.10.0");
        for (wanted, found) in [
            ("1.9.0", Some("web 1.9.0")),
            ("v1.9", Some("web 1.9.0")),
            (" 1.2.0 ", Some("web v1.2.0")),
            ("2.0.0-rc.1", Some("web 2.0.0-rc.1")),
            ("2.0.0", None),
            ("newest", None),
        ] {
            assert_eq!(charts.version(wanted).map(|one| one.title()).as_deref(), found, "{wanted}");
        }
        let one = Charts::load(&folder.0.join("a")).unwrap();
        assert_eq!(one.versions(), "1.9.0");
    }

    #[test]
    fn only_versions_of_one_chart_serve_a_kind() {
        let error = |name, charts| Charts::load(&Folder::new(name, charts).0).err().unwrap().to_string();
        let told = error("names", &[("a", "web", "1.0.0"), ("b", "db", "1.0.0")]);
        assert!(
            told.contains("web") && told.contains("db") && told.contains("several versions of one"),
            "{told}"
        );
        let told = error("twice", &[("a", "web", "1.0.0"), ("b", "web", "v1.0")]);
        assert!(told.contains("twice") && told.contains("/a and ") && told.ends_with("/b"), "{told}");
        let told = error("none", &[]);
        assert!(told.contains("Chart.yaml"), "{told}");
    }

    #[test]
    fn a_chart_may_lack_what_is_switched_off() {
        let folder = Folder::new("lacking", &[]);
        let chart = "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- name: redis\n  version: 1.x\n  \
                     repository: https://charts.example.com\n  condition: redis.enabled\n";
        std::fs::write(folder.0.join("Chart.yaml"), chart).unwrap();
        let charts = Charts::load(&folder.0).unwrap();
        assert_eq!(charts.newest().compiled.missing_dependencies(), ["redis"]);
    }
}
