//! Reads format texts. Go's `doPrintf` of fmt/print.go.

use super::printer::Printer;
use super::spec::Spec;
use crate::runes::decode_rune;
use crate::value::{Kind, Value};

/// Widths and precisions beyond this are errors.
const LARGEST: i64 = 1_000_000;

/// Appends the arguments by the format.
pub(super) fn append(out: &mut Vec<u8>, format: &[u8], arguments: &[Value]) {
    let mut reader = Reader {
        printer: Printer::new(out),
        format,
        at: 0,
        arguments,
        next: 0,
        reordered: false,
        good_index: true,
        after_index: false,
    };
    reader.run();
}

struct Reader<'a, 'o> {
    printer: Printer<'o>,
    format: &'a [u8],
    at: usize,
    arguments: &'a [Value],
    /// The argument the next verb takes.
    next: usize,
    /// Whether an explicit index such as `[2]` has been used anywhere.
    reordered: bool,
    /// Whether the indexes of the current verb are usable.
    good_index: bool,
    /// Whether the item just read was an index.
    after_index: bool,
}

impl Reader<'_, '_> {
    fn run(&mut self) {
        loop {
            let rest = self.format.get(self.at..).unwrap_or_default();
            let text_len = rest.iter().position(|byte| *byte == b'%').unwrap_or(rest.len());
            self.write(rest.get(..text_len).unwrap_or_default());
            if text_len == rest.len() {
                break;
            }
            self.at += text_len + 1;
            self.good_index = true;
            if !self.verb() {
                self.write(b"%!(NOVERB)");
                break;
            }
            // One argument may be padded again and again.
            if self.printer.is_too_long() {
                return;
            }
        }
        // With explicit indexes Go does not tell which arguments were left out.
        if !self.reordered && self.next < self.arguments.len() {
            self.extra();
        }
    }

    fn write(&mut self, text: &[u8]) {
        self.printer.out.extend_from_slice(text);
    }

    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    /// Takes the byte if it is next.
    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Reads what follows a percent sign, and writes; false if there is no verb.
    fn verb(&mut self) -> bool {
        self.printer.spec = Spec::default();
        self.flags();
        // Go treats lower-case verbs right after the flags apart, which is seen after an index: `%[3]d %d`.
        if self.peek().is_some_and(|byte| byte.is_ascii_lowercase()) && self.next < self.arguments.len() {
            self.after_flags();
            return true;
        }
        self.index();
        self.width();
        self.precision();
        if !self.after_index {
            self.index();
        }
        if self.at >= self.format.len() {
            return false;
        }
        self.after_flags();
        true
    }

    fn flags(&mut self) {
        let spec = &mut self.printer.spec;
        while let Some(byte) = self.format.get(self.at) {
            match byte {
                b'#' => spec.sharp = true,
                b'0' => spec.zero = true,
                b'+' => spec.plus = true,
                b'-' => spec.minus = true,
                b' ' => spec.space = true,
                _ => break,
            }
            self.at += 1;
        }
    }

    /// Reads the verb itself and writes its argument.
    fn after_flags(&mut self) {
        let (verb, width) = decode_rune(self.format.get(self.at..).unwrap_or_default());
        self.at += width;
        if verb == '%' {
            return self.write(b"%");
        }
        let argument = if self.good_index { self.arguments.get(self.next) } else { None };
        let Some(argument) = argument else {
            let problem = if self.good_index { "MISSING" } else { "BADINDEX" };
            return self.write(format!("%!{verb}({problem})").as_bytes());
        };
        if matches!(verb, 'v' | 'w') {
            let spec = &mut self.printer.spec;
            spec.sharp_v = std::mem::take(&mut spec.sharp);
            spec.plus_v = std::mem::take(&mut spec.plus);
        }
        self.printer.argument(argument, verb);
        self.next += 1;
    }

    /// Reads an explicit argument index such as `[3]`, if there is one.
    fn index(&mut self) {
        self.after_index = false;
        let rest = self.format.get(self.at..).unwrap_or_default();
        if rest.first() != Some(&b'[') {
            return;
        }
        self.reordered = true;
        // At least three bytes are needed: [n].
        let close = rest.iter().position(|byte| *byte == b']').filter(|_| rest.len() >= 3);
        let Some(close) = close else {
            self.at += 1;
            self.good_index = false;
            return;
        };
        let mut digits = rest.get(1..close).unwrap_or_default();
        let number = take_number(&mut digits).filter(|_| digits.is_empty());
        self.at += close + 1;
        self.after_index = number.is_some();
        match number.and_then(|number| number.checked_sub(1)).filter(|index| *index < self.arguments.len()) {
            Some(index) => self.next = index,
            None => self.good_index = false,
        }
    }

    fn width(&mut self) {
        if self.accept(b'*') {
            let width = self.integer_argument();
            if width.is_none() {
                self.write(b"%!(BADWIDTH)");
            }
            let spec = &mut self.printer.spec;
            // A negative width pads to the right, where zeros cannot stand.
            if width.is_some_and(|width| width < 0) {
                spec.minus = true;
                spec.zero = false;
            }
            spec.width = width.map(|width| usize::try_from(width.unsigned_abs()).unwrap_or_default());
            self.after_index = false;
            return;
        }
        self.printer.spec.width = self.number();
        if self.after_index && self.printer.spec.width.is_some() {
            self.good_index = false; // %[3]2d
        }
    }

    fn precision(&mut self) {
        // A point at the very end is a verb, and none that exists.
        if self.at + 1 >= self.format.len() || !self.accept(b'.') {
            return;
        }
        if self.after_index {
            self.good_index = false; // %[3].2d
        }
        self.index();
        if self.accept(b'*') {
            // A negative precision is none.
            let precision = self.integer_argument().and_then(|precision| usize::try_from(precision).ok());
            if precision.is_none() {
                self.write(b"%!(BADPREC)");
            }
            self.printer.spec.precision = precision;
            self.after_index = false;
            return;
        }
        self.printer.spec.precision = Some(self.number().unwrap_or_default());
    }

    /// Takes an argument for `*`; `None` if it is no integer or too large.
    fn integer_argument(&mut self) -> Option<i64> {
        let argument = self.arguments.get(self.next)?;
        self.next += 1;
        let number = match argument {
            Value::Uint8(number) => Some(i64::from(*number)),
            Value::Uint64(number) => i64::try_from(*number).ok(),
            _ if matches!(argument.kind(), Kind::Int | Kind::Int32 | Kind::Int64) => argument.as_int(),
            _ => None,
        };
        number.filter(|number| (-LARGEST..=LARGEST).contains(number))
    }

    /// Reads a number in the format.
    fn number(&mut self) -> Option<usize> {
        let mut rest = self.format.get(self.at..).unwrap_or_default();
        let number = take_number(&mut rest);
        self.at = self.format.len() - rest.len();
        number
    }

    fn extra(&mut self) {
        self.printer.spec = Spec::default();
        self.write(b"%!(EXTRA ");
        for (at, argument) in self.arguments.iter().skip(self.next).enumerate() {
            if at > 0 {
                self.write(b", ");
            }
            match argument {
                Value::Nil => self.write(b"<nil>"),
                argument => self.printer.extra(argument),
            }
        }
        self.write(b")");
    }
}

/// Takes leading digits off a text. A number far too large takes the whole text, as Go's `parsenum` does.
fn take_number(text: &mut &[u8]) -> Option<usize> {
    let mut number = None;
    while let Some((digit @ b'0'..=b'9', rest)) = text.split_first() {
        let so_far = number.unwrap_or_default();
        if so_far > LARGEST as usize {
            *text = &[];
            return None;
        }
        number = Some(so_far * 10 + usize::from(digit - b'0'));
        *text = rest;
    }
    number
}
