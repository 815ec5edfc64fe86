//! Measures reading and writing of YAML files:
//!
//! ```sh
//! cargo run --release -p goyaml --example speed -- values.yaml
//! ```

use std::error::Error;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use goyaml::{Document, Events, Source};

/// How long each measurement runs.
const TIME: Duration = Duration::from_millis(1500);

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    for file in std::env::args().skip(1) {
        let text = std::fs::read(&file)?;
        let value = goyaml::load(&text)?;
        let (yaml, pretty) = (goyaml::to_yaml(&value)?, goyaml::to_yaml_pretty(&value)?);
        writeln!(out, "{file}: {} KB", text.len() / 1000)?;
        let rows: [(&str, usize, &dyn Fn()); 5] = [
            ("events", text.len(), &|| _ = black_box(Events::new(&Source::new(&text)).count())),
            ("nodes", text.len(), &|| _ = black_box(Document::parse(&Source::new(&text)).is_ok())),
            ("load", text.len(), &|| _ = black_box(goyaml::load(&text).is_ok())),
            ("to_yaml", yaml.len(), &|| _ = black_box(goyaml::to_yaml(&value).is_ok())),
            ("pretty", pretty.len(), &|| _ = black_box(goyaml::to_yaml_pretty(&value).is_ok())),
        ];
        for (name, bytes, work) in rows {
            writeln!(out, "  {name:8} {:7.1} MB/s", rate(bytes, work))?;
        }
    }
    Ok(())
}

/// Megabytes per second; the fastest run counts, since others use the machine too.
fn rate(bytes: usize, work: &dyn Fn()) -> f64 {
    let (start, mut best) = (Instant::now(), Duration::MAX);
    while start.elapsed() < TIME {
        let run = Instant::now();
        work();
        best = best.min(run.elapsed());
    }
    bytes as f64 / best.as_secs_f64() / 1e6
}
