//! Prints values of any type by one verb. Go's `printArg` and `printValue` of fmt/print.go.

use super::spec::Spec;
use super::verbs;
use crate::runes::push_rune;
use crate::strings::LONGEST_TEXT;
use crate::value::{Children, GoStr, Kind, Object, Value, Visitor, walk};

/// What stands for the address of a map, list or object: Go prints a different one on each run.
const ADDRESS: u64 = 0x00c0_0001_0000;

/// Writes arguments one by one.
pub(super) struct Printer<'a> {
    pub(super) out: &'a mut Vec<u8>,
    pub(super) spec: Spec,
    /// Set while a misfit is described, which must not call the methods of the value.
    describing: bool,
}

impl<'a> Printer<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, spec: Spec::default(), describing: false }
    }

    /// Writes an argument.
    pub(super) fn argument(&mut self, value: &Value, verb: char) {
        match (verb, value) {
            ('T' | 'v', Value::Nil) => self.spec.pad(self.out, b"<nil>"),
            (_, Value::Nil) => self.misfit(value, verb),
            ('T', _) => self.spec.string(self.out, value.type_name().as_bytes()),
            ('p', _) => self.pointer(value, verb),
            // Go's `%w` is for errors only, and asks for them before it looks inside.
            ('w', Value::List(_) | Value::Map(_) | Value::Object(_)) => self.misfit(value, verb),
            _ => {
                // An unfinished walk has said in the text why.
                let _ = walk(value, &mut Walk { printer: self, verb, depth: 0 });
            }
        }
    }

    /// Writes `%!d(string=x)`.
    pub(super) fn misfit(&mut self, value: &Value, verb: char) {
        self.out.extend_from_slice(b"%!");
        push_rune(self.out, verb);
        self.out.push(b'(');
        if value.is_nil() {
            self.out.extend_from_slice(b"<nil>");
        } else {
            self.typed(value);
        }
        self.out.push(b')');
    }

    /// Writes `string=x`.
    fn typed(&mut self, value: &Value) {
        let outer = std::mem::replace(&mut self.describing, true);
        self.out.extend_from_slice(value.type_name().as_bytes());
        self.out.push(b'=');
        self.argument(value, 'v');
        self.describing = outer;
    }

    /// Writes `string=x`, with the value's own methods.
    pub(super) fn extra(&mut self, value: &Value) {
        self.out.extend_from_slice(value.type_name().as_bytes());
        self.out.push(b'=');
        self.argument(value, 'v');
    }

    /// Writes a reference by its address.
    fn pointer(&mut self, value: &Value, verb: char) {
        let address = match value {
            Value::List(list) if list.is_nil() => 0,
            Value::Map(map) if map.is_nil() => 0,
            Value::List(_) | Value::Map(_) | Value::Bytes(_) => ADDRESS,
            Value::Object(object) if matches!(object.kind(), Kind::Ptr | Kind::Func) => ADDRESS,
            _ => return self.misfit(value, verb),
        };
        let spec = self.spec;
        match verb {
            'v' if spec.sharp_v => {
                self.out.extend_from_slice(format!("({})(", value.type_name()).as_bytes());
                verbs::prefixed_hex(&spec, self.out, address, true);
                self.out.push(b')');
            }
            'v' | 'p' => verbs::prefixed_hex(&spec, self.out, address, !spec.sharp),
            'b' | 'o' | 'd' | 'x' | 'X' => _ = verbs::unsigned(&spec, self.out, address, verb),
            _ => self.misfit(value, verb),
        }
    }

    /// Ends a text that is too long, and reports whether it is.
    pub(super) fn is_too_long(&mut self) -> bool {
        let too_long = self.out.len() > LONGEST_TEXT;
        if too_long {
            self.out.extend_from_slice(b"%!v(TOOLONG)");
        }
        too_long
    }

    /// Writes a byte list: as a string for the verbs of strings, else as a list of numbers.
    fn bytes(&mut self, bytes: &[u8], verb: char, type_name: &str) {
        if matches!(verb, 's' | 'q' | 'x' | 'X') {
            verbs::string(&self.spec, self.out, bytes, verb);
            return;
        }
        let (open, separator, close) = match self.spec.sharp_v {
            true => ("{", ", ", "}"),
            false => ("[", " ", "]"),
        };
        if self.spec.sharp_v {
            self.out.extend_from_slice(type_name.as_bytes());
        }
        self.out.extend_from_slice(open.as_bytes());
        for (at, byte) in bytes.iter().enumerate() {
            if at > 0 {
                self.out.extend_from_slice(separator.as_bytes());
            }
            if self.is_too_long() {
                return;
            }
            if !verbs::unsigned(&self.spec, self.out, u64::from(*byte), verb) {
                self.misfit(&Value::Uint8(*byte), verb);
            }
        }
        self.out.extend_from_slice(close.as_bytes());
    }
}

/// The walk has been given up; the text says why.
struct GivenUp;

struct Walk<'p, 'o> {
    printer: &'p mut Printer<'o>,
    verb: char,
    depth: usize,
}

impl Walk<'_, '_> {
    fn write(&mut self, text: &str) {
        self.printer.out.extend_from_slice(text.as_bytes());
    }

    fn open(&mut self, type_name: &str, plain: &str, children: Children) -> Option<Children> {
        if self.printer.spec.sharp_v {
            self.write(type_name);
            self.write("{");
        } else {
            self.write(plain);
        }
        self.depth += 1;
        Some(children)
    }

    /// A nil list or map has no braces in Go syntax.
    fn nil(&mut self, type_name: &str) -> Option<Children> {
        self.write(type_name);
        self.write("(nil)");
        None
    }

    /// Writes a value that is no container; false means that the verb does not suit it.
    fn plain(&mut self, value: &Value) -> bool {
        let (verb, depth) = (self.verb, self.depth);
        let printer = &mut *self.printer;
        let (spec, out) = (printer.spec, &mut *printer.out);
        match value {
            Value::Bool(value) => verbs::boolean(&spec, out, *value, verb),
            Value::Int(value) | Value::Int64(value) => verbs::signed(&spec, out, *value, verb),
            Value::Uint8(value) => verbs::unsigned(&spec, out, u64::from(*value), verb),
            Value::Uint64(value) => verbs::unsigned(&spec, out, *value, verb),
            Value::Float64(value) => verbs::float(&spec, out, *value, verb),
            Value::Complex(re, im) => verbs::complex(&spec, out, *re, *im, verb),
            Value::String(text) => verbs::string(&spec, out, text, verb),
            Value::Bytes(bytes) => {
                // At the top Go says []byte, since it knows the type there; deeper it asks reflect.
                printer.bytes(bytes, verb, if depth == 0 && verb == 'v' { "[]byte" } else { "[]uint8" });
                true
            }
            // Only within containers: as an argument nil is written elsewhere.
            Value::Nil => {
                self.write(if spec.sharp_v { "interface {}(nil)" } else { "<nil>" });
                true
            }
            Value::List(_) | Value::Map(_) | Value::Object(_) => true,
        }
    }

    fn object(&mut self, value: &Value, object: &dyn Object) -> Option<Children> {
        if self.method(object) {
            return None;
        }
        let spec = self.printer.spec;
        if let Some(number) = object.as_int() {
            if !verbs::signed(&spec, self.printer.out, number, self.verb) {
                self.printer.misfit(value, self.verb);
            }
            return None;
        }
        let type_name = object.type_name();
        match object.kind() {
            // A pointer shows what it points to, but not within another value.
            Kind::Ptr if self.depth == 0 => {
                self.write("&");
                let pointee = type_name.strip_prefix('*').unwrap_or(type_name);
                self.open(pointee, "{", Children::Fields(object.fields()))
            }
            Kind::Ptr | Kind::Func => {
                self.printer.pointer(value, self.verb);
                None
            }
            _ => self.open(type_name, "{", Children::Fields(object.fields())),
        }
    }

    /// Lets the object write itself, if it can and the verb allows it.
    fn method(&mut self, object: &dyn Object) -> bool {
        let spec = self.printer.spec;
        if self.printer.describing {
            return false;
        }
        if spec.sharp_v {
            let text = object.go_string();
            return text.map(|text| spec.string(self.printer.out, &text)).is_some();
        }
        if !matches!(self.verb, 'v' | 's' | 'x' | 'X' | 'q') {
            return false;
        }
        object.stringer().is_some_and(|text| verbs::string(&spec, self.printer.out, &text, self.verb))
    }

    fn separate(&mut self, first: bool) -> Result<(), GivenUp> {
        if !first {
            self.write(if self.printer.spec.sharp_v { ", " } else { " " });
        }
        if self.printer.is_too_long() { Err(GivenUp) } else { Ok(()) }
    }
}

impl Visitor for Walk<'_, '_> {
    type Error = GivenUp;

    fn value(&mut self, value: &Value) -> Result<Option<Children>, GivenUp> {
        let go_syntax = self.printer.spec.sharp_v;
        Ok(match value {
            Value::List(list) if go_syntax && list.is_nil() => self.nil(list.ty().name),
            Value::List(list) => self.open(list.ty().name, "[", Children::List(list.clone())),
            Value::Map(map) if go_syntax && map.is_nil() => self.nil(map.ty().name),
            Value::Map(map) => self.open(map.ty().name, "map[", Children::Map(map.clone())),
            Value::Object(object) => self.object(value, &**object),
            _ => {
                if !self.plain(value) {
                    self.printer.misfit(value, self.verb);
                }
                None
            }
        })
    }

    fn item(&mut self, first: bool) -> Result<(), GivenUp> {
        self.separate(first)
    }

    fn key(&mut self, key: &GoStr, first: bool) -> Result<(), GivenUp> {
        self.separate(first)?;
        let printer = &mut *self.printer;
        if !verbs::string(&printer.spec, printer.out, key, self.verb) {
            printer.misfit(&Value::String(key.clone()), self.verb);
        }
        self.write(":");
        Ok(())
    }

    fn field(&mut self, name: &'static str, first: bool) -> Result<(), GivenUp> {
        self.separate(first)?;
        if self.printer.spec.plus_v || self.printer.spec.sharp_v {
            self.write(name);
            self.write(":");
        }
        Ok(())
    }

    fn close(&mut self, children: &Children) -> Result<(), GivenUp> {
        let braces = self.printer.spec.sharp_v || matches!(children, Children::Fields(_));
        self.write(if braces { "}" } else { "]" });
        self.depth -= 1;
        Ok(())
    }

    fn cycle(&mut self, _children: &Children) -> GivenUp {
        self.write("%!v(CYCLE)");
        GivenUp
    }
}
