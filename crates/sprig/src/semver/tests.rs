use super::*;

fn check(constraint: &str, version: &str) -> bool {
    let constraints = Constraints::parse(constraint).expect(constraint);
    constraints.check(&Version::parse(version).expect(version))
}

/// Each constraint with versions that fit and versions that do not.
#[test]
fn operators() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("1.2.3", &["1.2.3", "v1.2.3+meta"], &["1.2.4", "1.2.3-rc"]),
        ("=1.2", &["1.2.0", "1.2.9"], &["1.3.0", "1.1.9"]),
        ("1.x", &["1.0.0", "1.9"], &["2.0", "0.9"]),
        ("*", &["0.0.0", "9.9.9"], &["1.0.0-a"]),
        ("!=1.2.3", &["1.2.4"], &["1.2.3"]),
        ("!=1.2.x", &["1.3.0", "2.2.0"], &["1.2.0", "1.2.9"]),
        ("!=1", &["2.0", "0.1"], &["1.0", "1.9.9"]),
        ("!=*", &["0.0.1", "1.0"], &["0.0.0"]),
        (">1.2.3", &["1.2.4"], &["1.2.3"]),
        (">1.2", &["1.3.0"], &["1.2.9"]),
        (">1", &["2.0"], &["1.9.9"]),
        (">*", &["0.0.1", "1.0"], &["0.0.0"]),
        ("<1.2", &["1.1.9"], &["1.2.0"]),
        ("<1.x", &["0.9"], &["1.0"]),
        (">=1.2.3", &["1.2.3", "2.0"], &["1.2.2"]),
        ("=>1", &["1.0.0"], &["0.9.9"]),
        ("<=1.2.3", &["1.2.3"], &["1.2.4"]),
        ("=<1.2", &["1.2.9", "0.3"], &["1.3.0", "2.0"]),
        ("<=1", &["1.9.9"], &["2.0"]),
        ("<=*", &["0.0.9"], &["0.1", "1.0"]),
        ("~1.2.3", &["1.2.3", "1.2.9"], &["1.2.2", "1.3.0", "2.2.3"]),
        ("~>1.2", &["1.2.0", "1.2.9"], &["1.3.0"]),
        ("~1", &["1.0", "1.9"], &["2.0"]),
        ("~0.0.0", &["0.0.0", "5.0"], &[]),
        ("~*", &["0.0.0", "5.0"], &["1.0.0-a"]),
        ("^1.2.3", &["1.2.3", "1.9"], &["1.2.2", "2.0"]),
        ("^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0", "1.0"]),
        ("^0.0.3", &["0.0.3"], &["0.0.4", "0.1.0"]),
        ("^0.0", &["0.0.0", "0.0.9"], &["0.1.0"]),
        ("^0", &["0.9.9"], &["1.0"]),
        ("^1.x", &["1.0", "1.9"], &["2.0", "0.9"]),
        ("^*", &["0.0.0"], &["0.0.1", "1.2.3"]),
    ];
    for (constraint, fitting, others) in cases {
        for version in *fitting {
            assert!(check(constraint, version), "{constraint} fits {version}");
        }
        for version in *others {
            assert!(!check(constraint, version), "{constraint} does not fit {version}");
        }
    }
}

#[test]
fn groups_and_ranges() {
    assert!(check(">=1.0, <2.0", "1.9"));
    assert!(check(" >= 1.0 < 2.0 ", "1.9"));
    assert!(!check(">=1.0 <2.0", "2.0"));
    assert!(check("<1.0 || >=1.2||~0.3", "2.0"));
    assert!(!check("<1.0 || >=1.2", "1.1"));
    assert!(check("1.2 - 2", "2.0.9"));
    assert!(!check("1.2 - 2.0.0", "2.0.1"));
    assert!(check("0.1 || 1.2.0 - 2", "1.5"));
    // The library's class of number characters holds a bar.
    assert_eq!(
        Constraints::parse("1|2").map_err(|error| error.to_string()),
        Err("constraint parser error".into())
    );
}

#[test]
fn prereleases_fit_only_where_asked_for() {
    assert!(!check(">=1.19", "1.27.3-gke.1"));
    assert!(check(">=1.19-0", "1.27.3-gke.1"));
    assert!(check(">= 1.19.0-0 < 1.30.0-0", "1.27.3-gke.1"));
    assert!(check(">=1.19-0 <2", "1.27.3-gke.1"));
    assert!(!check("<1.0-0 || >=1.19", "1.27.3-gke.1"));
    assert!(check("~1.2.3-beta", "1.2.3-rc"));
    assert!(!check("~1.2.3-beta", "1.2.3-alpha"));
}

#[test]
fn refuses_in_the_librarys_words() {
    for text in [
        "",
        " ",
        "==1.2.3",
        "a.b",
        "1.2.3 foo",
        "1.2.3.4",
        ">>1",
        "1,,2",
        "1,",
        ">1<2",
        "1.2-",
        "v",
        "1.2 -3",
    ] {
        let error = Constraints::parse(text).expect_err(text);
        assert_eq!(error.to_string(), format!("improper constraint: {text:?}"));
    }
    let error = Constraints::parse(">=1 || x y").expect_err("letters");
    assert_eq!(error.to_string(), "improper constraint: \" x y\"");
    let error = Constraints::parse(b"\xff").expect_err("no text");
    assert_eq!(error.to_string(), r#"improper constraint: "\xff""#);
    assert_eq!(Constraints::parse("1.2-01"), Err(Error::Term));
    assert_eq!(Constraints::parse("1.99999999999999999999"), Err(Error::Term));
    assert_eq!(Constraints::parse(["1"; 32].join("||")).map(|_| ()), Ok(()));
    let error = Constraints::parse(["1"; 33].join("||")).expect_err("33 groups");
    assert_eq!(error.to_string(), "too many constraint groups (max 32)");
    let error = Constraints::parse(" ".repeat(513)).expect_err("513 bytes");
    assert_eq!(error.to_string(), "constraint string is too long (max 512 bytes)");
}

#[test]
fn prints_what_was_read() {
    let printed = |text: &str| Constraints::parse(text).expect(text).to_string();
    assert_eq!(printed(" >= v1.2 ,<2||~>3.x-a+b "), ">=v1.2 <2 || ~>3.x-a+b");
    assert_eq!(printed("1.2 - 2"), ">=1.2 <=2");
}

/// Random texts of the characters that mean something: nothing panics, and what was read reads back the same.
#[test]
fn survives_noise() {
    const PIECES: [&str; 24] = [
        "0", "1", "2", "10", ".", ".", "x", "*", "-", "+", "a", " ", " - ", ",", "||", "|", "v", "=", ">",
        "<", "~", "^", "!", "\u{e9}",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let versions: Vec<Version> = ["0.0.0", "1.2.3", "1.2.3-a.1", "2.0.0-0"]
        .iter()
        .filter_map(|text| Version::parse(text).ok())
        .collect();
    for _ in 0..20_000 {
        let len = random(10);
        let text: String = (0..len).filter_map(|_| PIECES.get(random(PIECES.len()))).copied().collect();
        if let Ok(version) = Version::parse(&text) {
            let again = Version::parse(version.to_string()).expect("printed versions are versions");
            assert_eq!(version.compare(&again), std::cmp::Ordering::Equal, "{text}");
        }
        let _ = Version::parse_strict(&text);
        if let Ok(constraints) = Constraints::parse(&text) {
            let again = Constraints::parse(constraints.to_string()).expect(&text);
            for version in &versions {
                assert_eq!(constraints.check(version), again.check(version), "{text} on {version}");
            }
        }
    }
}
