//! Talks to the oracle: Go's text/template in a process of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use gotemplate::MissingKey;
use serde_json::json;

use super::{Case, Failure, hex, unhex};

pub(crate) struct Oracle {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts the program at a path.
    pub(crate) fn start(program: &str) -> Self {
        let mut child = Command::new(program)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    pub(crate) fn ask(&mut self, case: &Case) -> Result<Vec<u8>, Failure> {
        let missing_key = match case.missing_key {
            MissingKey::Invalid => "default",
            MissingKey::Zero => "zero",
            MissingKey::Error => "error",
        };
        let text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(text) => json!(text),
            Err(_) => json!({ "hex": hex(bytes) }),
        };
        let files: Vec<_> = case.files.iter().map(|(name, body)| json!([text(name), text(body)])).collect();
        let request = json!({ "files": files, "data": case.data, "missingkey": missing_key });
        writeln!(self.stdin, "{request}").unwrap();
        self.stdin.flush().unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let reply: serde_json::Value = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("the oracle died ({error}) on {request}"));
        match reply.get("error").and_then(|error| error.as_str()) {
            Some(error) => Err(Failure {
                text: error.to_owned(),
                is_parse: reply["parse"].as_bool().unwrap_or_default(),
            }),
            None => Ok(unhex(reply["output"].as_str().unwrap())),
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
