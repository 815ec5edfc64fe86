//! Compares the engine with real Helm: on a corpus of charts, on vectors, and on small cases.
//!
//! Every case runs in this process, panics are failures of their case, and the last line says how many passed.

mod args;
mod case;
mod cases;
mod compare;
mod corpus;
mod error;
mod folders;
mod fuzz;
mod host;
mod report;
mod run;
mod scoreboard;
mod unpack;
mod usage;
mod vectors;

use std::io::Write;
use std::process::ExitCode;

use args::Args;
use error::Error;
use report::Report;

fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    match conform(&mut out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "conformance: {error}"); // Nothing else is left to do.
            ExitCode::from(2)
        }
    }
}

/// Runs what the arguments ask for; reports whether everything passed.
fn conform(out: &mut impl Write) -> Result<bool, Error> {
    let args = Args::parse(std::env::args_os().skip(1))?;
    if args.help {
        write!(out, "{}", args::USAGE)?;
        return Ok(true);
    }
    if let Some(program) = &args.fuzz {
        return fuzz::run(program, &args, out);
    }
    let mut report = Report::default();
    if let Some(folder) = &args.corpus {
        report.add(run::all(corpus::load(folder, &args)?, &args));
    }
    for file in &args.vectors {
        report.add(run::all(vectors::load(file, &args)?, &args));
    }
    if let Some(folder) = &args.cases {
        report.add(run::all(cases::load(folder, &args)?, &args));
    }
    report.print(out, &args)?;
    let mut fine = report.failed() == 0;
    if let (Some(path), None) = (&args.scoreboard, &args.only) {
        fine &= scoreboard::keep(path, &report, args.update, out)?;
    }
    if args.corpus.is_some() {
        let within = usage::judge(out, args.usage)?;
        fine &= within || !args.usage && args.scoreboard.is_none();
    }
    writeln!(out, "{} passed, {} failed", report.passed(), report.failed())?;
    Ok(fine)
}
