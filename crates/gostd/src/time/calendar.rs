//! The proleptic Gregorian calendar over Go's whole range.
//!
//! Days are counted from March 1 of a year far in the past, so that they are never negative and leap days come last
//! (Go time.go, "Computations on Times").

pub(super) const SECONDS_PER_DAY: i64 = 86_400;

/// The first counted year is this many years before year 0. It is a multiple of 400.
const ABSOLUTE_YEARS: i64 = 292_277_022_400;

const DAYS_PER_400_YEARS: i64 = 146_097;

/// Days from the first counted day to 1970-01-01.
const EPOCH: i64 = ABSOLUTE_YEARS / 400 * DAYS_PER_400_YEARS + MARCH_THROUGH_DECEMBER + DAYS_0001_TO_1970;

const MARCH_THROUGH_DECEMBER: i64 = 306;

/// Days from 0001-01-01 to 1970-01-01.
const DAYS_0001_TO_1970: i64 = 1969 * 365 + 1969 / 4 - 1969 / 100 + 1969 / 400;

/// A day, counted from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Days(u64);

impl Days {
    /// Returns the day of a time in seconds since 1970, and the second within it. The sum wraps at 64 bits, as Go's.
    pub(super) fn of_unix(seconds: i64) -> (Self, i64) {
        let absolute = seconds.wrapping_add(EPOCH.wrapping_mul(SECONDS_PER_DAY)).cast_unsigned();
        let per_day = SECONDS_PER_DAY.cast_unsigned();
        (Self(absolute / per_day), (absolute % per_day).cast_signed())
    }

    /// Returns year, month (from 1) and day.
    pub(super) fn date(self) -> (i64, i64, i64) {
        let (year, day) = self.split();
        // 153 days are five months from March on: 31, 30, 31, 30, 31.
        let month = (5 * day + 2) / 153;
        let day_of_month = day - (153 * month + 2) / 5 + 1;
        if month < 10 { (year, month + 3, day_of_month) } else { (year + 1, month - 9, day_of_month) }
    }

    /// Returns the year and the day in it (from 1).
    pub(super) fn year_day(self) -> (i64, i64) {
        let (year, day) = self.split();
        if day >= MARCH_THROUGH_DECEMBER {
            (year + 1, day - MARCH_THROUGH_DECEMBER + 1)
        } else {
            (year, day + 31 + 28 + i64::from(is_leap(year)) + 1)
        }
    }

    /// Returns the day of the week, Sunday being 0.
    pub(super) fn weekday(self) -> i64 {
        // The first counted day is a Wednesday.
        (self.0 % 7).cast_signed().wrapping_add(3) % 7
    }

    /// Returns the ISO 8601 year and week: those of the Thursday in the same week.
    pub(super) fn iso_week(self) -> (i64, i64) {
        let from_monday = (self.weekday() + 6) % 7;
        let (year, day) = Self(self.0.wrapping_add_signed(3 - from_monday)).year_day();
        (year, (day - 1) / 7 + 1)
    }

    /// Returns the year that began in the March before, and the day since then (from 0).
    fn split(self) -> (i64, i64) {
        let cycle = DAYS_PER_400_YEARS.cast_unsigned();
        let (cycles, day) = ((self.0 / cycle).cast_signed(), (self.0 % cycle).cast_signed());
        // The last day of a century or cycle would start another one but for the leap day.
        let century = (4 * day + 3) / DAYS_PER_400_YEARS;
        let day = day - DAYS_PER_400_YEARS * century / 4;
        let year = (4 * day + 3) / 1461;
        let day = day - 1461 * year / 4;
        (400 * cycles + 100 * century + year - ABSOLUTE_YEARS, day)
    }
}

/// A date and a clock, in range or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
}

impl Civil {
    /// Returns seconds since 1970 if the date were in UTC, carrying over what is out of range.
    pub(super) fn unix(self) -> i64 {
        let (year, month) = carry(self.year, self.month.wrapping_sub(1), 12);
        let (minute, second) = carry(self.minute, self.second, 60);
        let (hour, minute) = carry(self.hour, minute, 60);
        let (day, hour) = carry(self.day, hour, 24);

        // Years begin in March.
        let (year, month) = if month < 2 { (year.wrapping_sub(1), month + 10) } else { (year, month - 2) };
        let year = year.wrapping_add(ABSOLUTE_YEARS).cast_unsigned();
        let (century, in_century) = (year / 100, (year % 100).cast_signed());
        let century_days = (century.wrapping_mul(DAYS_PER_400_YEARS.cast_unsigned()) / 4).cast_signed();
        let days = century_days
            .wrapping_add(1461 * in_century / 4 + (153 * month + 2) / 5)
            .wrapping_add(day.wrapping_sub(1))
            .wrapping_sub(EPOCH);
        days.wrapping_mul(SECONDS_PER_DAY).wrapping_add(hour * 3600 + minute * 60 + second)
    }
}

/// Brings the lower unit into range.
fn carry(high: i64, low: i64, base: i64) -> (i64, i64) {
    (high.wrapping_add(low.div_euclid(base)), low.rem_euclid(base))
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the number of days of a month (1 to 12).
pub(super) fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
