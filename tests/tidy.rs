//! Rules about the sources that no linter knows.
#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::path::{Path, PathBuf};

/// The most lines a file of the operator, and of an engine crate, may have.
const LONGEST: &[(&str, usize)] = &[("src", 600), ("tools", 700), ("crates", 1200)];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "target" {
            sources(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_fit_a_head() {
    let mut long = Vec::new();
    for (dir, most) in LONGEST {
        let mut files = Vec::new();
        sources(&root().join(dir), &mut files);
        assert!(!files.is_empty(), "{dir} has sources");
        for path in files {
            let lines = std::fs::read_to_string(&path).expect("readable").lines().count();
            if lines > *most {
                long.push(format!("{} has {lines} lines, at most {most} fit", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn engine_crates_stay_pure() {
    const FOREIGN: &[&str] = &["tokio", "kube", "k8s-openapi", "clap"];
    for name in ["gostd", "goyaml", "gotemplate", "sprig", "helm", "crdschema"] {
        let manifest =
            std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("readable");
        for line in manifest.lines() {
            let dependency = line.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(!FOREIGN.contains(&dependency), "crates/{name} must not depend on {dependency}");
        }
        let mut files = Vec::new();
        sources(&root().join("crates").join(name).join("src"), &mut files);
        for path in files {
            let text = std::fs::read_to_string(&path).expect("readable");
            for call in
                ["std::env::", "SystemTime::now", "println!", "ToSocketAddrs", "TcpStream", "UdpSocket"]
            {
                assert!(!text.contains(call), "{}: {call} is the outside world", path.display());
            }
        }
    }
}

#[test]
fn modules_say_what_they_are() {
    for dir in ["src", "crates", "tools"] {
        let mut files = Vec::new();
        sources(&root().join(dir), &mut files);
        for path in files {
            let text = std::fs::read_to_string(&path).expect("readable");
            let is_test = path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"));
            let described =
                text.lines().take(3).any(|line| line.starts_with("//!") || line.starts_with("#![doc"));
            assert!(is_test || described, "{} starts with its module's one idea", path.display());
        }
    }
}

#[test]
fn documents_name_tests_that_exist() {
    let text = std::fs::read_to_string(root().join("docs/HELM-OPERATOR.md")).expect("readable");
    let named: Vec<(&str, &str)> = text
        .split('`')
        .filter(|part| part.contains(".rs::"))
        .filter_map(|part| part.split_once("::"))
        .collect();
    assert!(named.len() > 50, "the table names tests, not {}", named.len());
    for (file, name) in named {
        let path = root().join(file);
        let mut source = std::fs::read_to_string(&path).unwrap_or_default();
        // Large modules keep their tests in a file beside them.
        let beside =
            path.with_file_name(format!("{}_tests.rs", path.file_stem().unwrap_or_default().display()));
        source.push_str(&std::fs::read_to_string(beside).unwrap_or_default());
        let found = source.lines().collect::<Vec<_>>().windows(3).any(|lines| {
            let is_test =
                |line: &&str| line.trim().starts_with("#[test]") || line.trim().starts_with("#[tokio::test");
            let defined = lines.last().is_some_and(|line| line.contains(&format!("fn {name}(")));
            defined && lines.iter().any(is_test)
        });
        assert!(found, "docs/HELM-OPERATOR.md names {file}::{name}, and there is no such test");
    }
}

/// The quoted words of a text at the places that a pattern, which ends before one, leads to.
fn words_after<'a>(text: &'a str, pattern: &'a str) -> impl Iterator<Item = &'a str> {
    let starts = text.match_indices(pattern).map(|(at, found)| at + found.len());
    starts.filter_map(|at| text.get(at..)?.trim_start().strip_prefix('"')?.split('"').next())
}

#[test]
fn what_the_operator_tells_is_documented() {
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    let mut told: Vec<String> = Vec::new();
    for path in files {
        // What tests say is made up.
        let text = std::fs::read_to_string(&path).expect("readable");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        told.extend(words_after(text, "conditions.set(").map(str::to_owned));
        for action in ["Severity::Normal,", "Severity::Warning,"] {
            for (at, _) in text.match_indices(action) {
                let mut words = text.get(at + action.len()..).unwrap_or_default().splitn(3, ',');
                let reason = words.nth(1).unwrap_or_default().trim();
                let reason = reason.strip_prefix('"').and_then(|reason| reason.strip_suffix('"'));
                told.extend(reason.map(str::to_owned));
            }
        }
        told.extend(
            text.split(['"', '`']).filter(|word| word.starts_with("chartwright_")).map(str::to_owned),
        );
        if path.ends_with("reconcile/error.rs") {
            let reasons = text.split("fn reason(").nth(1).unwrap_or_default().split("fn ").next();
            told.extend(reasons.unwrap_or_default().split('"').skip(1).step_by(2).map(str::to_owned));
        }
        told.extend(words_after(text, "Held::new(").map(str::to_owned));
    }
    told.sort_unstable();
    told.dedup();
    assert!(told.len() > 45, "{told:?}");
    let document = std::fs::read_to_string(root().join("docs/STATUS.md")).expect("readable");
    let missing: Vec<_> = told
        .iter()
        .filter(|word| {
            !document.contains(&format!("`{word}`")) && !document.contains(&format!("`{word}_total`"))
        })
        .collect();
    assert!(missing.is_empty(), "docs/STATUS.md does not tell of {missing:?}");
}

#[test]
fn engine_crates_explain_themselves_with_examples_that_run() {
    for name in ["gostd", "goyaml", "gotemplate", "sprig", "helm", "crdschema"] {
        let folder = root().join("crates").join(name);
        let readme = std::fs::read_to_string(folder.join("README.md")).expect("a README");
        assert!(readme.contains("```rust"), "crates/{name}/README.md has an example");
        let library = std::fs::read_to_string(folder.join("src/lib.rs")).expect("readable");
        assert!(
            library.contains("doc = include_str!(\"../README.md\")"),
            "crates/{name}'s example runs as a test"
        );
    }
}

/// End-to-end tests share one cluster: a kind that two of them define is the type of whichever came first.
#[test]
fn end_to_end_tests_have_kinds_of_their_own() {
    let mut seen = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir(root().join("tests/e2e")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        for (_, rest) in text.match_indices("Kind::new(\"").map(|(at, found)| text.split_at(at + found.len()))
        {
            let name = rest.split('"').next().unwrap_or_default().to_lowercase();
            let before = seen.insert(name.clone(), path.clone());
            assert!(before.is_none(), "two tests have the kind {name}: {before:?} and {path:?}");
        }
    }
    // The names of a kind, its plural among them, may be no name of another.
    for (name, path) in &seen {
        let other = name.strip_suffix('s').and_then(|singular| seen.get(singular));
        assert!(other.is_none(), "{name} in {path:?} is the plural of a kind in {other:?}");
    }
}
