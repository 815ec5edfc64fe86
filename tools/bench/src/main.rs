//! Measures chartwright against helm, a floor and other operators, in the same run on the same machine.

mod corpus;
mod error;
mod machine;
mod operator;
mod process;
mod render;
mod section;
mod stats;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Measures chartwright; every figure is a ratio to a peer in the same run")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Whole runs of `chartwright template` and `helm template`, and renders of a chart that is compiled already
    Render(render::RenderArgs),
    /// The operator with many resources, against a floor and, if there is one, another operator
    Operator(Box<operator::OperatorArgs>),
    /// Run a command and print what it took, for the other commands' use
    #[command(hide = true)]
    Measure {
        /// Folder to run in
        #[arg(long)]
        dir: PathBuf,
        /// The command
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Render(args) => render::run(&args),
        Command::Operator(args) => operator::run(&args),
        Command::Measure { dir, command } => process::measure_here(&dir, &command),
    };
    match result {
        Ok(report) => {
            say(&report);
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("Error: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout, reason = "printing the figures is what this program is for")]
fn say(text: &str) {
    println!("{text}");
}

#[allow(clippy::print_stderr, reason = "a measurement takes minutes, and silence looks like a fault")]
fn progress(text: &str) {
    eprintln!("{text}");
}
