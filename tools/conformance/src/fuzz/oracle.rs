//! The live Helm: a program that reads cases and writes them back with the answer.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use gostd::{Map, Value};

use crate::error::Error;

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
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| failed("no output".to_owned()))?;
        Ok(Self { program: program.to_owned(), child, input, output: BufReader::new(output) })
    }

    /// Returns the case with the answer. Some cases end Helm's process at once; the answer says so, and a new one is started.
    pub(crate) fn ask(&mut self, case: &Map) -> Result<Map, Error> {
        if let Some(answer) = self.try_ask(case)? {
            return Ok(answer);
        }
        *self = Self::start(&self.program.clone())?;
        let answer = Map::new();
        super::put(&answer, "error", Value::string("oracle: died"));
        Ok(answer)
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

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
