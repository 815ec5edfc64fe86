//! The Go program that knows the truth (tools/oracle/sprig). `SPRIG_ORACLE` names its executable.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use super::values::{Plain, base64, unbase64};

/// A running oracle.
pub(crate) struct Oracle {
    child: Child,
}

impl Oracle {
    /// Starts the oracle, or says that there is none.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("SPRIG_ORACLE") else {
            println!("skipped: SPRIG_ORACLE names no oracle");
            return None;
        };
        let child = Command::new(program)
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle starts");
        Some(Self { child })
    }

    /// Asks about many templates and their data at once.
    pub(crate) fn ask(&mut self, questions: &[(&str, &Plain)]) -> Vec<Result<Vec<u8>, String>> {
        let mut input = self.child.stdin.take().unwrap();
        let mut output = BufReader::new(self.child.stdout.take().unwrap());
        let answers = std::thread::scope(|scope| {
            scope.spawn(|| {
                for (template, data) in questions {
                    let (template, data) = (base64(template.as_bytes()), data.encode());
                    writeln!(input, r#"{{"t":"{template}","d":{data}}}"#).unwrap();
                }
                input.flush().unwrap();
            });
            questions
                .iter()
                .map(|question| {
                    let mut line = String::new();
                    output.read_line(&mut line).unwrap();
                    assert!(!line.is_empty(), "the oracle died at {question:?}");
                    let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
                    let text = |key: &str| answer[key].as_str().map(unbase64);
                    match text("err") {
                        None => Ok(text("ok").unwrap_or_default()),
                        Some(error) => Err(gostd::value::lossy(&error)),
                    }
                })
                .collect()
        });
        self.child.stdin = Some(input);
        self.child.stdout = Some(output.into_inner());
        answers
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
