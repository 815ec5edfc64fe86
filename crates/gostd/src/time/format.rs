//! Printing times.

use std::fmt;

use super::layout::{Element, Fraction, Offset, Pad, next_element};
use super::names::SHORT;
use super::{RFC3339_NANO, Time};

/// A time that RFC 3339, and so JSON, cannot express. The texts are Go's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The year has more or fewer than four digits.
    #[error("year outside of range [0,9999]")]
    Year,
    /// The offset from UTC is a day or more.
    #[error("timezone hour outside of range [0,23]")]
    ZoneHour,
}

impl Time {
    /// Prints the time by a layout, which is any text with parts of Go's reference time, `Mon Jan 2 15:04:05 MST 2006`
    /// (Go `Time.Format`).
    ///
    /// ```
    /// use gostd::time::{Time, Zone};
    /// let time = Time::unix(1_709_211_845, 0, &Zone::utc());
    /// assert_eq!(time.format(b"Jan 2, 2006 at 3:04pm (MST)"), b"Feb 29, 2024 at 1:04pm (UTC)");
    /// ```
    pub fn format(&self, layout: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(layout.len() + 10);
        let mut rest = layout;
        while let Some((range, element)) = next_element(rest) {
            out.extend_from_slice(rest.get(..range.start).unwrap_or_default());
            self.append(&mut out, element);
            rest = rest.get(range.end..).unwrap_or_default();
        }
        out.extend_from_slice(rest);
        out
    }

    fn append(&self, out: &mut Vec<u8>, element: Element) {
        let short = |name: Option<&'static str>| name.and_then(|name| name.get(..SHORT)).unwrap_or_default();
        match element {
            Element::LongMonth => push(out, self.month().name().unwrap_or_default()),
            Element::Month => push(out, short(self.month().name())),
            Element::NumMonth(pad) => append_padded(out, self.month().0, pad),
            Element::LongWeekday => push(out, self.weekday().name().unwrap_or_default()),
            Element::Weekday => push(out, short(self.weekday().name())),
            Element::Day(pad) => append_padded(out, self.day(), pad),
            Element::YearDay(Pad::Space) => push(out, &format!("{:3}", self.year_day())),
            Element::YearDay(_) => append_int(out, self.year_day(), 3),
            Element::Hour => append_int(out, self.hour(), 2),
            Element::Hour12(pad) => append_padded(out, (self.hour() + 11) % 12 + 1, pad),
            Element::Minute(pad) => append_padded(out, self.minute(), pad),
            Element::Second(pad) => append_padded(out, self.second(), pad),
            Element::LongYear => append_int(out, self.year(), 4),
            Element::Year => append_int(out, (self.year() % 100).abs(), 2),
            Element::HalfDay { upper } => push(
                out,
                match (self.hour() >= 12, upper) {
                    (true, true) => "PM",
                    (false, true) => "AM",
                    (true, false) => "pm",
                    (false, false) => "am",
                },
            ),
            Element::ZoneName => self.append_zone_name(out),
            Element::Offset(form) => append_offset(out, self.zone.offset(self.unix_seconds()), form),
            Element::Fraction(form) => append_fraction(out, self.nsec, form),
        }
    }

    fn append_zone_name(&self, out: &mut Vec<u8>) {
        let found = self.zone.lookup(self.unix_seconds());
        if found.name.is_empty() {
            let form = Offset { z: false, colons: false, minutes: true, seconds: false };
            append_offset(out, found.offset, form);
        } else {
            push(out, &found.name);
        }
    }

    /// Returns the time as JSON holds it, in RFC 3339 with nanoseconds as needed and without the quotes (Go
    /// `Time.MarshalText`; `MarshalJSON` puts its name before the error).
    pub fn to_rfc3339(&self) -> Result<String, EncodeError> {
        if !(0..=9999).contains(&self.year()) {
            return Err(EncodeError::Year);
        }
        if self.zone.offset(self.unix_seconds()).unsigned_abs() >= 24 * 3600 {
            return Err(EncodeError::ZoneHour);
        }
        Ok(String::from_utf8_lossy(&self.format(RFC3339_NANO.as_bytes())).into_owned())
    }
}

impl fmt::Display for Time {
    /// Prints as Go's `Time.String` does a time without a monotonic clock reading.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.format(b"2006-01-02 15:04:05.999999999 -0700 MST")))
    }
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn append_padded(out: &mut Vec<u8>, value: i64, pad: Pad) {
    match pad {
        Pad::None => append_int(out, value, 0),
        Pad::Space => push(out, &format!("{value:2}")),
        Pad::Zero => append_int(out, value, 2),
    }
}

/// Appends a decimal number with at least `width` digits; a sign does not count.
fn append_int(out: &mut Vec<u8>, value: i64, width: usize) {
    if value < 0 {
        out.push(b'-');
    }
    push(out, &format!("{:0width$}", value.unsigned_abs()));
}

fn append_offset(out: &mut Vec<u8>, offset: i64, form: Offset) {
    if form.z && offset == 0 {
        out.push(b'Z');
        return;
    }
    // The sign is that of the minutes, so an offset of seconds only is positive.
    let minutes = offset / 60;
    out.push(if minutes < 0 { b'-' } else { b'+' });
    let seconds = if minutes < 0 { -(offset % 60) } else { offset % 60 };
    let minutes = minutes.saturating_abs();
    append_int(out, minutes / 60, 2);
    let fields = [(form.minutes, minutes % 60), (form.seconds, seconds)];
    for (_, value) in fields.into_iter().filter(|(wanted, _)| *wanted) {
        if form.colons {
            out.push(b':');
        }
        append_int(out, value, 2);
    }
}

fn append_fraction(out: &mut Vec<u8>, nsec: u32, form: Fraction) {
    let digits = format!("{nsec:09}");
    let digits = digits.get(..form.digits).unwrap_or(&digits);
    let digits = if form.trim { digits.trim_end_matches('0') } else { digits };
    if form.trim && digits.is_empty() {
        return;
    }
    out.push(form.separator);
    push(out, digits);
}
