//! The rough shape of numbers; their exact syntax is checked when they are read.

use super::{Kind, Lexer, Step, is_alphanumeric};

const DECIMAL: &str = "0123456789_";
const HEX: &str = "0123456789abcdefABCDEF_";

impl Lexer<'_> {
    /// Scans a number, or two of which the second is imaginary (`1+2i`).
    pub(super) fn number(&mut self) -> Step {
        if !self.scan_number() {
            return self.bad_number();
        }
        if !matches!(self.peek(), Some('+' | '-')) {
            return self.emit(Kind::Number);
        }
        if !self.scan_number() || !self.pending().ends_with(b"i") {
            return self.bad_number();
        }
        self.emit(Kind::Complex)
    }

    fn bad_number(&mut self) -> Step {
        let text = gostd::strconv::quote(self.pending());
        self.fail(format!("bad number syntax: {text}"))
    }

    fn scan_number(&mut self) -> bool {
        self.accept("+-");
        let mut digits = DECIMAL;
        if self.accept("0") {
            if self.accept("xX") {
                digits = HEX;
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_run(digits);
        if self.accept(".") {
            self.accept_run(digits);
        }
        let exponent = match digits {
            DECIMAL => "eE",
            HEX => "pP",
            _ => "",
        };
        if self.accept(exponent) {
            self.accept("+-");
            self.accept_run(DECIMAL);
        }
        self.accept("i");
        if self.peek().is_some_and(is_alphanumeric) {
            self.next();
            return false;
        }
        true
    }
}
