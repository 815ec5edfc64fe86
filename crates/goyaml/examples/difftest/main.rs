//! Prints random cases with this crate's results, for the Go program in `tools/oracle/yaml` to check:
//!
//! ```sh
//! cargo run -p goyaml --example difftest -- read 1 100000 | (cd tools/oracle/yaml && go run .)
//! ```
//!
//! Arguments: `read` or `write`, the first seed, the number of seeds, and for `read` any number of files whose text is
//! damaged and read as well. `limits 0 0` prints a fixed set.

mod documents;
mod limits;
mod rng;
mod tables;
mod values;
mod wire;

use std::error::Error;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use gostd::Value;
use rng::Rng;

fn main() -> Result<(), Box<dyn Error>> {
    // Printing a value recurses (reading and writing it does not).
    let run = || run().map_err(|error| error.to_string());
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run)?;
    thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())).map_err(Into::into)
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, first, count, files @ ..] = arguments.as_slice() else {
        return Err("usage: difftest read|write|limits FIRST_SEED COUNT [FILE...]".into());
    };
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    let texts: Vec<String> = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    if mode == "limits" {
        for text in limits::documents() {
            let result = outcome(goyaml::load(text.as_bytes()));
            out.write_all(wire::line("load", text.as_bytes(), &result).as_bytes())?;
        }
    }
    for seed in first..first.saturating_add(count) {
        let mut rng = Rng::new(seed);
        match mode.as_str() {
            "read" => read_case(&mut rng, &texts, &mut out)?,
            "write" => write_case(&mut rng, &mut out)?,
            other => return Err(format!("unknown mode {other}").into()),
        }
    }
    out.flush()?;
    Ok(())
}

fn read_case(rng: &mut Rng, texts: &[String], out: &mut impl Write) -> io::Result<()> {
    let text = match texts.get(rng.below(texts.len())) {
        Some(text) if rng.one_in(2) => documents::damaged(rng, text),
        _ => documents::document(rng),
    };
    let (kind, result) = match rng.below(8) {
        0 => ("strict", outcome(goyaml::load_strict(&text))),
        1 => ("map", outcome(goyaml::load_map(&text).map(Value::Map))),
        2 => ("array", outcome(goyaml::load_array(&text).map(Value::List))),
        3 => ("typed", outcome(goyaml::load_typed(&text))),
        _ => ("load", outcome(goyaml::load(&text))),
    };
    out.write_all(wire::line(kind, &text, &result).as_bytes())
}

fn outcome<E: Display>(result: Result<Value, E>) -> Vec<u8> {
    match result {
        Ok(value) => {
            let mut out = b"V".to_vec();
            wire::write_value(&mut out, &value);
            out
        }
        Err(error) => format!("E{error}").into_bytes(),
    }
}

fn write_case(rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
    let value = values::value(rng);
    let mut input = Vec::new();
    wire::write_value(&mut input, &value);
    let written = |text: Vec<u8>| [b"V", text.as_slice()].concat();
    let (kind, result) = if rng.one_in(2) {
        // Why it is not written is not compared: Helm shows an empty text.
        ("toYaml", goyaml::to_yaml(&value).map_or(b"E".to_vec(), written))
    } else {
        (
            "pretty",
            goyaml::to_yaml_pretty(&value).map_or_else(|error| format!("E{error}").into_bytes(), written),
        )
    };
    out.write_all(wire::line(kind, &input, &result).as_bytes())
}
