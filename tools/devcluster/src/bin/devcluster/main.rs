//! The command line of the development cluster.
#![allow(clippy::print_stdout, clippy::print_stderr)] // A command prints.

mod detach;
mod show;

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use clap::{Args, Parser, Subcommand};
use devcluster::{Assets, Cache, Cluster, Error, KUBECONFIG_VARIABLE, Options, Part};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Builds and starts a real Kubernetes control plane on this machine, for the demo and the tests.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build what is missing of the control plane into the cache (about 15 minutes on two cores the first time, then nothing)
    Build {
        /// Also build these: helm3, helm4
        #[arg(long, value_name = "PART", value_delimiter = ',')]
        with: Vec<Part>,
    },
    /// Start a cluster and keep it until ^C
    Up(Up),
    /// Stop a cluster and remove its state
    Down {
        #[command(flatten)]
        place: Place,
    },
    /// Print shell commands that point kubectl and helm at a running cluster
    Env {
        #[command(flatten)]
        place: Place,
    },
    /// Print the path of one program (kubectl, helm, helm4, etcd, ...)
    Path {
        /// The program
        #[arg(value_name = "NAME")]
        part: Part,
    },
}

#[derive(Debug, Args)]
struct Place {
    /// The cluster's state directory [default: clusters/default in the cache]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Up {
    #[command(flatten)]
    place: Place,
    /// How many nodes the cluster has
    #[arg(long, value_name = "N", default_value_t = Options::default().nodes)]
    nodes: usize,
    /// A fixed port for the API server [default: a free one]
    #[arg(long, value_name = "PORT")]
    api_port: Option<u16>,
    /// Leave out kube-controller-manager and kube-scheduler
    #[arg(long)]
    no_controllers: bool,
    /// Use the cluster of this kubeconfig instead of starting one
    #[arg(long, value_name = "FILE", env = KUBECONFIG_VARIABLE)]
    kubeconfig: Option<PathBuf>,
    /// How long each step of the start may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = Options::default().timeout.as_secs())]
    timeout: u64,
    /// Return once the cluster is ready, and leave it running until `devcluster down`
    #[arg(long)]
    detach: bool,
    /// Set for the process that `--detach` leaves behind
    #[arg(long, hide = true, conflicts_with = "detach")]
    detached: bool,
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("devcluster: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Error> {
    match command {
        Command::Build { with } => build(&with)?,
        Command::Up(up) if up.detach => return detach::start(&state(&up.place)?),
        Command::Up(up) => return self::up(up),
        Command::Down { place } => down(&state(&place)?)?,
        Command::Env { place } => env(&state(&place)?)?,
        Command::Path { part } => println!("{}", Assets::locate(&[part])?.path(part)?.display()),
    }
    Ok(ExitCode::SUCCESS)
}

fn state(place: &Place) -> Result<PathBuf, Error> {
    match &place.state {
        Some(directory) => Ok(directory.clone()),
        None => Ok(Cache::locate()?.default_state()),
    }
}

fn build(with: &[Part]) -> Result<(), Error> {
    let mut parts = match Options::from_env().kubeconfig {
        Some(_) => {
            eprintln!(
                "{KUBECONFIG_VARIABLE} names a cluster, so of the control plane only kubectl is needed"
            );
            vec![Part::Kubectl]
        }
        None => Part::CLUSTER.to_vec(),
    };
    parts.extend(with.iter().filter(|part| !Part::CLUSTER.contains(part)));
    let started = Instant::now();
    let assets = Assets::build(&parts, &mut show::on_standard_error())?;
    eprintln!("everything is built ({})", show::seconds(started.elapsed()));
    for part in parts {
        println!("{}", assets.path(part)?.display());
    }
    Ok(())
}

fn up(up: Up) -> Result<ExitCode, Error> {
    if up.detached {
        detach::leave_session();
    }
    let place = state(&up.place)?;
    let started = Instant::now();
    let options = Options {
        nodes: up.nodes,
        controllers: !up.no_controllers,
        api_port: up.api_port,
        state: up.kubeconfig.is_none().then(|| place.clone()),
        kubeconfig: up.kubeconfig,
        timeout: Duration::from_secs(up.timeout),
        ..Options::default()
    };
    if options.kubeconfig.is_none() {
        Assets::locate_or_build_with(&options.parts(), &mut show::on_standard_error())?;
    }
    let cluster = Cluster::start(options)?;
    if cluster.is_existing() {
        println!(
            "using the cluster at {} that {} names",
            cluster.server_url(),
            cluster.kubeconfig().display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    cluster.announce()?;
    let outcome = hold(&cluster, || {
        tell(&format!("the cluster is up ({})", show::seconds(started.elapsed())));
        tell(&format!("  server      {}", cluster.server_url()));
        tell(&format!("  kubeconfig  {}", cluster.kubeconfig().display()));
        tell(&format!("  to use it   eval \"$(devcluster env --state {})\"", place.display()));
        if up.detached {
            tell(&format!("  to stop it  devcluster down --state {}", place.display()));
            tell(detach::READY);
        } else {
            tell("  to stop it  ^C");
        }
    });
    if let Err(error) = &outcome {
        cluster.keep_logs();
        if up.detached {
            detach::record(cluster.state_directory(), error);
        }
    }
    drop(cluster);
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Keeps a cluster until a signal or a request ends it, or a part dies.
fn hold(cluster: &Cluster, ready: impl FnOnce()) -> Result<(), Error> {
    // Only now: until here the default action, to end at once, is right, for the parts end with us.
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&ended)).map_err(|source| Error::Io {
            action: "handle signals for",
            path: cluster.state_directory().to_owned(),
            source,
        })?;
    }
    ready();
    while !ended.load(Ordering::Relaxed) && !cluster.stop_requested() {
        cluster.check()?;
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Prints a line, if there is still somebody to read it.
fn tell(line: &str) {
    let mut output = std::io::stdout();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

fn down(state: &Path) -> Result<(), Error> {
    if devcluster::stop(state, Duration::from_secs(30))? {
        println!("the cluster is stopped and {} removed", state.display());
    } else {
        println!("the cluster had ended before; {} is removed", state.display());
    }
    Ok(())
}

fn env(state: &Path) -> Result<(), Error> {
    let (kubeconfig, programs) = match Options::from_env().kubeconfig {
        Some(given) => (given, Assets::locate(&[Part::Kubectl])?.directories()),
        None => {
            let facts = devcluster::find(state)?;
            (facts.kubeconfig, facts.programs)
        }
    };
    println!("export KUBECONFIG={}", quoted(&kubeconfig));
    for directory in programs.iter().rev() {
        println!("export PATH={}:\"$PATH\"", quoted(directory));
    }
    Ok(())
}

/// Quotes a path for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn paths_survive_a_shell() {
        assert_eq!(quoted(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }

    #[test]
    fn optional_parts_are_listed_with_commas() {
        let arguments = Arguments::parse_from(["devcluster", "build", "--with", "helm3,helm4"]);
        let Command::Build { with } = arguments.command else { panic!("another command") };
        assert_eq!(with, [Part::Helm3, Part::Helm4]);
    }
}
