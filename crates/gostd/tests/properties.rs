//! What must hold for any input: nothing panics, and inverse functions are inverse.

use gostd::path;
use gostd::regexp::{Regexp, quote_meta};
use gostd::time::{Duration, RFC3339_NANO, Time, Zone};
use gostd::url::{self, Url};
use proptest::collection::vec;
use proptest::prelude::*;

/// Texts made of the given pieces and some bytes of any kind.
fn texts(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => proptest::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn zones() -> impl Strategy<Value = Zone> {
    const NAMES: &[&str] =
        &["UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"];
    prop_oneof![
        proptest::sample::select(NAMES).prop_map(|name| Zone::load(name, &Zone::utc()).unwrap_or_default()),
        (-100_000i64..100_000).prop_map(|offset| Zone::fixed("", offset)),
    ]
}

const PATHS: &[&str] = &["/", "/", ".", "..", "a", "b.c", "é"];
const GLOBS: &[&str] = &["*", "?", "[", "]", "^", "-", "a", "b", "\\", "/", "[a-c]", "é"];
const URLS: &[&str] = &[
    "http", ":", "//", "/", "?", "#", "@", "[", "]", "::1", "%20", "%", "%zz", "a", "h.com", ":80", "é", " ",
];
const PATTERNS: &[&str] = &[
    "a",
    "b",
    "é",
    ".",
    "*",
    "+",
    "?",
    "|",
    "(",
    ")",
    "(?:",
    "(?P<n>",
    "(?i)",
    "(?s-m:",
    "^",
    "$",
    "\\b",
    "\\w",
    "\\pL",
    "\\p{Greek}",
    "[",
    "]",
    "[a-c]",
    "[^a]",
    "[[:alpha:]]",
    "-",
    "{2}",
    "{0,3}",
    "{",
    "}",
    "\\",
    "\\Q",
    "\\E",
    "\\x41",
    "\n",
];
const LAYOUTS: &[&str] = &[
    "2006",
    "06",
    "Jan",
    "January",
    "1",
    "01",
    "2",
    "_2",
    "02",
    "__2",
    "002",
    "Mon",
    "Monday",
    "15",
    "3",
    "03",
    "4",
    "04",
    "5",
    "05",
    "PM",
    "pm",
    "MST",
    "-07",
    "-0700",
    "-07:00",
    "Z07:00:00",
    ".000",
    ".999",
    ",0",
    "-",
    ":",
    " ",
    "T",
];
const TIMES: &[&str] = &[
    "2024", "24", "Feb", "february", "2", "02", "29", "366", "Thu", "15", "3", "60", "PM", "UTC", "EST",
    "GMT+3", "+0530", "-07:00", "Z", ".5", ",123", "-", ":", " ", "T",
];
const DURATIONS: &[&str] =
    &["1", "0", "2.5", ".", "h", "m", "s", "ms", "µs", "ns", "d", "-", "+", "9223372036854775807", "1e3"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paths(path in texts(PATHS), pattern in texts(GLOBS)) {
        let clean = path::clean(&path[..]);
        prop_assert_eq!(path::clean(&clean[..]), clean.clone());
        let (dir, base) = (path::dir(&path[..]), path::base(&path[..]));
        prop_assert!(!dir.is_empty() && !base.is_empty());
        let (head, tail) = path::split(&path[..]);
        prop_assert_eq!([head, tail].concat(), path.clone());
        let _ = path::match_pattern(&pattern, &path);
        let escaped: Vec<u8> = path.iter().flat_map(|byte| [b'\\', *byte]).collect();
        prop_assert_eq!(path::match_pattern(&escaped, &path), Ok(true));
    }

    #[test]
    fn urls(text in texts(URLS)) {
        prop_assert_eq!(url::query_unescape(&url::query_escape(&text)), Ok(text.clone()));
        prop_assert_eq!(url::path_unescape(&url::path_escape(&text)), Ok(text.clone()));
        match Url::parse(&text) {
            Ok(url) => {
                let _ = (url.hostname(), url.port());
                let again = Url::parse(&url.to_bytes());
                prop_assert_eq!(again.map(|url| url.to_bytes()), Ok(url.to_bytes()));
            }
            Err(error) => prop_assert!(error.to_string().starts_with("parse \"")),
        }
    }

    #[test]
    fn patterns(pattern in texts(PATTERNS), text in texts(PATTERNS), template in texts(&["$1", "${n}", "$", "x"])) {
        let quoted = Regexp::compile(quote_meta(&text));
        if std::str::from_utf8(&text).is_ok() {
            prop_assert_eq!(quoted.map(|re| re.find(&text).map(<[u8]>::to_vec)), Ok(Some(text.clone())));
        }
        match Regexp::compile(&pattern) {
            Ok(re) => {
                let found = re.find_all(&text, -1);
                prop_assert_eq!(found.first().copied(), re.find(&text));
                prop_assert_eq!(re.is_match(&text), !found.is_empty());
                prop_assert!(found.iter().map(|found| found.len()).sum::<usize>() <= text.len());
                prop_assert!(re.split(&text, 3).is_some_and(|parts| parts.len() <= 3));
                prop_assert_eq!(re.replace_all(&text, b"$0"), Ok(text.clone()));
                prop_assert!(re.replace_all(&text, &template).is_ok());
            }
            Err(error) => prop_assert!(error.to_string().starts_with("error parsing regexp: ")),
        }
    }

    #[test]
    fn times(sec in any::<i64>(), nsec in any::<i64>(), by in any::<i64>(), zone in zones(), layout in texts(LAYOUTS)) {
        let time = Time::unix(sec, nsec, &zone);
        let _ = (time.format(&layout), time.to_string(), time.iso_week(), time.year_day(), time.unix_nano());
        let _ = (time.add_date(by, sec, nsec), time.round(Duration(by)), Duration(by).round(Duration(sec)));
        let _ = Time::date(sec, nsec, by, sec, nsec, by, sec, &zone);
        prop_assert!(time.truncate(Duration(by)).sub(&time).0 <= 0 || by <= 0);
        let moved = time.add(Duration(by));
        if time.utc().year().abs() < 1_000_000 {
            prop_assert_eq!(moved.sub(&time), Duration(by));
        }
    }

    #[test]
    fn times_read_back(sec in -62_135_596_800i64..253_402_300_800, nsec in 0i64..1_000_000_000, zone in zones()) {
        let time = Time::unix(sec, nsec, &zone);
        let whole_minutes = time.zone_in_force().1 % 60 == 0;
        if let (Ok(text), true) = (time.to_rfc3339(), whole_minutes) {
            let again = Time::parse(RFC3339_NANO.as_bytes(), text.as_bytes(), &zone);
            prop_assert_eq!(again.map(|again| again.equal(&time)), Ok(true), "{}", text);
        }
    }

    #[test]
    fn times_from_noise(layout in texts(LAYOUTS), value in texts(TIMES), zone in zones()) {
        if let Err(error) = Time::parse_in_location(&layout, &value, &zone) {
            prop_assert!(error.to_string().starts_with("parsing time \""));
        }
    }

    #[test]
    fn durations(nanoseconds in any::<i64>(), shift in 0u32..64, noise in texts(DURATIONS)) {
        let duration = Duration(nanoseconds >> shift);
        prop_assert_eq!(Duration::parse(duration.to_string().as_bytes()), Ok(duration));
        if let Err(error) = Duration::parse(&noise) {
            prop_assert!(error.to_string().starts_with("time: "));
        }
    }
}
