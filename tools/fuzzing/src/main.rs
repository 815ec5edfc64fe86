//! Writes inputs for the fuzz targets: `fuzzing OUT CASES.jsonl...`, a folder for each target, a file for each input.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let result = match arguments.as_slice() {
        [out, files @ ..] if !files.is_empty() => {
            files.iter().try_for_each(|file| write(Path::new(out), Path::new(file)))
        }
        _ => Err("usage: fuzzing OUT CASES.jsonl...".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            let _ = writeln!(std::io::stderr(), "fuzzing: {reason}"); // Nothing else is left to do.
            ExitCode::FAILURE
        }
    }
}

fn write(out: &Path, file: &Path) -> Result<(), String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let text = std::fs::read(file).map_err(|error| failed(file, error))?;
    for line in text.split(|byte| *byte == b'\n') {
        for (target, seed) in fuzzing::seeds::of_case(line) {
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            let folder = out.join(target);
            let path = folder.join(format!("{:016x}", hasher.finish()));
            std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::write(&path, &seed))
                .map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}
