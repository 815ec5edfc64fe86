//! The function table is sprig's.

use std::collections::BTreeSet;

/// The names in sprig 3.3.0's `TxtFuncMap`, but for `env` and `expandenv`.
const SPRIG: &str = "
abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec b64enc
base bcrypt biggest buildCustomCert camelcase cat ceil chunk clean coalesce compact concat contains
date dateInZone dateModify date_in_zone date_modify decryptAES deepCopy deepEqual default
derivePassword dict dig dir div divf duration durationRound empty encryptAES ext fail first float64
floor fromJson genCA genCAWithKey genPrivateKey genSelfSignedCert genSelfSignedCertWithKey
genSignedCert genSignedCertWithKey get getHostByName has hasKey hasPrefix hasSuffix hello htmlDate
htmlDateInZone htpasswd indent initial initials int int64 isAbs join kebabcase keys kindIs kindOf
last list lower max maxf merge mergeOverwrite min minf mod mul mulf mustAppend mustChunk mustCompact
mustDateModify mustDeepCopy mustFirst mustFromJson mustHas mustInitial mustLast mustMerge
mustMergeOverwrite mustPrepend mustPush mustRegexFind mustRegexFindAll mustRegexMatch
mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit mustRest mustReverse mustSlice
mustToDate mustToJson mustToPrettyJson mustToRawJson mustUniq mustWithout must_date_modify nindent
nospace now omit osBase osClean osDir osExt osIsAbs pick pluck plural prepend push quote randAlpha
randAlphaNum randAscii randBytes randInt randNumeric regexFind regexFindAll regexMatch
regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit repeat replace rest reverse round
semver semverCompare seq set sha1sum sha256sum sha512sum shuffle slice snakecase sortAlpha split
splitList splitn squote sub subf substr swapcase ternary title toDate toDecimal toJson toPrettyJson
toRawJson toString toStrings trim trimAll trimPrefix trimSuffix trimall trunc tuple typeIs
typeIsLike typeOf uniq unixEpoch unset until untilStep untitle upper urlJoin urlParse uuidv4 values
without wrap wrapWith
";

#[test]
fn the_table_has_sprigs_names_and_no_others() {
    let want: BTreeSet<&str> = SPRIG.split_whitespace().collect();
    let names: Vec<&str> = sprig::functions().map(|function| function.name).collect();
    let got: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(got, want);
    assert_eq!(names.len(), got.len(), "a name is there twice");
}
