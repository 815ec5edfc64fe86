//! The flags that say which kinds are served: one by its chart and names, or those that a watches file lists.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::served::ServedArgs;
use super::{CliError, hint};
use crate::settings::Watch;
use crate::watches::{self, WatchesFile};

/// The watches file that is read where neither a file nor a kind is given.
pub(super) const USUAL: &str = "watches.yaml";

/// A setting of one kind: its id, its flag, its variable, and whether it says which kind is meant.
type OfOneKind = (&'static str, &'static str, &'static str, bool);

const OF_ONE_KIND: &[OfOneKind] = &[
    ("argument", "CHART", "", true),
    ("chart", "--chart", "HELM_CHART", true),
    ("api_version", "--api-version", "API_VERSION", true),
    ("kind", "--kind", "KIND", true),
    ("plural", "--plural", "PLURAL", false),
    ("scope", "--scope", "SCOPE", false),
    ("short_names", "--short-name", "SHORT_NAMES", false),
    ("categories", "--category", "CATEGORIES", false),
    ("columns", "--column", "", false),
    ("replicas_path", "--replicas-path", "REPLICAS_PATH", false),
    ("schema", "--schema", "CRD_SCHEMA", false),
    ("accept_breaking_changes", "--accept-breaking-changes", "ACCEPT_BREAKING_CHANGES", false),
    ("skip_schema_validation", "--skip-schema-validation", "SKIP_SCHEMA_VALIDATION", false),
    ("crds", "--crds", "CHART_CRDS", false),
];

/// The flags as they are declared.
#[derive(Args, Clone, Debug)]
struct Flags {
    #[command(flatten)]
    served: ServedArgs,
    /// A file that lists kinds and charts, in place of --chart, --api-version and --kind [default: watches.yaml in the
    /// working directory, when none of those is given]
    #[arg(long, env = "HELM_CHART_WATCHES", value_name = "FILE")]
    watches_file: Option<PathBuf>,
}

/// For commands that look at charts: one may stand by itself, as it does for `helm template`.
#[derive(Args, Clone, Debug)]
struct Argument {
    /// The chart, in place of --chart
    #[arg(value_name = "CHART")]
    argument: Option<PathBuf>,
}

/// One kind or those of a file. Flags that contradict each other are refused; of flag and environment the flag counts.
#[derive(Clone, Debug)]
pub(crate) struct KindArgs {
    served: ServedArgs,
    watches_file: Option<PathBuf>,
    /// What is given to no purpose, and what counts in its place.
    unused: Option<String>,
    /// What says something of one kind: flags and variables.
    of_one_kind: Vec<&'static str>,
}

/// The same, where a chart may be given as an argument.
#[derive(Clone, Debug)]
pub(crate) struct ChartArgs(KindArgs);

impl std::ops::Deref for ChartArgs {
    type Target = KindArgs;

    fn deref(&self) -> &KindArgs {
        &self.0
    }
}

/// Where the kinds are.
pub(super) enum Kinds<'a> {
    /// In the flags.
    One(&'a ServedArgs),
    /// In a file.
    Listed(&'a Path),
}

impl Args for KindArgs {
    fn augment_args(command: Command) -> Command {
        Flags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl Args for ChartArgs {
    fn augment_args(command: Command) -> Command {
        Flags::augment_args(Argument::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for KindArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::read(matches, false)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl FromArgMatches for ChartArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        KindArgs::read(matches, true).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl KindArgs {
    fn read(matches: &ArgMatches, by_argument: bool) -> Result<Self, clap::Error> {
        let Flags { mut served, watches_file } = Flags::from_arg_matches(matches)?;
        let argument = if by_argument { Argument::from_arg_matches(matches)?.argument } else { None };
        let from = |source: ValueSource| {
            let known = OF_ONE_KIND.iter().filter(move |(id, ..)| by_argument || *id != "argument");
            known.filter(move |(id, ..)| matches.value_source(id) == Some(source))
        };
        let flags: Vec<_> = from(ValueSource::CommandLine).collect();
        let variables = from(ValueSource::EnvVariable).map(|(_, _, variable, _)| *variable);
        let of_one_kind: Vec<_> = flags.iter().map(|(_, flag, ..)| *flag).chain(variables).collect();
        served.by_argument = by_argument;
        let watches_file = watches_file.filter(|path| !path.as_os_str().is_empty());
        let mut args = Self { served, watches_file, unused: None, of_one_kind };
        if argument.is_some() {
            if flags.iter().any(|(id, ..)| *id == "chart") {
                return Err(refusal("a chart is given twice, as the argument CHART and by --chart"));
            }
            args.served.chart = argument;
        }
        if args.watches_file.is_none() || args.of_one_kind.is_empty() {
            return Ok(args);
        }
        let by_flag = matches.value_source("watches_file") == Some(ValueSource::CommandLine);
        let naming = flags.iter().find(|(.., names)| *names);
        match (by_flag, flags.first(), naming) {
            (true, Some((_, flag, ..)), _) => {
                return Err(refusal(&format!(
                    "{flag} cannot be used with --watches-file, where each entry says that of its kind"
                )));
            }
            (false, _, Some((_, flag, ..))) => {
                args.unused = Some(format!("{flag} counts, and HELM_CHART_WATCHES does not"));
                args.watches_file = None;
            }
            _ => {
                let file = if by_flag { "--watches-file" } else { "HELM_CHART_WATCHES" };
                args.unused = Some(not_counted(file, &args.of_one_kind));
            }
        }
        Ok(args)
    }

    /// The same for a resource, which says its kind itself: with a chart that is all there is to know.
    pub(super) fn of(&self, api_version: &str, kind: &str) -> Self {
        let mut args = self.clone();
        if args.served.chart.is_some() {
            args.served.api_version.get_or_insert_with(|| api_version.to_owned());
            args.served.kind.get_or_insert_with(|| kind.to_owned());
        }
        args
    }

    /// Where the kinds are: in a file that was asked for, else in the flags, else in the file at its usual place.
    pub(super) fn kinds<'a>(&'a self, usual: &'a Path) -> Kinds<'a> {
        let usual = || Some(usual).filter(|file| self.served.is_empty() && file.exists());
        match self.watches_file.as_deref().or_else(usual) {
            Some(file) => Kinds::Listed(file),
            None => Kinds::One(&self.served),
        }
    }

    /// What is given to no purpose, for what was given elsewhere counts in its place.
    pub(super) fn unused(&self, usual: &Path) -> Option<String> {
        let is_ignored = self.watches_file.is_none() && usual.exists();
        self.unused.clone().or_else(|| match self.kinds(usual) {
            // A flag says clearly enough what is meant; the variables of an image may have been forgotten.
            Kinds::One(_) if is_ignored && !self.of_one_kind.iter().any(|name| is_flag(name)) => {
                let count = if self.of_one_kind.len() == 1 { "counts" } else { "count" };
                let names = self.of_one_kind.join(", ");
                Some(format!("{names} {count}, and the file {} does not", usual.display()))
            }
            Kinds::Listed(_) if is_ignored && !self.of_one_kind.is_empty() => {
                Some(not_counted(&format!("the file {}", usual.display()), &self.of_one_kind))
            }
            _ => None,
        })
    }

    /// Says on standard error what is given to no purpose.
    pub(super) fn hint_unused(&self) {
        if let Some(unused) = self.unused(Path::new(USUAL)) {
            hint(&unused);
        }
    }

    /// Returns all kinds, and says on standard error what is given to no purpose.
    ///
    /// # Errors
    /// As [`KindArgs::watches`].
    pub(super) fn hinted(&self) -> Result<Vec<Watch>, CliError> {
        self.hint_unused();
        self.watches(Path::new(USUAL), &hint)
    }

    /// Returns all kinds. `tell` gets what a file holds to no purpose.
    ///
    /// # Errors
    /// When something is missing, or an entry of the file cannot be used.
    pub(super) fn watches(&self, usual: &Path, tell: &dyn Fn(&str)) -> Result<Vec<Watch>, CliError> {
        match self.kinds(usual) {
            Kinds::One(served) => Ok(vec![served.to_watch()?]),
            Kinds::Listed(file) => {
                let listed = listed(file, tell)?.into_watches();
                listed.map_err(|error| CliError::Usage(error.to_string()))
            }
        }
    }
}

/// Reads a watches file, faults and all.
pub(super) fn listed(file: &Path, tell: &dyn Fn(&str)) -> Result<WatchesFile, CliError> {
    let unused = |what: &str| tell(&format!("the watches file {}: {what}", file.display()));
    watches::read(file, unused).map_err(|error| CliError::Usage(error.to_string()))
}

fn is_flag(name: &str) -> bool {
    name.starts_with("--") || name == "CHART"
}

fn not_counted(what: &str, others: &[&str]) -> String {
    let do_not = if others.len() == 1 { "does not" } else { "do not" };
    format!("{what} counts, and {} {do_not}", others.join(", "))
}

fn refusal(why: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, format!("{why}\n"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        kinds: ChartArgs,
    }

    fn parse(args: &[&str]) -> Result<ChartArgs, String> {
        let parsed = Program::try_parse_from(std::iter::once(&"x").chain(args));
        parsed.map(|program| program.kinds).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_that_contradict_each_other_are_refused() {
        for (flags, told) in [
            (&["--watches-file=w", "--chart=c"][..], "--chart cannot be used with --watches-file"),
            (&["--watches-file=w", "c"], "CHART cannot be used with --watches-file"),
            (&["--watches-file=w", "--schema=strict"], "--schema cannot be used with --watches-file"),
            (&["c", "--chart=d"], "given twice"),
        ] {
            let error = parse(flags).unwrap_err();
            assert!(error.contains(told), "{flags:?}: {error}");
        }
        assert!(parse(&["--watches-file=w"]).unwrap().unused(Path::new(USUAL)).is_none());
    }

    #[test]
    fn what_is_missing_is_told_with_all_ways_to_give_it() {
        let missing = |args: &[&str]| {
            let watches = parse(args).unwrap().watches(Path::new("/nowhere/watches.yaml"), &|_| {});
            watches.unwrap_err().to_string()
        };
        let told = missing(&[]);
        for way in ["as an argument", "--chart", "HELM_CHART", "--watches-file", "HELM_CHART_WATCHES", USUAL]
        {
            assert!(told.contains(way), "{way}: {told}");
        }
        let told = missing(&["c"]);
        for way in ["--api-version", "API_VERSION", "--kind", "KIND"] {
            assert!(told.contains(way), "{way}: {told}");
        }
        assert!(!told.contains("no chart"), "{told}");
    }
}
