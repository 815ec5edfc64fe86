//! Random expressions: what each function takes, as a table.

use fuzzing::mutate::Dice;

use super::words::{
    BOOL_KEYS, DICT_KEYS, FLOAT_KEYS, FLOATS, HELPERS, INT_KEYS, LIST_KEYS, NUMBERS, OTHER_KEYS,
    ROOT_HELPERS, STRING_KEYS, TEXTS,
};

/// Expressions that give a text. A letter after `$` stands for another expression: `$S` text, `$I` whole number,
/// `$F` number, `$B` truth, `$D` dict, `$L` list, `$A` anything.
const STRINGS: &[&str] = &[
    "upper $S",
    "lower $S",
    "title $S",
    "untitle $S",
    "trim $S",
    "trimAll $S $S",
    "trimSuffix $S $S",
    "trimPrefix $S $S",
    "nospace $S",
    "initials $S",
    "swapcase $S",
    "abbrev $I $S",
    "abbrevboth $I $I $S",
    "trunc $I $S",
    "substr $I $I $S",
    "repeat 3 $S",
    "replace $S $S $S",
    "plural $S $S $I",
    "sha1sum $S",
    "sha256sum $S",
    "sha512sum $S",
    "adler32sum $S",
    "toString $A",
    "join $S $L",
    "quote $A $A",
    "squote $A",
    "cat $A $A $A",
    "indent $I $S",
    "nindent 2 $S",
    "snakecase $S",
    "camelcase $S",
    "kebabcase $S",
    "wrap 10 $S",
    "wrapWith 8 $S $S",
    "printf \"%v|%s\" $A $S",
    "printf \"%5d\" $I",
    "printf \"%q\" $A",
    "printf \"%T %t %x\" $A $B $S",
    "printf \"%.2f\" $F",
    "printf \"%-8s|%08.3f\" $S $F",
    "printf \"%#v %+v\" $A $A",
    "print $A $A",
    "println $A",
    "b64enc $S",
    "b64dec $S",
    "b32enc $S",
    "b32dec $S",
    "toJson $A",
    "mustToJson $A",
    "toPrettyJson $A",
    "toRawJson $A",
    "toYaml $A",
    "toYamlPretty $A",
    "toToml $D",
    "include \"$H\" $A",
    "include \"$R\" $",
    "include \"$R\" .",
    "include $S .",
    "tpl $S .",
    "tpl $S $D",
    "tpl \"{{ .Values.s | quote }}\" $",
    "tpl (toYaml $A) $",
    "ternary $S $S $B",
    "required \"needed\" $S",
    "dig \"a\" \"b\" $S $D",
    "regexFind $S $S",
    "regexReplaceAll $S $S $S",
    "regexReplaceAllLiteral $S $S $S",
    "regexQuoteMeta $S",
    "mustRegexReplaceAll \"([a-z])(.)\" $S \"$2${1}\"",
    "mustRegexFind \"[a-c]+\" $S",
    "kindOf $A",
    "typeOf $A",
    "base $S",
    "dir $S",
    "clean $S",
    "ext $S",
    "osBase $S",
    "date \"2006-01-02T15:04:05Z07:00\" (toDate \"2006-01-02\" $S)",
    "dateInZone \"Mon Jan 2 15:04 MST 2006\" (toDate \"2006-01-02\" \"2024-02-29\") \"UTC\"",
    "htmlDate (toDate \"2006-01-02\" \"2024-02-29\")",
    "duration $A",
    "durationRound $A",
    "html $S",
    "js $S",
    "urlquery $S",
    "urlJoin (urlParse $S)",
    "urlJoin $D",
    ".Chart.Name",
    ".Chart.Version",
    ".Chart.AppVersion",
    ".Chart.Type",
    ".Release.Name",
    ".Release.Namespace",
    ".Release.Service",
    ".Template.Name",
    ".Template.BasePath",
    ".Capabilities.KubeVersion.Version",
    ".Capabilities.HelmVersion.Version",
    ".Files.Get $S",
    ".Files.Get \"files/a.txt\"",
    "(.Files.Glob \"files/**\").AsConfig",
    "(.Files.Glob $S).AsSecrets",
    "(.Files.Glob \"*\").AsConfig",
    "(semver \"v1.2\").Original",
    "(semver \"1.2.3-rc.1+b\").Prerelease",
    "print (semver \"1.2.3\")",
    "getHostByName $S",
    "unixEpoch $A",
    "printf \"%s\" $L",
    "printf \"%v\" $D",
    "toString $D",
    "html $A $A",
    "fail $S",
];
/// Expressions that may give anything.
const OTHERS: &[&str] = &[
    ".Chart.IsRoot",
    ".Chart",
    ".Release",
    ".Capabilities.KubeVersion",
    ".Capabilities.APIVersions",
    ".Files.Lines \"files/b.yaml\"",
    "index $D \"a\"",
    "index $L $I",
    "first $L",
    "last $L",
    "$A.a",
    "$D.a.b",
    "and $A $S",
    "or $A $S",
    ".Chart.Maintainers",
    ".Chart.Annotations",
    ".Subcharts",
    ".Values",
    "(split \",\" $S)._1",
    "(split $S $S)._0",
    "regexSplit $S $S $I",
    "slice $S $I",
    "toDecimal $S",
    "default $A $S",
    "coalesce $A $A $S",
    "get $D $S",
    "lookup \"v1\" \"Secret\" $S $S",
    "call $A",
    "printf $S $A $A",
    "fromYaml $S",
    "mustFromJson $S",
    "dig \"a\" \"b\" $A $D",
    "ternary $A $A $B",
    "semver $S",
    ".Files",
    ".Template",
    ".Capabilities",
    "toDate \"2006\" \"2024\"",
    "urlParse $S",
];
const INTS: &[&str] = &[
    "len $A",
    "add $I $I",
    "add1 $I",
    "sub $I $I",
    "mul $I $I",
    "div $I $I",
    "mod $I $I",
    "max $I $I",
    "min $A $I",
    "int $A",
    "int64 $A",
    "atoi $S",
    "ceil $F",
    "floor $F",
    "round $F 2",
    "biggest $I $I",
    "int (add $A $A)",
    "(semver \"1.2.3\").Major",
    "toDecimal $A",
    "(len $L)",
    "int (float64 $A)",
];
const FLOATING: &[&str] = &[
    "float64 $A",
    "addf $F $F",
    "add1f $F",
    "subf $F $F",
    "mulf $F $F",
    "divf $F $F",
    "maxf $F $F",
    "minf $F $F",
    "round $F $I",
    "ceil $A",
    "floor $A",
];
const BOOLS: &[&str] = &[
    "eq (toString $A) (toString $A)",
    "ne $S $S",
    "eq $S $S $S",
    "eq $I $I",
    "eq $A $S",
    "lt $I $I",
    "le $F $F",
    "gt $F $F",
    "ge $S $S",
    "not $A",
    "and $A $B",
    "or $B $A",
    "empty $A",
    "contains $S $S",
    "hasPrefix $S $S",
    "hasSuffix $S $S",
    "has $A $L",
    "hasKey $D $S",
    "hasKey $D \"a\"",
    "kindIs \"map\" $A",
    "kindIs $S $A",
    "typeIs \"string\" $A",
    "typeIsLike $S $A",
    "deepEqual $A $A",
    "regexMatch $S $S",
    "mustRegexMatch $S $S",
    "semverCompare \"~1.2 || ^3\" \"1.2.9\"",
    "semverCompare $S \"1.2.3\"",
    "isAbs $S",
    "any $A $A",
    "all $A $A",
    ".Release.IsInstall",
    ".Release.IsUpgrade",
    ".Capabilities.APIVersions.Has \"v1\"",
    ".Capabilities.APIVersions.Has $S",
    "eq (int $A) $I",
    "eq $A nil",
    "ternary $B $B $B",
];
const DICTS: &[&str] = &[
    "dict \"a\" $A \"b\" $A",
    "dict $S $A",
    "dict",
    "dict \"a\" (dict \"b\" $A)",
    "set $D \"k\" $A",
    "set $D $S $A",
    "unset $D \"a\"",
    "merge $D $D",
    "mergeOverwrite $D $D",
    "mustMerge (dict) $D $D",
    "mustMergeOverwrite $D $D",
    "pick $D \"a\" $S",
    "omit $D \"a\" $S",
    "deepCopy $D",
    "mustDeepCopy $D",
    "fromYaml $S",
    "fromYaml (toYaml $D)",
    "fromJson (toJson $D)",
    "fromJson $S",
    "fromToml $S",
    "urlParse $S",
    "split \",\" $S",
    "splitn $S 2 $S",
    "default $D $A",
    "dig \"a\" (dict) $D",
    "regexSplit \",\" $S -1",
    "index $D \"a\"",
    "get $D \"b\"",
    "mustFromJson $S",
    "fromYaml (include \"$H\" $A)",
    "tuple $A | first",
    "ternary $D $D $B",
    "coalesce $D $D",
    "omit .Values \"global\"",
    "pick .Values \"s\" \"m\"",
];
const LISTS: &[&str] = &[
    "list $A $A $A",
    "list",
    "tuple $A $S",
    "append $L $A",
    "prepend $L $A",
    "concat $L $L",
    "rest $L",
    "initial $L",
    "reverse $L",
    "uniq $L",
    "without $L $A $A",
    "compact $L",
    "slice $L $I $I",
    "slice $L 1",
    "chunk 2 $L",
    "chunk $I $L",
    "mustChunk 2 $L",
    "splitList $S $S",
    "splitList \",\" $S",
    "sortAlpha $L",
    "keys $D | sortAlpha",
    "values (dict \"a\" $A)",
    "pluck \"a\" $D $D",
    "until $N",
    "untilStep $N 9 2",
    "seq $N | splitList \" \"",
    "seq 1 $N | toStrings",
    "toStrings $L",
    "fromYamlArray $S",
    "fromJsonArray $S",
    "fromYamlArray (toYaml $L)",
    "regexFindAll $S $S $I",
    "mustRegexFindAll \"[a-z]\" $S -1",
    "regexSplit $S $S -1",
    "mustAppend $L $A",
    "mustPush $L $A",
    "push $L $A",
    "mustUniq $L",
    "mustWithout $L $A",
    "mustHas $A $L | list",
    "mustFirst $L | list",
    "mustSlice $L $I $I",
    "mustReverse $L",
    "deepCopy $L",
    "toStrings $A",
    "sortAlpha $A",
    ".Files.Lines \"files/a.txt\"",
    "list (list $A) $L",
];

/// What an expression gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Text,
    Other,
    Int,
    Float,
    Truth,
    Dict,
    List,
}

const KINDS: &[Kind] =
    &[Kind::Text, Kind::Other, Kind::Int, Kind::Float, Kind::Truth, Kind::Dict, Kind::List];

impl Kind {
    fn calls(self) -> &'static [&'static str] {
        match self {
            Self::Text => STRINGS,
            Self::Other => OTHERS,
            Self::Int => INTS,
            Self::Float => FLOATING,
            Self::Truth => BOOLS,
            Self::Dict => DICTS,
            Self::List => LISTS,
        }
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Text => STRING_KEYS,
            Self::Other => OTHER_KEYS,
            Self::Int => INT_KEYS,
            Self::Float => FLOAT_KEYS,
            Self::Truth => BOOL_KEYS,
            Self::Dict => DICT_KEYS,
            Self::List => LIST_KEYS,
        }
    }
}

/// Makes expressions.
pub(crate) struct Expressions<'a> {
    pub(crate) dice: &'a mut Dice,
    /// How many of a thousand operands are of another kind than they should be.
    pub(crate) wrong: usize,
    /// Variables in scope.
    pub(crate) variables: Vec<String>,
    /// A name that no other block of the file has; it grows with each block.
    pub(crate) blocks: String,
}

impl Expressions<'_> {
    /// Returns a name for a new block.
    pub(crate) fn block_name(&mut self) -> String {
        self.blocks.push('x');
        self.blocks.clone()
    }

    /// Returns an expression of any kind.
    pub(crate) fn anything(&mut self, depth: usize) -> String {
        let kind = one(self.dice, KINDS);
        self.of(kind, depth)
    }

    /// Returns an operand: something in parentheses where it has to be.
    pub(crate) fn of(&mut self, kind: Kind, depth: usize) -> String {
        if self.dice.below(1000) < self.wrong {
            return self.anything(depth.saturating_sub(1));
        }
        if depth == 0 || self.dice.below(10) < 4 {
            return self.plain(kind);
        }
        let call = self.call(kind, depth - 1);
        if kind == Kind::Int {
            // Functions insist on int where others give int64 or float64.
            return format!("(int ({call}))");
        }
        match call.contains([' ', '|']) {
            true => format!("({call})"),
            false => call,
        }
    }

    /// Returns a call without parentheses around it.
    pub(crate) fn call(&mut self, kind: Kind, depth: usize) -> String {
        let form = one(self.dice, kind.calls());
        // Some failure is as good as another, and most end the whole render.
        let form = if form.starts_with("fail ") && self.dice.below(20) > 0 { "quote $A" } else { form };
        let mut text = String::new();
        let mut rest = form;
        while let Some((before, after)) = rest.split_once('$') {
            text.push_str(before);
            let letter = after.chars().next();
            let operand = match letter {
                Some('S') => self.of(Kind::Text, depth),
                Some('I') => self.of(Kind::Int, depth),
                Some('F') => self.of(Kind::Float, depth),
                Some('B') => self.of(Kind::Truth, depth),
                Some('D') => self.of(Kind::Dict, depth),
                Some('L') => self.of(Kind::List, depth),
                Some('A') => self.anything(depth),
                Some('N') => self.dice.below(6).to_string(),
                Some('R') => one(self.dice, ROOT_HELPERS).to_owned(),
                Some('H') => one(self.dice, HELPERS).to_owned(),
                _ => {
                    text.push('$');
                    rest = after;
                    continue;
                }
            };
            text.push_str(&operand);
            rest = after.get(1..).unwrap_or_default();
        }
        text.push_str(rest);
        text
    }

    fn plain(&mut self, kind: Kind) -> String {
        if self.dice.below(10) == 0
            && let Some(variable) = self.dice.pick(&self.variables)
        {
            return variable.clone();
        }
        if self.dice.below(10) < 6 || matches!(kind, Kind::Dict | Kind::List | Kind::Other) {
            let keys = if self.dice.below(1000) < self.wrong { OTHER_KEYS } else { kind.keys() };
            let key = one(self.dice, keys);
            let root = if self.dice.below(1000) < self.wrong { ".Values" } else { "$.Values" };
            return match kind {
                Kind::Int => format!("(int {root}.{key})"),
                _ => format!("{root}.{key}"),
            };
        }
        match kind {
            Kind::Text => quoted(one(self.dice, TEXTS), self.dice),
            Kind::Int => one(self.dice, NUMBERS).to_owned(),
            Kind::Float => one(self.dice, FLOATS).to_owned(),
            _ => one(self.dice, &["true", "false"]).to_owned(),
        }
    }
}

/// Picks one; the tables are never empty.
pub(crate) fn one<T: Copy + Default>(dice: &mut Dice, from: &[T]) -> T {
    dice.pick(from).copied().unwrap_or_default()
}

/// Writes a text as a template's constant.
fn quoted(text: &str, dice: &mut Dice) -> String {
    if dice.below(3) == 0 && !text.contains(['`', '\r']) {
        return format!("`{text}`");
    }
    gostd::strconv::quote(text.as_bytes())
}
