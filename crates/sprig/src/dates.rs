//! Dates and durations. The clock and the local zone are the host's.

use gostd::time::{Duration, Time, Zone};
use gostd::value::Type;
use gostd::{Value, strconv};
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, Outcome, fixed};
use crate::times::GoTime;

const ANY: Type = Type::Any;
const TEXT: Type = Type::String;
const TIME: Type = Type::Named("time.Time");

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("now", &[], |call, _| {
        let local = local_zone(call);
        Ok(Value::object(GoTime::new(now(call).in_zone(&local), local)))
    }),
    fixed("date", &[TEXT, ANY], |call, args| format(call, args.text(0)?, args.any(1), LOCAL)),
    fixed("dateInZone", &[TEXT, ANY, TEXT], |call, args| {
        format(call, args.text(0)?, args.any(1), args.text(2)?)
    }),
    fixed("date_in_zone", &[TEXT, ANY, TEXT], |call, args| {
        format(call, args.text(0)?, args.any(1), args.text(2)?)
    }),
    fixed("htmlDate", &[ANY], |call, args| format(call, HTML, args.any(0), LOCAL)),
    fixed("htmlDateInZone", &[ANY, TEXT], |call, args| format(call, HTML, args.any(0), args.text(1)?)),
    fixed("toDate", &[TEXT, TEXT], |call, args| {
        // The zero time stands for a text that is no date.
        let time = parse(call, args).unwrap_or_default();
        Ok(Value::object(GoTime::new(time, local_zone(call))))
    }),
    fixed("mustToDate", &[TEXT, TEXT], |call, args| {
        Ok(Value::object(GoTime::new(parse(call, args)?, local_zone(call))))
    }),
    fixed("dateModify", &[TEXT, TIME], |_, args| Ok(shift(args).unwrap_or_else(|_| args.any(1).clone()))),
    fixed("date_modify", &[TEXT, TIME], |_, args| Ok(shift(args).unwrap_or_else(|_| args.any(1).clone()))),
    fixed("mustDateModify", &[TEXT, TIME], |_, args| shift(args)),
    fixed("must_date_modify", &[TEXT, TIME], |_, args| shift(args)),
    fixed("ago", &[ANY], |call, args| {
        let now = now(call);
        let then = instant(args.any(0)).unwrap_or_else(|| now.clone());
        Ok(now.sub(&then).round(Duration::SECOND).to_string().into())
    }),
    fixed("duration", &[ANY], |_, args| {
        Ok(Duration(seconds(args.any(0)).wrapping_mul(Duration::SECOND.0)).to_string().into())
    }),
    fixed("durationRound", &[ANY], |call, args| Ok(rounded(span(call, args.any(0)).unsigned_abs()).into())),
    fixed("unixEpoch", &[TIME], |_, args| Ok(time(args, 0)?.time().unix_seconds().to_string().into())),
];

const LOCAL: &[u8] = b"Local";
const HTML: &[u8] = b"2006-01-02";

fn now(call: &Call<'_, '_>) -> Time {
    let (seconds, nanoseconds) = call.host().now();
    Time::unix(seconds, i64::from(nanoseconds), &Zone::utc())
}

fn local_zone(call: &Call<'_, '_>) -> Zone {
    Zone::load(call.host().local_zone(), &Zone::utc()).unwrap_or_default()
}

fn time(args: &[Value], at: usize) -> Result<&GoTime, FuncError> {
    args.any(at).downcast().ok_or_else(|| FuncError::new("expected a time.Time"))
}

/// Reads what sprig takes for a point in time: a time, or integer seconds since 1970 (no floats, no strings).
fn instant(value: &Value) -> Option<Time> {
    match value {
        Value::Int(seconds) | Value::Int64(seconds) => Some(Time::unix(*seconds, 0, &Zone::utc())),
        other => other.downcast::<GoTime>().map(|time| time.time().clone()),
    }
}

/// Formats a point in time, or the present if it is none, in a zone, or UTC if there is no such zone.
fn format(call: &Call<'_, '_>, layout: &[u8], value: &Value, zone: &[u8]) -> Outcome {
    let time = instant(value).unwrap_or_else(|| now(call));
    let zone = std::str::from_utf8(zone).ok().and_then(|zone| Zone::load(zone, &local_zone(call)).ok());
    Ok(Value::string(time.in_zone(&zone.unwrap_or_default()).format(layout)))
}

fn parse(call: &Call<'_, '_>, args: &[Value]) -> Result<Time, FuncError> {
    Time::parse_in_location(args.text(0)?, args.text(1)?, &local_zone(call))
        .map_err(|error| FuncError::new(error.to_string()))
}

fn shift(args: &[Value]) -> Outcome {
    let by = Duration::parse(args.text(0)?).map_err(|error| error.to_string())?;
    let time = time(args, 1)?;
    Ok(time.with(time.time().add(by)))
}

/// Seconds from a string or an int64; everything else counts as 0.
fn seconds(value: &Value) -> i64 {
    match value {
        Value::String(text) => strconv::parse_int(text, 10, 64).unwrap_or_else(|error| error.value),
        Value::Int64(seconds) => *seconds,
        _ => 0,
    }
}

/// Nanoseconds from a duration string, an int64, or the time since a time.
fn span(call: &Call<'_, '_>, value: &Value) -> i64 {
    match value {
        Value::String(text) => Duration::parse(text).unwrap_or_default().0,
        Value::Int64(nanoseconds) => *nanoseconds,
        other => other.downcast::<GoTime>().map_or(0, |time| now(call).sub(time.time()).0),
    }
}

/// Names the largest unit of which there is more than one.
fn rounded(nanoseconds: u64) -> String {
    const SECOND: u64 = 1_000_000_000;
    const HOUR: u64 = 3_600 * SECOND;
    const UNITS: &[(u64, &str)] = &[
        (365 * 24 * HOUR, "y"),
        (30 * 24 * HOUR, "mo"),
        (24 * HOUR, "d"),
        (HOUR, "h"),
        (60 * SECOND, "m"),
        (SECOND, "s"),
    ];
    match UNITS.iter().find(|(unit, _)| nanoseconds > *unit) {
        Some((unit, name)) => format!("{}{name}", nanoseconds / unit),
        None => "0s".to_owned(),
    }
}
