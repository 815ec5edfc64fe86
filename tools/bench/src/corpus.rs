//! The charts to measure with: the heaviest of the reference corpus.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::BenchError;

/// A case of the corpus that renders.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The case's name.
    pub(crate) id: String,
    /// The chart's folder, below the extracted corpus.
    pub(crate) chart: String,
    /// The values file, if it has one.
    pub(crate) values: Option<String>,
    /// Bytes of output.
    pub(crate) weight: u64,
}

/// The corpus, extracted.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// The folder that holds `charts/`.
    pub(crate) dir: PathBuf,
    /// The cases that render, heaviest output first, one for each chart.
    pub(crate) cases: Vec<Case>,
}

/// Extracts the corpus into `work` (once) and lists its charts.
pub(crate) fn open(corpus: &Path, work: &Path) -> Result<Corpus, BenchError> {
    let input = |path: &Path, reason: String| BenchError::Input { path: path.to_owned(), reason };
    std::fs::create_dir_all(work).map_err(|error| input(work, error.to_string()))?;
    for archive in ["charts.tar.gz", "expected.tar.gz"] {
        let marker = work.join(format!(".{archive}"));
        if marker.exists() {
            continue;
        }
        let path = corpus.join(archive);
        let status = Command::new("tar").arg("-xzf").arg(&path).arg("-C").arg(work).status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(input(&path, format!("tar ended with {status}"))),
            Err(error) => return Err(input(&path, error.to_string())),
        }
        std::fs::write(&marker, "").map_err(|error| input(&marker, error.to_string()))?;
    }
    let list = corpus.join("cases.tsv");
    let text = std::fs::read_to_string(&list).map_err(|error| input(&list, error.to_string()))?;
    let mut cases: Vec<Case> = text.lines().filter_map(|line| case(line, work)).collect();
    cases.sort_by(|a, b| b.weight.cmp(&a.weight).then_with(|| a.id.cmp(&b.id)));
    let mut seen = std::collections::BTreeSet::new();
    cases.retain(|case| seen.insert(case.chart.clone()));
    Ok(Corpus { dir: work.to_owned(), cases })
}

fn case(line: &str, work: &Path) -> Option<Case> {
    let mut columns = line.split('\t');
    let id = columns.next()?.to_owned();
    let _publisher = columns.next()?;
    let chart = columns.next()?.to_owned();
    let values = Some(columns.next()?.to_owned()).filter(|values| values != "-");
    if !columns.next()?.starts_with("ok") {
        return None;
    }
    let weight = std::fs::metadata(work.join("expected").join(format!("{id}.yaml"))).ok()?.len();
    Some(Case { id, chart, values, weight })
}
