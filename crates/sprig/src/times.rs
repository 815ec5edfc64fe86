//! Go's time types as values: `time.Time`, `time.Duration`, `time.Month`, `time.Weekday` and `*time.Location`, with
//! their methods.

use std::any::Any;

use gostd::time::{Duration, Month, Time, Weekday, Zone};
use gostd::value::{Kind, Method, Object, Signature, Type};
use gostd::{GoStr, Value, strconv};

const TIME: &str = "time.Time";
const DURATION: &str = "time.Duration";
const MONTH: &str = "time.Month";
const WEEKDAY: &str = "time.Weekday";
const LOCATION: &str = "*time.Location";

/// `time.Time`: an instant, and what `Local` means for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoTime {
    time: Time,
    local: Zone,
}

/// `time.Duration`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GoDuration(pub Duration);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GoMonth(Month);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GoWeekday(Weekday);

#[derive(Clone, Debug, PartialEq, Eq)]
struct GoLocation(Zone);

impl GoTime {
    /// Wraps a time; its `Local` method converts to the given zone.
    pub fn new(time: Time, local: Zone) -> Self {
        Self { time, local }
    }

    /// Returns the time.
    pub fn time(&self) -> &Time {
        &self.time
    }

    /// Returns a value like this one with another time.
    pub fn with(&self, time: Time) -> Value {
        Value::object(Self { time, local: self.local.clone() })
    }
}

fn equals<T: Object + PartialEq>(this: &T, other: &dyn Object) -> bool {
    let other: &dyn Any = other;
    other.downcast_ref::<T>() == Some(this)
}

impl Object for GoTime {
    fn type_name(&self) -> &'static str {
        TIME
    }

    fn methods(&self) -> &'static [Method] {
        TIME_METHODS
    }

    fn stringer(&self) -> Option<GoStr> {
        Some(self.time.to_string().into())
    }

    fn go_string(&self) -> Option<GoStr> {
        let time = &self.time;
        let (hour, minute, second) = time.clock();
        let zone = match time.zone() {
            zone if *zone == self.local => "time.Local".to_owned(),
            zone if *zone == Zone::utc() => "time.UTC".to_owned(),
            zone => format!("time.Location({})", strconv::quote(zone.name().as_bytes())),
        };
        let (year, month, day, nanosecond) = (time.year(), time.month(), time.day(), time.nanosecond());
        let text = format!(
            "time.Date({year}, time.{month}, {day}, {hour}, {minute}, {second}, {nanosecond}, {zone})"
        );
        Some(text.into())
    }

    fn to_json(&self) -> Result<Value, String> {
        const CALL: &str = "json: error calling MarshalJSON for type time.Time: Time.MarshalJSON";
        self.time.to_rfc3339().map(Value::from).map_err(|error| format!("{CALL}: {error}"))
    }

    fn deep_equal(&self, other: &dyn Object) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<GoTime>().is_some_and(|other| other.time == self.time)
    }
}

impl Object for GoDuration {
    fn type_name(&self) -> &'static str {
        DURATION
    }

    fn kind(&self) -> Kind {
        Kind::Int64
    }

    fn methods(&self) -> &'static [Method] {
        DURATION_METHODS
    }

    fn stringer(&self) -> Option<GoStr> {
        Some(self.0.to_string().into())
    }

    fn to_json(&self) -> Result<Value, String> {
        Ok(Value::Int64(self.0.0))
    }

    fn as_int(&self) -> Option<i64> {
        Some(self.0.0)
    }

    fn deep_equal(&self, other: &dyn Object) -> bool {
        equals(self, other)
    }
}

macro_rules! named_number {
    ($wrapper:ident, $name:ident, $methods:ident) => {
        impl Object for $wrapper {
            fn type_name(&self) -> &'static str {
                $name
            }

            fn kind(&self) -> Kind {
                Kind::Int
            }

            fn methods(&self) -> &'static [Method] {
                $methods
            }

            fn stringer(&self) -> Option<GoStr> {
                Some(self.0.to_string().into())
            }

            fn to_json(&self) -> Result<Value, String> {
                Ok(Value::Int(self.0.0))
            }

            fn as_int(&self) -> Option<i64> {
                Some(self.0.0)
            }

            fn deep_equal(&self, other: &dyn Object) -> bool {
                equals(self, other)
            }
        }
    };
}
named_number!(GoMonth, MONTH, STRING_METHOD);
named_number!(GoWeekday, WEEKDAY, STRING_METHOD);

impl Object for GoLocation {
    fn type_name(&self) -> &'static str {
        LOCATION
    }

    fn kind(&self) -> Kind {
        Kind::Ptr
    }

    fn methods(&self) -> &'static [Method] {
        STRING_METHOD
    }

    fn stringer(&self) -> Option<GoStr> {
        Some(self.0.name().into())
    }

    fn to_json(&self) -> Result<Value, String> {
        Ok(Value::map(gostd::value::Entries::new()))
    }

    fn deep_equal(&self, other: &dyn Object) -> bool {
        equals(self, other)
    }
}

type Answer = Result<Value, String>;

/// Reads the receiver or an argument as a time.
fn time(value: Option<&Value>) -> Result<&GoTime, String> {
    value.and_then(Value::downcast).ok_or_else(|| format!("expected a {TIME}"))
}

/// Reads an integer, be it plain or a duration.
fn int(value: Option<&Value>) -> Result<i64, String> {
    value.and_then(Value::as_int).ok_or_else(|| "expected an integer".to_owned())
}

fn text(value: Option<&Value>) -> Result<&GoStr, String> {
    value.and_then(Value::as_str).ok_or_else(|| "expected a string".to_owned())
}

fn duration(nanoseconds: i64) -> Value {
    Value::object(GoDuration(Duration(nanoseconds)))
}

const fn method(name: &'static str, params: &'static [Type], call: fn(&Value, &[Value]) -> Answer) -> Method {
    Method { name, signature: Signature::fixed(params), call }
}

/// A method that takes nothing but the time.
macro_rules! of_time {
    ($name:literal, |$time:ident| $answer:expr) => {
        method($name, &[], |receiver, _| {
            let $time = time(Some(receiver))?.time();
            Ok($answer)
        })
    };
}

/// A method that compares the time with another.
macro_rules! with_time {
    ($name:literal, |$time:ident, $other:ident| $answer:expr) => {
        method($name, &[Type::Named(TIME)], |receiver, args| {
            let ($time, $other) = (time(Some(receiver))?.time(), time(args.first())?.time());
            Ok($answer)
        })
    };
}

/// A method that shifts or rounds the time by a duration.
macro_rules! by_duration {
    ($name:literal, $change:path) => {
        method($name, &[Type::Named(DURATION)], |receiver, args| {
            let this = time(Some(receiver))?;
            Ok(this.with($change(this.time(), Duration(int(args.first())?))))
        })
    };
}

static TIME_METHODS: &[Method] = &[
    by_duration!("Add", Time::add),
    by_duration!("Round", Time::round),
    by_duration!("Truncate", Time::truncate),
    method("AddDate", &[Type::Int, Type::Int, Type::Int], |receiver, args| {
        let this = time(Some(receiver))?;
        Ok(this.with(this.time().add_date(int(args.first())?, int(args.get(1))?, int(args.get(2))?)))
    }),
    with_time!("Sub", |time, other| duration(time.sub(other).0)),
    with_time!("After", |time, other| time.after(other).into()),
    with_time!("Before", |time, other| time.before(other).into()),
    with_time!("Equal", |time, other| time.equal(other).into()),
    with_time!("Compare", |time, other| Value::Int(time.compare(other) as i64)),
    method("Format", &[Type::String], |receiver, args| {
        Ok(Value::string(time(Some(receiver))?.time().format(text(args.first())?)))
    }),
    method("In", &[Type::Named(LOCATION)], |receiver, args| {
        let this = time(Some(receiver))?;
        let zone: &GoLocation =
            args.first().and_then(Value::downcast).ok_or("time: missing Location in call to Time.In")?;
        Ok(this.with(this.time().in_zone(&zone.0)))
    }),
    method("UTC", &[], |receiver, _| time(Some(receiver)).map(|this| this.with(this.time().utc()))),
    method("Local", &[], |receiver, _| {
        time(Some(receiver)).map(|this| this.with(this.time().in_zone(&this.local)))
    }),
    of_time!("Location", |time| Value::object(GoLocation(time.zone().clone()))),
    of_time!("IsDST", |time| time.is_dst().into()),
    of_time!("IsZero", |time| time.is_zero().into()),
    of_time!("Year", |time| Value::Int(time.year())),
    of_time!("Month", |time| Value::object(GoMonth(time.month()))),
    of_time!("Day", |time| Value::Int(time.day())),
    of_time!("YearDay", |time| Value::Int(time.year_day())),
    of_time!("Weekday", |time| Value::object(GoWeekday(time.weekday()))),
    of_time!("Hour", |time| Value::Int(time.hour())),
    of_time!("Minute", |time| Value::Int(time.minute())),
    of_time!("Second", |time| Value::Int(time.second())),
    of_time!("Nanosecond", |time| Value::Int(time.nanosecond())),
    of_time!("Unix", |time| Value::Int64(time.unix_seconds())),
    of_time!("UnixMilli", |time| Value::Int64(time.unix_milli())),
    of_time!("UnixMicro", |time| Value::Int64(time.unix_micro())),
    of_time!("UnixNano", |time| Value::Int64(time.unix_nano())),
    of_time!("String", |time| time.to_string().into()),
    method("GoString", &[], |receiver, _| {
        Ok(Value::String(time(Some(receiver))?.go_string().unwrap_or_default()))
    }),
];

/// A method that takes nothing but the duration.
macro_rules! of_duration {
    ($name:literal, |$duration:ident| $answer:expr) => {
        method($name, &[], |receiver, _| {
            let $duration = Duration(int(Some(receiver))?);
            Ok($answer)
        })
    };
}

/// A method that rounds the duration to another.
macro_rules! to_unit {
    ($name:literal, $change:path) => {
        method($name, &[Type::Named(DURATION)], |receiver, args| {
            Ok(duration($change(Duration(int(Some(receiver))?), Duration(int(args.first())?)).0))
        })
    };
}

static DURATION_METHODS: &[Method] = &[
    of_duration!("Hours", |duration| duration.hours().into()),
    of_duration!("Minutes", |duration| duration.minutes().into()),
    of_duration!("Seconds", |duration| duration.seconds().into()),
    of_duration!("Milliseconds", |duration| Value::Int64(duration.milliseconds())),
    of_duration!("Microseconds", |duration| Value::Int64(duration.microseconds())),
    of_duration!("Nanoseconds", |duration| Value::Int64(duration.nanoseconds())),
    of_duration!("String", |duration| duration.to_string().into()),
    of_duration!("Abs", |span| duration(span.abs().0)),
    to_unit!("Round", Duration::round),
    to_unit!("Truncate", Duration::truncate),
];

static STRING_METHOD: &[Method] = &[method("String", &[], |receiver, _| match receiver {
    Value::Object(object) => Ok(Value::String(object.stringer().unwrap_or_default())),
    _ => Ok("".into()),
})];
