//! Reading times by a layout.

use std::ops::Range;

use super::calendar::days_in;
use super::layout::{Element, Fraction, Pad, next_element};
use super::names::{DAYS, MONTHS};
use super::scan::{
    Miss, bounded, cut_padding, digits, fraction, fraction_len, half_day, long_year, name, offset, one_up,
    short_year, signed_number, skip, some, two_digits, zone_name,
};
use super::{Time, Zone};

/// A text that does not fit its layout (Go `time.ParseError`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parsing time {}{fault}", quote(.value))]
pub struct ParseError {
    /// The whole text.
    pub value: Vec<u8>,
    /// What is wrong with it.
    pub fault: ParseFault,
}

/// What is wrong with a text that should be a time. The texts are Go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseFault {
    /// A part of the text does not look like the part of the layout.
    #[error(" as {}: cannot parse {} as {}", quote(.layout), quote(.found), quote(.element))]
    Mismatch {
        /// The whole layout.
        layout: Vec<u8>,
        /// What was left of the text.
        found: Vec<u8>,
        /// The part of the layout.
        element: Vec<u8>,
    },
    /// Text is left over.
    #[error(": extra text: {}", quote(.0))]
    Extra(Vec<u8>),
    /// A number is too large.
    #[error(": {0} out of range")]
    Range(&'static str),
    /// The day of the year is in another month than the one given, or another day of it.
    #[error(": day-of-year does not match {0}")]
    YearDay(&'static str),
}

impl Time {
    /// Reads a time by a layout; without a zone in the text it is in UTC (Go `time.Parse`). `local` is the local zone.
    ///
    /// ```
    /// use gostd::time::{Time, Zone};
    /// let time = Time::parse(b"2006-01-02T15:04:05Z07:00", b"2024-02-29T13:04:05.5+01:00", &Zone::utc())?;
    /// assert_eq!(time.to_string(), "2024-02-29 13:04:05.5 +0100 +0100");
    /// let error = Time::parse(b"2006-01-02", b"bad", &Zone::utc()).unwrap_err();
    /// assert_eq!(error.to_string(), r#"parsing time "bad" as "2006-01-02": cannot parse "bad" as "2006""#);
    /// # Ok::<(), gostd::time::ParseError>(())
    /// ```
    pub fn parse(layout: &[u8], value: &[u8], local: &Zone) -> Result<Self, ParseError> {
        read(layout, value, &Zone::utc(), local)
    }

    /// Reads a time by a layout; without a zone in the text it is in the given one (Go `time.ParseInLocation`). An offset
    /// or abbreviation that the zone has at that time gives a time in the zone, another one a time of fixed offset.
    pub fn parse_in_location(layout: &[u8], value: &[u8], zone: &Zone) -> Result<Self, ParseError> {
        read(layout, value, zone, zone)
    }
}

fn read(layout: &[u8], value: &[u8], default: &Zone, local: &Zone) -> Result<Time, ParseError> {
    let mut fields = Fields::default();
    let read = fields.read(layout, value).and_then(|()| fields.resolve_day());
    match read {
        Ok((month, day)) => Ok(fields.time(month, day, default, local)),
        Err(fault) => Err(ParseError { value: value.to_vec(), fault }),
    }
}

/// What was read so far.
#[derive(Debug, Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nsec: i64,
    /// Set by `AM` (false) and `PM` (true).
    afternoon: Option<bool>,
    utc: bool,
    /// Seconds east of UTC.
    offset: Option<i64>,
    zone_name: String,
}

impl Fields {
    fn read(&mut self, layout: &[u8], value: &[u8]) -> Result<(), ParseFault> {
        let whole = layout;
        let mismatch = |element: &[u8], found: &[u8]| ParseFault::Mismatch {
            layout: whole.to_vec(),
            found: found.to_vec(),
            element: element.to_vec(),
        };
        let (mut layout, mut value) = (layout, value);
        loop {
            let next = next_element(layout);
            let range: Range<usize> =
                next.as_ref().map_or(layout.len()..layout.len(), |(range, _)| range.clone());
            let prefix = layout.get(..range.start).unwrap_or_default();
            value = skip(value, prefix).map_err(|left| mismatch(prefix, left))?;
            let Some((_, element)) = next else {
                return if value.is_empty() { Ok(()) } else { Err(ParseFault::Extra(value.to_vec())) };
            };
            let text = layout.get(range.clone()).unwrap_or_default();
            layout = layout.get(range.end..).unwrap_or_default();
            value = match self.read_element(element, value, layout) {
                Ok(rest) => rest,
                Err(Miss::Mismatch) => return Err(mismatch(text, value)),
                Err(Miss::Range(what)) => return Err(ParseFault::Range(what)),
            };
        }
    }

    /// Reads one element; `after` is the layout that follows it.
    fn read_element<'t>(
        &mut self,
        element: Element,
        value: &'t [u8],
        after: &[u8],
    ) -> Result<&'t [u8], Miss> {
        let zero = |pad: Pad| pad == Pad::Zero;
        let rest;
        match element {
            Element::Year => (self.year, rest) = short_year(value)?,
            Element::LongYear => (self.year, rest) = long_year(value)?,
            Element::Month => (self.month, rest) = some(one_up(name(value, &MONTHS, true)?)),
            Element::LongMonth => (self.month, rest) = some(one_up(name(value, &MONTHS, false)?)),
            Element::NumMonth(pad) => {
                (self.month, rest) = some(bounded(two_digits(value, zero(pad))?, 1..=12, "month")?);
            }
            // The day of the week is not compared with the date.
            Element::Weekday => (_, rest) = name(value, &DAYS, true)?,
            Element::LongWeekday => (_, rest) = name(value, &DAYS, false)?,
            // Days are checked when month and year are known.
            Element::Day(pad) => {
                (self.day, rest) = some(two_digits(cut_padding(value, pad, 1), zero(pad))?);
            }
            Element::YearDay(pad) => {
                (self.year_day, rest) = some(digits(cut_padding(value, pad, 2), 3, zero(pad))?);
            }
            Element::Hour => (self.hour, rest) = bounded(two_digits(value, false)?, 0..=23, "hour")?,
            Element::Hour12(pad) => {
                (self.hour, rest) = bounded(two_digits(value, zero(pad))?, 0..=12, "hour")?;
            }
            Element::Minute(pad) => {
                (self.minute, rest) = bounded(two_digits(value, zero(pad))?, 0..=59, "minute")?;
            }
            Element::Second(pad) => {
                let left;
                (self.second, left) = bounded(two_digits(value, zero(pad))?, 0..=59, "second")?;
                rest = self.read_unannounced_fraction(left, after)?;
            }
            Element::HalfDay { upper } => (self.afternoon, rest) = some(half_day(value, upper)?),
            Element::Fraction(Fraction { digits, trim: false, .. }) => {
                (self.nsec, rest) = fraction(value, 1 + digits)?;
            }
            Element::Fraction(_) => match fraction_len(value) {
                0 => rest = value,
                len => (self.nsec, rest) = fraction(value, len)?,
            },
            Element::Offset(form) => match value.strip_prefix(b"Z").filter(|_| form.z) {
                Some(left) => (self.utc, rest) = (true, left),
                None => (self.offset, rest) = some(offset(value, form)?),
            },
            Element::ZoneName => match value.strip_prefix(b"UTC") {
                Some(left) => (self.utc, rest) = (true, left),
                None => (self.zone_name, rest) = zone_name(value)?,
            },
        }
        Ok(rest)
    }

    /// A fraction may follow the seconds even though the layout has none.
    fn read_unannounced_fraction<'t>(&mut self, value: &'t [u8], after: &[u8]) -> Result<&'t [u8], Miss> {
        let len = fraction_len(value);
        let announced = matches!(next_element(after), Some((_, Element::Fraction(_))));
        if len == 0 || announced {
            return Ok(value);
        }
        let rest;
        (self.nsec, rest) = fraction(value, len)?;
        Ok(rest)
    }

    /// Returns month and day, from the day of the year if that was given.
    fn resolve_day(&self) -> Result<(i64, i64), ParseFault> {
        let (month, day) = match self.year_day {
            None => (self.month.unwrap_or(1), self.day.unwrap_or(1)),
            Some(year_day) => {
                let (month, day) = self.day_of_year(year_day).ok_or(ParseFault::Range("day-of-year"))?;
                if self.month.is_some_and(|given| given != month) {
                    return Err(ParseFault::YearDay("month"));
                }
                if self.day.is_some_and(|given| given != day) {
                    return Err(ParseFault::YearDay("day"));
                }
                (month, day)
            }
        };
        if (1..=days_in(month, self.year)).contains(&day) {
            Ok((month, day))
        } else {
            Err(ParseFault::Range("day"))
        }
    }

    fn day_of_year(&self, year_day: i64) -> Option<(i64, i64)> {
        let mut day = year_day;
        for month in 1..=12 {
            let days = days_in(month, self.year);
            if day <= days {
                return (day >= 1).then_some((month, day));
            }
            day -= days;
        }
        None
    }

    fn time(&self, month: i64, day: i64, default: &Zone, local: &Zone) -> Time {
        let hour = match self.afternoon {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let date =
            |zone: &Zone| Time::date(self.year, month, day, hour, self.minute, self.second, self.nsec, zone);
        let utc = Zone::utc();
        if self.utc {
            return date(&utc);
        }
        // Go marks a missing offset by -1, so that an offset of minus one second does not count.
        if let Some(offset) = self.offset.filter(|offset| *offset != -1) {
            let mut time = date(&utc);
            time.add_seconds(-offset);
            let found = local.lookup(time.unix_seconds());
            let known = found.offset == offset && (self.zone_name.is_empty() || found.name == self.zone_name);
            return time.in_zone(&if known { local.clone() } else { Zone::fixed(&*self.zone_name, offset) });
        }
        if self.zone_name.is_empty() {
            return date(default);
        }
        let mut time = date(&utc);
        if let Some(offset) = local.lookup_name(&self.zone_name, time.unix_seconds()) {
            time.add_seconds(-offset);
            return time.in_zone(local);
        }
        // An unknown abbreviation is kept with no offset, except that "GMT+3" tells one.
        let hours = self.zone_name.strip_prefix("GMT").and_then(|hours| signed_number(hours.as_bytes()));
        time.in_zone(&Zone::fixed(&*self.zone_name, hours.unwrap_or(0) * 3600))
    }
}

/// Quotes as package `time` does: all but printable ASCII as `\x` escapes.
pub(super) fn quote(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=0x7f => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}
