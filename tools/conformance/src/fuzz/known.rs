//! Differences that docs/COMPATIBILITY.md lists.

use crate::case::Difference;

/// Parts of what Helm says and of what we say.
const KNOWN: &[(&str, &str)] = &[
    // Schemas are not fetched.
    ("HTTP request failed for ", "remote schemas are not fetched"),
    // A list ends at its length, not at its spare capacity.
    ("", "slice index out of bounds"),
    // Which of several bad keys is found first, and which of several equal ones stays, is the order of Go's maps.
    ("unsupported map key of type", "unsupported map key of type"),
    ("", "json: unsupported value"),
    // A time through a verb for numbers shows parts that depend on where its zone stands in memory.
    ("time.Location", "{}"),
    ("{0 ", "{}"),
    ("{+0 ", "{}"),
    // Helm makes lists until memory ends.
    ("", "one call may produce at most"),
];

/// Reports whether a difference is one of those.
pub(crate) fn is_known(difference: &Difference) -> bool {
    // Helm's answer comes as JSON, which has no bytes that are not UTF-8.
    let without_bytes = |text: &str| text.replace(char::REPLACEMENT_CHARACTER, "");
    let want = difference.want.trim_end_matches(" (differs in bytes that are not UTF-8)");
    if want.contains(char::REPLACEMENT_CHARACTER) && without_bytes(want) == without_bytes(&difference.got) {
        return true;
    }
    KNOWN.iter().any(|(want, got)| difference.want.contains(want) && difference.got.contains(got))
}
