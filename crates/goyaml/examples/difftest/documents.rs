//! Random YAML documents: mostly well formed, often damaged.

use super::rng::Rng;
use super::tables::{ESCAPES, ODD_WORDS, PIECES, TAGS, WORDS};

/// Makes a document.
pub(crate) fn document(rng: &mut Rng) -> Vec<u8> {
    let mut text = match rng.below(10) {
        0 => soup(rng),
        _ => {
            let budget = 3 + rng.below(50);
            let mut writer = Writer { rng, out: String::new(), anchors: 0, budget };
            writer.document();
            writer.out
        }
    };
    if rng.one_in(4) {
        text = damage(rng, text);
    }
    encode(rng, text)
}

/// Damages a document that comes from elsewhere.
pub(crate) fn damaged(rng: &mut Rng, text: &str) -> Vec<u8> {
    let text = damage(rng, text.to_owned());
    encode(rng, text)
}

fn encode(rng: &mut Rng, mut text: String) -> Vec<u8> {
    match rng.below(60) {
        0 => text = text.replace('\n', "\r\n"),
        1 => text = text.replace('\n', "\r"),
        2 => text.insert(0, '\u{feff}'),
        3 => text = text.replace('\n', "\u{85}"),
        4 => return utf16(&text, u16::to_le_bytes),
        5 => return utf16(&text, u16::to_be_bytes),
        6 => {
            let mut bytes = text.into_bytes();
            let place = rng.below(bytes.len() + 1);
            bytes.insert(place, rng.next() as u8);
            return bytes;
        }
        7 => {
            // Push faults over the border of a 512 byte piece.
            let padding = format!("#{}\n", "x".repeat(470 + rng.below(50)));
            text.insert_str(0, &padding);
        }
        _ => {}
    }
    text.into_bytes()
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

fn word(rng: &mut Rng) -> &'static str {
    let table = if rng.one_in(25) { ODD_WORDS } else { WORDS };
    rng.pick(table)
}

/// Strings pieces together without any plan.
fn soup(rng: &mut Rng) -> String {
    let count = 1 + rng.below(25);
    (0..count).map(|_| if rng.one_in(4) { word(rng) } else { rng.pick(PIECES) }).collect()
}

fn damage(rng: &mut Rng, text: String) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + rng.below(3) {
        let place = rng.below(chars.len() + 1);
        match rng.below(5) {
            0 if place < chars.len() => _ = chars.remove(place),
            1 => {
                let end = (place + rng.below(12)).min(chars.len());
                chars.drain(place..end);
            }
            2 => {
                let end = (place + rng.below(12)).min(chars.len());
                let copy: Vec<char> = chars.get(place..end).unwrap_or_default().to_vec();
                let target = rng.below(chars.len() + 1);
                chars.splice(target..target, copy);
            }
            _ => {
                let piece = if rng.one_in(3) { word(rng) } else { rng.pick(PIECES) };
                chars.splice(place..place, piece.chars());
            }
        }
    }
    chars.into_iter().collect()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    out: String,
    anchors: usize,
    budget: usize,
}

impl Writer<'_> {
    fn document(&mut self) {
        if self.rng.one_in(12) {
            self.out.push_str(self.rng.pick(&[
                "%YAML 1.1\n",
                "%TAG !e! tag:yaml.org,2002:\n",
                "%TAG ! tag:x,1:\n",
                "%YAML 1.1 # c\n",
            ]));
            self.out.push_str("---");
            self.out.push_str(self.rng.pick(&["\n", " ", " # c\n"]));
        } else if self.rng.one_in(8) {
            self.out.push_str(self.rng.pick(&["---\n", "--- ", "# c\n", "\n", "---\n---\n"]));
        }
        match self.rng.below(12) {
            0 => self.inline(0, 0),
            1 | 2 => self.block_sequence(0),
            _ => self.block_mapping(0),
        }
        if self.rng.one_in(6) {
            self.out.push_str(self.rng.pick(&[
                "\n",
                "---\n",
                "...\n",
                "---\nb: 2\n",
                "...\n@",
                "# end",
                "\n\n",
                " x",
            ]));
        }
    }

    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n(' ', depth));
    }

    fn end_line(&mut self) {
        match self.rng.below(14) {
            0 => self.out.push_str(" # comment: x\n"),
            1 => self.out.push_str("  \n"),
            2 => self.out.push_str("\n\n"),
            3 => self.out.push_str("\n# c\n"),
            4 => self.out.push_str("\t\n"),
            _ => self.out.push('\n'),
        }
    }

    fn properties(&mut self) {
        if self.rng.one_in(9) {
            let name = (b'a' + (self.anchors % 6) as u8) as char;
            self.anchors += 1;
            self.out.push('&');
            self.out.push(name);
            self.out.push(' ');
        }
        if self.rng.one_in(25) {
            self.out.push_str(self.rng.pick(TAGS));
            self.out.push(' ');
        }
    }

    fn block_mapping(&mut self, depth: usize) {
        for place in 0..1 + self.rng.below(4) {
            if place > 0 || depth == 0 || self.ends_line() {
                self.indent(depth);
            }
            self.entry(depth);
        }
    }

    fn ends_line(&self) -> bool {
        self.out.is_empty() || self.out.ends_with('\n')
    }

    fn entry(&mut self, depth: usize) {
        match self.rng.below(24) {
            0 => {
                // A complex key.
                self.out.push_str("? ");
                self.inline(depth + 2, 1);
                self.end_line();
                self.indent(depth);
                self.out.push_str(": ");
                self.inline(depth + 2, 1);
                return self.end_line();
            }
            1 => {
                let merge = self.rng.pick(&[
                    "<<: *a",
                    "<<: [*a, *b]",
                    "<<: {a: 1, b: 2}",
                    "<<: 1",
                    "<<: [1]",
                    "'<<': 1",
                    "!!merge <<: *b",
                ]);
                self.out.push_str(merge);
                return self.end_line();
            }
            2 => {
                self.properties();
                self.alias();
                self.out.push_str(" : ");
            }
            3 => {
                self.flow(1);
                self.out.push_str(": ");
            }
            _ => {
                self.properties();
                self.key();
                let separator = if self.rng.one_in(30) {
                    ":"
                } else {
                    self.rng.pick(&[": ", ": ", ": ", ":  ", " : ", ":\t"])
                };
                self.out.push_str(separator);
            }
        }
        self.value(depth);
    }

    fn key(&mut self) {
        match self.rng.below(8) {
            0 => self.single_quoted(false),
            1 => self.double_quoted(false),
            2 | 3 => self.out.push_str(word(self.rng)),
            _ => self.out.push_str(self.rng.pick(&["a", "b", "c", "key", "name", "long-name", "x.y/z", "A"])),
        }
    }

    fn alias(&mut self) {
        if self.anchors == 0 && !self.rng.one_in(40) {
            return self.out.push('x');
        }
        let known = if self.rng.one_in(40) { 6 } else { self.anchors.min(6) };
        let name = (b'a' + self.rng.below(known) as u8) as char;
        self.out.push('*');
        self.out.push(name);
    }

    fn value(&mut self, depth: usize) {
        if !self.spend() {
            self.out.push_str("1\n");
            return;
        }
        match self.rng.below(12) {
            0 | 1 => {
                self.properties();
                self.end_line();
                let deeper = depth + 1 + self.rng.below(3);
                self.block_mapping(deeper);
            }
            2 => {
                self.properties();
                self.end_line();
                let deeper = depth + self.rng.below(3);
                self.block_sequence(deeper);
            }
            3 => {
                self.properties();
                self.block_scalar(depth);
            }
            4 => self.end_line(),
            _ => {
                self.inline(depth + 1, 0);
                self.end_line();
            }
        }
    }

    fn block_sequence(&mut self, depth: usize) {
        for place in 0..1 + self.rng.below(4) {
            if place > 0 || self.ends_line() {
                self.indent(depth);
            }
            self.out.push('-');
            match self.rng.below(12) {
                0 => {
                    self.end_line();
                    continue;
                }
                1 => self.out.push_str("   "),
                2 => self.out.push('\t'),
                _ => self.out.push(' '),
            }
            match self.rng.below(8) {
                0 if self.spend() => self.block_mapping(depth + 2),
                1 if self.spend() => self.block_sequence(depth + 2),
                _ => self.value(depth),
            }
        }
    }

    fn inline(&mut self, depth: usize, level: usize) {
        self.properties();
        match self.rng.below(12) {
            0 | 1 => self.flow(level),
            2 | 3 => self.single_quoted(true),
            4 | 5 => self.double_quoted(true),
            6 => self.alias(),
            7 => self.plain_lines(depth),
            _ => self.out.push_str(word(self.rng)),
        }
    }

    fn plain_lines(&mut self, depth: usize) {
        for _ in 0..1 + self.rng.below(3) {
            self.out.push_str(self.rng.pick(&["one", "two words", "x", "a#b", "c:d", "\u{2028}", "é"]));
            self.out.push_str(self.rng.pick(&[" ", "\n", "\n\n", "  \n", "\t\n", "\n\t", " \u{85}"]));
            let extra = self.rng.below(3);
            self.indent(depth + extra);
        }
        self.out.push_str("end");
    }

    fn single_quoted(&mut self, multiline: bool) {
        self.out.push('\'');
        for _ in 0..self.rng.below(4) {
            self.quoted_piece(multiline, &["''", "\\", "\"", "'' "]);
        }
        self.out.push('\'');
    }

    fn double_quoted(&mut self, multiline: bool) {
        self.out.push('"');
        for _ in 0..self.rng.below(4) {
            self.quoted_piece(multiline, ESCAPES);
        }
        self.out.push('"');
    }

    fn quoted_piece(&mut self, multiline: bool, special: &[&'static str]) {
        match self.rng.below(8) {
            0 | 1 => self.out.push_str(self.rng.pick(special)),
            2 if multiline => self.out.push_str(self.rng.pick(&[
                "\n",
                " \n  ",
                "\n\n",
                "\n\n\n ",
                "\t\n\t",
                "\r\n",
                "\u{85}",
                "\u{2028}",
                "\u{85}\u{85} ",
                "\n---",
                "\n--- ",
                "\n...",
            ])),
            3 => self.out.push_str(self.rng.pick(&[" ", "  ", "\t", " #", ": ", ", "])),
            _ => self.out.push_str(word(self.rng).trim_matches(['"', '\'', '\u{1}', '\u{7f}'])),
        }
    }

    fn block_scalar(&mut self, depth: usize) {
        self.out.push_str(self.rng.pick(&["|", ">"]));
        self.out.push_str(self.rng.pick(&[
            "", "", "", "-", "+", "2", "1", "4", "2-", "+1", "-2", "9", "0", "10", " # c", "  ", "x", "\t",
        ]));
        self.out.push_str(self.rng.pick(&["\n", "\n", "\n", "\n\n", "\r\n", "\n \n", "\u{85}"]));
        let base = depth + self.rng.below(4);
        for _ in 0..self.rng.below(5) {
            match self.rng.below(8) {
                0 => {}
                1 => self.indent(base + 2),
                2 => {
                    self.indent(base);
                    self.out.push('\t');
                }
                _ => self.indent(base),
            }
            self.out.push_str(self.rng.pick(&[
                "",
                "text",
                "more text # not a comment",
                "- x",
                "a: b",
                "\t",
                " ",
                "é",
                "---",
                "#x",
                "\u{2028}x",
                "tail  ",
            ]));
            self.out.push_str(self.rng.pick(&["\n", "\n", "\n", "\n\n", "\r\n", "\r", "\u{85}", "\u{2028}"]));
        }
    }

    fn flow(&mut self, level: usize) {
        let sequence = self.rng.one_in(2);
        self.out.push(if sequence { '[' } else { '{' });
        let count = self.rng.below(4);
        for place in 0..count {
            if place > 0 {
                self.out.push_str(self.rng.pick(&[", ", ",", " ,", ",\n  ", ", # c\n "]));
            }
            self.flow_space();
            self.flow_item(sequence, level);
            self.flow_space();
        }
        if self.rng.one_in(8) {
            self.out.push_str(self.rng.pick(&[",", " ,", "\n", ",,"]));
        }
        self.out.push(if sequence { ']' } else { '}' });
    }

    fn flow_space(&mut self) {
        if self.rng.one_in(6) {
            self.out.push_str(self.rng.pick(&[" ", "\n", "\n  ", "\t", " # c\n"]));
        }
    }

    fn flow_item(&mut self, sequence: bool, level: usize) {
        let pair = if sequence { self.rng.one_in(6) } else { !self.rng.one_in(5) };
        if self.rng.one_in(14) {
            self.out.push_str(self.rng.pick(&["? ", "?"]));
        }
        if pair {
            self.flow_node(level, 3);
            self.out.push_str(self.rng.pick(&[": ", ": ", ":", " : ", " :", ":\n "]));
            if self.rng.one_in(8) {
                return;
            }
        }
        self.flow_node(level, 1);
    }

    fn flow_node(&mut self, level: usize, nesting: usize) {
        self.properties();
        match self.rng.below(10 * nesting) {
            0 | 1 if level < 4 && self.spend() => self.flow(level + 1),
            2 => self.single_quoted(true),
            3 => self.double_quoted(true),
            4 => self.alias(),
            5 => self.plain_lines(0),
            _ => self.out.push_str(word(self.rng)),
        }
    }
}
