#![doc = include_str!("../README.md")]

mod args;
mod case;
mod control;
mod error;
mod expand;
mod folder;
mod operator;
mod render;
mod report;
mod run;
mod schedule;
mod shell;
mod step;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;

use args::Args;
use error::Error;
use report::Totals;
use run::Bench;

fn main() -> ExitCode {
    let args = Args::parse();
    match run_all(&args) {
        Ok(totals) if totals.failed == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "cases: {error}"); // Nothing else is left to do.
            ExitCode::from(2)
        }
    }
}

/// Runs what the arguments ask for and prints what came of it; the last line is the totals.
fn run_all(args: &Args) -> Result<Totals, Error> {
    let cases = folder::load(&args.cases)?;
    let wanted: Vec<_> = cases.operator.into_iter().filter(|case| args.wants(&case.id)).collect();
    if wanted.is_empty() && (args.render_runner.is_none() || cases.others == 0) {
        return Err(Error::Nothing(args.cases.clone()));
    }
    let mut totals = Totals::default();
    if let Some(program) = &args.render_runner {
        totals = totals + render::run(program, args)?;
    }
    if !wanted.is_empty() {
        let bench = Bench::start(args)?;
        let out = Mutex::new(std::io::stdout());
        let passed = schedule::all(&wanted, args.jobs, |case| {
            let started = std::time::Instant::now();
            let failure = bench.run(case).err();
            let mut out = out.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let printed = report::print(&mut *out, case, started.elapsed(), failure.as_ref());
            printed.is_ok() && failure.is_none()
        });
        totals = totals + Totals::of(&passed);
    }
    writeln!(std::io::stdout(), "{totals}").map_err(Error::Print)?;
    Ok(totals)
}
