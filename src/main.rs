//! Turns any Helm chart into a Kubernetes operator.
//!
//! The tree is the data flow: chart → values → render → objects → release → apply → status.

mod cli;
mod convert;
mod crd;
mod manifests;
mod names;
mod operator;
mod settings;
mod watches;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(std::env::args_os())
}
