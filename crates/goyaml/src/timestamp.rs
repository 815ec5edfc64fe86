//! Which plain scalars are timestamps.

/// Reports whether the text is a timestamp to go-yaml: Go's `time.Parse` takes it with one of the layouts
/// `2006-1-2T15:4:5.999999999Z07:00` (or with `t`), `2006-1-2 15:4:5.999999999` and `2006-1-2`.
pub(crate) fn is_timestamp(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits != 4 || text.get(4) != Some(&b'-') {
        return false;
    }
    let Some(rest) = text.get(5..).and_then(|rest| date(text, rest)) else { return false };
    match rest.first() {
        None => true,
        Some(b'T' | b't') => rest.get(1..).and_then(clock).and_then(zone).is_some_and(<[u8]>::is_empty),
        Some(b' ') => clock(skip_spaces(rest)).is_some_and(<[u8]>::is_empty),
        Some(_) => false,
    }
}

/// A space in a layout stands for any number of spaces.
fn skip_spaces(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    text.get(spaces..).unwrap_or_default()
}

/// Reads `month-day` of the year that the text starts with, if there is such a day.
fn date<'t>(text: &[u8], rest: &'t [u8]) -> Option<&'t [u8]> {
    let year = text.iter().take(4).fold(0, |year, digit| year * 10 + u32::from(digit - b'0'));
    let (month, rest) = number(rest)?;
    let (day, rest) = number(rest.strip_prefix(b"-")?)?;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(rest)
}

/// Reads `hour:minute:second` with an optional fraction.
fn clock(text: &[u8]) -> Option<&[u8]> {
    let (hour, rest) = number(text)?;
    let (minute, rest) = number(rest.strip_prefix(b":")?)?;
    let (second, rest) = number(rest.strip_prefix(b":")?)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    match rest {
        [b'.' | b',', b'0'..=b'9', ..] => {
            let digits = rest.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
            rest.get(1 + digits..)
        }
        _ => Some(rest),
    }
}

/// Reads `Z` or an offset `+hh:mm`.
fn zone(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'Z', rest @ ..] => Some(rest),
        [b'+' | b'-', hour @ ..] => {
            let (hours, rest) = two_digits(hour)?;
            let (minutes, rest) = two_digits(rest.strip_prefix(b":")?)?;
            // Go's limits, which are looser than a clock's.
            (hours <= 24 && minutes <= 60).then_some(rest)
        }
        _ => None,
    }
}

/// Reads one or two digits.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    two_digits(text).or_else(|| match text {
        [digit @ b'0'..=b'9', rest @ ..] => Some((u32::from(digit - b'0'), rest)),
        _ => None,
    })
}

fn two_digits(text: &[u8]) -> Option<(u32, &[u8])> {
    match text {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9', rest @ ..] => {
            Some((u32::from(tens - b'0') * 10 + u32::from(ones - b'0'), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_go_takes() {
        for text in [
            "2001-12-14",
            "2001-1-2",
            "2001-12-14T21:59:43.10-05:00",
            "2001-12-14t21:59:43Z",
            "2001-12-14t1:2:3,5Z",
            "2001-12-14 21:59:43.123456789123",
            "2001-12-14   1:2:3",
            "2000-02-29",
            "2001-12-14T21:59:43+24:60",
            "0000-01-01",
        ] {
            assert!(is_timestamp(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn leaves_the_rest() {
        for text in [
            "",
            "2001",
            "2001-13-01",
            "2001-02-29",
            "2001-00-01",
            "2001-01-00",
            "20010-01-01",
            "2001-12-14T21:59:43",
            "2001-12-14T21:59Z",
            "2001-12-14 21:59:43Z",
            "2001-12-14T24:00:00Z",
            "2001-12-14T21:60:00Z",
            "2001-12-14T21:59:60Z",
            "2001-12-14T21:59:43+2:00",
            "2001-12-14T21:59:43+25:00",
            "2001-12-14x",
            "2001-12-14 ",
            "2001-12-14 21:59:43 ",
            "2001-12-14T21:59:43.Z",
        ] {
            assert!(!is_timestamp(text.as_bytes()), "{text}");
        }
    }
}
