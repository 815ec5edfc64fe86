//! What functions do with their arguments, and what they hand on.

use super::uses::Uses;

/// What a call's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Something new.
    Opaque,
    /// Its first argument, or what is left of it.
    First,
    /// Its last argument.
    Last,
    /// One of its arguments.
    AnyOf,
    /// The first argument unless the last is given: `default`.
    Default,
    /// What stands under the keys that follow the first argument.
    Lookup,
    /// The name of the last argument's kind.
    KindOf,
    /// Whether the last argument is of the kind that the first names.
    KindIs,
    /// Whether the arguments are equal.
    Equal,
}

/// A function: the uses of its arguments, the last of which goes for all that follow.
pub(super) struct Function {
    pub(super) uses: &'static [Uses],
    pub(super) outcome: Outcome,
}

const fn of(uses: &'static [Uses], outcome: Outcome) -> Function {
    Function { uses, outcome }
}

/// Returns what is known of a function; of others, that they were handed their arguments.
pub(super) fn function(name: &str) -> Function {
    use Outcome::{AnyOf, Default, Equal, First, KindIs, KindOf, Last, Lookup, Opaque};
    const NONE: Uses = Uses::NONE;
    const TEXT: Uses = Uses::TEXT;
    const TRUTH: Uses = Uses::TRUTH;
    // Functions of sprig that fail come in a second form that begins with `must`.
    let name = name.strip_prefix("must").filter(|rest| rest.starts_with(char::is_uppercase)).unwrap_or(name);
    let mut letters = name.chars();
    let lower: String =
        letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect();
    match lower.as_str() {
        "default" => of(&[NONE], Default),
        "coalesce" => of(&[NONE], AnyOf),
        "required" => of(&[NONE], Last),
        "ternary" => of(&[NONE, NONE, TRUTH], AnyOf),
        "and" | "or" => of(&[TRUTH], AnyOf),
        "not" | "empty" | "fail" => of(&[TRUTH], Opaque),
        "all" | "any" | "len" | "has" => of(&[NONE], Opaque),
        "eq" | "ne" => of(&[NONE], Equal),
        "lt" | "le" | "gt" | "ge" => of(&[Uses::EQ_NUMBER], Opaque),
        "kindOf" | "typeOf" => of(&[NONE], KindOf),
        "kindIs" | "typeIs" | "typeIsLike" => of(&[NONE], KindIs),
        "index" | "get" => of(&[Uses::KEYS, NONE], Lookup),
        "hasKey" => of(&[Uses::KEYS, NONE], Opaque),
        "omit" | "pick" | "unset" => of(&[Uses::KEYS, NONE], First),
        "keys" | "values" => of(&[Uses::KEYS], Opaque),
        "pluck" => of(&[NONE, Uses::KEYS], Opaque),
        "merge" | "mergeOverwrite" => of(&[Uses::KEYS], AnyOf),
        "deepCopy" => of(&[NONE], First),
        "set" => of(&[Uses::KEYS, NONE, Uses::PASSED], First),
        "first" | "last" => of(&[Uses::LIST], Opaque),
        "rest" | "initial" | "uniq" | "compact" | "reverse" => of(&[Uses::LIST], First),
        "append" | "prepend" | "without" | "slice" => of(&[Uses::LIST, NONE], First),
        "concat" => of(&[Uses::LIST], AnyOf),
        "join" => of(&[NONE, Uses::QUOTED], Opaque),
        "sortAlpha" | "toStrings" => of(&[Uses::QUOTED], Opaque),
        "toYaml" | "toJson" | "toPrettyJson" | "toRawJson" | "toToml" | "toYamlPretty" => {
            of(&[Uses::DUMPED], Opaque)
        }
        "quote" | "squote" | "toString" | "print" | "println" | "printf" | "cat" | "html" | "js"
        | "urlquery" => of(&[Uses::QUOTED], Opaque),
        "int" | "int64" | "float64" | "atoi" | "toDecimal" => of(&[Uses::CAST], First),
        "add" | "add1" | "sub" | "mul" | "div" | "mod" | "max" | "min" | "maxf" | "minf" | "addf"
        | "subf" | "mulf" | "divf" | "ceil" | "floor" | "round" | "until" | "untilStep" | "seq" => {
            of(&[Uses::CAST], Opaque)
        }
        // What is rendered need not be the text it was.
        "tpl" => of(&[TEXT, NONE], Opaque),
        "include" => of(&[NONE, Uses::PASSED], Opaque),
        "trunc" | "indent" | "nindent" | "repeat" => of(&[NONE, TEXT], Opaque),
        "substr" | "abbrev" | "wrap" => of(&[NONE, NONE, TEXT], Opaque),
        "trim"
        | "trimAll"
        | "trimSuffix"
        | "trimPrefix"
        | "upper"
        | "lower"
        | "title"
        | "untitle"
        | "nospace"
        | "initials"
        | "snakecase"
        | "camelcase"
        | "kebabcase"
        | "swapcase"
        | "contains"
        | "hasPrefix"
        | "hasSuffix"
        | "replace"
        | "b64enc"
        | "b64dec"
        | "b32enc"
        | "b32dec"
        | "sha1sum"
        | "sha256sum"
        | "sha512sum"
        | "adler32sum"
        | "regexMatch"
        | "regexFind"
        | "regexReplaceAll"
        | "regexReplaceAllLiteral"
        | "splitList"
        | "split"
        | "fromYaml"
        | "fromYamlArray"
        | "fromJson"
        | "fromJsonArray"
        | "semver"
        | "semverCompare"
        | "urlParse"
        | "base"
        | "dir"
        | "ext"
        | "clean"
        | "htpasswd"
        | "camelCase" => of(&[TEXT], Opaque),
        _ => of(&[Uses::PASSED], Opaque),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_fail_do_what_the_others_do() {
        for name in ["toYaml", "mustToYaml"] {
            assert_eq!(function(name).uses, [Uses::DUMPED]);
        }
        assert_eq!(function("mustUniq").outcome, Outcome::First);
        assert_eq!(function("mustang").uses, [Uses::PASSED]);
    }
}
