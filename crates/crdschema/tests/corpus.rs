//! Infers the schema of every chart of the corpus and judges every values file by it.
//!
//! `cargo test -p crdschema --test corpus -- --nocapture` prints the table; `CRDSCHEMA_VERBOSE` adds each refusal.
#![allow(clippy::print_stdout)]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use crdschema::{Api, Options, Report, to_json, validate};
use gostd::value::Frozen;
use helm::Chart;
use serde_json::Value;

/// What came of all charts.
#[derive(Default)]
struct Table {
    charts: usize,
    report: Report,
    /// Values files, and those that were taken.
    files: usize,
    taken: usize,
    /// Those that Helm refuses for their values, and those of them that the schema refuses as well.
    bad: usize,
    bad_refused: usize,
    /// The largest schema.
    largest: (usize, String),
    slowest: (Duration, String),
    total_size: usize,
}

fn values(path: &Path) -> Option<Value> {
    let map = goyaml::load_map(&std::fs::read(path).ok()?).ok()?;
    Some(to_json(&Frozen::from(&gostd::Value::Map(map))))
}

fn judge(
    root: &Path,
    charts: &std::collections::BTreeMap<String, common::Cases>,
    options: &Options,
) -> (Table, Vec<String>) {
    let mut table = Table::default();
    let (mut refused, mut left_to_helm) = (Vec::new(), Vec::new());
    for (name, cases) in charts {
        let Ok(chart) = Chart::load_path(root.join(name)) else { continue };
        let start = Instant::now();
        let api = Api::of(&chart, options);
        let schema = api.schema();
        let took = start.elapsed();
        let size = schema.to_string().len();
        let faults = validate(&schema, &api.sample());
        assert!(faults.is_empty(), "{name}: the example {} is wrong: {faults:?}", api.sample());
        table.charts += 1;
        table.total_size += size;
        table.report.add(&api.report);
        if size > table.largest.0 {
            table.largest = (size, name.clone());
        }
        if took > table.slowest.0 {
            table.slowest = (took, name.clone());
        }
        let own = Path::new(name).join("values.yaml");
        let files =
            cases.files.iter().map(|(file, error)| (file.clone(), error.clone())).chain([(own, None)]);
        for (file, error) in files {
            let Some(values) = values(&root.join(&file)) else { continue };
            let faults = validate(&schema, &values);
            if error.is_some() {
                table.bad += 1;
                if faults.is_empty() {
                    left_to_helm.push(file.display().to_string());
                } else {
                    table.bad_refused += 1;
                }
                continue;
            }
            table.files += 1;
            if faults.is_empty() {
                table.taken += 1;
            } else {
                let faults: Vec<_> =
                    faults.iter().take(3).map(|fault| format!("{} {}", fault.path, fault.problem)).collect();
                refused.push(format!("{}: {}", file.display(), faults.join("; ")));
            }
        }
    }
    if std::env::var_os("CRDSCHEMA_VERBOSE").is_some() {
        left_to_helm.iter().for_each(|file| println!("  left to Helm: {file}"));
    }
    (table, refused)
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

fn print(title: &str, table: &Table, refused: &[String]) {
    let report = &table.report;
    println!("{title}");
    println!("  charts                       {}", table.charts);
    println!("  values with a default        {}", report.leaves);
    println!("    typed                      {:.2} %", percent(report.typed, report.leaves));
    println!("    of several types           {:.2} %", percent(report.mixed, report.leaves));
    println!("    described                  {:.2} %", percent(report.described, report.leaves));
    println!("    described by their names   {:.2} %", percent(report.described_by_name, report.leaves));
    println!(
        "  values without one           {} ({:.2} % typed)",
        report.extra,
        percent(report.extra_typed, report.extra)
    );
    println!(
        "  values files taken           {} of {} ({:.2} %)",
        table.taken,
        table.files,
        percent(table.taken, table.files)
    );
    println!(
        "  values files Helm refuses    {}, of which the schema refuses {}",
        table.bad, table.bad_refused
    );
    println!("  largest schema               {} KiB ({})", table.largest.0 / 1024, table.largest.1);
    println!("  mean schema                  {} KiB", table.total_size / table.charts.max(1) / 1024);
    println!("  slowest                      {:?} ({})", table.slowest.0, table.slowest.1);
    println!("  folded                       {}", report.folded.len());
    if std::env::var_os("CRDSCHEMA_VERBOSE").is_some() {
        refused.iter().for_each(|line| println!("  refused {line}"));
    }
}

#[test]
fn every_values_file_of_the_corpus_is_taken() {
    let Some(shared) = common::shared() else { return };
    let root = common::unpacked(&shared);
    let charts = common::cases(&shared);
    let (blind, refused) = judge(&root, &charts, &Options { examples: false, ..Options::default() });
    print("without the charts' own values files as evidence", &blind, &refused);
    let (table, refused) = judge(&root, &charts, &Options::default());
    print("as it is", &table, &refused);
    assert_eq!(refused, [""; 0]);
    assert!(percent(table.report.typed, table.report.leaves) >= 95.0);
    assert!(percent(blind.taken, blind.files) >= 99.9);
}
