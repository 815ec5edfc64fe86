//! The names of Unicode classes that Go knows.

use regex_syntax::Parser;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// Returns the class that `\p{name}` stands for in Go's `unicode` package (version 15). Case, spaces, hyphens and
/// underscores in the name do not count.
///
/// Go looks scripts up by a name without underscores, so that it does not find those of several words, such as
/// `Old_Italic`: neither does this.
pub(super) fn class(name: &str) -> Option<ClassUnicode> {
    let name = canonical(name);
    Some(match name.as_str() {
        "Any" => ClassUnicode::new([ClassUnicodeRange::new('\0', char::MAX)]),
        "Ascii" => ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7f')]),
        "Assigned" => assigned()?,
        _ => match CATEGORIES
            .split(' ')
            .filter_map(|entry| entry.split_once('='))
            .find(|entry| entry.0 == name)
        {
            Some((_, code)) => category(code)?,
            None => {
                let script = SCRIPTS.split(' ').find(|script| *script == name)?;
                known_to_go(table("sc", script)?)?
            }
        },
    })
}

/// Capitalises the name and drops spaces, hyphens and underscores (Go `canonicalName`).
fn canonical(name: &str) -> String {
    let mut letters = name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' '));
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters.map(|letter| letter.to_ascii_lowercase())).collect()
}

fn category(code: &str) -> Option<ClassUnicode> {
    match code {
        "Cs" => Some(ClassUnicode::empty()),
        "Cn" => {
            let mut unassigned = assigned()?;
            unassigned.negate();
            Some(unassigned)
        }
        "C" => {
            let mut other = category("Cn")?;
            for part in ["Cc", "Cf", "Co"] {
                other.union(&table("gc", part)?);
            }
            Some(other)
        }
        _ => known_to_go(table("gc", code)?),
    }
}

/// The characters that Unicode 15 assigns.
fn assigned() -> Option<ClassUnicode> {
    let mut later = table("gc", "Cn")?;
    later.negate();
    known_to_go(later)
}

/// Takes out the characters that came after Unicode 15.
fn known_to_go(mut class: ClassUnicode) -> Option<ClassUnicode> {
    class.intersect(&table("age", "15.0")?);
    Some(class)
}

/// Looks a property up in the tables of `regex-syntax`, which only its parser gives access to.
fn table(property: &str, value: &str) -> Option<ClassUnicode> {
    let hir = Parser::new().parse(&format!(r"\p{{{property}={value}}}")).ok()?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Literal(text) => {
            let only = std::str::from_utf8(&text.0).ok()?.chars().next()?;
            Some(ClassUnicode::new([ClassUnicodeRange::new(only, only)]))
        }
        _ => None,
    }
}

/// Category names in canonical form, each with the category's code.
const CATEGORIES: &str = "\
    C=C Casedletter=LC Cc=Cc Cf=Cf Closepunctuation=Pe Cn=Cn Cntrl=Cc Co=Co Combiningmark=M \
    Connectorpunctuation=Pc Control=Cc Cs=Cs Currencysymbol=Sc Dashpunctuation=Pd Decimalnumber=Nd Digit=Nd \
    Enclosingmark=Me Finalpunctuation=Pf Format=Cf Initialpunctuation=Pi L=L Lc=LC Letter=L Letternumber=Nl \
    Lineseparator=Zl Ll=Ll Lm=Lm Lo=Lo Lowercaseletter=Ll Lt=Lt Lu=Lu M=M Mark=M Mathsymbol=Sm Mc=Mc Me=Me \
    Mn=Mn Modifierletter=Lm Modifiersymbol=Sk N=N Nd=Nd Nl=Nl No=No Nonspacingmark=Mn Number=N \
    Openpunctuation=Ps Other=C Otherletter=Lo Othernumber=No Otherpunctuation=Po Othersymbol=So P=P \
    Paragraphseparator=Zp Pc=Pc Pd=Pd Pe=Pe Pf=Pf Pi=Pi Po=Po Privateuse=Co Ps=Ps Punct=P Punctuation=P S=S \
    Sc=Sc Separator=Z Sk=Sk Sm=Sm So=So Spaceseparator=Zs Spacingmark=Mc Surrogate=Cs Symbol=S \
    Titlecaseletter=Lt Unassigned=Cn Uppercaseletter=Lu Z=Z Zl=Zl Zp=Zp Zs=Zs";

/// Script names in canonical form.
const SCRIPTS: &str = "\
    Adlam Ahom Arabic Armenian Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi Braille \
    Buginese Buhid Carian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cyrillic Deseret \
    Devanagari Dogra Duployan Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati \
    Gurmukhi Han Hangul Hanunoo Hatran Hebrew Hiragana Inherited Javanese Kaithi Kannada Katakana Kawi \
    Kharoshthi Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Lisu Lycian Lydian Mahajani Makasar Malayalam \
    Mandaic Manichaean Marchen Medefaidrin Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari \
    Newa Nko Nushu Ogham Oriya Osage Osmanya Palmyrene Phoenician Rejang Runic Samaritan Saurashtra Sharada \
    Shavian Siddham Sinhala Sogdian Soyombo Sundanese Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut \
    Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Yezidi Yi";
