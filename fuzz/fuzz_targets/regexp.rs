#![no_main]
//! Any pattern on any text: an error or an answer, in bounded time and memory.
use gostd::regexp::Regexp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &[u8], &[u8])| {
    let (pattern, text, replacement) = input;
    let Ok(regexp) = Regexp::compile(pattern) else { return };
    let found = regexp.find_all(text, -1);
    assert_eq!(regexp.is_match(text), !found.is_empty());
    let _ = regexp.replace_all(text, replacement);
    let _ = regexp.split(text, -1);
});
