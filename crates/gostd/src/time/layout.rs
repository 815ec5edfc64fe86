//! Layouts: patterns written as Go's reference time, `Mon Jan 2 15:04:05 MST 2006`.

use std::ops::Range;

/// A part of a time that a layout can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    LongMonth,
    Month,
    /// `1`, or `01` if padded.
    NumMonth(Pad),
    LongWeekday,
    Weekday,
    /// `2`, `_2` or `02`.
    Day(Pad),
    /// `__2` or `002`.
    YearDay(Pad),
    Hour,
    Hour12(Pad),
    Minute(Pad),
    Second(Pad),
    LongYear,
    Year,
    /// `PM`, or `pm`.
    HalfDay {
        upper: bool,
    },
    /// `MST`.
    ZoneName,
    /// `-0700` and its variants.
    Offset(Offset),
    /// A separator and a run of zeros or nines.
    Fraction(Fraction),
}

/// How a number is filled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pad {
    None,
    Space,
    Zero,
}

/// The form of a zone offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// Whether UTC is a `Z`.
    pub(super) z: bool,
    pub(super) colons: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
}

/// The form of a fraction of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    pub(super) digits: usize,
    pub(super) separator: u8,
    /// Nines: zeros at the end are left out.
    pub(super) trim: bool,
}

const fn offset(z: bool, colons: bool, minutes: bool, seconds: bool) -> Element {
    Element::Offset(Offset { z, colons, minutes, seconds })
}

/// Of two elements that begin alike the longer comes first.
const ELEMENTS: [(&[u8], Element); 33] = [
    (b"January", Element::LongMonth),
    (b"Jan", Element::Month),
    (b"Monday", Element::LongWeekday),
    (b"Mon", Element::Weekday),
    (b"MST", Element::ZoneName),
    (b"01", Element::NumMonth(Pad::Zero)),
    (b"02", Element::Day(Pad::Zero)),
    (b"03", Element::Hour12(Pad::Zero)),
    (b"04", Element::Minute(Pad::Zero)),
    (b"05", Element::Second(Pad::Zero)),
    (b"06", Element::Year),
    (b"002", Element::YearDay(Pad::Zero)),
    (b"15", Element::Hour),
    (b"1", Element::NumMonth(Pad::None)),
    (b"2006", Element::LongYear),
    (b"2", Element::Day(Pad::None)),
    (b"_2", Element::Day(Pad::Space)),
    (b"__2", Element::YearDay(Pad::Space)),
    (b"3", Element::Hour12(Pad::None)),
    (b"4", Element::Minute(Pad::None)),
    (b"5", Element::Second(Pad::None)),
    (b"PM", Element::HalfDay { upper: true }),
    (b"pm", Element::HalfDay { upper: false }),
    (b"-070000", offset(false, false, true, true)),
    (b"-07:00:00", offset(false, true, true, true)),
    (b"-0700", offset(false, false, true, false)),
    (b"-07:00", offset(false, true, true, false)),
    (b"-07", offset(false, false, false, false)),
    (b"Z070000", offset(true, false, true, true)),
    (b"Z07:00:00", offset(true, true, true, true)),
    (b"Z0700", offset(true, false, true, false)),
    (b"Z07:00", offset(true, true, true, false)),
    (b"Z07", offset(true, false, false, false)),
];

/// Finds the first element of a layout (Go `nextStdChunk`): where it stands and what it is.
pub(super) fn next_element(layout: &[u8]) -> Option<(Range<usize>, Element)> {
    (0..layout.len()).find_map(|start| {
        let (len, element) = element_at(layout.get(start..)?)?;
        Some((start..start + len, element))
    })
}

fn element_at(layout: &[u8]) -> Option<(usize, Element)> {
    let first = layout.first()?;
    if matches!(first, b'.' | b',') {
        return fraction_at(layout);
    }
    let known = ELEMENTS.iter().filter(|(text, _)| text.first() == Some(first));
    for (text, element) in known {
        let Some(rest) = layout.strip_prefix(*text) else { continue };
        match element {
            // "Month" and "Janet" are words.
            Element::Month | Element::Weekday if rest.first().is_some_and(u8::is_ascii_lowercase) => {}
            // "_2006" is an underscore and a year.
            Element::Day(Pad::Space) if rest.starts_with(b"006") => {}
            _ => return Some((text.len(), *element)),
        }
    }
    None
}

/// Reads a separator and a run of zeros or nines that no other digit follows.
fn fraction_at(layout: &[u8]) -> Option<(usize, Element)> {
    let (separator, digits) = layout.split_first()?;
    let kind = digits.first().filter(|digit| matches!(digit, b'0' | b'9'))?;
    let run = digits.iter().take_while(|digit| *digit == kind).count();
    if digits.get(run).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    // Go keeps twelve bits of the count.
    let fraction = Fraction { digits: run & 0xfff, separator: *separator, trim: *kind == b'9' };
    Some((run + 1, Element::Fraction(fraction)))
}
