//! Makes a case that differs as small as it can be.

use gostd::{List, Map, Value};

use super::oracle::Oracle;
use super::{differs, has_no_answer, put};
use crate::case::Difference;
use crate::error::Error;

/// Leaves out files, lines and settings as long as the case still differs in the same way.
pub(crate) fn smallest(
    case: Map,
    known: Difference,
    oracle: &mut Oracle,
) -> Result<(Map, Difference), Error> {
    let (mut case, mut known) = (case, known);
    loop {
        let before = size(&case);
        for smaller in [without_settings, without_files, without_lines] {
            let mut index = 0;
            while let Some(candidate) = smaller(&case, index) {
                match test(&candidate, oracle)? {
                    Some(difference) if difference.what == known.what && size(&candidate) < size(&case) => {
                        (case, known) = (candidate, difference);
                    }
                    _ => index += 1,
                }
            }
        }
        if size(&case) == before {
            return Ok((case, known));
        }
    }
}

fn test(case: &Map, oracle: &mut Oracle) -> Result<Option<Difference>, Error> {
    let answered = oracle.ask(case)?;
    if has_no_answer(&answered) {
        return Ok(None);
    }
    differs(case, &answered, oracle, 1)
}

fn size(case: &Map) -> usize {
    gostd::json::marshal(&Value::Map(case.clone()), false).map_or(0, |text| text.len())
}

fn copy(case: &Map) -> Map {
    let copy = Map::new();
    for (key, value) in case.snapshot() {
        put(&copy, key, value);
    }
    copy
}

/// Leaves out a switch, or one of a list of settings.
fn without_settings(case: &Map, index: usize) -> Option<Map> {
    let mut index = index;
    for (key, value) in case.snapshot() {
        if &*key == b"files".as_slice() {
            continue;
        }
        let items = match &value {
            Value::List(list) if list.len() > 1 => list.to_vec(),
            _ => vec![Value::Nil],
        };
        if index >= items.len() {
            index -= items.len();
            continue;
        }
        let smaller = copy(case);
        if items.len() > 1 {
            let mut items = items;
            items.remove(index);
            put(&smaller, key, Value::List(List::any(items)));
        } else {
            smaller.remove(key);
        }
        return Some(smaller);
    }
    None
}

fn files(case: &Map) -> Vec<(gostd::GoStr, Value)> {
    case.get("files").and_then(|files| files.as_map().map(Map::snapshot)).unwrap_or_default()
}

fn without_files(case: &Map, index: usize) -> Option<Map> {
    let mut rest = files(case);
    if index >= rest.len() {
        return None;
    }
    let (name, _) = rest.remove(index);
    if name.as_bytes() == b"Chart.yaml" {
        // A case without a chart says nothing.
        return Some(copy(case));
    }
    Some(with_files(case, rest))
}

fn with_files(case: &Map, files: Vec<(gostd::GoStr, Value)>) -> Map {
    let smaller = copy(case);
    let map = Map::new();
    for (name, text) in files {
        put(&map, name, text);
    }
    put(&smaller, "files", Value::Map(map));
    smaller
}

/// Leaves out one line of one file, or of the values.
fn without_lines(case: &Map, index: usize) -> Option<Map> {
    let mut index = index;
    let mut texts = files(case);
    for position in 0..texts.len() {
        let (_, text) = texts.get_mut(position)?;
        let Some(known) = text.as_str().map(|text| gostd::value::lossy(text)) else { continue };
        let mut lines: Vec<&str> = known.split_inclusive('\n').collect();
        if index >= lines.len() {
            index -= lines.len();
            continue;
        }
        lines.remove(index);
        *text = Value::string(lines.concat());
        return Some(with_files(case, texts));
    }
    let values = case.get("values")?;
    let values = gostd::value::lossy(values.as_str()?);
    let mut lines: Vec<&str> = values.split_inclusive('\n').collect();
    if index >= lines.len() {
        return None;
    }
    lines.remove(index);
    let smaller = copy(case);
    put(&smaller, "values", Value::string(lines.concat()));
    Some(smaller)
}
