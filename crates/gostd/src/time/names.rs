//! Months and days of the week.

use std::fmt;

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Short names are the first bytes of the long ones.
pub(super) const SHORT: usize = 3;

/// A month (Go `time.Month`): 1 is January.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(pub i64);

/// A day of the week (Go `time.Weekday`): 0 is Sunday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weekday(pub i64);

impl Month {
    /// Returns the English name, if it is a month.
    pub fn name(self) -> Option<&'static str> {
        nth(&MONTHS, self.0.checked_sub(1)?)
    }
}

impl Weekday {
    /// Returns the English name, if it is a day.
    pub fn name(self) -> Option<&'static str> {
        nth(&DAYS, self.0)
    }
}

fn nth(names: &[&'static str], index: i64) -> Option<&'static str> {
    names.get(usize::try_from(index).ok()?).copied()
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "%!Month({})", self.0.cast_unsigned()),
        }
    }
}

impl fmt::Display for Weekday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "%!Weekday({})", self.0.cast_unsigned()),
        }
    }
}
