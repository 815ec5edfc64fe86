//! Templates, values and archives: whatever they hold, there is a result or an error, within the limits.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use gostd::Map;
use gotemplate::{FunctionSet, Set};
use helm::values::{ValueOptions, parse_set, parse_set_json, parse_set_literal, parse_set_string};
use helm::{Capabilities, Chart, CompiledChart, Release, RenderInput, RenderOptions, Still};

use crate::parts;

/// Functions that take their time by nature.
const SLOW: &[&str] =
    &["genPrivateKey", "genCA", "genSelf", "genSigned", "derivePassword", "bcrypt", "htpasswd", "AES"];

/// Any bytes as a template: it parses or says where it does not.
pub fn template_parse(text: &[u8]) {
    let mut set = Set::new("fuzz", FunctionSet::new(sprig::FUNCTIONS.iter().copied().flatten()));
    if let Err(error) = set.parse("t", text) {
        assert!(!error.to_string().is_empty());
    }
}

/// A template and a values file: the chart of the two renders or says why it does not.
pub fn template_execute(input: &[u8]) {
    let [template, values] = parts(input);
    let shown = gostd::value::lossy(template);
    if SLOW.iter().any(|slow| shown.contains(slow)) {
        return;
    }
    let source = helm::chart::Memory::new([
        ("Chart.yaml", b"apiVersion: v2\nname: c\nversion: 1.2.3\n".as_slice()),
        ("templates/t.yaml", template),
    ]);
    let Ok(chart) = Chart::load(&source) else { return };
    let options = ValueOptions { files: vec!["f".into()], ..ValueOptions::default() };
    let Ok(values) = options.merge(&|_| Ok(values.to_vec())) else { return };
    render(chart, &values);
}

fn render(chart: Chart, values: &gostd::value::Frozen) {
    let Ok(chart) = CompiledChart::new(chart) else { return };
    let rendered = chart.render(&RenderInput {
        values,
        release: Release { name: "r".into(), namespace: "n".into(), revision: 1, is_upgrade: false },
        capabilities: &Capabilities::default(),
        host: &Still,
        options: RenderOptions::default(),
    });
    match rendered {
        Ok(rendered) => {
            let _ = rendered.template_output(&helm::output::TemplateOutput::default());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any bytes as a chart archive, and as the tar in one.
pub fn archive(bytes: &[u8]) {
    let none = ValueOptions::default().merge(&|_| Ok(Vec::new())).expect("no values are valid values");
    if let Ok(chart) = Chart::load_archive(bytes) {
        render(chart, &none);
    }
    // The checksum keeps the fuzzer out of gzip, so the bytes are also tried as what it holds.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    if gzip.write_all(bytes).is_ok()
        && let Ok(archive) = gzip.finish()
        && let Ok(chart) = Chart::load_archive(&archive)
    {
        render(chart, &none);
    }
}

/// A text for `--set` and its kin, and a values file.
pub fn values_set(input: &[u8]) {
    let [set, file] = parts(input);
    let set = gostd::value::lossy(set);
    let options = ValueOptions { files: vec!["f".into()], set: vec![set.clone()], ..ValueOptions::default() };
    let _ = options.merge(&|_| Ok(file.to_vec()));
    for parse in [parse_set, parse_set_string, parse_set_json, parse_set_literal] {
        let _ = parse(&set, &Map::new());
    }
}
