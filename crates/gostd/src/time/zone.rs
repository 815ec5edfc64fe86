//! Time zones: UTC, fixed offsets, and those of the IANA database.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// The Gregorian calendar, and with it every zone's yearly rule, repeats after this many seconds.
const SECONDS_PER_400_YEARS: i64 = 146_097 * 86_400;

/// Past this time (the year 2040) a zone only repeats what it did before.
const SETTLED: i64 = 2_208_988_800;

/// A time zone (Go `*time.Location`). The default is UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zone(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    Utc,
    Fixed(Arc<Fixed>),
    Iana(Arc<Iana>),
}

#[derive(Debug, PartialEq, Eq)]
struct Fixed {
    name: String,
    offset: i64,
}

#[derive(Debug)]
struct Iana {
    name: String,
    rules: TimeZone,
    periods: OnceLock<Vec<(String, i64)>>,
}

/// What is in force in a zone at some instant.
#[derive(Clone, Debug)]
pub(super) struct InForce<'z> {
    /// The abbreviation; empty for an unnamed fixed offset.
    pub(super) name: Cow<'z, str>,
    /// Seconds east of UTC.
    pub(super) offset: i64,
    pub(super) is_dst: bool,
}

/// A zone that does not exist. The texts are those of Go's `time.LoadLocation`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    /// The name could be a path out of the database.
    #[error("time: invalid location name")]
    Invalid,
    /// The database does not have it.
    #[error("unknown time zone {0}")]
    Unknown(String),
}

impl Zone {
    /// Returns UTC.
    pub const fn utc() -> Self {
        Self(Kind::Utc)
    }

    /// Makes a zone of fixed offset, in seconds east of UTC (Go `time.FixedZone`). The name may be empty.
    pub fn fixed(name: impl Into<String>, offset: i64) -> Self {
        Self(Kind::Fixed(Arc::new(Fixed { name: name.into(), offset })))
    }

    /// Finds a zone by its IANA name (Go `time.LoadLocation`): an empty name is UTC, and `Local` is the zone that the
    /// caller gives for it. Case counts.
    ///
    /// ```
    /// use gostd::time::Zone;
    /// let local = Zone::utc();
    /// assert!(Zone::load("Asia/Tokyo", &local).is_ok());
    /// assert_eq!(Zone::load("Nope/Zone", &local).unwrap_err().to_string(), "unknown time zone Nope/Zone");
    /// ```
    pub fn load(name: &str, local: &Zone) -> Result<Self, ZoneError> {
        match name {
            "" | "UTC" => return Ok(Self::utc()),
            "Local" => return Ok(local.clone()),
            _ if name.contains("..") || name.starts_with(['/', '\\']) => return Err(ZoneError::Invalid),
            _ => {}
        }
        let rules = TimeZoneDatabase::bundled().get(name).ok();
        let exact = rules.filter(|rules| rules.iana_name() == Some(name));
        let rules = exact.ok_or_else(|| ZoneError::Unknown(name.to_owned()))?;
        Ok(Self(Kind::Iana(Arc::new(Iana { name: name.to_owned(), rules, periods: OnceLock::new() }))))
    }

    /// Returns the name: `UTC`, the IANA name, or that given for a fixed offset.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Utc => "UTC",
            Kind::Fixed(fixed) => &fixed.name,
            Kind::Iana(iana) => &iana.name,
        }
    }

    /// Returns what is in force at an instant given in seconds since 1970.
    pub(super) fn lookup(&self, unix: i64) -> InForce<'_> {
        match &self.0 {
            Kind::Utc => InForce { name: "UTC".into(), offset: 0, is_dst: false },
            Kind::Fixed(fixed) => {
                InForce { name: (&*fixed.name).into(), offset: fixed.offset, is_dst: false }
            }
            Kind::Iana(iana) => {
                let found = iana.rules.to_offset_info(timestamp(unix));
                let name = found.abbreviation().to_owned().into();
                InForce { name, offset: i64::from(found.offset().seconds()), is_dst: found.dst().is_dst() }
            }
        }
    }

    /// Returns the offset in force at an instant given in seconds since 1970, in seconds east of UTC.
    pub(super) fn offset(&self, unix: i64) -> i64 {
        match &self.0 {
            Kind::Utc => 0,
            Kind::Fixed(fixed) => fixed.offset,
            Kind::Iana(iana) => i64::from(iana.rules.to_offset(timestamp(unix)).seconds()),
        }
    }

    /// Returns the offset that an abbreviation stands for, preferably that in force at the given local time (in seconds,
    /// as if it were UTC).
    pub(super) fn lookup_name(&self, name: &str, local: i64) -> Option<i64> {
        let fixed;
        let periods: &[(String, i64)] = match &self.0 {
            Kind::Utc => return (name == "UTC").then_some(0),
            Kind::Fixed(zone) => {
                fixed = [(zone.name.clone(), zone.offset)];
                &fixed
            }
            Kind::Iana(iana) => iana.periods.get_or_init(|| periods(&iana.rules)),
        };
        let named = || periods.iter().filter(|(period, _)| period == name).map(|(_, offset)| *offset);
        let mut in_force = named().map(|offset| self.lookup(local.wrapping_sub(offset)));
        in_force.find(|found| found.name == name).map(|found| found.offset).or_else(|| named().next())
    }
}

/// Returns the distinct abbreviations and offsets of a zone, earliest first.
fn periods(rules: &TimeZone) -> Vec<(String, i64)> {
    let first = rules.to_offset_info(Timestamp::MIN);
    let mut periods = vec![(first.abbreviation().to_owned(), i64::from(first.offset().seconds()))];
    let changes =
        rules.following(Timestamp::MIN).take_while(|change| change.timestamp().as_second() < SETTLED);
    for change in changes {
        let period = (change.abbreviation().to_owned(), i64::from(change.offset().seconds()));
        if !periods.contains(&period) {
            periods.push(period);
        }
    }
    periods
}

/// Brings an instant into the range of years -9999 to 9999, to one where the same rule holds.
fn timestamp(unix: i64) -> Timestamp {
    let last = Timestamp::MAX.as_second();
    let within = if unix > last {
        last - SECONDS_PER_400_YEARS + (unix - last) % SECONDS_PER_400_YEARS
    } else {
        unix.max(Timestamp::MIN.as_second())
    };
    Timestamp::from_second(within).unwrap_or(Timestamp::UNIX_EPOCH)
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Kind::Utc, Kind::Utc) => true,
            (Kind::Fixed(a), Kind::Fixed(b)) => a == b,
            (Kind::Iana(a), Kind::Iana(b)) => a.name == b.name,
            _ => false,
        }
    }
}

impl Eq for Kind {}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
