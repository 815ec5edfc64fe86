//! Documents at the limits: of depth, aliases, key length.

use std::fmt::Write as _;

/// Makes all of them.
pub(crate) fn documents() -> Vec<String> {
    let mut all = Vec::new();
    for depth in [999, 1000, 1001, 9_998, 9_999, 10_000, 10_001, 20_000] {
        all.push(format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        all.push("[".repeat(depth));
        all.push(format!("{}1{}", "{a: ".repeat(depth), "}".repeat(depth)));
        all.push(format!("a: {}1{}", "[".repeat(depth), "]".repeat(depth)));
        all.push(format!("{}1", "- ".repeat(depth)));
        all.push(format!("{}1", "? ".repeat(depth)));
    }
    for depth in [100, 2_000] {
        let lines = (0..depth).fold(String::new(), |mut text, level| {
            let _ = writeln!(text, "{}a:", " ".repeat(level));
            text
        });
        all.push(lines);
    }
    all.push(format!("{}{}1{}", "- ".repeat(6_000), "[".repeat(5_000), "]".repeat(5_000)));
    for levels in [3, 5, 7, 9] {
        all.push(bomb(levels, 9));
        all.push(bomb(levels, 2));
    }
    // Depth by aliases, each in the next.
    for (links, depth) in [(5, 100), (30, 400), (200, 90)] {
        let mut text = String::from("a0: &a0 1\n");
        for link in 1..links {
            let before = link - 1;
            let _ = writeln!(text, "a{link}: &a{link} {}*a{before} {}", "[".repeat(depth), "]".repeat(depth));
        }
        all.push(text);
    }
    for count in [98, 99, 100, 101, 900, 1000, 1100, 120_000] {
        all.push(format!("a: &a 1\nb: [{}]\n", "*a, ".repeat(count)));
        all.push(format!("a: &a {{x: 1, y: 2}}\nb: [{}]\n", "*a, ".repeat(count / 3)));
    }
    for length in [1_020, 1_021, 1_022, 1_023, 1_024, 1_025] {
        for (open, close) in [("", ""), ("'", "'"), ("\"", "\""), ("[", "]"), ("&a ", ""), ("é", "")] {
            all.push(format!("{open}{}{close}: 1\nb: 2\n", "k".repeat(length)));
            all.push(format!("{{{open}{}{close}: 1, b: 2}}\n", "k".repeat(length)));
            all.push(format!("- {open}{}{close} : 1\n", "k".repeat(length)));
        }
    }
    for padding in 500..516 {
        for tail in [
            "'x\\\n y'",
            "\"\\U0001F600\"",
            "a: b",
            "- é",
            "\u{1}",
            "\r\nb: 1",
            "''",
            "--- x",
            "\u{feff}b: 1",
            "\u{85}b: 1",
        ] {
            all.push(format!("#{}\n{tail}", "x".repeat(padding)));
            all.push(format!("a: '{}'\nb: {tail}", "x".repeat(padding)));
            all.push(format!("{{a: 1}}{} {tail}", "\n".repeat(padding)));
        }
    }
    for text in [
        "\u{feff}\u{feff}a: 1\nb: 2\nc: 3\n",
        "\u{feff}\u{feff}",
        "\u{feff}\n\u{feff}a: 1",
        "a: 1\n\u{feff}b: 2",
        "[]: x",
        "{}: x",
        "? []\n: x",
        "[[]]: x",
        "[]:\n  a",
        "- {}: 1",
        "{[]: 1}",
        "[[]: 1]",
        "[{}: 1, {}]",
    ] {
        all.push(text.to_owned());
    }
    all
}

/// Each line refers to the one before, several times.
fn bomb(levels: usize, width: usize) -> String {
    let mut text = format!("a0: &a0 [{}]\n", vec!["x"; width].join(", "));
    for level in 1..levels {
        let before = vec![format!("*a{}", level - 1); width].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{before}]");
    }
    text
}
