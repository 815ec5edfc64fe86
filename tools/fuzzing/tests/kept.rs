//! Feeds every target the inputs that were kept, and altered ones for a few seconds. `FUZZING_SECONDS` says for how long
//! altogether, `FUZZING_SEED` where to start.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on says why"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fuzzing::TARGETS;
use fuzzing::mutate::{Dice, altered};

/// The stack of the threads that render in the operator's and the command's way is no smaller.
const STACK: usize = 16 << 20;

fn kept(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a readable file"))).collect()
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Runs a target on a thread of its own; what it panicked with is in the test's output.
fn holds(check: fn(&[u8]), input: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| check(input))).is_ok()
}

#[test]
fn kept_and_altered_inputs_do_no_harm() {
    let run = || {
        let each = Duration::from_secs(number("FUZZING_SECONDS", 22)) / TARGETS.len() as u32;
        let mut dice = Dice::new(number("FUZZING_SEED", 1));
        for (target, check) in TARGETS {
            let inputs = kept(target);
            assert!(inputs.len() >= 10, "{target} has inputs");
            for (path, input) in &inputs {
                assert!(holds(*check, input), "{target} fails with {}", path.display());
            }
            let start = Instant::now();
            let mut count = 0;
            while start.elapsed() < each {
                let (Some((_, input)), Some((_, other))) = (dice.pick(&inputs), dice.pick(&inputs)) else {
                    break;
                };
                let input = altered(input, other, &mut dice);
                assert!(holds(*check, &input), "{target} fails with {:?}", gostd::value::lossy(&input));
                count += 1;
            }
            eprintln!("{target}: {} kept inputs, {count} altered ones", inputs.len());
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    assert!(thread.join().is_ok(), "see above");
}
