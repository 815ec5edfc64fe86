#![no_main]
//! Any layout and any text as a time; any layout formats any time.
use gostd::time::{Duration, Time, Zone};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &[u8], i64, i32)| {
    let (layout, text, seconds, nanos) = input;
    let utc = Zone::fixed("UTC", 0);
    let _ = Time::parse(layout, text, &utc);
    let time = Time::unix(seconds, i64::from(nanos), &utc);
    let _ = time.format(layout);
    let _ = time.add_date(seconds, i64::from(nanos), seconds);
    if let Ok(duration) = Duration::parse(text) {
        let _ = time.add(duration).round(duration);
        let _ = duration.to_string();
    }
});
