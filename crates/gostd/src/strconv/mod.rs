//! Go's `strconv`: quoting, and numbers from and to text.
//!
//! ```
//! use gostd::strconv;
//!
//! assert_eq!(strconv::quote("é\n".as_bytes()), r#""é\n""#);
//! assert_eq!(strconv::format_float(1e21, b'g', -1, 64), "1e+21");
//! let error = strconv::parse_int(b"300", 10, 8).unwrap_err();
//! assert_eq!(error.to_string(), r#"strconv.ParseInt: parsing "300": value out of range"#);
//! assert_eq!(error.value, 127, "Go returns the nearest number beside the error");
//! ```

mod error;
mod format_float;
mod hex_float;
mod parse_float;
mod parse_int;
mod quote;
mod unquote;

pub use error::{Cause, NumError};
pub use format_float::{append_float, format_float};
pub use parse_float::parse_float;
pub use parse_int::{atoi, parse_int, parse_uint};
pub use quote::{
    append_quote, append_quote_rune, append_quote_to_ascii, can_backquote, quote, quote_rune,
    quote_rune_to_ascii, quote_to_ascii,
};
pub use unquote::{InvalidSyntax, Unit, unquote, unquote_char};

pub use crate::strings::is_print;

/// Writes an integer in a base from 2 to 36, as `strconv.FormatInt`; other bases count as 10.
pub fn format_int(value: i64, base: u32) -> String {
    let digits = format_uint(value.unsigned_abs(), base);
    if value < 0 { format!("-{digits}") } else { digits }
}

/// Writes an unsigned integer in a base from 2 to 36, as `strconv.FormatUint`; other bases count as 10.
pub fn format_uint(value: u64, base: u32) -> String {
    let base = if (2..=36).contains(&base) { base } else { 10 };
    if base == 10 {
        return value.to_string();
    }
    let mut digits = Vec::new();
    let mut rest = value;
    loop {
        let digit =
            u32::try_from(rest % u64::from(base)).ok().and_then(|digit| char::from_digit(digit, base));
        digits.extend(digit);
        rest /= u64::from(base);
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// Parses as `strconv.ParseBool`.
pub fn parse_bool(text: &[u8]) -> Result<bool, NumError<bool>> {
    match text {
        b"1" | b"t" | b"T" | b"true" | b"TRUE" | b"True" => Ok(true),
        b"0" | b"f" | b"F" | b"false" | b"FALSE" | b"False" => Ok(false),
        _ => Err(NumError::syntax("ParseBool", text)),
    }
}

#[cfg(test)]
mod tests;
