use super::*;

fn compiled(pattern: &str) -> Regexp {
    Regexp::compile(pattern).expect(pattern)
}

fn fault(pattern: &[u8]) -> String {
    Regexp::compile(pattern).expect_err(&String::from_utf8_lossy(pattern)).to_string()
}

fn found(pattern: &str, text: &str) -> Option<String> {
    compiled(pattern).find(text.as_bytes()).map(|found| String::from_utf8_lossy(found).into_owned())
}

fn texts(list: Vec<&[u8]>) -> Vec<String> {
    list.into_iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()
}

fn replaced(pattern: &str, text: &str, template: &str) -> String {
    let result = compiled(pattern).replace_all(text.as_bytes(), template.as_bytes());
    String::from_utf8(result.expect("short enough")).expect("text")
}

#[test]
fn refuses_patterns_in_gos_words() {
    let cases: &[(&str, &str, &str)] = &[
        ("a(b", "missing closing )", "a(b"),
        ("a)", "unexpected )", "a)"),
        ("[a", "missing closing ]", "[a"),
        ("[z-a]", "invalid character class range", "z-a"),
        ("[[:foo:]]", "invalid character class range", "[:foo:]"),
        (r"\p{Foo}x", "invalid character class range", r"\p{Foo}"),
        (r"\p{Old_Italic}", "invalid character class range", r"\p{Old_Italic}"),
        (r"\p", "invalid character class range", r"\p"),
        ("a**", "invalid nested repetition operator", "**"),
        ("a+?{2}?", "invalid nested repetition operator", "+?{2}?"),
        ("*a", "missing argument to repetition operator", "*"),
        ("a|+?", "missing argument to repetition operator", "+?"),
        ("a{1001}", "invalid repeat count", "{1001}"),
        ("a{2,1}", "invalid repeat count", "{2,1}"),
        ("(a{100}){11}?", "invalid repeat count", "{11}?"),
        (r"\8", "invalid escape sequence", r"\8"),
        (r"(a)\1", "invalid escape sequence", r"\1"),
        (r"\x{110000}", "invalid escape sequence", r"\x{110000"),
        (r"\C", "invalid escape sequence", r"\C"),
        (r"[\Q]", "invalid escape sequence", r"\Q"),
        ("a\\", "trailing backslash at end of expression", ""),
        ("(?=a)", "invalid or unsupported Perl syntax", "(?="),
        ("(?i-)", "invalid or unsupported Perl syntax", "(?i-)"),
        ("(?<=a)b", "invalid named capture", "(?<=a)b"),
        ("(?P<a-b>c)", "invalid named capture", "(?P<a-b>"),
    ];
    for (pattern, message, expression) in cases {
        let want = format!("error parsing regexp: {message}: `{expression}`");
        assert_eq!(fault(pattern.as_bytes()), want, "{pattern}");
    }
    assert_eq!(fault(b"a\xff(b"), "error parsing regexp: invalid UTF-8: `\u{fffd}(b`");
    // The first fault counts.
    assert!(fault(b"a**\xff").contains("**"));
    let deep = ["(".repeat(1001), ")".repeat(1001)].concat();
    assert!(fault(deep.as_bytes()).starts_with("error parsing regexp: expression nests too deeply: `((("));
    let large = ["x".repeat(4000), "x{1000}".repeat(4000)].concat();
    assert!(fault(large.as_bytes()).starts_with("error parsing regexp: expression too large: `xxx"));
    let error = Regexp::compile("(`\n").expect_err("an open group");
    assert_eq!(
        error.must_compile_text(b"(`\n"),
        "regexp: Compile(\"(`\\n\"): error parsing regexp: missing closing ): `(`\n`"
    );
    let error = Regexp::compile("(").expect_err("an open group");
    assert_eq!(
        error.must_compile_text(b"("),
        "regexp: Compile(`(`): error parsing regexp: missing closing ): `(`"
    );
}

#[test]
fn re2_syntax() {
    let cases = [
        // Literals that other engines refuse.
        ("{", "a{", Some("{")),
        ("x{,2}", "x{,2}", Some("x{,2}")),
        ("a{01}", "a{01}", Some("a{01}")),
        (r"\Qa.b\E+", "a.bb", Some("a.bb")),
        (r"\Qa.b", "xa.b", Some("a.b")),
        (r"\_\-\x41\x{e9}\101\07", "_-A\u{e9}A\u{7}", Some("_-A\u{e9}A\u{7}")),
        // Classes.
        ("[]a]+", "x]a", Some("]a")),
        ("[^[]", "[a", Some("a")),
        ("[a-]+", "-a", Some("-a")),
        (r"[\d-z]+", "1-z", Some("1-z")),
        ("[a&&b]+", "&&", Some("&&")),
        ("[+--]+", "+,-.", Some("+,-")),
        ("[[:^alpha:]]", "ab1", Some("1")),
        ("[[:word:]-]+", " a_-", Some("a_-")),
        // ASCII only.
        (r"\d+", "\u{664}7", Some("7")),
        (r"\w+", "\u{e9}a", Some("a")),
        (r"\s", "\u{a0}\u{b}", None),
        (r"\b.\b", "\u{e9} a", Some("a")),
        // Unicode where asked for.
        (r"\p{Greek}+", "a\u{3b1}\u{3b2}", Some("\u{3b1}\u{3b2}")),
        (r"\p{^Lu}", "A\u{c9}b", Some("b")),
        (r"\P{Ll}\pN", "a1B2", Some("B2")),
        (r"\p{uppercase-letter}", "a\u{c9}", Some("\u{c9}")),
        // Flags.
        ("(?i)k", "\u{212a}", Some("\u{212a}")),
        ("(?i:a)b", "AB Ab", Some("Ab")),
        ("(?i)[^a]", "Aab", Some("b")),
        ("a.b", "a\nb", None),
        ("(?s)a.b", "a\nb", Some("a\nb")),
        ("^b", "a\nb", None),
        ("(?m)^b$", "a\nb\nc", Some("b")),
        ("b$", "b\n", None),
        ("(?U)a+", "aaa", Some("a")),
        ("(?U)a+?", "aaa", Some("aaa")),
        ("(?i)a(?-i)b", "AB Ab", Some("Ab")),
        // Leftmost, then in the order of the pattern.
        ("a|ab", "ab", Some("a")),
        ("b|a", "ab", Some("a")),
        ("(|a)*", "aa", Some("")),
        ("(|a)+", "aa", Some("")),
        ("a*?", "aa", Some("")),
    ];
    for (pattern, text, want) in cases {
        assert_eq!(found(pattern, text).as_deref(), want, "{pattern} in {text}");
    }
    assert!(compiled(r"^[^\x00-\x{10FFFF}]*$").is_match(b""));
    assert!(!compiled(r"\x{d800}").is_match("\u{fffd}".as_bytes()));
}

#[test]
fn groups() {
    let re = compiled("(a)|(?P<n>b)(c){0}(d)?");
    let groups = re.find_submatch(b"xb").expect("a match");
    assert_eq!(groups, [Some(&b"b"[..]), None, Some(&b"b"[..]), None, None]);
    assert_eq!(re.group_names(), [None, None, Some("n".to_owned()), None, None]);
}

#[test]
fn finds_all() {
    let all = |pattern: &str, text: &str, n: i64| texts(compiled(pattern).find_all(text.as_bytes(), n));
    assert_eq!(all("a*", "baaab", -1), ["", "aaa", ""]);
    assert_eq!(all("a*", "baaab", 2), ["", "aaa"]);
    assert_eq!(all("", "\u{e9}b", -1), ["", "", ""]);
    assert_eq!(all(r"\b", "ab c", -1), ["", "", "", ""]);
    assert_eq!(all("x", "abc", -1), Vec::<String>::new());
    assert_eq!(all("a", "aaa", 0), Vec::<String>::new());
}

#[test]
fn splits() {
    let split = |pattern: &str, text: &str, n: i64| compiled(pattern).split(text.as_bytes(), n).map(texts);
    let list = |parts: &[&str]| Some(parts.iter().map(|part| (*part).to_owned()).collect());
    assert_eq!(split("a*", "abaabaccadaaae", 5), list(&["", "b", "b", "c", "cadaaae"]));
    assert_eq!(split("", "\u{e9}bc", -1), list(&["\u{e9}", "b", "c"]));
    assert_eq!(split(",", "a,b,c", 2), list(&["a", "b,c"]));
    assert_eq!(split(",", "a,b,", -1), list(&["a", "b", ""]));
    assert_eq!(split(",", "", -1), list(&[""]));
    assert_eq!(split("", "", -1), list(&[]));
    assert_eq!(split(",", "a", 0), None);
}

#[test]
fn replaces() {
    let cases = [
        ("a(x*)b", "-ab-axxb-", "$1", "--xx-"),
        ("a(x*)b", "-ab-axxb-", "$1W", "---"),
        ("a(x*)b", "-ab-axxb-", "${1}W", "-W-xxW-"),
        ("a(?P<n>x*)b", "-axb-", "<$n|${n}|$m|$2>", "-<x|x||>-"),
        ("a", "banana", "$$x$", "b$x$n$x$n$x$"),
        ("a", "a", "${", "${"),
        ("(a)", "a", "$01|${1|$1\u{e9}|$\u{bd}", "|${1||$\u{bd}"),
        ("x*", "axc", "-", "-a-c-"),
        ("", "\u{e9}b", "-", "-\u{e9}-b-"),
        (r"\b", "ab c", "|", "|ab| |c|"),
        ("(?P<n>a)|(?P<n>b)", "ab", "[$n]", "[a][b]"),
    ];
    for (pattern, text, template, want) in cases {
        assert_eq!(replaced(pattern, text, template), want, "{pattern} in {text} by {template}");
    }
    let literal = compiled("a+").replace_all_literal(b"baac", b"$0");
    assert_eq!(literal.as_deref(), Ok(&b"b$0c"[..]));
    let bounded = |longest: usize| {
        let (re, text) = (compiled("a"), Text::new(b"aaab"));
        let write = |out: &mut Vec<u8>, _: &Range<usize>| out.extend_from_slice(b"xyz");
        replace(&text, longest, |at| re.find_at(&text, at), Range::clone, write)
    };
    assert_eq!(bounded(10).as_deref(), Ok(&b"xyzxyzxyzb"[..]));
    assert_eq!(bounded(9), Err(TooLong));
    assert_eq!(bounded(3), Err(TooLong));
}

#[test]
fn invalid_bytes_are_characters() {
    let text = b"a\xffb\xe2\x82c\xc3\xa9";
    assert_eq!(compiled("^.{7}$").find(text), Some(&text[..]));
    assert_eq!(compiled("[^a-z]+").find(text), Some(&b"\xff"[..]));
    assert_eq!(compiled(r"\x{fffd}+c").find(text), Some(&b"\xe2\x82c"[..]));
    assert_eq!(compiled("[bc]").find_all(text, -1), [b"b", b"c"]);
    assert_eq!(compiled("").split(text, -1).map(|parts| parts.len()), Some(7));
    assert_eq!(compiled(".").replace_all(b"\xff\xfe", b"<$0>").as_deref(), Ok(&b"<\xff><\xfe>"[..]));
    assert_eq!(compiled("x*").replace_all(b"\xff", b"-").as_deref(), Ok(&b"-\xff-"[..]));
}

#[test]
fn nesting_costs_no_stack_and_little_time() {
    let nested = |open: &str, close: &str, depth: usize| [open.repeat(depth), close.repeat(depth)].concat();
    for pattern in [
        nested("(", ")", 999),
        nested("(?:a", "b)*", 333),
        nested("(?:.", ")", 1500),
        nested("(?:.|", ")", 1500),
    ] {
        assert!(Regexp::compile(&pattern).is_ok());
    }
}

#[test]
fn quoting_round_trips() {
    let text: Vec<u8> = (0..128).collect();
    let quoted = quote_meta(&text);
    assert_eq!(Regexp::compile(&quoted).map(|re| re.find(&text).map(<[u8]>::len)), Ok(Some(128)));
    assert_eq!(quote_meta(br"a\.+*?()|[]{}^$-"), br"a\\\.\+\*\?\(\)\|\[\]\{\}\^\$-");
}
