//! Methods of times, durations and versions. Each row is a template and what Go makes of it.

use super::Row;

pub(crate) const ROWS: &[Row] = &[
    (
        r#"{{ $t := toDate "2006-01-02T15:04:05.999Z07:00" "2024-02-29T13:04:05.678+01:00" }}{{ $t.UTC }} {{ $t.Local }} {{ $t.Location }}"#,
        Ok("2024-02-29 12:04:05.678 +0000 UTC 2024-02-29 12:04:05.678 +0000 UTC "),
    ),
    (
        r#"{{ $t := toDate "2006-01-02" "2024-02-29" }}{{ $t.In (toDate "Z07:00" "+05:30").Location }}"#,
        Ok("2024-02-29 05:30:00 +0530 +0530"),
    ),
    (
        r#"{{ $t := toDate "2006-01-02" "2024-02-29" }}{{ $t.Compare ($t.AddDate 0 0 1) }} {{ $t.Equal $t }} {{ $t.Before $t }} {{ $t.After ($t.AddDate -1 0 0) }}"#,
        Ok("-1 true false true"),
    ),
    (
        r#"{{ $t := toDate "2006-01-02T15:04:05.999Z07:00" "2024-02-29T13:34:05.678Z" }}{{ $t.Truncate 3600000000000 }} {{ $t.Round 3600000000000 }}"#,
        Ok("2024-02-29 13:00:00 +0000 UTC 2024-02-29 14:00:00 +0000 UTC"),
    ),
    (
        r#"{{ $t := toDate "2006-01-02T15:04:05.999Z07:00" "2024-02-29T13:34:05.678Z" }}{{ $t.Year }} {{ $t.Day }} {{ $t.Hour }} {{ $t.Minute }} {{ $t.Second }} {{ $t.Nanosecond }} {{ $t.YearDay }}"#,
        Ok("2024 29 13 34 5 678000000 60"),
    ),
    (
        r#"{{ $t := toDate "2006-01-02T15:04:05.999Z07:00" "2024-02-29T13:34:05.678Z" }}{{ $t.Unix }} {{ $t.UnixMilli }} {{ $t.UnixMicro }} {{ $t.UnixNano }}"#,
        Ok("1709213645 1709213645678 1709213645678000 1709213645678000000"),
    ),
    (
        r#"{{ $t := toDate "2006" "x" }}{{ $t.IsZero }} {{ $t.IsDST }} {{ $t }} {{ $t.Unix }}"#,
        Ok("true false 0001-01-01 00:00:00 +0000 UTC -62135596800"),
    ),
    (
        r#"{{ $m := (toDate "2006-01" "2024-03").Month }}{{ typeOf $m }} {{ kindOf $m }} {{ $m.String }} {{ add $m 1 }} {{ toJson $m }} {{ eq $m 3 }}"#,
        Ok("time.Month int March 4 3 true"),
    ),
    (
        r#"{{ $d := (toDate "2006" "2024").Weekday }}{{ typeOf $d }} {{ kindOf $d }} {{ $d | quote }} {{ int $d }} {{ empty $d }}"#,
        Ok("time.Weekday int \"Monday\" 1 false"),
    ),
    (
        r#"{{ $d := (toDate "2006" "2024").Sub (toDate "2006-01-02T15:04:05.999" "2023-12-31T22:57:57.544") }}{{ $d }} {{ $d.Hours }} {{ $d.Minutes }} {{ $d.Seconds }} {{ $d.Milliseconds }} {{ $d.Microseconds }} {{ $d.Nanoseconds }}"#,
        Ok("1h2m2.456s 1.0340155555555555 62.040933333333335 3722.456 3722456 3722456000 3722456000000"),
    ),
    (
        r#"{{ $d := (toDate "2006" "2023").Sub (toDate "2006-01-02T15:04:05.999" "2023-01-01T01:01:01.544") }}{{ $d.Abs }} {{ $d.Round 60000000000 }} {{ $d.Truncate 60000000000 }} {{ $d.String }} {{ typeOf $d }} {{ kindOf $d }} {{ toJson $d }} {{ int $d }}"#,
        Ok("1h1m1.544s -1h1m0s -1h1m0s -1h1m1.544s time.Duration int64 -3661544000000 0"),
    ),
    (r#"{{ (toDate "2006" "2024").Nope }}"#, Err("can't evaluate field Nope in type time.Time")),
    (r#"{{ (toDate "2006" "2024").Add "x" }}"#, Err("expected integer; found \"x\"")),
    (r#"{{ (toDate "2006" "2024").Format 1 }}"#, Err("expected string; found 1")),
    (
        r#"{{ toJson ((toDate "2006" "2024").AddDate 9000 0 0) }}|{{ mustToJson ((toDate "2006" "2024").AddDate 9000 0 0) }}"#,
        Err(
            "error calling mustToJson: json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: year outside of range [0,9999]",
        ),
    ),
    (
        r#"{{ $v := semver "v1.2.3-rc.1+b" }}{{ $v.Major }} {{ $v.Minor }} {{ $v.Patch }} {{ $v.Prerelease }} {{ $v.Metadata }} {{ $v.Original }} {{ $v.String }} {{ $v }} {{ $v | quote }}"#,
        Ok("1 2 3 rc.1 b v1.2.3-rc.1+b 1.2.3-rc.1+b 1.2.3-rc.1+b \"1.2.3-rc.1+b\""),
    ),
    (
        r#"{{ $v := semver "v1.2.3-rc.1+b" }}{{ $v.IncMajor }} {{ $v.IncMinor }} {{ $v.IncPatch }} {{ $v.SetMetadata "x" }} {{ typeOf $v }} {{ typeOf $v.IncMajor }} {{ kindOf $v.IncMajor }} {{ typeOf $v.Major }}"#,
        Ok("2.0.0 1.3.0 1.2.3 1.2.3-rc.1+x *semver.Version semver.Version struct uint64"),
    ),
    (
        r#"{{ $v := semver "1.2.3" }}{{ $w := semver "1.10" }}{{ $v.Compare $w }} {{ $v.Equal $w }} {{ $v.LessThan $w }} {{ $v.LessThanEqual $w }} {{ $v.GreaterThan $w }} {{ $v.GreaterThanEqual $w }}"#,
        Ok("-1 false true true false false"),
    ),
    (
        r#"{{ toJson (list (semver "v1") (semver "1.2").IncMinor) }} {{ deepEqual (semver "1.2") (semver "1.2") }} {{ deepEqual (semver "1.2") (semver "1.2.0") }}"#,
        Ok("[\"1.0.0\",\"1.3.0\"] true false"),
    ),
];
