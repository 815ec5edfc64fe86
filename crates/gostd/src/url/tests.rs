use super::*;

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The parts in the order scheme, opaque, user, host, path, query, fragment.
fn parts(text: &str) -> String {
    let url = Url::parse(text.as_bytes()).expect(text);
    let user = url.user.as_ref().map_or_else(|| "-".to_owned(), |user| shown(&user.to_bytes()));
    let fields =
        [&url.scheme, &url.opaque, &user.into_bytes(), &url.host, &url.path, &url.raw_query, &url.fragment];
    fields.map(|field| shown(field)).join("|")
}

#[test]
fn reads_the_parts() {
    let cases = [
        ("", "||-||||"),
        ("*", "||-||*||"),
        ("https://u:p%40@h.com:8443/p/a?q=1&r=2#frag", "https||u:p%40|h.com:8443|/p/a|q=1&r=2|frag"),
        ("mailto:a@b.c", "mailto|a@b.c|-||||"),
        ("/just/path?q", "||-||/just/path|q|"),
        ("HTTP://H.com/P", "http||-|H.com|/P||"),
        ("http://h/a%20b?x=y%20z#f%20g", "http||-|h|/a b|x=y%20z|f g"),
        ("///a/b", "||-||///a/b||"),
        ("//h/a", "||-|h|/a||"),
        ("postgres://a:1,b:2/db", "postgres||-|a:1,b:2|/db||"),
        ("http://a@b@c/", "http||a%40b|c|/||"),
        ("file:/x", "file||-||/x||"),
        ("http://[fe80::1%25en0]:80/", "http||-|[fe80::1%en0]:80|/||"),
        ("1a:b/", ""),
    ];
    for (text, want) in cases {
        match Url::parse(text.as_bytes()) {
            Ok(_) => assert_eq!(parts(text), want, "{text}"),
            Err(error) => assert_eq!((text, want, error.cause), ("1a:b/", "", Cause::ColonInFirstSegment)),
        }
    }
    let url = Url::parse(b"http://[::1]:80/x").expect("an address");
    assert_eq!((url.hostname(), url.port()), (&b"::1"[..], &b"80"[..]));
}

#[test]
fn refuses_in_gos_words() {
    let cases = [
        ("%", r#"parse "%": invalid URL escape "%""#),
        ("http://h/%zz", r#"parse "http://h/%zz": invalid URL escape "%zz""#),
        ("http://h/#%1", r#"parse "http://h/#%1": invalid URL escape "%1""#),
        ("http://a b/#x", r#"parse "http://a b/": invalid character " " in host name"#),
        (":", r#"parse ":": missing protocol scheme"#),
        ("a:b:c/\x7f", r#"parse "a:b:c/\x7f": net/url: invalid control character in URL"#),
        ("a/b:c", ""),
        ("b:c", ""),
        ("1:c", r#"parse "1:c": first path segment in URL cannot contain colon"#),
        ("http://a:b/", r#"parse "http://a:b/": invalid port ":b" after host"#),
        ("http://a:1:2/", r#"parse "http://a:1:2/": invalid port ":1:2" after host"#),
        ("http://%41/", r#"parse "http://%41/": invalid URL escape "%41""#),
        ("http://ü[@h/", r#"parse "http://ü[@h/": net/url: invalid userinfo"#),
        ("http://[::1", r#"parse "http://[::1": missing ']' in host"#),
        ("http://x[::1]", r#"parse "http://x[::1]": invalid IP-literal"#),
        ("http://[1.2.3.4]", r#"parse "http://[1.2.3.4]": invalid IP-literal"#),
        ("http://[x]/", r#"parse "http://[x]/": invalid host: ParseAddr("x"): unable to parse IP"#),
        (
            "http://[::1::]/",
            r#"parse "http://[::1::]/": invalid host: ParseAddr("::1::"): multiple :: in address (at ":")"#,
        ),
    ];
    for (text, want) in cases {
        let got = Url::parse(text.as_bytes()).map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(got, want, "{text}");
    }
}

#[test]
fn writes_what_was_read() {
    for text in [
        "http://u:@h/%2f/x?#a%2fb",
        "mailto:a@b?subject=x",
        "file:/x",
        "file:///x",
        "//h",
        "a%20b/c",
        "http://[fe80::1%25en0]/",
        "http:",
        "?",
    ] {
        assert_eq!(shown(&Url::parse(text.as_bytes()).expect(text).to_bytes()), text);
    }
}

#[test]
fn joins_parts() {
    let join = |change: fn(&mut Url)| {
        let mut url = Url::default();
        change(&mut url);
        url.to_string()
    };
    assert_eq!(join(|_| {}), "");
    assert_eq!(join(|url| url.host = b"h".to_vec()), "//h");
    assert_eq!(join(|url| url.scheme = b"http".to_vec()), "http:");
    assert_eq!(join(|url| url.path = b"a b".to_vec()), "a%20b");
    assert_eq!(join(|url| url.path = b"a:b".to_vec()), "./a:b");
    assert_eq!(join(|url| (url.host, url.path) = (b"h".to_vec(), b"p".to_vec())), "//h/p");
    assert_eq!(join(|url| (url.scheme, url.opaque) = (b"mailto".to_vec(), b"a@b".to_vec())), "mailto:a@b");
    assert_eq!(join(|url| (url.scheme, url.path) = (b"file".to_vec(), b"/x".to_vec())), "file:///x");
}

#[test]
fn escapes_by_part() {
    let all: Vec<u8> = (b' '..=b'~').collect();
    assert_eq!(
        shown(&query_escape(&all)),
        "+%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F0123456789%3A%3B%3C%3D%3E%3F%40\
         ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~"
    );
    assert_eq!(
        shown(&path_escape(&all)),
        "%20%21%22%23$%25&%27%28%29%2A+%2C-.%2F0123456789:%3B%3C=%3E%3F@\
         ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60abcdefghijklmnopqrstuvwxyz%7B%7C%7D~"
    );
    assert_eq!(query_unescape(b"a+b%2B%c3%BC").as_deref(), Ok("a b+ü".as_bytes()));
    assert_eq!(path_unescape(b"a+b%2"), Err(Cause::Escape(b"%2".to_vec())));
}
