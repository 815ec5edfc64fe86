//! What holds for any text and any value.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]
#![allow(dead_code, reason = "the generators are made for the example `difftest`")]

#[path = "../examples/difftest/documents.rs"]
mod documents;
#[path = "../examples/difftest/limits.rs"]
mod limits;
#[path = "../examples/difftest/rng.rs"]
mod rng;
#[path = "../examples/difftest/tables.rs"]
mod tables;
#[path = "../examples/difftest/values.rs"]
mod values;

use std::thread;

use gostd::value::{deep_equal, lossy};
use gostd::{List, Value};
use goyaml::{
    Document, Error, EventKind, LoadError, Source, load, load_array, load_entries, load_map, load_strict,
    load_typed, to_yaml, to_yaml_pretty,
};
use rng::Rng;

#[test]
fn any_bytes_are_read_or_refused() {
    let mut rng = Rng::new(1);
    for _ in 0..3_000 {
        let length = rng.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| rng.next() as u8).collect();
        let _ = load(&bytes);
        let _ = load_strict(&bytes);
        let ascii: Vec<u8> = bytes.iter().map(|byte| byte % 96 + 32).collect();
        let _ = load(&ascii);
    }
}

#[test]
fn all_ways_to_read_agree() {
    for seed in 0..6_000 {
        let text = documents::document(&mut Rng::new(seed));
        let source = Source::new(&text);
        let value = load(&text);
        match (&value, Document::parse(&source)) {
            (Ok(value), Ok(None)) => assert!(value.is_nil()),
            (Err(LoadError::Yaml(error)), Err(other)) => assert_eq!(*error, other),
            (_, Ok(Some(_))) => {}
            (value, document) => panic!("{text:?}: {value:?} but {document:?}"),
        }
        // Strict reading is the same but for duplicate keys.
        match (&value, load_strict(&text)) {
            (_, Err(LoadError::Yaml(Error::DuplicateKeys(_)))) => {}
            (Ok(value), Ok(strict)) => assert!(deep_equal(value, &strict), "{text:?}"),
            (Err(error), Err(strict)) => assert_eq!(*error, strict, "{text:?}"),
            (value, strict) => panic!("{text:?}: {value:?} but {strict:?}"),
        }
        match (&value, load_map(&text), load_array(&text), load_typed(&text)) {
            (Ok(value), map, array, Ok(_)) => {
                assert_eq!(map.is_ok(), value.is_nil() || value.as_map().is_some());
                assert_eq!(array.is_ok(), value.is_nil() || value.as_list().is_some());
            }
            // Where numbers keep their types, JSON's lack of infinities does not matter.
            (Err(LoadError::UnsupportedValue(_)), Err(_), Err(_), _) => {}
            (Err(error), Err(a), Err(b), Err(c)) => assert!(*error == a && *error == b && *error == c),
            results => panic!("{text:?}: {results:?}"),
        }
    }
}

#[test]
fn entries_that_are_not_wanted_are_checked_all_the_same() {
    let mut left_out = 0;
    for seed in 0..6_000 {
        let text = documents::document(&mut Rng::new(seed));
        let is_wanted = |key: &[u8]| key.len() % 2 == 1;
        match (load_typed(&text), load_entries(&text, &is_wanted)) {
            (Err(error), Err(other)) => assert_eq!(error, other, "{text:?}"),
            (Ok(Value::Map(all)), Ok(Value::Map(some))) => {
                let mut wanted = all.snapshot();
                wanted.retain(|(key, _)| is_wanted(key));
                left_out += all.len() - wanted.len();
                // Compared as texts: NaN equals nothing.
                let wanted = Value::map(wanted.into_iter().collect());
                assert_eq!(format!("{wanted:?}"), format!("{some:?}"), "{text:?}");
            }
            (Ok(Value::List(all)), Ok(Value::List(some))) => assert_eq!(all.len(), some.len(), "{text:?}"),
            (Ok(all), Ok(some)) => assert_eq!(format!("{all:?}"), format!("{some:?}"), "{text:?}"),
            results => panic!("{text:?}: {results:?}"),
        }
    }
    assert!(left_out > 500, "{left_out}");
}

#[test]
fn events_pair_up() {
    for seed in 0..3_000 {
        let text = documents::document(&mut Rng::new(seed));
        let source = Source::new(&text);
        let mut open = Vec::new();
        for event in source.events() {
            let Ok(event) = event else { break };
            assert!(event.start.index <= event.end.index, "{text:?}: {event:?}");
            match event.kind {
                EventKind::SequenceStart { .. } => open.push('['),
                EventKind::MappingStart { .. } => open.push('{'),
                EventKind::SequenceEnd => assert_eq!(open.pop(), Some('[')),
                EventKind::MappingEnd => assert_eq!(open.pop(), Some('{')),
                EventKind::DocumentEnd { .. } | EventKind::StreamEnd => assert!(open.is_empty()),
                _ => {}
            }
        }
    }
}

/// What JSON makes of a value; none if it cannot hold it, or if YAML reads it differently (line breaks beyond ASCII).
fn through_json(value: &Value) -> Option<Value> {
    let readable = |text: &[u8]| -> Option<Value> {
        let text = lossy(text);
        let odd =
            |value| matches!(value, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
        (!text.contains(odd)).then(|| Value::from(text))
    };
    Some(match value {
        Value::Int64(value) => Value::Float64(*value as f64),
        Value::Uint64(value) => Value::Float64(*value as f64),
        Value::Float64(value) if !value.is_finite() => return None,
        Value::String(text) => return readable(text),
        Value::Bytes(_) => return None,
        Value::List(list) if list.is_nil() => return None,
        Value::Map(map) if map.is_nil() => return None,
        Value::List(list) => Value::list(list.to_vec().iter().map(through_json).collect::<Option<_>>()?),
        Value::Map(map) => {
            let entries = map.snapshot();
            let entries = entries.iter().map(|(key, value)| {
                // This key is written plain, hence read as a merge; long ones are refused.
                let fit = key.as_ref() != b"<<" && key.len() < 170;
                let Value::String(key) = readable(key).filter(|_| fit)? else { return None };
                Some((key, through_json(value)?))
            });
            Value::map(entries.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

#[test]
fn what_is_written_reads_back() {
    let mut checked = 0;
    for seed in 0..6_000 {
        let value = values::value(&mut Rng::new(seed));
        let Some(want) = through_json(&value) else {
            let _ = (to_yaml(&value), to_yaml_pretty(&value));
            continue;
        };
        let yaml = to_yaml(&value).unwrap();
        assert!(deep_equal(&load(&yaml).unwrap(), &want), "{value:?} became {:?}", lossy(&yaml));
        checked += 1;
    }
    assert!(checked > 2_000, "only {checked} values were fit for JSON");
}

#[test]
fn pretty_text_reads_back() {
    for seed in 0..4_000 {
        let value = values::value(&mut Rng::new(seed));
        if let Some(want) = through_json(&value) {
            let yaml = to_yaml_pretty(&value).unwrap();
            match load(&yaml) {
                Ok(read) => assert!(deep_equal(&read, &want), "{value:?} became {:?}", lossy(&yaml)),
                // Text in base64 because it is not UTF-8 may be too long for a key.
                Err(error) => assert!(yaml.windows(8).any(|part| part == b"!!binary"), "{value:?}: {error}"),
            }
        }
    }
}

/// Runs on a thread with little stack, as a server's worker may have.
fn on_small_stack(work: fn()) {
    thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn depth_takes_no_stack() {
    on_small_stack(|| {
        for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", "")] {
            let text = format!("{}1{}", open.repeat(9_999), close.repeat(9_999));
            let value = load(text.as_bytes()).unwrap();
            if value.as_list().is_some() {
                let yaml = to_yaml(&value).unwrap();
                assert!(deep_equal(&load(&yaml).unwrap(), &value));
                to_yaml_pretty(&value).unwrap();
            }
            drop(value);
            load_strict(text.as_bytes()).unwrap();
        }
        // Aliases of aliases nest deeper than any text.
        let links = (1..300)
            .map(|link| format!("a{link}: &a{link} {}*a{} {}\n", "[".repeat(90), link - 1, "]".repeat(90)));
        let text = format!("a0: &a0 1\n{}", links.collect::<String>());
        assert!(load(text.as_bytes()).is_err());
    });
}

#[test]
fn documents_at_the_limits_are_read_or_refused() {
    on_small_stack(|| {
        for text in limits::documents() {
            let _ = load(text.as_bytes());
        }
    });
}

#[test]
fn hostile_texts_take_linear_time() {
    const COUNT: usize = 50_000;
    for piece in [
        "[",
        "{",
        "[]: ",
        "{}: ",
        "[[],",
        "{a: [",
        "a: ",
        "? ",
        "- ",
        "-\n",
        "&a ",
        "!a ",
        "* ",
        "'",
        "\"",
        "''",
        "\"\\\n",
        "'\n",
        "a\n",
        "a \n",
        "|\n",
        "|\n ",
        ">\n\n",
        "#\n",
        "# ",
        "\u{feff}",
        "\u{85}",
        "\r",
        "%TAG !a! b\n",
        "---\n",
        "...\n",
        "a: &a\n",
        "<<: ",
        ",",
        ":",
        "\t",
        "é",
        "[é, ",
        "? a\n: ",
        "{a, ",
    ] {
        let _ = load(piece.repeat(COUNT).as_bytes());
        let _ = load(format!("a: {}", piece.repeat(COUNT)).as_bytes());
    }
    let tags: String = (0..20_000).map(|n| format!("%TAG !a{n}! b\n")).collect();
    let _ = load(format!("{tags}---\n{}", "- !a19999!x 1\n".repeat(20_000)).as_bytes());
    let anchors: String = (0..20_000).map(|n| format!("- &a{n} *a{}\n", n - 1)).collect();
    let _ = load(anchors.as_bytes());
}

#[test]
fn values_that_contain_themselves_are_refused() {
    on_small_stack(|| {
        let _scope = gostd::value::Scope::enter();
        let map = gostd::Map::new();
        assert!(map.insert("self", Value::Map(map.clone())));
        assert!(map.insert("list", Value::List(List::any(vec![Value::Map(map.clone())]))));
        let value = Value::Map(map);
        assert!(to_yaml(&value).is_err());
        assert!(to_yaml_pretty(&value).is_err());
    });
}

#[test]
fn large_maps_are_sorted_and_written() {
    let entries =
        (0..20_000).map(|n| (format!("key-{}", n * 7 % 20_000).into(), Value::Float64(f64::from(n))));
    let yaml = to_yaml(&Value::map(entries.collect())).unwrap();
    assert!(yaml.starts_with(b"key-0: 0\nkey-1: "));
    assert!(load(&yaml).is_ok());
}
