//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Runs the operator cases of a folder against a real control plane.
#[derive(Debug, Parser)]
#[command(name = "cases")]
pub(crate) struct Args {
    /// The folder: a folder with a case.yaml for each case
    #[arg(long, value_name = "DIR")]
    pub(crate) cases: PathBuf,
    /// Run only cases whose id contains one of these texts
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub(crate) only: Vec<String>,
    /// The operator to run [default: chartwright beside this program]
    #[arg(long, value_name = "FILE")]
    pub(crate) operator: Option<PathBuf>,
    /// The program that runs the rendering cases of the folder, to be run too and counted
    #[arg(long, value_name = "FILE")]
    pub(crate) render_runner: Option<PathBuf>,
    /// How many cases run at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub(crate) jobs: usize,
    /// Where the logs of operators are kept
    #[arg(long, value_name = "DIR", default_value = "target/cases")]
    pub(crate) logs: PathBuf,
}

impl Args {
    /// Whether a case is to be run.
    pub(crate) fn wants(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| id.contains(text.as_str()))
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "write a number, at least 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_ids_can_be_named() {
        let args = Args::parse_from(["cases", "--cases", "d", "--only", "a", "b", "--jobs", "3"]);
        assert_eq!(args.only, ["a", "b"]);
        assert_eq!(args.jobs, 3);
        assert!(args.wants("has-b") && !args.wants("none"));
        assert!(Args::parse_from(["cases", "--cases", "d"]).wants("none"));
    }
}
