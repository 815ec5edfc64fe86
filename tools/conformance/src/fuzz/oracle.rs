//! The live Helm: a program that reads cases and writes them back with the answer.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use gostd::{Map, Value};

use crate::error::Error;

/// How much memory Helm's process may hold between two cases: cases that it gave up go on in it, and some fill it.
const MEMORY: u64 = 2 << 30;
/// Its answer to such a case.
const GIVEN_UP: &[u8] = b"oracle: no answer in time";

/// A running oracle; it ends when it is dropped.
pub(crate) struct Oracle {
    program: PathBuf,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    pub(crate) fn start(program: &Path) -> Result<Self, Error> {
        let failed = |reason: String| Error::data(program, reason);
        let mut child = Command::new(program)
            .env("TZ", "UTC")
            .env("GOMEMLIMIT", MEMORY.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| failed("no output".to_owned()))?;
        Ok(Self { program: program.to_owned(), child, input, output: BufReader::new(output) })
    }

    /// Returns the case with the answer. Some cases end Helm's process at once; the answer says so. A process that ended, or that is
    /// of no use any more, is followed by a new one.
    pub(crate) fn ask(&mut self, case: &Map) -> Result<Map, Error> {
        let answer = self.try_ask(case)?;
        let is_spent = answer.as_ref().is_none_or(given_up) || self.memory() > MEMORY;
        if is_spent {
            *self = Self::start(&self.program.clone())?;
        }
        Ok(answer.unwrap_or_else(|| {
            let answer = Map::new();
            super::put(&answer, "error", Value::string("oracle: died"));
            answer
        }))
    }

    /// How many bytes the process holds; 0 where that is not known.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = resident.and_then(|text| text.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        kilobytes.unwrap_or_default() * 1024
    }

    fn try_ask(&mut self, case: &Map) -> Result<Option<Map>, Error> {
        let failed = |reason: String| Error::data(Path::new("the oracle"), reason);
        let mut line = gostd::json::marshal(&Value::Map(case.clone()), false)
            .map_err(|error| failed(error.to_string()))?;
        line.push(b'\n');
        let input = self.input.as_mut().ok_or_else(|| failed("has ended".to_owned()))?;
        input.write_all(&line).and_then(|()| input.flush())?;
        let mut answer = Vec::new();
        self.output.read_until(b'\n', &mut answer)?;
        if answer.is_empty() {
            return Ok(None);
        }
        gostd::json::unmarshal_object(&answer).map(Some).map_err(|error| failed(error.to_string()))
    }
}

fn given_up(answer: &Map) -> bool {
    answer.get("error").is_some_and(|error| error.as_str().is_some_and(|text| text.as_bytes() == GIVEN_UP))
}

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
