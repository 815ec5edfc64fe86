//! What the charts of the corpus need of what is limited. The defaults are to be ten times that at least.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use goyaml::{Document, Node, Source};
use helm::{Chart, RenderOptions, Rendered, Usage};
use nix::time::{ClockId, clock_gettime};

/// How much more than the most that any chart needs a limit has to allow.
const FACTOR: u64 = 10;
/// The default of `--max-render-time`.
const TIME: Duration = Duration::from_secs(120);

/// What is measured, in the order of [`Measured`].
const MEASURES: [Measure; 11] = [
    Measure { name: "steps of templates", unit: "steps", ours: true },
    Measure { name: "output of templates", unit: "bytes", ours: true },
    Measure { name: "stack of nested templates", unit: "bytes", ours: true },
    Measure { name: "time of a render", unit: "µs", ours: true },
    Measure { name: "longest text of one call", unit: "bytes", ours: true },
    Measure { name: "longest list of one call", unit: "elements", ours: true },
    Measure { name: "largest regular expression, compiled", unit: "bytes", ours: true },
    Measure { name: "size of a `values.schema.json`", unit: "parts", ours: true },
    Measure { name: "check of values against it", unit: "steps", ours: true },
    Measure { name: "largest file of a chart (Helm's own limit)", unit: "bytes", ours: false },
    Measure { name: "what aliases of a document expand to", unit: "nodes", ours: false },
];

/// Something of which a render may use so much and no more.
struct Measure {
    name: &'static str,
    unit: &'static str,
    /// Limits that are Helm's own are as they are.
    ours: bool,
}

type Measured = [u64; MEASURES.len()];

/// The most so far, and the case it was.
static MOST: Mutex<[(u64, String); MEASURES.len()]> =
    Mutex::new([const { (0, String::new()) }; MEASURES.len()]);

/// Processor time that a thread has used; other threads may keep it waiting for longer.
pub(crate) fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// Notes what a case used.
pub(crate) fn note(name: &str, chart: &Chart, rendered: &Rendered, time: Duration) {
    let Usage { steps, output, stack, text, list, schema_parts, schema_steps } = rendered.usage;
    let aliased = rendered.manifests.iter().map(|manifest| aliased(manifest.content.as_bytes()));
    let measured: Measured = [
        steps,
        output as u64,
        stack as u64,
        u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
        text as u64,
        list as u64,
        // Of all so far, which is enough to know the most.
        sprig::largest_expression() as u64,
        schema_parts as u64,
        schema_steps as u64,
        largest_file(chart),
        aliased.max().unwrap_or_default().max(aliased_values(chart)),
    ];
    let mut most = MOST.lock().unwrap_or_else(PoisonError::into_inner);
    for (most, value) in most.iter_mut().zip(measured) {
        if value > most.0 {
            *most = (value, name.to_owned());
        }
    }
}

fn limits() -> [Option<u64>; MEASURES.len()] {
    let Usage { steps, output, stack, text, list, schema_parts, schema_steps } =
        Usage::limits(&RenderOptions::default());
    [
        Some(steps),
        Some(output as u64),
        Some(stack as u64),
        u64::try_from(TIME.as_micros()).ok(),
        Some(text as u64),
        Some(list as u64),
        Some(gostd::regexp::COMPILED_LIMIT as u64),
        Some(schema_parts as u64),
        Some(schema_steps as u64),
        Some(5 << 20),
        // A share of all nodes that gets smaller with their number.
        None,
    ]
}

/// Writes the table if asked to; reports whether every limit leaves room enough.
pub(crate) fn judge(out: &mut impl Write, show: bool) -> std::io::Result<bool> {
    let most = MOST.lock().unwrap_or_else(PoisonError::into_inner);
    let mut fine = true;
    if show {
        writeln!(
            out,
            "| limit | default | the most that a chart needs | factor |\n| --- | ---: | ---: | ---: |"
        )?;
    }
    for ((measure, limit), (value, case)) in MEASURES.iter().zip(limits()).zip(most.iter()) {
        let Measure { name, unit, ours } = measure;
        let factor = limit.map(|limit| limit / (*value).max(1));
        if show {
            let limit = limit.map_or_else(|| "go-yaml's rule".to_owned(), |limit| format!("{limit} {unit}"));
            let factor = factor.map_or_else(|| "–".to_owned(), |factor| factor.to_string());
            writeln!(out, "| {name} | {limit} | {value} {unit} ({case}) | {factor} |")?;
        }
        if *ours && factor.is_some_and(|factor| factor < FACTOR) {
            fine = false;
            writeln!(out, "{name}: {case} needs {value} {unit}, more than a tenth of the limit")?;
        }
    }
    Ok(fine)
}

fn largest_file(chart: &Chart) -> u64 {
    let own = chart.templates.iter().chain(&chart.files).map(|file| file.data.len() as u64);
    let inner = chart.dependencies.iter().map(largest_file);
    own.chain(inner).chain([chart.values_text.len() as u64]).max().unwrap_or_default()
}

fn aliased_values(chart: &Chart) -> u64 {
    let inner = chart.dependencies.iter().map(aliased_values);
    inner.chain([aliased(&chart.values_text)]).max().unwrap_or_default()
}

/// Counts the nodes of a document that stand where aliases refer to them.
fn aliased(text: &[u8]) -> u64 {
    if !text.contains(&b'*') {
        return 0;
    }
    let source = Source::new(text);
    match Document::parse(&source) {
        Ok(Some(document)) => through_aliases(document.root(), false, 0),
        _ => 0,
    }
}

fn through_aliases(node: Node<'_, '_>, is_aliased: bool, depth: usize) -> u64 {
    // What was rendered has been read, so it ends; this only spares the stack.
    if depth > 1000 {
        return 0;
    }
    match node.target() {
        Some(target) => through_aliases(target, true, depth + 1),
        None => {
            let inside = node.children().map(|child| through_aliases(child, is_aliased, depth + 1));
            inside.sum::<u64>() + u64::from(is_aliased)
        }
    }
}
