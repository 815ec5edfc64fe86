//! The rendering cases of the same folder, which another program runs.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::args::Args;
use crate::error::Error;
use crate::report::Totals;

/// Runs the program on the folder, passes on what it prints but for the totals, and returns those.
pub(crate) fn run(program: &Path, args: &Args) -> Result<Totals, Error> {
    if args.only.is_empty() {
        return once(program, args, None);
    }
    let mut totals = Totals::default();
    for text in &args.only {
        totals = totals + once(program, args, Some(text))?;
    }
    Ok(totals)
}

fn once(program: &Path, args: &Args, only: Option<&String>) -> Result<Totals, Error> {
    let failed = |problem: String| Error::Render { program: program.display().to_string(), problem };
    let mut command = Command::new(program);
    command.arg("--cases").arg(&args.cases).stdout(Stdio::piped());
    if let Some(only) = only {
        command.args([OsString::from("--only"), only.into()]);
    }
    let mut child = command.spawn().map_err(|error| failed(format!("does not start: {error}")))?;
    let mut last = None;
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line.map_err(|error| failed(format!("cannot be listened to: {error}")))?;
            if let Some(line) = last.replace(line) {
                writeln!(std::io::stdout(), "{line}").map_err(Error::Print)?;
            }
        }
    }
    let status = child.wait().map_err(|error| failed(format!("cannot be waited for: {error}")))?;
    let totals = last.as_deref().and_then(Totals::read);
    totals.ok_or_else(|| failed(format!("printed no totals ({status})")))
}
