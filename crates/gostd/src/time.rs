//! Times as Go's package `time` computes, prints and reads them.
//!
//! A [`Time`] is an instant with a [`Zone`]. Nothing here looks at the clock or at the machine's zone: the caller passes
//! the current time and the local zone in. The IANA zones are part of the program.

mod calendar;
mod duration;
mod format;
mod layout;
mod names;
mod parse;
mod scan;
mod zone;

use std::borrow::Cow;
use std::cmp::Ordering;

use calendar::{Civil, Days};
pub use duration::{Duration, DurationError};
pub use format::EncodeError;
pub use names::{Month, Weekday};
pub use parse::ParseError;
pub use zone::{Zone, ZoneError};

/// The layout `2006-01-02T15:04:05Z07:00`.
pub const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
/// The layout of [`RFC3339`] with a fraction where there is one.
pub const RFC3339_NANO: &str = "2006-01-02T15:04:05.999999999Z07:00";

/// From Go's zero time, 0001-01-01T00:00:00Z, to the Unix epoch.
const UNIX_EPOCH: i64 = 62_135_596_800;

/// An instant with nanosecond precision and the zone it is shown in (Go `time.Time`).
///
/// The default is Go's zero time. `==` asks for the same instant in the same zone; see [`Time::equal`].
/// Arithmetic beyond the range (about 292 billion years) saturates or wraps as Go's does.
///
/// ```
/// use gostd::time::{Duration, Time, Zone};
/// let paris = Zone::load("Europe/Paris", &Zone::utc())?;
/// let time = Time::unix(1_720_000_000, 0, &paris);
/// assert_eq!(time.to_string(), "2024-07-03 11:46:40 +0200 CEST");
/// assert_eq!(time.add(Duration::parse(b"20m")?).format(b"15:04"), b"12:06");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Seconds since the zero time.
    sec: i64,
    /// Nanoseconds within the second.
    nsec: u32,
    zone: Zone,
}

impl Time {
    /// Makes the time of a Unix timestamp; `nsec` may lie outside a second (Go `time.Unix`).
    pub fn unix(sec: i64, nsec: i64, zone: &Zone) -> Self {
        let sec = sec.wrapping_add(nsec.div_euclid(NANOS)).wrapping_add(UNIX_EPOCH);
        Self { sec, nsec: nanos_within(nsec), zone: zone.clone() }
    }

    /// Makes the time of a date and clock in a zone; values out of range carry over (Go `time.Date`). A time that a
    /// change of offset skips or repeats gets one of the two offsets.
    #[allow(clippy::too_many_arguments, reason = "the parts of a date, in Go's order")]
    pub fn date(
        year: i64,
        month: i64,
        day: i64,
        hour: i64,
        minute: i64,
        second: i64,
        nsec: i64,
        zone: &Zone,
    ) -> Self {
        let civil =
            Civil { year, month, day, hour, minute, second: second.wrapping_add(nsec.div_euclid(NANOS)) };
        let local = civil.unix();
        // Zones are looked up by UTC: the first guess may be on the wrong side of a change.
        let guess = local.wrapping_sub(zone.offset(local));
        let sec = local.wrapping_sub(zone.offset(guess));
        Self::unix(sec, i64::from(nanos_within(nsec)), zone)
    }

    /// Returns whole seconds since 1970 (Go `Time.Unix`).
    pub fn unix_seconds(&self) -> i64 {
        self.sec.wrapping_sub(UNIX_EPOCH)
    }

    /// Returns milliseconds since 1970.
    pub fn unix_milli(&self) -> i64 {
        self.unix_seconds().wrapping_mul(1000).wrapping_add(i64::from(self.nsec / 1_000_000))
    }

    /// Returns microseconds since 1970.
    pub fn unix_micro(&self) -> i64 {
        self.unix_seconds().wrapping_mul(1_000_000).wrapping_add(i64::from(self.nsec / 1000))
    }

    /// Returns nanoseconds since 1970, which is only right from 1678 to 2262, as in Go.
    pub fn unix_nano(&self) -> i64 {
        self.unix_seconds().wrapping_mul(NANOS).wrapping_add(i64::from(self.nsec))
    }

    /// Reports whether this is the zero time, 0001-01-01T00:00:00Z.
    pub fn is_zero(&self) -> bool {
        (self.sec, self.nsec) == (0, 0)
    }

    /// Orders instants, whatever their zones.
    pub fn compare(&self, other: &Self) -> Ordering {
        (self.sec, self.nsec).cmp(&(other.sec, other.nsec))
    }

    /// Reports whether both are the same instant.
    pub fn equal(&self, other: &Self) -> bool {
        self.compare(other).is_eq()
    }

    /// Reports whether this instant comes before the other.
    pub fn before(&self, other: &Self) -> bool {
        self.compare(other).is_lt()
    }

    /// Reports whether this instant comes after the other.
    pub fn after(&self, other: &Self) -> bool {
        self.compare(other).is_gt()
    }

    /// Returns the zone.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Returns the abbreviation in force (`CEST`, may be empty) and the offset from UTC in seconds (Go `Time.Zone`).
    pub fn zone_in_force(&self) -> (Cow<'_, str>, i64) {
        let found = self.zone.lookup(self.unix_seconds());
        (found.name, found.offset)
    }

    /// Reports whether daylight saving time is in force.
    pub fn is_dst(&self) -> bool {
        self.zone.lookup(self.unix_seconds()).is_dst
    }

    /// Returns the same instant in another zone (Go `Time.In`).
    pub fn in_zone(&self, zone: &Zone) -> Self {
        Self { zone: zone.clone(), ..*self }
    }

    /// Returns the same instant in UTC.
    pub fn utc(&self) -> Self {
        self.in_zone(&Zone::utc())
    }

    /// Returns the time shifted by a duration.
    #[must_use]
    pub fn add(&self, duration: Duration) -> Self {
        let nsec = i64::from(self.nsec).wrapping_add(duration.0 % NANOS);
        let seconds = (duration.0 / NANOS).wrapping_add(nsec.div_euclid(NANOS));
        let mut sum = self.clone();
        sum.add_seconds(seconds);
        sum.nsec = nanos_within(nsec);
        sum
    }

    fn add_seconds(&mut self, seconds: i64) {
        // Go saturates at -MAX, not MIN.
        self.sec = self.sec.checked_add(seconds).unwrap_or(if seconds > 0 { i64::MAX } else { -i64::MAX });
    }

    /// Returns the duration from another time to this one, at most about 292 years either way.
    pub fn sub(&self, other: &Self) -> Duration {
        Duration(i64::try_from(self.nanos() - other.nanos()).unwrap_or(match self.compare(other) {
            Ordering::Less => i64::MIN,
            _ => i64::MAX,
        }))
    }

    /// Returns the time with years, months and days added to its date, then normalised: October 31 plus one month is
    /// December 1 (Go `Time.AddDate`).
    #[must_use]
    pub fn add_date(&self, years: i64, months: i64, days: i64) -> Self {
        let (year, month, day) = self.local_days().date();
        let (hour, minute, second) = self.clock();
        let (year, month, day) =
            (year.wrapping_add(years), month.wrapping_add(months), day.wrapping_add(days));
        Self::date(year, month, day, hour, minute, second, i64::from(self.nsec), &self.zone)
    }

    /// Returns the time rounded down to a multiple of a duration since the zero time. Zero and negative durations
    /// change nothing.
    #[must_use]
    pub fn truncate(&self, unit: Duration) -> Self {
        match self.remainder(unit) {
            Some(rest) => self.add(Duration(rest.0.wrapping_neg())),
            None => self.clone(),
        }
    }

    /// Returns the time rounded to the nearest multiple of a duration since the zero time, halves up.
    #[must_use]
    pub fn round(&self, unit: Duration) -> Self {
        match self.remainder(unit) {
            Some(rest) if rest.0 < unit.0.wrapping_sub(rest.0) => self.truncate(unit),
            Some(rest) => self.add(Duration(unit.0.wrapping_sub(rest.0))),
            None => self.clone(),
        }
    }

    fn remainder(&self, unit: Duration) -> Option<Duration> {
        let rest = self.nanos().rem_euclid(i128::from(unit.0).max(1));
        i64::try_from(rest).ok().filter(|_| unit.0 > 0).map(Duration)
    }

    /// Nanoseconds since the zero time.
    fn nanos(&self) -> i128 {
        i128::from(self.sec) * i128::from(NANOS) + i128::from(self.nsec)
    }

    /// Returns the year.
    pub fn year(&self) -> i64 {
        self.local_days().date().0
    }

    /// Returns the month.
    pub fn month(&self) -> Month {
        Month(self.local_days().date().1)
    }

    /// Returns the day of the month.
    pub fn day(&self) -> i64 {
        self.local_days().date().2
    }

    /// Returns the day of the year: 1 to 365, or 366 in leap years.
    pub fn year_day(&self) -> i64 {
        self.local_days().year_day().1
    }

    /// Returns the day of the week.
    pub fn weekday(&self) -> Weekday {
        Weekday(self.local_days().weekday())
    }

    /// Returns year and week number by ISO 8601.
    pub fn iso_week(&self) -> (i64, i64) {
        self.local_days().iso_week()
    }

    /// Returns hour, minute and second of the day.
    pub fn clock(&self) -> (i64, i64, i64) {
        let second = self.local_seconds().1;
        (second / 3600, second / 60 % 60, second % 60)
    }

    /// Returns the hour of the day.
    pub fn hour(&self) -> i64 {
        self.clock().0
    }

    /// Returns the minute of the hour.
    pub fn minute(&self) -> i64 {
        self.clock().1
    }

    /// Returns the second of the minute.
    pub fn second(&self) -> i64 {
        self.clock().2
    }

    /// Returns the nanosecond of the second.
    pub fn nanosecond(&self) -> i64 {
        i64::from(self.nsec)
    }

    fn local_days(&self) -> Days {
        self.local_seconds().0
    }

    /// The day and the second within it, as the zone's clocks show them.
    fn local_seconds(&self) -> (Days, i64) {
        let unix = self.unix_seconds();
        Days::of_unix(unix.wrapping_add(self.zone.offset(unix)))
    }
}

const NANOS: i64 = 1_000_000_000;

fn nanos_within(nsec: i64) -> u32 {
    u32::try_from(nsec.rem_euclid(NANOS)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
