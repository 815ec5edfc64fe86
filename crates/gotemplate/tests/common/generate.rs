//! Random templates, most of them sensible.

use gotemplate::MissingKey;
use serde_json::json;

use super::Case;
use super::words::{FAILING, FUNCTIONS, GOOD_CALLS, KEYS, LITERALS, METHODS, PIECES, TEMPLATES};

/// A small random number generator (xorshift64*): a case is known by its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 33) as usize) % limit
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

pub(crate) struct Generator {
    random: Random,
    variables: Vec<String>,
    /// The first of [`TEMPLATES`] that may be called.
    callable: usize,
    depth: usize,
    loops: usize,
    blocks: usize,
    /// The percentage of texts that are damaged.
    damage: usize,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            variables: vec!["$".to_owned()],
            callable: 0,
            depth: 0,
            loops: 0,
            blocks: 0,
            damage: 15,
        }
    }

    /// Damages so many of a hundred texts.
    pub(crate) fn damaging(self, damage: usize) -> Self {
        Self { damage, ..self }
    }

    /// Makes a whole case.
    pub(crate) fn case(&mut self) -> Case {
        let mut files = Vec::new();
        if self.random.chance(30) {
            self.callable = 2;
            let text = self.file(&TEMPLATES[2..]);
            files.push((b"lib.tpl".to_vec(), text.into_bytes()));
        }
        self.callable = 0;
        let mut text = self.file(TEMPLATES).into_bytes();
        if self.random.chance(self.damage) {
            self.mutate(&mut text);
        }
        files.push((b"dir/main.yaml".to_vec(), text));
        let missing_key = *self.random.pick(&[
            MissingKey::Zero,
            MissingKey::Zero,
            MissingKey::Zero,
            MissingKey::Invalid,
            MissingKey::Invalid,
            MissingKey::Error,
        ]);
        Case { files, data: self.data(), missing_key }
    }

    fn data(&mut self) -> serde_json::Value {
        let number = self.random.below(4);
        json!({
            "nul": null,
            "s": *self.random.pick(&["hello", "a<b>&'\"", "", "é\u{0}x"]),
            "e": "",
            "i": { "$t": "int", "v": number.to_string() },
            "i64": { "$t": "int64", "v": "-3" },
            "f": *self.random.pick(&[5.0, 1.5, 1e6, 0.00001]),
            "u8": { "$t": "uint8", "v": "7" },
            "u64": { "$t": "uint64", "v": "9" },
            // Only compared: looping over it would take forever.
            "big": { "$t": "uint64", "v": "18446744073709551615" },
            "t": true,
            "z": { "$t": "int", "v": "0" },
            "c": { "$t": "complex128", "v": [1.0, -2.0] },
            "l": ["a", { "$t": "int", "v": "1" }, null, { "k": "v" }, [1]],
            "el": [],
            "m": { "a": "x", "b": { "c": [1, 2], "s": "deep" }, "nul": null, "l": ["q"] },
            "em": {},
            "ss": { "$t": "[]string", "v": ["p", "q"] },
            "is": { "$t": "[]int", "v": [3, 4] },
            "sm": { "$t": "map[string]string", "v": { "a": "b" } },
            "by": { "$t": "[]uint8", "v": "hi" },
            "v": { "$t": "main.Values", "v": { "a": 1, "Size": 2, "m": { "k": null } } },
            "th": { "$t": "main.Thing", "v": { "k": "v" } },
            "thv": { "$t": "main.Thing", "v": {} },
            "nl": { "$t": "nil []interface {}" },
            "nm": { "$t": "nil map[string]interface {}" },
            "tt": "<{{ . }}>"
        })
    }

    fn file(&mut self, names: &[&str]) -> String {
        let mut text = String::new();
        for name in names {
            if self.random.chance(60) {
                // The definition's own calls go to later names only.
                let index = TEMPLATES.iter().position(|known| known == name).unwrap();
                let callable = std::mem::replace(&mut self.callable, index + 1);
                let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
                let loops = std::mem::take(&mut self.loops);
                let body = self.body();
                self.callable = callable;
                self.variables = variables;
                self.loops = loops;
                text += &self.action(&format!("define \"{name}\""));
                text += &body;
                text += &self.action("end");
            }
            if self.random.chance(30) {
                text += &self.text();
            }
        }
        text + &self.body()
    }

    fn body(&mut self) -> String {
        let mark = self.variables.len();
        let count = 1 + self.random.below(4);
        let body = (0..count).map(|_| self.node()).collect();
        self.variables.truncate(mark);
        body
    }

    fn text(&mut self) -> String {
        (*self
            .random
            .pick(&["a", " ", "\n", "  \n\t", "x: ", "}}", "{ ", "\r\n", "é", "- ", "# c\n", "\u{a0}"]))
        .to_owned()
    }

    /// Writes an action with random delimiters.
    fn action(&mut self, inside: &str) -> String {
        let open = *self.random.pick(&["{{ ", "{{ ", "{{- ", "{{", "{{-\n"]);
        let close = *self.random.pick(&[" }}", " }}", " -}}", "}}", "\n-}}"]);
        format!("{open}{inside}{close}")
    }

    fn node(&mut self) -> String {
        if self.depth > 5 {
            return self.text();
        }
        self.depth += 1;
        let node = match self.random.below(20) {
            0..=3 => self.text(),
            4..=9 => {
                let pipeline = self.pipeline();
                self.action(&pipeline)
            }
            10 | 11 => self.declaration(),
            12 => self.assignment(),
            13 | 14 => self.conditional("if"),
            15 => self.conditional("with"),
            16 | 17 => self.range(),
            18 => self.call(),
            _ => self.rarity(),
        };
        self.depth -= 1;
        node
    }

    fn declaration(&mut self) -> String {
        let pipeline = self.pipeline();
        let name = (*self.random.pick(&["$a", "$b", "$c", "$a"])).to_owned();
        let action = self.action(&format!("{name} := {pipeline}"));
        self.variables.push(name);
        action
    }

    fn assignment(&mut self) -> String {
        let pipeline = self.pipeline();
        let variable = if self.random.chance(95) {
            let index = self.random.below(self.variables.len());
            self.variables[index].clone()
        } else {
            "$undeclared".to_owned()
        };
        self.action(&format!("{variable} = {pipeline}"))
    }

    fn conditional(&mut self, keyword: &str) -> String {
        let mark = self.variables.len();
        let header = self.header();
        let mut text = self.action(&format!("{keyword} {header}"));
        text += &self.body();
        while self.random.chance(25) {
            let header = self.header();
            text += &self.action(&format!("else {keyword} {header}"));
            text += &self.body();
        }
        if self.random.chance(40) {
            text += &self.action("else");
            text += &self.body();
        }
        self.variables.truncate(mark);
        text + &self.action("end")
    }

    fn header(&mut self) -> String {
        let pipeline = self.pipeline();
        if !self.random.chance(20) {
            return pipeline;
        }
        let name = (*self.random.pick(&["$h", "$a"])).to_owned();
        let header = format!("{name} := {pipeline}");
        self.variables.push(name);
        header
    }

    fn range(&mut self) -> String {
        let mark = self.variables.len();
        let subject = if self.random.chance(70) {
            (*self.random.pick(&[
                ".l",
                ".m",
                ".ss",
                ".is",
                ".i",
                ".em",
                ".nl",
                "(list 1 2)",
                "$.l",
                "3",
                ".th.Words",
                "$.m",
                ".by",
            ]))
            .to_owned()
        } else {
            self.pipeline()
        };
        let header = match self.random.below(6) {
            0 | 1 => subject,
            2 => {
                self.variables.push("$e".to_owned());
                format!("$e := {subject}")
            }
            3 => {
                let variable = self.variables[self.random.below(self.variables.len())].clone();
                format!("{variable} = {subject}")
            }
            4 => {
                let first = self.variables[self.random.below(self.variables.len())].clone();
                let second = self.variables[self.random.below(self.variables.len())].clone();
                format!("{first}, {second} = {subject}")
            }
            _ => {
                self.variables.push("$i".to_owned());
                self.variables.push("$e".to_owned());
                format!("$i, $e := {subject}")
            }
        };
        let mut text = self.action(&format!("range {header}"));
        self.loops += 1;
        text += &self.body();
        if self.random.chance(20) {
            text += &self.loop_jump();
        }
        self.loops -= 1;
        if self.random.chance(40) {
            text += &self.action("else");
            text += &self.body();
            if self.loops > 0 && self.random.chance(30) {
                text += &self.loop_jump();
            }
        }
        self.variables.truncate(mark);
        text + &self.action("end")
    }

    fn loop_jump(&mut self) -> String {
        let keyword = *self.random.pick(&["break", "continue"]);
        self.action(keyword)
    }

    fn call(&mut self) -> String {
        let Some(names) = TEMPLATES.get(self.callable..).filter(|names| !names.is_empty()) else {
            return self.text();
        };
        let name = *self.random.pick(names);
        let operand = self.operand();
        match self.random.below(6) {
            0 => self.action(&format!("template \"{name}\"")),
            1 | 2 => {
                let pipeline = self.pipeline();
                self.action(&format!("template `{name}` {pipeline}"))
            }
            3 | 4 => self.action(&format!("include \"{name}\" {operand}")),
            _ => {
                // What a block defines may call later templates only.
                let index = TEMPLATES.iter().position(|known| *known == name).unwrap();
                let callable = std::mem::replace(&mut self.callable, index + 1);
                let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
                let body = self.body();
                self.callable = callable;
                self.variables = variables;
                self.blocks += usize::from(self.random.chance(95));
                let open = self.action(&format!("block \"{name}{}\" {operand}", self.blocks));
                open + &body + &self.action("end")
            }
        }
    }

    fn rarity(&mut self) -> String {
        match self.random.below(9) {
            0 if self.loops > 0 => self.action("break"),
            1 if self.loops > 0 => self.action("continue"),
            2 => {
                let comments = ["{{/* }} */}}", "{{- /* a\n*/}}", "{{/* b */ -}}\n ", "{{-\n/**/\t-}}"];
                let comment =
                    if self.random.chance(3) { &"{{ /* bad */ }}" } else { self.random.pick(&comments) };
                (*comment).to_owned()
            }
            3 => {
                let pipeline = self.pipeline();
                self.action(&format!("tpl .tt ({pipeline})"))
            }
            4 => {
                let node = self.node().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                self.action(&format!("tpl \"{}\" .", node.replace('\r', "\\r")))
            }
            5 => {
                let declared = self.pipeline();
                let name = *self.random.pick(&["$p", "$a", "$b"]);
                let decision = *self.random.pick(&["or .t", "and .t", "or .e", "and .e", "or .e .s", "echo"]);
                let action = self.action(&format!("{decision} ({name} := {declared})"));
                self.variables.push(name.to_owned());
                action
            }
            6 if self.random.chance(30) => self.action("template \"nowhere\" ."),
            7 if self.random.chance(30) => self.action("include \"nowhere\" ."),
            _ => self.text(),
        }
    }

    fn pipeline(&mut self) -> String {
        self.depth += 1;
        let mut text = self.command();
        while self.random.chance(25) {
            let bar = *self.random.pick(&[" | ", "|", " |\n "]);
            text = text + bar + &self.function_call(1);
        }
        self.depth -= 1;
        text
    }

    fn command(&mut self) -> String {
        match self.random.below(10) {
            0..=4 => self.operand(),
            5 => {
                let method = *self.random.pick(METHODS);
                let receiver = *self.random.pick(&[".th", ".thv", ".v", "$.th", "$.v", "(ptr)", ".m"]);
                let fits = self.random.chance(90);
                if fits {
                    return (*self.random.pick(GOOD_CALLS)).to_owned();
                }
                let count = self.random.below(3);
                let arguments: String = (0..count).map(|_| format!(" {}", self.operand())).collect();
                format!("{receiver}.{method}{arguments}")
            }
            _ => self.function_call(0),
        }
    }

    /// Writes a call; `piped` arguments come from the pipe.
    fn function_call(&mut self, piped: usize) -> String {
        if self.random.chance(1) {
            let method = *self.random.pick(METHODS);
            let receiver =
                *self.random.pick(&[".th", ".thv", ".v", "$.th", "(ptr)", "ptr", ".m", ".nul", "(.nul)"]);
            return format!("{receiver}.{method}");
        }
        let (name, likes) = if self.random.below(300) == 0 {
            *self.random.pick(FAILING)
        } else {
            *self.random.pick(FUNCTIONS)
        };
        if likes < piped && self.random.chance(95) {
            return "print".to_owned();
        }
        let mut count = likes.saturating_sub(piped);
        if self.random.chance(2) {
            count += 1;
        }
        if self.random.chance(1) {
            count = count.saturating_sub(1);
        }
        let fits = self.random.chance(93);
        let arguments: String = (0..count)
            .map(|at| format!(" {}", if fits { self.fitting(name, at) } else { self.operand() }))
            .collect();
        format!("{name}{arguments}")
    }

    /// Returns an operand that the function is likely to take.
    fn fitting(&mut self, name: &str, at: usize) -> String {
        let choices: &[&str] = match (name, at) {
            ("upper" | "fail" | "strings" | "join", _) => &[".s", "\"lit\"", "word", "(print .i)"],
            ("printf", 0) => &["\"%v|%d\"", "\"%s\"", "\"%q %T\"", ".s"],
            ("add" | "level", _) => &[".i", "1", "'b'", "one", "(len .l)", "-2", "1e1"],
            ("half", _) => &[".f", "3", "1.5"],
            ("wide", _) => &[".i64", "3"],
            ("small", _) => &["3", "0x10", "4294967297"],
            ("yes", _) => &[".t", "true", "(not .nul)"],
            ("size" | "set", 0) => &[".m", ".v", ".em", "(dict 1 2)", "nil", "$.m"],
            ("set", 1) => &["\"k\"", ".s"],
            ("count", _) => &[".l", ".el", ".nl", "(list 1)", "nil"],
            ("lines", _) => &[".ss", "nil", "(strings \"a\")"],
            ("raw", _) => &[".by", "nil"],
            ("name", _) => &[".th", ".thv", "ptr", "(ptr)"],
            ("len", _) => &[".s", ".l", ".m", ".ss", ".by", "nil", ".nul", ".nm"],
            ("index", 0) => &[".l", ".m", ".ss", ".s", ".v", ".by", ".sm", ".nm", ".nl", ".is"],
            ("index" | "slice", 1..) => &["0", "1", "\"a\"", ".i", "5", "2", "\"b\"", ".f", ".nul", ".u8"],
            ("slice", 0) => &[".l", ".s", ".ss", ".by", ".th"],
            ("eq" | "ne" | "lt" | "le" | "gt" | "ge", _) => &[
                ".i",
                ".f",
                "1",
                "5.0",
                ".s",
                "\"x\"",
                ".i64",
                ".u8",
                ".big",
                ".nul",
                ".t",
                ".c",
                "(level 1)",
                "true",
            ],
            _ => return self.operand(),
        };
        (*self.random.pick(choices)).to_owned()
    }

    fn operand(&mut self) -> String {
        match self.random.below(16) {
            0 => format!(".{}", self.random.pick(KEYS)),
            1..=4 => format!("$.{}", self.random.pick(KEYS)),
            5 => ".m.b.c".to_owned(),
            6 => (*self.random.pick(&[
                ".m.x.y",
                ".m.b.s",
                ".v.m.k",
                ".th.Map.k",
                ".nul.x",
                ".sm.nope",
                ".v.Size",
                ".s.x",
                ".l.x",
            ]))
            .to_owned(),
            7 => ".".to_owned(),
            8 => "$".to_owned(),
            9 | 10 => {
                let index = self.random.below(self.variables.len());
                let field = *self.random.pick(&["", "", ".s", ".m.a", ".x"]);
                format!("{}{field}", self.variables[index])
            }
            11 | 12 => (*self.random.pick(LITERALS)).to_owned(),
            13 if self.depth < 8 => {
                let pipeline = self.pipeline();
                let field = *self.random.pick(&["", "", "", ".a", ".b.c", ".Name", ".x.y"]);
                format!("({pipeline}){field}")
            }
            14 => (*self.random.pick(&[
                "word",
                "one",
                "nothing",
                "dict",
                "list",
                "nothing.x",
                "ptr.Name",
                "word.y",
                "dict.a",
                "upper",
                "print",
            ]))
            .to_owned(),
            _ => format!("$.{}", self.random.pick(KEYS)),
        }
    }

    /// Damages a text.
    fn mutate(&mut self, text: &mut Vec<u8>) {
        for _ in 0..1 + self.random.below(3) {
            let at = self.random.below(text.len() + 1);
            match self.random.below(4) {
                0 if at < text.len() => _ = text.remove(at),
                1 => {
                    let end = (at + self.random.below(12)).min(text.len());
                    text.drain(at..end);
                }
                2 => text.insert(at, [0xff, 0xc3, b'\r', b'{', b'}', b' '][self.random.below(6)]),
                _ => {
                    let piece = self.random.pick(PIECES).bytes().collect::<Vec<_>>();
                    text.splice(at..at, piece);
                }
            }
        }
    }
}
