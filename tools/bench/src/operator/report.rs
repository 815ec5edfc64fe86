//! The figures as a reader wants them: against the targets, by size, and by what is asked of the API server.

use std::fmt::Write as _;
use std::time::Duration;

use super::session::{Creation, Session};
use super::{Floor, OperatorArgs, Results, Rounds};
use crate::stats::median;

/// What must be reached.
mod target {
    /// Resources made → all applied, recorded and reported, as a multiple of the floor's time.
    pub(super) const FLOOR: f64 = 2.5;
    /// CPU seconds for that, for each resource.
    pub(super) const CPU_EACH: f64 = 1.0 / 50.0;
    /// CPU seconds of a settled operator in a minute.
    pub(super) const REST: f64 = 0.05;
    /// From a change to the objects, in milliseconds.
    pub(super) const CHANGE: f64 = 50.0;
    /// From a start to watching everything, in seconds.
    pub(super) const START: f64 = 1.5;
    /// A pass without work, in milliseconds.
    pub(super) const PASS: f64 = 1.0;
    /// MB of the binary, and of it compressed.
    pub(super) const BINARY: f64 = 14.0;
    pub(super) const PACKED: f64 = 6.0;

    /// MiB of resident memory: 20 with 50 resources, 60 with 1,000, and on that line elsewhere.
    pub(super) fn memory(resources: usize) -> f64 {
        let line = 20.0 + (resources as f64 - 50.0) * 40.0 / 950.0;
        line.max(20.0)
    }
}

/// One round, for the impatient.
pub(super) fn line(floor: &Floor, session: &Session) -> String {
    let creation = &session.creation;
    format!(
        "  floor {:.2} s, operator {:.2} s ({:.2} ×), CPU {:.2} s, {:.1} MiB, requests: {}",
        seconds(floor.wall),
        seconds(creation.wall),
        seconds(creation.wall) / seconds(floor.wall),
        seconds(creation.cpu),
        mib(creation.full.resident),
        creation.requests.by_verb(),
    )
}

/// Writes the whole report, in Markdown.
pub(super) fn report(args: &OperatorArgs, machine: &str, ours: &Results, theirs: Option<&Results>) -> String {
    let around = if args.controllers {
        "kube-apiserver and etcd, with kube-controller-manager, kube-scheduler and kwok on the same machine"
    } else {
        "kube-apiserver and etcd alone (no controllers: objects just lie in the store)"
    };
    let mut text = format!(
        "{machine}. Control plane: {around}, started for the run. Concurrency {}, for operators and floor alike; \
         medians of all rounds.\n\n",
        args.concurrency,
    );
    targets(&mut text, ours, theirs);
    for results in std::iter::once(ours).chain(theirs) {
        by_size(&mut text, results);
    }
    for results in std::iter::once(ours).chain(theirs) {
        requests(&mut text, results);
    }
    text
}

/// A line of the table of targets.
struct Row {
    what: String,
    ours: String,
    target: String,
    met: bool,
    theirs: Option<String>,
}

fn targets(text: &mut String, ours: &Results, theirs: Option<&Results>) {
    let mut rows = Vec::new();
    for (count, rounds) in &ours.by_size {
        if rounds.sessions.iter().any(|session| session.idle.is_some()) {
            rows.extend(rows_of(*count, rounds, theirs.and_then(|theirs| theirs.by_size.get(count))));
        }
    }
    let size = |size: (u64, u64)| format!("{:.1} MB; {:.1} MB compressed", mb(size.0), mb(size.1));
    rows.push(Row {
        what: "binary".into(),
        ours: size(ours.size),
        target: format!("≤ {} MB; ≤ {} MB", target::BINARY, target::PACKED),
        met: mb(ours.size.0) <= target::BINARY && mb(ours.size.1) <= target::PACKED,
        theirs: theirs.map(|theirs| size(theirs.size)),
    });
    let other = theirs.map(|theirs| theirs.contestant.name());
    let _ = writeln!(
        text,
        "| what | chartwright | to reach | |{}",
        other.map_or(String::new(), |name| format!(" {name} |"))
    );
    let _ = writeln!(text, "| --- | --- | --- | --- |{}", other.map_or("", |_| " --- |"));
    for row in rows {
        let _ = write!(
            text,
            "| {} | {} | {} | {} |",
            row.what,
            row.ours,
            row.target,
            if row.met { "✓" } else { "✗" }
        );
        if other.is_some() {
            let _ = write!(text, " {} |", row.theirs.unwrap_or_default());
        }
        text.push('\n');
    }
    text.push('\n');
}

fn rows_of(count: usize, ours: &Rounds, theirs: Option<&Rounds>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |what: String, ours: Option<(String, bool)>, target: String, theirs: Option<String>| {
        if let Some((ours, met)) = ours {
            rows.push(Row { what, ours, target, met, theirs });
        }
    };
    let (mine, other) = (Summary::of(ours), theirs.map(Summary::of));
    let cpu = target::CPU_EACH * count as f64;
    let creation = |one: &Summary| {
        format!(
            "{:.2} s, {:.2} × the floor's {:.2} s; {:.2} s CPU",
            one.wall,
            one.ratio(),
            one.floor,
            one.cpu
        )
    };
    row(
        format!("{count} resources made → all applied, recorded and reported"),
        Some((creation(&mine), mine.ratio() <= target::FLOOR && mine.cpu <= cpu)),
        format!("≤ {} × the floor; ≤ {cpu:.2} s CPU", target::FLOOR),
        other.as_ref().map(creation),
    );
    let memory = |one: &Summary| format!("{:.1} MiB (peak {:.1})", one.resident, one.peak);
    row(
        format!("resident memory with {count}"),
        Some((memory(&mine), mine.resident <= target::memory(count))),
        format!("≤ {:.0} MiB", target::memory(count)),
        other.as_ref().map(memory),
    );
    let idle = |rounds: &Rounds| rounds.sessions.iter().find_map(|session| session.idle.clone());
    let rest = |idle: &super::session::Idle| {
        format!(
            "{:.2} s CPU; requests: {}; {:.1} MiB",
            per_minute(idle.cpu, idle.time),
            idle.requests.by_verb(),
            mib(idle.memory.resident)
        )
    };
    row(
        format!("settled with {count}, a minute"),
        idle(ours).map(|idle| {
            let upkeep =
                idle.requests.sorts().iter().all(|(verb, what, _)| *verb == "watch" || *what == "leases");
            (rest(&idle), upkeep && per_minute(idle.cpu, idle.time) <= target::REST)
        }),
        format!("≤ {} s CPU; only watches renewed", target::REST),
        theirs.and_then(idle).as_ref().map(rest),
    );
    let changes = |rounds: &Rounds| rounds.sessions.iter().find_map(|session| session.changes.clone());
    let change = |changes: &super::session::Changes| {
        let reported =
            changes.reported.map_or(String::new(), |time| format!(", {:.0} ms to the status", millis(time)));
        format!("{:.0} ms{reported}; {:.1} requests", millis(changes.applied), changes.requests)
    };
    row(
        format!("one change among {count} settled → objects applied"),
        changes(ours).map(|changes| (change(&changes), millis(changes.applied) <= target::CHANGE)),
        format!("≤ {} ms", target::CHANGE),
        theirs.and_then(changes).as_ref().map(change),
    );
    let restart = ours.sessions.iter().find_map(|session| session.restart.clone());
    row(
        format!("start with {count} settled → watching"),
        restart.map(|start| {
            let writes =
                if start.writes.is_empty() { "no write".to_owned() } else { start.writes.join(", ") };
            let text = format!(
                "ready {:.2} s, all watched {:.2} s; {:.2} s CPU; {writes}; {} requests; {:.1} MiB (peak {:.1})",
                seconds(start.ready),
                seconds(start.watching),
                seconds(start.cpu),
                start.requests.total(),
                mib(start.memory.resident),
                mib(start.memory.peak)
            );
            (text, start.writes.is_empty() && seconds(start.ready.max(start.watching)) <= target::START)
        }),
        format!("≤ {} s; no write", target::START),
        None,
    );
    let passes = ours.sessions.iter().find_map(|session| session.passes.clone());
    row(
        format!("a pass without work, with {count}"),
        passes.map(|(idle, passes)| {
            let each = millis(idle.cpu) / passes.max(1.0);
            let wall = idle
                .passes
                .map_or(String::new(), |(_, time)| format!(", {:.3} ms by its own clock", millis(time)));
            let work = idle.requests.sorts().iter().filter(|(verb, ..)| *verb != "watch").count();
            (
                format!("{each:.3} ms CPU{wall}; requests: {}", idle.requests.by_verb()),
                each <= target::PASS && work == 0,
            )
        }),
        format!("≤ {} ms; no request", target::PASS),
        theirs
            .and_then(idle)
            .and_then(|idle| idle.passes)
            .map(|(passes, time)| format!("{:.1} ms ({passes:.0} passes)", millis(time))),
    );
    rows
}

/// The medians of all rounds of one size.
struct Summary {
    floor: f64,
    floor_servers: f64,
    wall: f64,
    cpu: f64,
    servers: f64,
    empty: f64,
    resident: f64,
    data: f64,
    peak: f64,
    requests: f64,
}

impl Summary {
    fn of(rounds: &Rounds) -> Self {
        let floors =
            |figure: fn(&Floor) -> f64| median(&rounds.floors.iter().map(figure).collect::<Vec<_>>());
        let sessions = |figure: fn(&Creation) -> f64| {
            median(&rounds.sessions.iter().map(|session| figure(&session.creation)).collect::<Vec<_>>())
        };
        Self {
            floor: floors(|floor| seconds(floor.wall)),
            floor_servers: floors(|floor| seconds(floor.servers)),
            wall: sessions(|creation| seconds(creation.wall)),
            cpu: sessions(|creation| seconds(creation.cpu)),
            servers: sessions(|creation| seconds(creation.servers)),
            empty: sessions(|creation| mib(creation.empty.resident)),
            resident: sessions(|creation| mib(creation.full.resident)),
            data: sessions(|creation| mib(creation.full.data)),
            peak: sessions(|creation| mib(creation.full.peak)),
            requests: sessions(|creation| creation.requests.total() as f64),
        }
    }

    fn ratio(&self) -> f64 {
        self.wall / self.floor
    }
}

fn by_size(text: &mut String, results: &Results) {
    let _ = write!(
        text,
        "{} by number of resources (“servers” is the CPU time of kube-apiserver and etcd; “data” the part of the resident \
         memory that is not the program itself):\n\n\
         | resources | rounds | floor s | {} s | ratio | CPU s | CPU ms each | servers s, floor | servers s | requests each | MiB empty | \
         MiB settled | of it data | MiB peak | KiB each |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        results.contestant.name(),
        results.contestant.name(),
    );
    for (count, rounds) in &results.by_size {
        let one = Summary::of(rounds);
        let each = *count as f64;
        let _ = writeln!(
            text,
            "| {count} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} |",
            rounds.floors.len(),
            one.floor,
            one.wall,
            one.ratio(),
            one.cpu,
            one.cpu * 1000.0 / each,
            one.floor_servers,
            one.servers,
            one.requests / each,
            one.empty,
            one.resident,
            one.data,
            one.peak,
            (one.resident - one.empty) * 1024.0 / each,
        );
    }
    text.push('\n');
}

/// What the operator asked of the API server while the resources were made, at the size that was looked at most closely.
fn requests(text: &mut String, results: &Results) {
    let detailed = results
        .by_size
        .iter()
        .find(|(_, rounds)| rounds.sessions.iter().any(|session| session.idle.is_some()));
    let Some((count, rounds)) = detailed.or_else(|| results.by_size.iter().next_back()) else { return };
    let Some(session) = rounds.sessions.first() else { return };
    let _ = write!(
        text,
        "What {} asks of the API server for {count} resources, until it has settled:\n\n\
         | verb | resource | requests | each | failed | server's time, ms |\n| --- | --- | --- | --- | --- | --- |\n",
        results.contestant.name()
    );
    for (verb, resource, tally) in session.creation.requests.sorts() {
        let each = tally.count as f64 / *count as f64;
        let took = millis(tally.took) / tally.count.max(1) as f64;
        let _ = writeln!(
            text,
            "| {verb} | {resource} | {} | {each:.2} | {} | {took:.1} |",
            tally.count, tally.failed
        );
    }
    text.push('\n');
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn per_minute(used: Duration, time: Duration) -> f64 {
    seconds(used) * 60.0 / seconds(time).max(1.0)
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn the_memory_target_goes_through_its_two_points() {
        assert_eq!(target::memory(1), 20.0);
        assert_eq!(target::memory(50), 20.0);
        assert_eq!(target::memory(1000), 60.0);
    }
}
