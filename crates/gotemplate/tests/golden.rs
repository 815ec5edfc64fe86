//! Every golden file agrees with Go's text/template.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

mod common;

use std::fs;

#[test]
fn golden_files_agree_with_go() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for golden in common::golden::read(&fs::read_to_string(&path).unwrap()) {
            count += 1;
            let got = golden.case.run();
            let got = got.map(|output| String::from_utf8(output).unwrap()).map_err(|failure| failure.text);
            if got != golden.want {
                let file = path.file_name().unwrap().to_string_lossy().into_owned();
                failures.push(format!("{file}: {}\n  want {:?}\n  got  {got:?}", golden.name, golden.want));
            }
        }
    }
    assert!(count > 0, "no golden files in {folder}");
    assert!(failures.is_empty(), "{} of {count} differ:\n{}", failures.len(), failures.join("\n"));
}
