//! Charts of folders, kept compiled while they are in use.

use std::cell::RefCell;

use helm::{Chart, CompiledChart};

/// So many charts are kept.
const KEPT: usize = 8;

/// A chart with its folder and what was said when it was loaded.
type Kept = (String, Vec<String>, Result<CompiledChart, helm::Error>);

thread_local! {
    static CHARTS: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// Returns the chart of a folder; what loading it says is added to `warnings`.
pub(crate) fn compiled(folder: &str, warnings: &mut Vec<String>) -> Result<CompiledChart, helm::Error> {
    CHARTS.with_borrow_mut(|charts| {
        if !charts.iter().any(|(known, ..)| known == folder) {
            let mut said = Vec::new();
            let chart = Chart::load_path(std::path::Path::new(folder)).and_then(|chart| {
                let compiled = CompiledChart::without_missing(chart)?;
                said.extend(compiled.warnings());
                compiled.check_dependencies()?;
                Ok(compiled)
            });
            charts.truncate(KEPT - 1);
            charts.insert(0, (folder.to_owned(), said, chart));
        }
        let Some((_, said, chart)) = charts.iter().find(|(known, ..)| known == folder) else {
            return Err(helm::Error::Values("the chart was not kept".to_owned()));
        };
        warnings.extend(said.iter().cloned());
        chart.clone()
    })
}
