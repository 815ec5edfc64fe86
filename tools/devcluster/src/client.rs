//! Talking to the API server through `kubectl`.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use crate::{Error, Result, advice::Advice};

/// A `kubectl` that knows only one kubeconfig.
#[derive(Debug, Clone)]
pub(crate) struct Kubectl {
    pub(crate) program: PathBuf,
    pub(crate) kubeconfig: PathBuf,
    /// Where it may keep what it learned about the server's APIs. The default is shared by all clusters and goes by
    /// address, and addresses come back.
    pub(crate) cache: PathBuf,
}

impl Kubectl {
    /// A command to add arguments to.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        isolate(&mut command, &self.kubeconfig, &self.cache);
        command
    }

    /// Runs it and returns what it prints, or an error with what it complains about.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<String> {
        self.run_with_input(arguments, "")
    }

    /// The same, with something on standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Result<String> {
        let failed = || Error::io("run", &self.program);
        let mut command = self.command();
        command.arg("--request-timeout=10s").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed())?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that ends without reading its input tells why on standard error.
            let _ = stdin.write_all(input.as_bytes());
        }
        let Output { status, stdout, stderr } = child.wait_with_output().map_err(failed())?;
        if status.success() {
            return Ok(String::from_utf8_lossy(&stdout).into_owned());
        }
        let stderr = String::from_utf8_lossy(&stderr).trim_end().to_owned();
        let advice = Advice::for_client(&stderr);
        Err(Error::Kubectl { arguments: arguments.join(" "), status: status.to_string(), stderr, advice })
    }
}

/// Points a client at one cluster and keeps the user's settings for others out of it.
pub(crate) fn isolate(command: &mut Command, kubeconfig: &Path, cache: &Path) {
    command.env("KUBECONFIG", kubeconfig).env("KUBECACHEDIR", cache).env("KUBERC", "off");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<String> {
        let folder = std::env::temp_dir();
        let program = folder.join(format!("devcluster-client-{}-{}", std::process::id(), script.len()));
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
        let kubectl = Kubectl { program: program.clone(), kubeconfig: "/k".into(), cache: "/c".into() };
        let result = kubectl.run_with_input(&["get", "pods"], "input");
        std::fs::remove_file(program).unwrap();
        result
    }

    #[test]
    fn only_the_given_kubeconfig_is_seen() {
        let told = shell("echo $KUBECONFIG $KUBECACHEDIR $*; cat").unwrap();
        assert_eq!(told, "/k /c --request-timeout=10s get pods\ninput");
    }

    #[test]
    fn complaints_are_told_with_advice() {
        let error = shell("echo 'Error: pods is forbidden' >&2; exit 1").unwrap_err().to_string();
        assert!(
            error.starts_with("kubectl get pods failed (exit status: 1): Error: pods is forbidden\n"),
            "{error}"
        );
        assert!(error.contains("RoleBinding"), "{error}");
    }
}
