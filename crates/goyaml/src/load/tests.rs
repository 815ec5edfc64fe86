use gostd::value::deep_equal;

use super::*;

/// Pieces that plain documents are made of, and some that only look so.
const PIECES: &[&str] = &[
    "a:",
    "b: ",
    "\"c\": ",
    "'d': ",
    "on: ",
    "~: ",
    "1: ",
    "1.5: ",
    "18446744073709551615: ",
    "- ",
    "-",
    "- - ",
    "-x",
    "x",
    "y",
    "1",
    "08",
    "0x1F",
    "null",
    "~",
    ".inf",
    "1.5e3",
    "2001-01-01",
    "\"q\"",
    "'q'",
    "''",
    "\"\"",
    "\"\\n\"",
    "\"\\\"\\\\\\t/\\/x\"",
    "\"\\q\"",
    "\"\\",
    "'it''s'",
    "\"open",
    "'open",
    "\"",
    "'",
    "x'",
    " 'x",
    "\\\\",
    "{}",
    "[]",
    "{a: b}",
    "{a: 1, \"b\": 'c', }",
    "{a:b}",
    "{\"a\":b}",
    "{a: }",
    "{on: {}}",
    "[a, \"b\", 1]",
    "[a, ]",
    "[,]",
    "[a b]",
    "[a: b]",
    "|",
    "|-",
    "|+",
    ">",
    ">-",
    ">+",
    "|2",
    "|1-",
    ">-2",
    "|+-",
    "|x",
    "#",
    " #c",
    "#c",
    "x#y",
    "x #y",
    "x: y",
    "x:y",
    "x:",
    ":",
    ":x",
    "?",
    "? x",
    "&a x",
    "*a",
    "!!str 1",
    "!x",
    "<<: ",
    "<<",
    "@",
    "`",
    "%x",
    "---",
    "...",
    "--- x",
    "---x",
    "\t",
    "x\ty",
    " ",
    "  ",
    "é",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\r",
    "\u{7f}",
    "\u{1}",
    "very long words, with commas",
];

/// A random document: mostly lines that fit together.
fn document(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit
    };
    let mut text = String::new();
    let mut column = 0;
    for line in 0..=below(9) {
        column = match below(8) {
            _ if line == 0 => 0,
            0..=3 => column,
            4 | 5 => column + 2,
            6 => 0,
            _ => below(7),
        };
        text.push_str(&" ".repeat(column));
        if below(4) > 0 {
            text.push_str(["a: ", "b: ", "c:", "- ", "- a: ", "d: x", "e: |", "f: >-", "", "# x"][below(10)]);
        }
        for _ in 0..below(3) {
            text.push_str(PIECES[below(PIECES.len())]);
        }
        if line < 9 || below(2) == 0 {
            text.push('\n');
        }
    }
    if below(3) == 0 {
        text.truncate(text.trim_end().len());
    }
    text
}

#[test]
fn what_is_read_by_line_is_read_as_by_token() {
    let wanted: &dyn Fn(&[u8]) -> bool = &|key| key == b"a" || key == b"c";
    let ways = [(Numbers::Json, None), (Numbers::Typed, None), (Numbers::Typed, Some(wanted))];
    let mut plain = 0;
    for seed in 0..100_000 {
        let text = document(seed);
        for (numbers, wanted) in ways {
            let Some(value) = lines::read(text.as_bytes(), Values::new(numbers, wanted)) else { continue };
            plain += 1;
            match scan(text.as_bytes(), numbers, wanted) {
                Ok(scanned) => assert!(same(&value, &scanned), "{text:?}: {value:?}, not {scanned:?}"),
                Err(error) => panic!("{text:?}: {value:?}, not {error}"),
            }
        }
    }
    assert!(plain > 30_000, "{plain} documents were plain");
}

/// Not-a-number is the same as itself here.
fn same(a: &Value, b: &Value) -> bool {
    deep_equal(a, b) || format!("{a:?}") == format!("{b:?}")
}

#[test]
fn usual_documents_are_read_by_line() {
    for text in [
        "a: 1\nb:\n- c: 'x y'\n  d: \"\"\n-\n  - - e: f\n# g\ng:\n  h: {}  # i\n  j: [get, \"list\", '*']\n",
        "a: |\n  x: {\n\n    \ty\n\n\nb: >-\n  folded\n  text\n\n  more\n   indented\nc: |+\n  d\n\n",
        "- --flag=x:y\n- é: ü\n- http://x#y # z\n- -1\n",
        "a: b\n  c - d\n\n  # e\nf:\n  - g\n   h # i\n  -  1\n\n\n     2\nj: |2-\n     k\n   l\n",
        "a: 'b \n\n  it''s\n c'\nd: e\n",
        "a:\n- \"b\\n\n  # c\n\n\n  d: \"  # e\n",
        "  a:\n    b:\n  c: null\n\n   \n  d: |\n    e",
    ] {
        let value = lines::read(text.as_bytes(), Values::new(Numbers::Json, None))
            .unwrap_or_else(|| panic!("{text:?}"));
        let scanned = scan(text.as_bytes(), Numbers::Json, None).unwrap();
        assert!(deep_equal(&value, &scanned), "{text:?}: {value:?}, not {scanned:?}");
    }
}
