//! Which verbs suit which plain types. Go's `fmtInteger`, `fmtFloat`, `fmtString` and so on of fmt/print.go.
//!
//! Each function writes the value, or returns false if the verb does not suit it.

use super::spec::{Base, Spec};

pub(super) fn boolean(spec: &Spec, out: &mut Vec<u8>, value: bool, verb: char) -> bool {
    let suits = matches!(verb, 't' | 'v');
    if suits {
        spec.boolean(out, value);
    }
    suits
}

pub(super) fn signed(spec: &Spec, out: &mut Vec<u8>, value: i64, verb: char) -> bool {
    // Verbs for characters see a negative number as one far too large.
    integer(spec, out, value < 0, value.unsigned_abs(), value as u64, verb)
}

pub(super) fn unsigned(spec: &Spec, out: &mut Vec<u8>, value: u64, verb: char) -> bool {
    if verb == 'v' && spec.sharp_v {
        prefixed_hex(spec, out, value, true);
        return true;
    }
    integer(spec, out, false, value, value, verb)
}

/// Writes hexadecimal with or without `0x`, whatever the flags say.
pub(super) fn prefixed_hex(spec: &Spec, out: &mut Vec<u8>, value: u64, prefix: bool) {
    Spec { sharp: prefix, ..*spec }.integer(out, false, value, Base::Hex);
}

fn integer(spec: &Spec, out: &mut Vec<u8>, negative: bool, magnitude: u64, code: u64, verb: char) -> bool {
    let base = match verb {
        'v' | 'd' => Base::Decimal,
        'b' => Base::Binary,
        'o' => Base::Octal,
        'O' => Base::OctalO,
        'x' => Base::Hex,
        'X' => Base::HexUpper,
        'c' => {
            spec.character(out, code);
            return true;
        }
        'q' => {
            spec.quoted_character(out, code);
            return true;
        }
        'U' => {
            spec.unicode(out, code);
            return true;
        }
        _ => return false,
    };
    spec.integer(out, negative, magnitude, base);
    true
}

pub(super) fn float(spec: &Spec, out: &mut Vec<u8>, value: f64, verb: char) -> bool {
    let (verb, precision) = match verb {
        'v' | 'g' => (b'g', -1),
        'b' => (b'b', -1),
        'G' => (b'G', -1),
        'x' => (b'x', -1),
        'X' => (b'X', -1),
        'f' | 'F' => (b'f', 6),
        'e' => (b'e', 6),
        'E' => (b'E', 6),
        _ => return false,
    };
    spec.float(out, value, verb, precision);
    true
}

pub(super) fn complex(spec: &Spec, out: &mut Vec<u8>, re: f64, im: f64, verb: char) -> bool {
    if !matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E') {
        return false;
    }
    out.push(b'(');
    float(spec, out, re, verb);
    // The imaginary part always has a sign.
    float(&Spec { plus: true, ..*spec }, out, im, verb);
    out.extend_from_slice(b"i)");
    true
}

pub(super) fn string(spec: &Spec, out: &mut Vec<u8>, text: &[u8], verb: char) -> bool {
    match verb {
        'v' if spec.sharp_v => spec.quoted(out, text),
        'v' | 's' => spec.string(out, text),
        'x' | 'X' => spec.hex(out, text, verb == 'X'),
        'q' => spec.quoted(out, text),
        _ => return false,
    }
    true
}
