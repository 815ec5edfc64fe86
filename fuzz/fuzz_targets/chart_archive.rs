#![no_main]
//! Any bytes as a chart archive, and any file text in a chart.
use flate2::{Compression, write::GzEncoder};
use libfuzzer_sys::fuzz_target;
use std::io::Write;

fuzz_target!(|bytes: &[u8]| {
    let _ = helm::Chart::load_archive(bytes);
    // The checksum keeps the fuzzer out of gzip, so the bytes are also tried as the tar inside.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    if gzip.write_all(bytes).is_ok()
        && let Ok(archive) = gzip.finish()
    {
        let _ = helm::Chart::load_archive(&archive);
    }
});
