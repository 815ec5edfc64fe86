//! The scoreboard: how many cases passed when it was last raised. A change may not lower it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::error::Error;
use crate::report::{Report, Score};

const HEAD: &str = "\
# Conformance with Helm

Cases whose output, status and messages equal those of Helm 3.22.0. `make conformance` fails when a number here is not
reached; `make conformance` with `--update` raises them.

| suite | passed | total |
| --- | ---: | ---: |
";

/// Compares with the scoreboard, and raises it if asked to. Reports whether nothing was lost.
pub(crate) fn keep(path: &Path, report: &Report, update: bool, out: &mut impl Write) -> Result<bool, Error> {
    let mut board = match std::fs::read_to_string(path) {
        Ok(text) => read(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => return Err(Error::read(path)(error)),
    };
    let mut fine = true;
    for (suite, score) in report.scores() {
        let known = board.get(suite).copied().unwrap_or_default();
        // Another set of cases has a score of its own.
        let lost = known.total == score.total && score.passed < known.passed;
        if lost {
            fine = false;
            writeln!(
                out,
                "{suite}: {} of {} passed, the scoreboard says {}",
                score.passed, score.total, known.passed
            )?;
        } else {
            board.insert(suite.to_owned(), score);
        }
    }
    if update {
        let mut text = HEAD.to_owned();
        for (suite, score) in &board {
            text.push_str(&format!("| {suite} | {} | {} |\n", score.passed, score.total));
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
        }
        std::fs::write(path, text).map_err(Error::write(path))?;
    }
    Ok(fine)
}

fn read(text: &str) -> BTreeMap<String, Score> {
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let suite = cells.next()?.to_owned();
        Some((suite, Score { passed: cells.next()?.parse().ok()?, total: cells.next()?.parse().ok()? }))
    });
    rows.collect()
}
