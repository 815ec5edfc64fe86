//! The `format` keyword, as strict as github.com/santhosh-tekuri/jsonschema v6 and with its words.

use gostd::strconv::quote_rune;
use gostd::url::Url;

/// A known format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    name: &'static str,
    check: fn(&str) -> Outcome,
}

type Outcome = Result<(), String>;

const FORMATS: &[Format] = &[
    Format { name: "regex", check: regex },
    Format { name: "json-pointer", check: json_pointer },
    Format { name: "relative-json-pointer", check: relative_json_pointer },
    Format { name: "uuid", check: uuid },
    Format { name: "duration", check: duration },
    Format { name: "period", check: period },
    Format { name: "ipv4", check: ipv4 },
    Format { name: "ipv6", check: ipv6 },
    Format { name: "hostname", check: hostname },
    Format { name: "email", check: email },
    Format { name: "date", check: date },
    Format { name: "time", check: time },
    Format { name: "date-time", check: date_time },
    Format { name: "uri", check: uri },
    Format { name: "iri", check: uri },
    Format { name: "uri-reference", check: uri_reference },
    Format { name: "iri-reference", check: uri_reference },
    Format { name: "uri-template", check: uri_template },
    Format { name: "semver", check: semver },
];

impl Format {
    /// Finds a format; unknown ones are not checked.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        FORMATS.iter().find(|format| format.name == name).copied()
    }

    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// Checks a string; the error says what is wrong.
    pub(super) fn check(self, text: &str) -> Outcome {
        (self.check)(text)
    }
}

fn fail<T>(text: &str) -> Result<T, String> {
    Err(text.to_owned())
}

fn require(condition: bool, text: &str) -> Outcome {
    if condition { Ok(()) } else { fail(text) }
}

/// Fails at the first character that does not fit.
fn each(text: &str, fits: impl Fn(char) -> bool, describe: impl Fn(String) -> String) -> Outcome {
    match text.chars().find(|letter| !fits(*letter)) {
        Some(letter) => Err(describe(quote_rune(letter))),
        None => Ok(()),
    }
}

fn digits_at_start(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn regex(text: &str) -> Outcome {
    gostd::regexp::Regexp::compile(text).map(drop).map_err(|error| error.to_string())
}

fn json_pointer(text: &str) -> Outcome {
    if text.is_empty() {
        return Ok(());
    }
    require(text.starts_with('/'), "not starting with /")?;
    let escapes = text.split('~').skip(1);
    for escaped in escapes {
        require(escaped.starts_with(['0', '1']), "~ must be followed by 0 or 1")?;
    }
    Ok(())
}

fn relative_json_pointer(text: &str) -> Outcome {
    let digits = digits_at_start(text);
    require(digits > 0, "must start with non-negative integer")?;
    require(digits == 1 || !text.starts_with('0'), "starts with zero")?;
    match text.get(digits..).unwrap_or_default() {
        "#" => Ok(()),
        rest => json_pointer(rest),
    }
}

fn uuid(text: &str) -> Outcome {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    require(groups.len() == GROUPS.len(), "must have 5 elements")?;
    for (index, (group, length)) in groups.iter().zip(GROUPS).enumerate() {
        if group.len() != length {
            return Err(format!("element {} must be {length} characters long", index + 1));
        }
        each(group, |letter| letter.is_ascii_hexdigit(), |letter| format!("non-hex character {letter}"))?;
    }
    Ok(())
}

fn duration(text: &str) -> Outcome {
    let Some(text) = text.strip_prefix('P') else { return fail("must start with P") };
    require(!text.is_empty(), "nothing after P")?;
    if let Some(weeks) = text.strip_suffix('W') {
        require(!weeks.is_empty(), "no number in week")?;
        return require(is_number(weeks), "invalid week");
    }
    for (index, part) in text.split('T').enumerate() {
        require(index == 0 || !part.is_empty(), "no time elements")?;
        let units = match index {
            0 => "YMD",
            1 => "HMS",
            _ => return fail("more than one T"),
        };
        duration_part(part, units)?;
    }
    Ok(())
}

fn duration_part(mut text: &str, all_units: &str) -> Outcome {
    let mut units = all_units;
    while !text.is_empty() {
        let digits = digits_at_start(text);
        require(digits > 0, "missing number")?;
        let rest = text.get(digits..).unwrap_or_default();
        let Some(unit) = rest.chars().next() else { return fail("missing unit") };
        let Some(place) = units.find(unit) else {
            let fault = if all_units.contains(unit) { "unit {} out of order" } else { "invalid unit {}" };
            return Err(fault.replace("{}", &quote_rune(unit)));
        };
        units = units.get(place + 1..).unwrap_or_default();
        text = rest.get(unit.len_utf8()..).unwrap_or_default();
    }
    Ok(())
}

fn period(text: &str) -> Outcome {
    let Some((start, end)) = text.split_once('/') else { return fail("missing slash") };
    let part = |which: &str, text: &str| {
        let (kind, result) = if text.starts_with('P') && which != "end after duration" {
            ("duration", duration(text))
        } else {
            ("date-time", date_time(text))
        };
        let which = which.split(' ').next().unwrap_or_default();
        result.map_err(|reason| format!("invalid {which} {kind}: {reason}"))
    };
    part("start", start)?;
    part(if start.starts_with('P') { "end after duration" } else { "end" }, end)
}

fn ipv4(text: &str) -> Outcome {
    let groups: Vec<&str> = text.split('.').collect();
    require(groups.len() == 4, "expected four decimals")?;
    for group in groups {
        require(group.len() < 2 || !group.starts_with('0'), "leading zeros")?;
        let number = gostd::strconv::atoi(group.as_bytes()).map_err(|error| error.to_string())?;
        require((0..=255).contains(&number), "decimal must be between 0 and 255")?;
    }
    Ok(())
}

fn ipv6(text: &str) -> Outcome {
    require(text.contains(':'), "missing colon")?;
    gostd::url::is_ipv6(text.as_bytes()).map_err(|error| error.to_string())?;
    require(!text.contains('%'), "zone id is not a part of ipv6 address")
}

fn hostname(text: &str) -> Outcome {
    let text = text.strip_suffix('.').unwrap_or(text);
    require(text.len() <= 253, "more than 253 characters long")?;
    for label in text.split('.') {
        require((1..=63).contains(&label.len()), "label must be 1 to 63 characters long")?;
        require(!label.starts_with('-'), "label starts with hyphen")?;
        require(!label.ends_with('-'), "label ends with hyphen")?;
        each(label, |letter| letter.is_ascii_alphanumeric() || letter == '-', invalid_character)?;
    }
    Ok(())
}

fn invalid_character(letter: String) -> String {
    format!("invalid character {letter}")
}

fn email(text: &str) -> Outcome {
    require(text.len() <= 254, "more than 255 characters long")?;
    let Some((local, domain)) = text.rsplit_once('@') else { return fail("missing @") };
    require(local.len() <= 64, "local part more than 64 characters long")?;
    match local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => {
            let fault = "backslash and quote are not allowed within quoted local part";
            require(!quoted.contains(['\\', '"']), fault)?;
        }
        None => unquoted_local(local)?,
    }
    let Some(address) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return hostname(domain).map_err(|reason| format!("invalid domain: {reason}"));
    };
    match address.strip_prefix("IPv6:") {
        Some(address) => ipv6(address).map_err(|reason| format!("invalid ipv6 address: {reason}")),
        None => ipv4(address).map_err(|reason| format!("invalid ipv4 address: {reason}")),
    }
}

fn unquoted_local(local: &str) -> Outcome {
    require(!local.starts_with('.'), "starts with dot")?;
    require(!local.ends_with('.'), "ends with dot")?;
    require(!local.contains(".."), "consecutive dots")?;
    let fits = |letter: char| letter.is_ascii_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(letter);
    each(local, fits, invalid_character)
}

fn date(text: &str) -> Outcome {
    let utc = gostd::time::Zone::fixed("UTC", 0);
    gostd::time::Time::parse(b"2006-01-02", text.as_bytes(), &utc)
        .map(drop)
        .map_err(|error| error.to_string())
}

fn time(text: &str) -> Outcome {
    require(text.len() >= 9, "less than 9 characters long")?;
    let colon_at = |text: &str, place: usize| text.as_bytes().get(place) == Some(&b':');
    require(colon_at(text, 2) && colon_at(text, 5), "missing colon in correct place")?;
    let (clock, rest) = text.split_at_checked(8).ok_or("invalid hour/min/sec")?;
    let numbers = numbers(clock, "invalid hour/min/sec", "non-positive hour/min/sec")?;
    let [hour, minute, second] = numbers.as_slice() else { return fail("missing hour/min/sec") };
    let (mut hour, mut minute, second) = (*hour, *minute, *second);
    require(hour <= 23 && minute <= 59 && second <= 60, "hour/min/sec out of range")?;
    let mut rest = rest;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = digits_at_start(fraction);
        require(digits > 0, "no digits in second fraction")?;
        rest = fraction.get(digits..).unwrap_or_default();
    }
    if rest != "z" && rest != "Z" {
        require(rest.len() == 6, "offset must be 6 characters long")?;
        let (sign, offset) = match rest.split_at_checked(1) {
            Some(("+", offset)) => (-1, offset),
            Some(("-", offset)) => (1, offset),
            _ => return fail("offset must begin with plus/minus"),
        };
        require(colon_at(offset, 2), "missing colon in offset in correct place")?;
        let parts = self::numbers(offset, "invalid hour/min in offset", "non-positive hour/min in offset")?;
        let [hours, minutes] = parts.as_slice() else { return fail("invalid hour/min in offset") };
        require(*hours <= 23 && *minutes <= 59, "hour/min in offset out of range")?;
        let mut shifted = hour * 60 + minute + sign * (hours * 60 + minutes);
        if shifted < 0 {
            shifted += 24 * 60;
        }
        (hour, minute) = (shifted / 60, shifted % 60);
    }
    require(second < 60 || (hour == 23 && minute == 59), "invalid leap second")
}

fn numbers(text: &str, malformed: &str, negative: &str) -> Result<Vec<i64>, String> {
    text.split(':')
        .map(|part| {
            let number = gostd::strconv::atoi(part.as_bytes()).map_err(|_| malformed.to_owned())?;
            require(number >= 0, negative)?;
            Ok(number)
        })
        .collect()
}

fn date_time(text: &str) -> Outcome {
    require(text.len() >= 20, "less than 20 characters long")?;
    require(matches!(text.as_bytes().get(10), Some(b't' | b'T')), "11th character must be t or T")?;
    let (day, rest) = text.split_at_checked(10).ok_or("11th character must be t or T")?;
    date(day).map_err(|reason| format!("invalid date element: {reason}"))?;
    let clock = rest.get(1..).unwrap_or_default();
    time(clock).map_err(|reason| format!("invalid time element: {reason}"))
}

fn parse_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let host = gostd::value::lossy(url.hostname());
    if host.contains(':') {
        let enclosed = url.host.contains(&b'[') && url.host.contains(&b']');
        require(enclosed, "ipv6 address not enclosed in brackets")?;
        ipv6(&host).map_err(|reason| format!("invalid ipv6 address: {reason}"))?;
    }
    Ok(url)
}

fn uri(text: &str) -> Outcome {
    require(!parse_url(text)?.scheme.is_empty(), "relative url")
}

fn uri_reference(text: &str) -> Outcome {
    require(!text.contains('\\'), "contains \\")?;
    parse_url(text).map(drop)
}

fn uri_template(text: &str) -> Outcome {
    let url = parse_url(text)?;
    for part in url.raw_path.split(|byte| *byte == b'/') {
        let part =
            gostd::url::path_unescape(part).map_err(|error| format!("percent decode failed: {error}"))?;
        let mut open = false;
        for byte in part.iter().filter(|byte| matches!(byte, b'{' | b'}')) {
            require((*byte == b'{') != open, "nested curly braces")?;
            open = !open;
        }
        require(!open, "no matching closing brace")?;
    }
    Ok(())
}

fn semver(text: &str) -> Outcome {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    if let Some(build) = build {
        require(!build.is_empty(), "build is empty")?;
        for part in build.split('.') {
            require(!part.is_empty(), "build identifier is empty")?;
            each(part, is_word, |letter| format!("invalid character {letter} in build identifier"))?;
        }
    }
    let (core, pre) = text.split_once('-').map_or((text, None), |(core, pre)| (core, Some(pre)));
    for part in pre.into_iter().flat_map(|pre| pre.split('.')) {
        require(!part.is_empty(), "pre-release identifier is empty")?;
        each(part, is_word, |letter| format!("invalid character {letter} in pre-release identifier"))?;
        let leading_zero = is_number(part) && part.len() > 1 && part.starts_with('0');
        require(!leading_zero, "pre-release numeric identifier starts with zero")?;
    }
    let parts: Vec<&str> = core.split('.').collect();
    require(parts.len() == 3, "versionCore must have 3 numbers separated by dot")?;
    for (name, part) in ["major", "minor", "patch"].iter().zip(parts) {
        require(!part.is_empty(), &format!("{name} is empty"))?;
        require(part.len() < 2 || !part.starts_with('0'), &format!("{name} starts with zero"))?;
        require(is_number(part), &format!("{name} contains non-digit"))?;
    }
    Ok(())
}
