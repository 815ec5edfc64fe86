use super::*;

fn utc(text: &str) -> Time {
    Time::parse(RFC3339.as_bytes(), text.as_bytes(), &Zone::utc()).expect(text)
}

fn zone(name: &str) -> Zone {
    Zone::load(name, &Zone::utc()).expect(name)
}

fn shown(time: &Time, layout: &str) -> String {
    String::from_utf8(time.format(layout.as_bytes())).expect("text")
}

fn parsed(layout: &str, value: &str, zone: &Zone) -> String {
    let result = Time::parse_in_location(layout.as_bytes(), value.as_bytes(), zone);
    result.map_or_else(|error| error.to_string(), |time| time.to_string())
}

#[test]
fn the_zero_time() {
    assert!(Time::default().is_zero());
    assert_eq!(Time::default().to_string(), "0001-01-01 00:00:00 +0000 UTC");
    assert_eq!(Time::default(), Time::date(1, 1, 1, 0, 0, 0, 0, &Zone::utc()));
    assert_eq!(Time::unix(0, -1, &Zone::utc()).to_string(), "1969-12-31 23:59:59.999999999 +0000 UTC");
}

#[test]
fn formats_every_element() {
    let time = utc("2024-02-09T13:04:05.0123Z").in_zone(&zone("America/New_York"));
    let cases = [
        ("2006 06 January Jan 1 01 Monday Mon", "2024 24 February Feb 2 02 Friday Fri"),
        ("2|_2|02|__2|002", "9| 9|09| 40|040"),
        ("15 3 03 4 04 5 05 PM pm", "08 8 08 4 04 5 05 AM am"),
        ("MST -07 -0700 -07:00 -070000 -07:00:00", "EST -05 -0500 -05:00 -050000 -05:00:00"),
        ("Z07 Z0700 Z07:00 Z070000 Z07:00:00", "-05 -0500 -05:00 -050000 -05:00:00"),
        ("5.000 5,00 5.9 5.999999 .0000000000", "5.012 5,01 5 5.0123 .012300000"),
        ("Janet Month MSTX .001 ,95 00 _2006 x", "Janet Month ESTX .002 ,95 00 _2024 x"),
    ];
    for (layout, want) in cases {
        assert_eq!(shown(&time, layout), want, "{layout}");
    }
    assert_eq!(shown(&time.utc(), "Z07 Z0700 Z07:00:00 -07 3PM"), "Z Z Z +00 1PM");
    assert_eq!(time.format(b"\xff2006"), b"\xff2024");
    assert_eq!(shown(&Time::unix(0, 0, &Zone::fixed("", -90)), "MST -07:00:00"), "-0001 -00:01:30");
    assert_eq!(Time::date(-5, 1, 1, 0, 0, 0, 0, &Zone::utc()).to_string(), "-0005-01-01 00:00:00 +0000 UTC");
}

#[test]
fn reads_what_it_prints() {
    let layouts = [
        "2006-01-02T15:04:05.999999999Z07:00",
        "Mon Jan _2 15:04:05.000000000 2006 -07:00",
        "Monday, 02-Jan-06 03:04:05.000000000 PM -070000",
        "2006-002 15:04:05,999999999 Z07:00:00",
        "2006-__2 15:04:05.999999999 -0700",
    ];
    let zones = [Zone::utc(), zone("Asia/Kolkata"), zone("America/St_Johns"), Zone::fixed("", -3600)];
    for (layout, zone) in layouts.iter().flat_map(|layout| zones.iter().map(move |zone| (layout, zone))) {
        for (sec, nsec) in [(0, 0), (1_709_211_845, 120_000_000), (951_782_399, 999_999_999)] {
            let time = Time::unix(sec, nsec, zone);
            let read = Time::parse_in_location(layout.as_bytes(), &time.format(layout.as_bytes()), zone);
            assert_eq!(read.as_ref(), Ok(&time), "{layout}");
        }
    }
}

#[test]
fn reads_with_gos_rules() {
    let new_york = zone("America/New_York");
    let cases = [
        ("2006-01-02", "2024-02-29", "2024-02-29 00:00:00 -0500 EST"),
        ("3:04PM", "4:05AM", "0000-01-01 04:05:00 -0456 LMT"),
        ("2006-002", "2024-060", "2024-02-29 00:00:00 -0500 EST"),
        ("06", "69", "1969-01-01 00:00:00 -0500 EST"),
        ("06", "68", "2068-01-01 00:00:00 -0500 EST"),
        ("2006-01-02 MST", "2024-07-01 EDT", "2024-07-01 00:00:00 -0400 EDT"),
        ("2006-01-02 MST", "2024-07-01 EST", "2024-07-01 01:00:00 -0400 EDT"),
        ("2006-01-02 MST", "2024-07-01 CET", "2024-07-01 00:00:00 +0000 CET"),
        ("2006-01-02 MST", "2024-07-01 GMT+3", "2024-07-01 03:00:00 +0300 GMT+3"),
        ("2006-01-02 MST", "2024-07-01 UTC", "2024-07-01 00:00:00 +0000 UTC"),
        ("2006-01-02 -0700", "2024-07-01 -0400", "2024-07-01 00:00:00 -0400 EDT"),
        ("2006-01-02 -0700", "2024-07-01 +0530", "2024-07-01 00:00:00 +0530 +0530"),
        ("2006 Z07:00", "2024 Z", "2024-01-01 00:00:00 +0000 UTC"),
        ("15:04:05", "01:02:03.25", "0000-01-01 01:02:03.25 -0456 LMT"),
        ("Mon Jan  2", "thu  FEB 30", "parsing time \"thu  FEB 30\": day out of range"),
        ("2006 Jan 2", "2024   feb    9", "2024-02-09 00:00:00 -0500 EST"),
        // In the hour that is skipped, and in the one that is repeated.
        ("2006-01-02 15:04", "2024-03-10 02:30", "2024-03-10 01:30:00 -0500 EST"),
        ("2006-01-02 15:04", "2024-11-03 01:30", "2024-11-03 01:30:00 -0400 EDT"),
    ];
    for (layout, value, want) in cases {
        assert_eq!(parsed(layout, value, &new_york), want, "{value} as {layout}");
    }
    let read = Time::parse(b"2006-01-02", b"2024-02-29", &new_york);
    assert_eq!(read.map(|time| time.to_string()).as_deref(), Ok("2024-02-29 00:00:00 +0000 UTC"));
}

#[test]
fn refuses_in_gos_words() {
    let cases = [
        ("2006-01-02", "bad", r#"as "2006-01-02": cannot parse "bad" as "2006""#),
        ("2006-01-02", "2023-02-29", ": day out of range"),
        ("2006-01-02", "2023-13-01", ": month out of range"),
        ("2006-01-02", "2023-1-1", r#"as "2006-01-02": cannot parse "1-1" as "01""#),
        ("2006-01-02", "2023-01-02x", r#": extra text: "x""#),
        ("2006-01-02", "2023/01", r#"as "2006-01-02": cannot parse "/01" as "-""#),
        ("15:04", "24:00", ": hour out of range"),
        ("2006-002", "2023-366", ": day-of-year out of range"),
        ("2006-002 01", "2023-040 03", ": day-of-year does not match month"),
        ("2006-002 02", "2023-040 03", ": day-of-year does not match day"),
        ("-07:00", "+25:61", ": time zone offset minute out of range"),
        ("-0700", "+0x00", r#"as "-0700": cannot parse "+0x00" as "-0700""#),
        ("MST", "Ab", r#"as "MST": cannot parse "Ab" as "MST""#),
        ("2006 é", "2006 \u{fc}\"", r#"as "2006 \xc3\xa9": cannot parse "\xbc\"" as " \xc3\xa9""#),
    ];
    for (layout, value, want) in cases {
        let space = if want.starts_with(':') { "" } else { " " };
        let want = format!("parsing time {}{space}{want}", parse::quote(value.as_bytes()));
        assert_eq!(parsed(layout, value, &Zone::utc()), want);
    }
}

#[test]
fn zones_of_the_database() {
    let cases = [
        ("America/New_York", 1_709_211_845, "EST", -5 * 3600),
        ("Europe/Paris", 1_720_000_000, "CEST", 2 * 3600),
        ("Asia/Kolkata", 0, "IST", 19_800),
        // Before all and after all changes on record.
        ("Europe/Paris", i64::MIN / 2, "LMT", 561),
        ("America/New_York", 1_720_000_000 + 1000 * 146_097 * 86_400, "EDT", -4 * 3600),
    ];
    for (name, sec, abbreviation, offset) in cases {
        let time = Time::unix(sec, 0, &zone(name));
        assert_eq!(time.zone_in_force(), (abbreviation.into(), offset), "{name}");
    }
    for name in ["Nope/Zone", "america/new_york", "utc"] {
        assert_eq!(Zone::load(name, &Zone::utc()), Err(ZoneError::Unknown(name.to_owned())));
    }
    for name in ["../x", "/etc/passwd", "\\x", "a..b"] {
        assert_eq!(Zone::load(name, &Zone::utc()), Err(ZoneError::Invalid));
    }
    assert_eq!(Zone::load("Local", &zone("Asia/Tokyo")), Ok(zone("Asia/Tokyo")));
}

#[test]
fn computes_with_dates() {
    let time = utc("2024-02-29T13:04:05Z");
    assert_eq!(time.add_date(0, 1, 1).to_string(), "2024-03-30 13:04:05 +0000 UTC");
    assert_eq!(utc("2024-10-31T00:00:00Z").add_date(0, 1, 0).to_string(), "2024-12-01 00:00:00 +0000 UTC");
    assert_eq!(
        (time.year_day(), time.weekday().to_string(), time.month().to_string()),
        (60, "Thursday".into(), "February".into())
    );
    assert_eq!(utc("2027-01-01T00:00:00Z").iso_week(), (2026, 53));
    assert_eq!(time.sub(&utc("2024-01-01T00:00:00Z")).hours(), 1_429.068_055_555_555_5);
    assert_eq!(Time::unix(1 << 60, 0, &Zone::utc()).sub(&Time::default()), Duration(i64::MAX));
    assert_eq!(time.truncate(Duration::HOUR).to_string(), "2024-02-29 13:00:00 +0000 UTC");
    assert_eq!(time.round(Duration(10 * Duration::MINUTE.0)).to_string(), "2024-02-29 13:00:00 +0000 UTC");
    assert_eq!(time.add(Duration(-1)).to_string(), "2024-02-29 13:04:04.999999999 +0000 UTC");
    assert_eq!(Month(13).to_string(), "%!Month(13)");
    assert_eq!(Weekday(-1).to_string(), "%!Weekday(18446744073709551615)");
}

#[test]
fn json_form() {
    assert_eq!(utc("2024-02-29T13:04:05.500Z").to_rfc3339().as_deref(), Ok("2024-02-29T13:04:05.5Z"));
    assert_eq!(Time::date(10_000, 1, 1, 0, 0, 0, 0, &Zone::utc()).to_rfc3339(), Err(EncodeError::Year));
    assert_eq!(Time::unix(0, 0, &Zone::fixed("", 90_000)).to_rfc3339(), Err(EncodeError::ZoneHour));
}

#[test]
fn durations_as_go_prints_and_reads_them() {
    let cases = [
        ("0", "0s"),
        ("1ns", "1ns"),
        ("1100ns", "1.1µs"),
        ("2.2ms", "2.2ms"),
        ("3.3s", "3.3s"),
        ("4m5.001s", "4m5.001s"),
        ("5h6m7.001s", "5h6m7.001s"),
        ("-1.5h", "-1h30m0s"),
        ("+.5m", "30s"),
        ("90m", "1h30m0s"),
        ("1us1µs1μs", "3µs"),
        ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
        ("0.9223372036854775807h", "55m20.413933267s"),
    ];
    for (text, want) in cases {
        assert_eq!(Duration::parse(text.as_bytes()).map(|d| d.to_string()).as_deref(), Ok(want), "{text}");
    }
    let faults = [
        ("", r#"time: invalid duration """#),
        ("bogus", r#"time: invalid duration "bogus""#),
        ("1", r#"time: missing unit in duration "1""#),
        ("1d", r#"time: unknown unit "d" in duration "1d""#),
        ("-.s", r#"time: invalid duration "-.s""#),
        ("9223372036854775808ns", r#"time: invalid duration "9223372036854775808ns""#),
        ("99999999999999999999d", r#"time: invalid duration "99999999999999999999d""#),
        ("1 h", r#"time: unknown unit " h" in duration "1 h""#),
    ];
    for (text, want) in faults {
        assert_eq!(
            Duration::parse(text.as_bytes()).map_err(|e| e.to_string()),
            Err(want.to_owned()),
            "{text}"
        );
    }
    let round =
        |text: &str, unit: Duration| Duration::parse(text.as_bytes()).map(|d| d.round(unit).to_string());
    assert_eq!(round("1m30s", Duration::MINUTE).as_deref(), Ok("2m0s"));
    assert_eq!(round("-1m29.9s", Duration::MINUTE).as_deref(), Ok("-1m0s"));
    assert_eq!(Duration(i64::MAX).round(Duration::HOUR), Duration(i64::MAX));
    assert_eq!(Duration(i64::MIN).abs(), Duration(i64::MAX));
}
