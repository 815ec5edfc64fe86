//! Texts worth trying, by what they are for.

use super::values::Dice;

const WORDS: &[&str] = &[
    "",
    "a",
    "b",
    "foo",
    "bar",
    "foo-bar",
    "fooBar",
    "FOO_BAR",
    "HTTPServer2xx",
    "hello world",
    " x ",
    "\t\n",
    "é",
    "ÄÖÜ ß",
    "日本語",
    "ǆungla",
    "😀",
    "İstanbul",
    "it's",
    "a\"b\\c",
    "{{x}}",
    "%d%s",
    "<a&b>",
    "\u{2028}",
    "\u{a0}nbsp",
    "\u{85}",
    "v1.2.3",
    "1.2.3-beta+x",
    "true",
    "false",
    "null",
    "nil",
    "~",
    "0",
    "00",
    "1",
    "-1",
    "+7",
    "007",
    "0x1F",
    "0b11",
    "0o17",
    "1_000",
    "08",
    "3.14",
    "10.00",
    "1e3",
    "-2.5e-3",
    ".5",
    "5.",
    "inf",
    "NaN",
    "0x1p4",
    "1e400",
    "9223372036854775807",
    "9223372036854775808",
    "a,b,c",
    "a, b ,c",
    "/a/b/c.txt",
    "a//b/../c",
    "../x",
    ".",
    "..",
    "/",
    "x.tar.gz",
    "https://u:p@h.io:8080/p/a%20th?q=1&r=2#f",
    "mailto:a@b",
    "//h/p",
    "2024-02-29",
    "2024-02-29T13:04:05Z",
    "13:04",
    "1h30m",
    "-5s",
    "100",
    "1d",
    "aGVsbG8=",
    "aGVsbG8",
    "MFRGG===",
    "YQ==\n",
    "{\"a\":[1,2.5,null]}",
    "[1,\"x\",{}]",
    "null ",
    "{",
    "[1,",
    "1e999",
    "\"\\u00e9\\ud83d\"",
    "x: y\n- z\n",
    "one two three four five six",
    "supercalifragilisticexpialidocious",
    "a-b_c d.e/f",
    "GOLANG_IS_GREAT",
    "foo__bar--baz",
    "Bld4Floor3rd",
    "http2xx",
    "_leading",
    "trailing_",
    "ＦＵＬＬ",
    "ﬀ",
    "ς Σ",
    "ŉ",
    "kgB",
];

const PATTERNS: &[&str] = &[
    "a",
    "",
    "[a-z]+",
    "^f",
    "o$",
    "(a)(b)?",
    "(?i)FOO",
    "\\d+",
    "\\w*",
    "x*",
    "(",
    "[",
    "a{2,}",
    "a{1001}",
    "\\pL+",
    "(?P<n>o+)",
    "[^a]",
    "a|b",
    "(?s).",
    ".*?",
    "\\bfoo\\b",
    "[[:alpha:]]",
    "\\Qa.b\\E",
    "(?:a|ab)(c|bcd)",
    "*",
    "\\",
    "a**",
    "[z-a]",
    "(?=a)",
    "é",
    "\\s",
    "-|_",
    "/",
    ",\\s*",
    "(?m)^.",
    "[\\d_-]",
];

const REPLACEMENTS: &[&str] =
    &["", "x", "$0", "${1}y", "$1W", "$$", "$n", "${n}!", "$", "\\1", "é", "$10", "${"];

const LAYOUTS: &[&str] = &[
    "2006-01-02",
    "2006-01-02T15:04:05Z07:00",
    "Mon Jan _2 15:04:05 2006",
    "02/01/06 03:04PM",
    "Monday January 2",
    "15:04:05.000",
    "15:04:05.999",
    "MST -0700 Z0700 -07",
    "002 __2",
    "Janet",
    "x",
    "",
    "2006",
];

const ZONES: &[&str] =
    &["", "UTC", "Local", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Nope", "../x"];

const DURATIONS: &[&str] = &[
    "1h",
    "-1h30m",
    "90s",
    "1.5h",
    "100ms",
    "1d",
    "",
    "h",
    "24h",
    "25h",
    "720h1s",
    "8761h",
    "1s",
    "2s",
    "10000000h",
];

const VERSIONS: &[&str] = &["1.2.3", "v1.2", "1", "1.2.3-rc.1+b", "0.0.0", "x", "1.2.3.4", "01.2", "2.0.0-0"];

const CONSTRAINTS: &[&str] =
    &[">=1.2", "^1.2.3", "~0.0.0", "1.x || >=2-0", ">1 <2", "!=1.2.3", "*", "", "=>1", "== 1", "1.2 - 2.3.4"];

const TYPES: &[&str] = &[
    "string",
    "int",
    "float64",
    "map",
    "slice",
    "invalid",
    "[]interface {}",
    "map[string]interface {}",
    "time.Time",
    "semver.Version",
    "*semver.Version",
    "<nil>",
    "ptr",
    "struct",
    "main.Values",
];

const KEYS: &[&str] = &["a", "b", "c", "nope", "", "é"];

/// Pieces of which a function's texts are often made, to meet the corners of its syntax.
const PIECES: &[(&[&str], &[&str])] = &[
    (
        &[
            "atoi",
            "int",
            "int64",
            "float64",
            "toDecimal",
            "add",
            "addf",
            "round",
            "floor",
            "duration",
            "max",
            "maxf",
        ],
        &[
            "0", "1", "7", "9", "00", "x", "X", "0x", "0b", "0o", "_", ".", "e", "E", "p", "+", "-", "inf",
            "nan", " ",
        ],
    ),
    (
        &["b64dec", "decryptAES"],
        &["A", "Q", "aGk", "YQ==", "=", "==", "\n", "\r", "/", "+", "-", "!", "Zm9v", " "],
    ),
    (&["b32dec"], &["A", "MY", "MZXW6", "=", "==", "===", "=======", "a", "1", "\n", "MZXW6YTB", "8"]),
    (
        &["fromJson", "mustFromJson"],
        &[
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "1", "-", "0", "1.5", "e5", "null", "true", "nul",
            " ", "\n", "\\u00e9", "\\ud800", "\\x", "{\"a\":", "[1,", "\u{1}", "é",
        ],
    ),
    (
        &[
            "snakecase",
            "kebabcase",
            "camelcase",
            "title",
            "untitle",
            "swapcase",
            "initials",
            "nospace",
            "wrap",
            "wrapWith",
        ],
        &[
            "a", "b", "A", "B", "1", "2", "_", "-", " ", "é", "É", ".", "日", "$", "\t", "\u{301}", "ǅ", "²",
            "\u{a0}", "HTTP", "x1Y",
        ],
    ),
    (
        &["urlParse", "urlJoin"],
        &[
            "http", ":", "//", "/", "?", "#", "@", "[", "]", "::1", "%", "%41", "%zz", "a", "h.io", ":80",
            ":x", "=", "&", " ", "é", "*", "+", ";", "%25eth0", "..",
        ],
    ),
    (
        &["base", "dir", "clean", "ext", "isAbs", "osBase", "osDir", "osClean", "osExt"],
        &["a", "b", "/", "//", ".", "..", "é"],
    ),
    (
        &["semver", "semverCompare"],
        &[
            "1", "2", "0", ".", "-", "+", "v", "x", "*", ">", "<", "=", "^", "~", "!", "||", ",", " ", " - ",
            "rc", "01", "a",
        ],
    ),
    (
        &["dateModify", "mustDateModify", "date_modify", "durationRound"],
        &["1", "5", "0", ".", "h", "m", "s", "ms", "us", "µs", "ns", "d", "-", "+", "9223372036"],
    ),
    (
        &["toDate", "mustToDate", "date", "dateInZone"],
        &[
            "2006", "06", "01", "1", "Jan", "January", "02", "_2", "2", "15", "03", "3", "04", "4", "05",
            "5", "PM", "pm", "MST", "-0700", "-07:00", "Z07:00", "Z0700", ".000", ".999", ",999", "002",
            "__2", "Mon", "Monday", " ", "-", ":", "T", "Z", "2024", "31", "Feb", "12", "+01:00", "CET",
            "UTC",
        ],
    ),
];

/// Picks a text that suits a parameter of a function.
pub(crate) fn text(dice: &mut Dice, function: &str, at: usize) -> Vec<u8> {
    if dice.one_in(12) {
        return noise(dice);
    }
    let pieces = PIECES.iter().find(|(functions, _)| functions.contains(&function));
    if let Some((_, pieces)) = pieces.filter(|_| dice.one_in(3)) {
        return (0..dice.below(9)).flat_map(|_| dice.pick(pieces).bytes()).collect();
    }
    let pool = match (function, at) {
        (name, 0) if name.to_lowercase().contains("regex") => PATTERNS,
        ("regexReplaceAll" | "mustRegexReplaceAll" | "regexReplaceAllLiteral", 2) => REPLACEMENTS,
        ("date" | "dateInZone" | "date_in_zone" | "toDate" | "mustToDate", 0) => LAYOUTS,
        ("dateInZone" | "date_in_zone", 2) | ("htmlDateInZone", 1) => ZONES,
        ("dateModify" | "date_modify" | "mustDateModify" | "must_date_modify" | "durationRound", 0) => {
            DURATIONS
        }
        ("semverCompare", 0) => CONSTRAINTS,
        ("semverCompare", 1) | ("semver", 0) => VERSIONS,
        ("typeIs" | "typeIsLike" | "kindIs", 0) => TYPES,
        ("get" | "set" | "unset" | "hasKey" | "pick" | "omit" | "pluck", _) => KEYS,
        _ => WORDS,
    };
    let mut text = dice.pick(pool).as_bytes().to_vec();
    while std::ptr::eq(pool, PATTERNS) && dice.one_in(3) {
        text.extend_from_slice(
            dice.pick(&["", "|", "*", "+?", "(", ")", "?", "{2}", "\\", "[", "]"]).as_bytes(),
        );
        text.extend_from_slice(dice.pick(PATTERNS).as_bytes());
    }
    if std::ptr::eq(pool, WORDS) {
        while dice.one_in(3) {
            let more = dice.pick(WORDS).as_bytes();
            text.extend_from_slice(dice.pick(&[" ", "", "-", "_", "\n", ",", "."]).as_bytes());
            text.extend_from_slice(more);
        }
        if dice.one_in(15) && !text.is_empty() {
            let cut = dice.below(text.len());
            text.truncate(cut);
        }
    }
    text
}

/// Bytes of all kinds: ASCII mostly, characters of every width, invalid ones.
fn noise(dice: &mut Dice) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..dice.below(12) {
        match dice.below(8) {
            0 => text.push(dice.next() as u8),
            1 => text.push(dice.below(0x21) as u8),
            2..=4 => text.push((0x20 + dice.below(0x5f)) as u8),
            5 => text.extend(char::from_u32(dice.below(0x800) as u32).unwrap_or('x').to_string().bytes()),
            6 => text.extend(char::from_u32(dice.below(0x1_0000) as u32).unwrap_or('x').to_string().bytes()),
            _ => text.extend(char::from_u32(dice.below(0x2_0000) as u32).unwrap_or('x').to_string().bytes()),
        }
    }
    text
}
