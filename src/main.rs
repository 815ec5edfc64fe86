//! Turns any Helm chart into a Kubernetes operator.
//!
//! The tree is the data flow: chart → values → render → objects → release → apply → status.

mod annotations;
mod charts;
mod cli;
mod cluster;
mod convert;
mod crd;
mod definitions;
mod discretion;
mod election;
mod escapes;
mod json;
mod kind;
mod limits;
mod lock;
mod manifests;
mod names;
mod observe;
mod operator;
mod policy;
mod preview;
mod queue;
mod reconcile;
mod release;
mod reload;
mod settings;
mod slots;
mod threads;
mod tls;
mod watches;
mod webhook;
mod words;

use std::process::ExitCode;

fn main() -> ExitCode {
    let work = || cli::main(std::env::args_os());
    // How deep values may nest does not depend on the stack that the system gives to the first thread.
    match std::thread::Builder::new().stack_size(limits::STACK).spawn(work) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => work(),
    }
}
