//! Subcharts under the names their values stand under.

use super::{Chart, Dependency};
use crate::dependencies::is_compatible;

/// A loaded subchart as its parent knows it.
#[derive(Clone, Copy, Debug)]
pub struct Subchart<'c> {
    /// The alias, or the chart's own name: the key of its table in the parent's values.
    pub name: &'c str,
    /// The chart.
    pub chart: &'c Chart,
    /// The entry of the parent's `dependencies`; `None` when there is none that fits.
    pub declared: Option<&'c Dependency>,
}

impl Chart {
    /// Returns the subcharts that may take part in a render, whatever conditions and tags say: those nobody declared
    /// under their own name, then one for each declaration that a loaded chart fits (`processDependencyEnabled`).
    pub fn subcharts(&self) -> Vec<Subchart<'_>> {
        let declared: Vec<&Dependency> = self.metadata.dependencies.iter().flatten().collect();
        let fits = |entry: &Dependency, chart: &Chart| {
            entry.name == chart.name() && is_compatible(&entry.version, &chart.metadata.version)
        };
        let undeclared = self
            .dependencies
            .iter()
            .filter(|chart| !declared.iter().any(|entry| fits(entry, chart)))
            .map(|chart| Subchart { name: chart.name(), chart, declared: None });
        let loaded = declared.iter().filter_map(|entry| {
            let chart = self.dependencies.iter().find(|chart| fits(entry, chart))?;
            Some(Subchart { name: entry.effective_name(), chart, declared: Some(entry) })
        });
        undeclared.chain(loaded).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::chart::{Chart, Memory};

    #[test]
    fn subcharts_stand_under_their_aliases() {
        let chart = Chart::load(&Memory::new([
            (
                "Chart.yaml",
                "apiVersion: v2\nname: p\nversion: 1.0.0\ndependencies:\n\
                 - {name: db, version: '1.x', alias: main}\n- {name: db, version: '1.x', alias: spare}\n\
                 - {name: other, version: '2.x'}\n",
            ),
            ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.2.3\n"),
            ("charts/other/Chart.yaml", "apiVersion: v2\nname: other\nversion: 1.0.0\n"),
        ]))
        .unwrap();
        let subcharts = chart.subcharts();
        let names: Vec<_> = subcharts.iter().map(|sub| (sub.name, sub.declared.is_some())).collect();
        assert_eq!(names, [("other", false), ("main", true), ("spare", true)]);
    }
}
