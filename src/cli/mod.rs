//! The command line: one file per command.

mod check;
mod crd;
mod diff;
mod docs;
mod error;
mod excerpt;
mod flags;
mod hints;
mod ignored;
mod kinds;
mod logging;
mod manifests;
mod resource;
mod run;
mod runtime;
mod served;
mod shape;
pub(crate) mod template;
mod values;
pub(crate) mod webhook;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use error::CliError;

const ABOUT: &str = "Turns any Helm chart into a Kubernetes operator";

const EXAMPLES: &str = "\
Examples:
  Run an operator for a chart, with the cluster of your kubeconfig:
    chartwright run --kubeconfig ~/.kube/config --chart charts/memcached \\
        --api-version anywhere.io/v1alpha1 --kind Memcached

  See what a chart renders, as `helm template` does:
    chartwright template my-release charts/memcached --set replicaCount=3

  Write the manifests that install the operator in a cluster:
    chartwright manifests --image you/memcached-operator --output-dir deploy \\
        --chart charts/memcached --api-version anywhere.io/v1alpha1 --kind Memcached";

#[derive(Parser)]
#[command(name = "chartwright", version, about = ABOUT, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the operator: serve a kind of custom resource with a chart
    // Go's flags may be given again, and the last counts.
    #[command(args_override_self = true)]
    Run(Box<run::RunArgs>),
    /// Print what a chart renders, as `helm template` does
    Template(Box<template::TemplateArgs>),
    /// Print what a custom resource would change on the cluster; exits with 0 if nothing, 1 if something, 2 on an error
    #[command(mut_arg("accept_breaking_changes", |arg| arg.hide(true)))]
    Diff(Box<diff::DiffArgs>),
    /// Print the CustomResourceDefinition for a chart
    #[command(mut_arg("skip_schema_validation", |arg| arg.hide(true)))]
    #[command(mut_arg("crds", |arg| arg.hide(true)))]
    Crd(Box<crd::CrdArgs>),
    /// Print a reference of a chart's values in Markdown
    #[command(mut_arg("accept_breaking_changes", |arg| arg.hide(true)))]
    #[command(mut_arg("skip_schema_validation", |arg| arg.hide(true)))]
    #[command(mut_arg("crds", |arg| arg.hide(true)))]
    Docs(Box<docs::DocsArgs>),
    /// Write the manifests that install the operator for a chart
    Manifests(Box<manifests::ManifestsArgs>),
    /// Check a chart and the names given to it, or all that a watches file lists
    #[command(mut_arg("accept_breaking_changes", |arg| arg.hide(true)))]
    #[command(mut_arg("skip_schema_validation", |arg| arg.hide(true)))]
    #[command(mut_arg("crds", |arg| arg.hide(true)))]
    Check(Box<check::CheckArgs>),
    /// Print the version
    Version,
}

/// Runs the command line and returns the process's exit status.
pub(crate) fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args = helm_operator_alias(args.collect());
    let matches = without_empty_variables(Cli::command()).get_matches_from(args);
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    match cli.command {
        Command::Run(args) => finish(run::run(*args)),
        Command::Template(args) => finish_as_helm(template::run(&args)),
        Command::Diff(args) => match diff::run(*args) {
            Ok(diff::Found::Nothing) => ExitCode::SUCCESS,
            Ok(diff::Found::Changes) => ExitCode::from(1),
            Ok(diff::Found::Refusals) => ExitCode::from(2),
            Err(error) => {
                finish(Err(error));
                ExitCode::from(2)
            }
        },
        Command::Crd(args) => finish(crd::run(&args)),
        Command::Docs(args) => finish(docs::run(&args)),
        Command::Manifests(args) => finish(manifests::run(&args)),
        Command::Check(args) => finish(check::run(&args)),
        Command::Version => finish(print(format!("chartwright {}\n", env!("CARGO_PKG_VERSION")))),
    }
}

/// Variables set to nothing count as unset: manifests and image builds leave them so.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let command = command.mut_args(|arg| match arg.get_env() {
        Some(name) if is_empty(name) => arg.env(None),
        _ => arg,
    });
    command.mut_subcommands(without_empty_variables)
}

/// Lets the binary stand in for operator-sdk's: an image's entrypoint is `helm-operator run ...` there.
fn helm_operator_alias(mut args: Vec<OsString>) -> Vec<OsString> {
    let program = args.first().map(|program| Path::new(program).file_stem().unwrap_or_default().to_owned());
    if program.is_some_and(|name| name == "helm-operator")
        && let Some(first) = args.first_mut()
    {
        *first = "chartwright".into();
    }
    args
}

const HINT: &str = "\n\nUse --debug flag to render out invalid YAML";

/// Ends as Helm does where a release was there already: rendering had begun.
fn finish_as_helm(result: Result<(), CliError>) -> ExitCode {
    let hint = match &result {
        Err(CliError::Helm(error)) if error.is_render_error() => HINT,
        _ => "",
    };
    finish_with(result, hint)
}

fn finish(result: Result<(), CliError>) -> ExitCode {
    finish_with(result, "")
}

fn finish_with(result: Result<(), CliError>, hint: &str) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has gone (`chartwright template ... | head`): nothing is wrong, and nobody to tell.
        Err(CliError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // People get the place and advice; a program that compares gets what Helm prints.
            let error = match &error {
                CliError::Helm(error) | CliError::Shown(error) if std::io::stderr().is_terminal() => {
                    excerpt::describe(error)
                }
                error => error.to_string(),
            };
            // Nothing is left to do if even standard error is gone.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("Error: {error}{hint}\n").as_bytes(),
            );
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard output.
fn print(text: impl AsRef<[u8]>) -> Result<(), CliError> {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_ref()).and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Writes a word of advice to standard error.
fn hint(text: &str) {
    // Nothing is lost if nobody listens.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("hint: {text}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn helm_operators_entrypoint_is_understood() {
        let args = helm_operator_alias(vec!["/usr/local/bin/helm-operator".into(), "run".into()]);
        assert!(Cli::command().try_get_matches_from(args).is_ok());
    }
}
