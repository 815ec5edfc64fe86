//! The charts behind a kind: loaded once, checked, ready to render.

use std::path::{Path, PathBuf};

use helm::{Chart, CompiledChart};

use thiserror::Error;

use crate::reconcile::identity::Digest;
use crate::release::ChartJson;

/// A chart that cannot be used.
#[derive(Debug, Error)]
#[error("chart {path}: {error}")]
pub(crate) struct ChartError {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What is wrong.
    pub(crate) error: helm::Error,
}

/// A chart ready to render.
pub(crate) struct Loaded {
    pub(crate) compiled: CompiledChart,
    pub(crate) json: ChartJson,
    pub(crate) digest: Digest,
}

/// Loads a chart and parses its templates.
pub(crate) fn load(path: &Path) -> Result<Loaded, ChartError> {
    let fail = |error| ChartError { path: path.to_owned(), error };
    let chart = Chart::load_path(path).map_err(fail)?;
    let json = ChartJson::new(&chart);
    let digest = chart_digest(&chart);
    let compiled = CompiledChart::new(chart).map_err(fail)?;
    compiled.check_templates().map_err(fail)?;
    Ok(Loaded { compiled, json, digest })
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
