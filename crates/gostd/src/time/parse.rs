//! Reading times by a layout.

use std::ops::Range;

use super::calendar::days_in;
use super::layout::{Element, Fraction, Offset, Pad, next_element};
use super::names::{DAYS, MONTHS, SHORT};
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

/// Why an element could not be read.
enum Miss {
    Mismatch,
    Range(&'static str),
}

type Step<'t, T> = Result<(T, &'t [u8]), Miss>;

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
        let mut rest = value;
        match element {
            Element::Year => {
                let (text, left) = split(value, 2)?;
                let year = signed_number(text).ok_or(Miss::Mismatch)?;
                self.year = if year >= 69 { year + 1900 } else { year + 2000 };
                rest = left;
            }
            Element::LongYear => {
                let (text, left) = split(value, 4)?;
                self.year = number(text).ok_or(Miss::Mismatch)?;
                rest = left;
            }
            Element::Month | Element::LongMonth => {
                let (index, left) = name(value, &MONTHS, element == Element::Month)?;
                self.month = Some(index + 1);
                rest = left;
            }
            Element::Weekday => rest = name(value, &DAYS, true)?.1,
            Element::LongWeekday => rest = name(value, &DAYS, false)?.1,
            Element::NumMonth(pad) => {
                let (month, left) = two_digits(value, pad == Pad::Zero)?;
                self.month = Some(in_range(month, 1, 12, "month")?);
                rest = left;
            }
            Element::Day(pad) => {
                let value = if pad == Pad::Space { value.strip_prefix(b" ").unwrap_or(value) } else { value };
                let (day, left) = two_digits(value, pad == Pad::Zero)?;
                self.day = Some(day);
                rest = left;
            }
            Element::YearDay(pad) => {
                let spaces = value.iter().take(2).take_while(|byte| **byte == b' ').count();
                let skipped = if pad == Pad::Space { spaces } else { 0 };
                let (day, left) = digits(value.get(skipped..).unwrap_or_default(), 3, pad == Pad::Zero)?;
                self.year_day = Some(day);
                rest = left;
            }
            Element::Hour => {
                let (hour, left) = two_digits(value, false)?;
                self.hour = in_range(hour, 0, 23, "hour")?;
                rest = left;
            }
            Element::Hour12(pad) => {
                let (hour, left) = two_digits(value, pad == Pad::Zero)?;
                self.hour = in_range(hour, 0, 12, "hour")?;
                rest = left;
            }
            Element::Minute(pad) => {
                let (minute, left) = two_digits(value, pad == Pad::Zero)?;
                self.minute = in_range(minute, 0, 59, "minute")?;
                rest = left;
            }
            Element::Second(pad) => {
                let (second, left) = two_digits(value, pad == Pad::Zero)?;
                self.second = in_range(second, 0, 59, "second")?;
                rest = self.read_unannounced_fraction(left, after)?;
            }
            Element::HalfDay { upper } => {
                let (text, left) = split(value, 2)?;
                self.afternoon = Some(match (text, upper) {
                    (b"PM", true) | (b"pm", false) => true,
                    (b"AM", true) | (b"am", false) => false,
                    _ => return Err(Miss::Mismatch),
                });
                rest = left;
            }
            Element::Offset(form) => match value.strip_prefix(b"Z").filter(|_| form.z) {
                Some(left) => {
                    self.utc = true;
                    rest = left;
                }
                None => {
                    (self.offset, rest) = offset(value, form).map(|(offset, left)| (Some(offset), left))?
                }
            },
            Element::ZoneName => {
                if let Some(left) = value.strip_prefix(b"UTC") {
                    self.utc = true;
                    rest = left;
                } else {
                    let (name, left) = split(value, zone_name_len(value).ok_or(Miss::Mismatch)?)?;
                    self.zone_name = String::from_utf8_lossy(name).into_owned();
                    rest = left;
                }
            }
            Element::Fraction(Fraction { digits, trim: false, .. }) => {
                let (text, left) = split(value, 1 + digits)?;
                self.nsec = fraction(text)?;
                rest = left;
            }
            Element::Fraction(_) => {
                let len = fraction_len(value);
                if len > 0 {
                    let (text, left) = split(value, len)?;
                    self.nsec = fraction(text)?;
                    rest = left;
                }
            }
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
        let (text, left) = split(value, len)?;
        self.nsec = fraction(text)?;
        Ok(left)
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

/// Skips a literal prefix, treating runs of spaces alike; fails with what was left.
fn skip<'t>(mut value: &'t [u8], mut prefix: &[u8]) -> Result<&'t [u8], &'t [u8]> {
    while let Some((expected, rest)) = prefix.split_first() {
        if *expected == b' ' {
            if value.first().is_some_and(|byte| *byte != b' ') {
                return Err(value);
            }
            prefix = cut_spaces(prefix);
            value = cut_spaces(value);
            continue;
        }
        match value.split_first() {
            Some((found, left)) if found == expected => value = left,
            _ => return Err(value),
        }
        prefix = rest;
    }
    Ok(value)
}

fn cut_spaces(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(spaces..).unwrap_or_default()
}

fn split(value: &[u8], len: usize) -> Step<'_, &[u8]> {
    value.split_at_checked(len).ok_or(Miss::Mismatch)
}

fn in_range(value: i64, low: i64, high: i64, what: &'static str) -> Result<i64, Miss> {
    if (low..=high).contains(&value) { Ok(value) } else { Err(Miss::Range(what)) }
}

/// Reads digits only.
fn number(text: &[u8]) -> Option<i64> {
    let digits = text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()
}

/// Reads digits with an optional sign. No digits are zero, as in Go.
fn signed_number(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let value = if digits.is_empty() { 0 } else { number(digits)? };
    Some(if text.starts_with(b"-") { -value } else { value })
}

fn two_digits(value: &[u8], fixed: bool) -> Step<'_, i64> {
    digits(value, 2, fixed)
}

/// Reads one to `most` digits, or exactly as many if `fixed`.
fn digits(value: &[u8], most: usize, fixed: bool) -> Step<'_, i64> {
    let len = value.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
    if len == 0 || fixed && len != most {
        return Err(Miss::Mismatch);
    }
    let (text, rest) = split(value, len)?;
    Ok((number(text).ok_or(Miss::Mismatch)?, rest))
}

/// Reads one of the names, in any case.
fn name<'t>(value: &'t [u8], names: &[&str], short: bool) -> Step<'t, i64> {
    let found = (0i64..).zip(names).find_map(|(index, name)| {
        let (head, rest) = value.split_at_checked(if short { SHORT } else { name.len() })?;
        let name = name.as_bytes().get(..head.len())?;
        head.eq_ignore_ascii_case(name).then_some((index, rest))
    });
    found.ok_or(Miss::Mismatch)
}

/// Reads `-07:00` and its variants. Hours of 24 and minutes of 60 are allowed, as some people write them.
fn offset(value: &[u8], form: Offset) -> Step<'_, i64> {
    let colon = usize::from(form.colons);
    let minutes_at = 3 + colon;
    let seconds_at = minutes_at + 2 + colon;
    let len = if form.seconds {
        seconds_at + 2
    } else if form.minutes {
        minutes_at + 2
    } else {
        3
    };
    let (text, rest) = split(value, len)?;
    let colons = [(form.minutes, 3), (form.seconds, minutes_at + 2)];
    if form.colons && colons.iter().any(|(used, at)| *used && text.get(*at) != Some(&b':')) {
        return Err(Miss::Mismatch);
    }
    // As in Go, a number too large is reported even where a later part is no number, and the last such counts.
    let (mut faulty, mut too_large) = (false, None);
    let mut field = |used: bool, at: usize, most: i64, what: &'static str| {
        let value = if used && !faulty { text.get(at..at + 2).and_then(number) } else { Some(0) };
        faulty = faulty || value.is_none();
        if value.is_some_and(|value| value > most) {
            too_large = Some(what);
        }
        value.unwrap_or(0)
    };
    let hours = field(true, 1, 24, "time zone offset hour");
    let minutes = field(form.minutes, minutes_at, 60, "time zone offset minute");
    let seconds = field(form.seconds, seconds_at, 60, "time zone offset second");
    if let Some(what) = too_large {
        return Err(Miss::Range(what));
    }
    let size = (hours * 60 + minutes) * 60 + seconds;
    match text.first() {
        Some(b'+') if !faulty => Ok((size, rest)),
        Some(b'-') if !faulty => Ok((-size, rest)),
        _ => Err(Miss::Mismatch),
    }
}

/// Returns the length of a separator and the digits after it, or 0 if there is no such thing.
fn fraction_len(value: &[u8]) -> usize {
    match value {
        [b'.' | b',', digits @ ..] => match digits.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => 0,
            len => len + 1,
        },
        _ => 0,
    }
}

/// Reads a separator and digits as nanoseconds; digits beyond the ninth are dropped.
fn fraction(text: &[u8]) -> Result<i64, Miss> {
    let [b'.' | b',', digits @ ..] = text else { return Err(Miss::Mismatch) };
    let digits = digits.get(..9).unwrap_or(digits);
    let value = signed_number(digits).ok_or(Miss::Mismatch)?;
    let scale = (digits.len()..9).fold(1, |scale, _| scale * 10);
    in_range(value, 0, i64::MAX, "fractional second").map(|value| value * scale)
}

/// Returns how much of the text looks like an abbreviation of a zone (Go `parseTimeZone`).
fn zone_name_len(value: &[u8]) -> Option<usize> {
    if value.len() < 3 {
        return None;
    }
    if value.starts_with(b"ChST") || value.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(hours) = value.strip_prefix(b"GMT") {
        return Some(3 + signed_hours_len(hours));
    }
    if matches!(value.first(), Some(b'+' | b'-')) {
        return Some(signed_hours_len(value)).filter(|len| *len > 0);
    }
    let upper = value.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count();
    let ends_in_t = |len: usize| value.get(len - 1) == Some(&b'T');
    match upper {
        3 => Some(3),
        4 if ends_in_t(4) || value.starts_with(b"WITA") => Some(4),
        5 if ends_in_t(5) => Some(5),
        _ => None,
    }
}

/// Returns the length of a signed number of at most 23, or 0.
fn signed_hours_len(value: &[u8]) -> usize {
    let [b'+' | b'-', digits @ ..] = value else { return 0 };
    let len = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let hours = digits.get(..len).and_then(|text| if text.is_empty() { None } else { number(text) });
    if hours.is_some_and(|hours| hours <= 23) { len + 1 } else { 0 }
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
