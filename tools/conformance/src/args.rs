//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::Error;

pub(crate) const USAGE: &str = "\
usage: conformance [--corpus DIR] [--vectors FILE...] [--cases DIR] [options]

  --corpus DIR       charts of many publishers: cases.tsv, charts.tar.gz, expected.tar.gz
  --vectors FILE...  functions.jsonl, yaml.jsonl, charts.jsonl, or others of these forms
  --cases DIR        folders with a case.yaml each
  --only TEXT        only cases whose name contains TEXT
  --scoreboard FILE  fail if fewer cases pass than FILE says
  --update           write what passed to the scoreboard
  --usage            show what the corpus needs of what is limited
  --full             show all of each difference, not only its first line; of random cases each error
  --work DIR         where to unpack the corpus (default: a folder of the user's cache)
  --jobs N           threads (default: as many as processors)
  --fuzz PROGRAM     compare random cases with a live Helm instead: the program of tools/oracle/helm
  --fuzz-kinds LIST  which, with commas between: charts, scopes, outputs, metadata, schemas, templates,
                     documents, edits, overrides
                     (default: all that can be made)
  --fuzz-corpus DIR  the charts that get random values, a folder as for --corpus
  --seconds N        for how long (default: 60)
  --seed N           where to start (default: 1)
";

/// What to run.
#[derive(Debug, Default)]
pub(crate) struct Args {
    pub(crate) corpus: Option<PathBuf>,
    pub(crate) vectors: Vec<PathBuf>,
    pub(crate) cases: Option<PathBuf>,
    pub(crate) only: Option<String>,
    pub(crate) scoreboard: Option<PathBuf>,
    pub(crate) update: bool,
    pub(crate) usage: bool,
    pub(crate) full: bool,
    pub(crate) work: Option<PathBuf>,
    pub(crate) jobs: usize,
    pub(crate) fuzz: Option<PathBuf>,
    pub(crate) fuzz_kinds: Option<String>,
    pub(crate) fuzz_corpus: Option<PathBuf>,
    pub(crate) seconds: u64,
    pub(crate) seed: u64,
    pub(crate) help: bool,
}

impl Args {
    pub(crate) fn parse(words: impl Iterator<Item = OsString>) -> Result<Self, Error> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let mut args = Self { jobs, seconds: 60, seed: 1, ..Self::default() };
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let option = word.to_string_lossy().into_owned();
            let mut value = || words.next().ok_or_else(|| Error::Usage(format!("{option} needs a value")));
            match option.as_str() {
                "--corpus" => args.corpus = Some(value()?.into()),
                "--cases" => args.cases = Some(value()?.into()),
                "--only" => args.only = Some(value()?.to_string_lossy().into_owned()),
                "--scoreboard" => args.scoreboard = Some(value()?.into()),
                "--work" => args.work = Some(value()?.into()),
                "--jobs" => args.jobs = number(&option, &value()?)?,
                "--fuzz" => args.fuzz = Some(value()?.into()),
                "--fuzz-kinds" => args.fuzz_kinds = Some(value()?.to_string_lossy().into_owned()),
                "--fuzz-corpus" => args.fuzz_corpus = Some(value()?.into()),
                "--seconds" => args.seconds = number(&option, &value()?)?,
                "--seed" => args.seed = number(&option, &value()?)?,
                "--update" => args.update = true,
                "--usage" => args.usage = true,
                "--full" => args.full = true,
                "--help" | "-h" => args.help = true,
                "--vectors" => {
                    args.vectors.push(value()?.into());
                    let is_file = |word: &OsString| !word.to_string_lossy().starts_with("--");
                    while let Some(file) = words.next_if(is_file) {
                        args.vectors.push(file.into());
                    }
                }
                other => return Err(Error::Usage(format!("unknown argument {other}"))),
            }
        }
        let nothing = args.corpus.is_none() && args.vectors.is_empty() && args.cases.is_none();
        if nothing && args.fuzz.is_none() && !args.help {
            return Err(Error::Usage("nothing to run".to_owned()));
        }
        Ok(args)
    }

    /// Reports whether a case is to be run.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|text| name.contains(text.as_str()))
    }
}

/// Reads a number above 0.
fn number<T: TryFrom<u64>>(option: &str, word: &OsString) -> Result<T, Error> {
    let number: Option<u64> = word.to_string_lossy().parse().ok().filter(|number| *number > 0);
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| Error::Usage(format!("{option} needs a number")))
}
