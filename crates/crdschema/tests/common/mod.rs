//! The corpus of real charts, unpacked once.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)] // Also in what tests share.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A chart, and the values files it was rendered with.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    /// Values files, with what Helm says about the values: its first line, where it refuses them.
    pub(crate) files: Vec<(PathBuf, Option<String>)>,
}

/// Returns the shared data, or says that the test is skipped.
pub(crate) fn shared() -> Option<PathBuf> {
    let variable = std::env::var_os("CHARTWRIGHT_SHARED").map(PathBuf::from);
    // The test of the whole repository and that of this crate stand at different depths.
    let beside =
        ["../shared", "../../../shared"].map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let found = beside.iter().find(|path| path.exists()).or(beside.last()).cloned();
    let path = variable.or(found).unwrap_or_default();
    if path.join("corpus/cases.tsv").exists() {
        return Some(path);
    }
    eprintln!("skipped: there is no {}", path.display());
    None
}

/// Unpacks the charts and returns where they are.
pub(crate) fn unpacked(shared: &Path) -> PathBuf {
    let archive = shared.join("corpus/charts.tar.gz");
    let size = fs::metadata(&archive).unwrap().len();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corpus-{size}"));
    if !target.exists() {
        let part = target.with_extension(std::process::id().to_string());
        let reader = flate2::read::GzDecoder::new(fs::File::open(archive).unwrap());
        tar::Archive::new(reader).unpack(&part).unwrap();
        if fs::rename(&part, &target).is_err() {
            // Another test was faster.
            fs::remove_dir_all(&part).unwrap();
        }
    }
    target
}

/// Reads the list of cases: charts in the order of their paths.
pub(crate) fn cases(shared: &Path) -> BTreeMap<String, Cases> {
    let text = fs::read_to_string(shared.join("corpus/cases.tsv")).unwrap();
    let mut charts: BTreeMap<String, Cases> = BTreeMap::new();
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [_, _, chart, values, _, _, error] = cells.as_slice() else {
            panic!("a row of another shape: {row}")
        };
        let entry = charts.entry((*chart).to_owned()).or_default();
        if *values != "-" {
            let about_values = ["don't meet the specifications", "type mismatch on"];
            let refused = about_values.iter().any(|words| error.contains(words));
            entry.files.push((PathBuf::from(values), refused.then(|| (*error).to_owned())));
        }
    }
    charts
}
