#![no_main]
//! Any format with arguments of many kinds.
use gostd::{List, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], i64, f64, &[u8])| {
    let (format, int, float, text) = input;
    let list = List::any(vec![Value::Int(int), Value::string(text), Value::Nil]);
    let arguments = [
        Value::Int(int),
        Value::Float64(float),
        Value::string(text),
        Value::List(list),
        Value::Bytes(text.into()),
        Value::Nil,
        Value::Bool(int > 0),
    ];
    let _ = gostd::fmt::sprintf(format, &arguments);
    let _ = gostd::fmt::sprint(&arguments);
});
