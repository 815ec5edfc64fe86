//! The schemas of schemas: the official documents of json-schema.org.

use std::sync::OnceLock;

use super::compile::{Formats, compile};
use super::json::Json;
use super::model::{Compiled, Draft};
use super::roots::Documents;
use super::validate::validate;

/// The documents, by what follows `json-schema.org/` in their URLs.
const DOCUMENTS: &[(&str, &str)] = &[
    ("draft-04/schema", include_str!("metaschemas/draft-04_schema.json")),
    ("draft-06/schema", include_str!("metaschemas/draft-06_schema.json")),
    ("draft-07/schema", include_str!("metaschemas/draft-07_schema.json")),
    ("draft/2019-09/schema", include_str!("metaschemas/draft_2019-09_schema.json")),
    ("draft/2019-09/meta/applicator", include_str!("metaschemas/draft_2019-09_meta_applicator.json")),
    ("draft/2019-09/meta/content", include_str!("metaschemas/draft_2019-09_meta_content.json")),
    ("draft/2019-09/meta/core", include_str!("metaschemas/draft_2019-09_meta_core.json")),
    ("draft/2019-09/meta/format", include_str!("metaschemas/draft_2019-09_meta_format.json")),
    ("draft/2019-09/meta/meta-data", include_str!("metaschemas/draft_2019-09_meta_meta-data.json")),
    ("draft/2019-09/meta/validation", include_str!("metaschemas/draft_2019-09_meta_validation.json")),
    ("draft/2020-12/schema", include_str!("metaschemas/draft_2020-12_schema.json")),
    ("draft/2020-12/meta/applicator", include_str!("metaschemas/draft_2020-12_meta_applicator.json")),
    ("draft/2020-12/meta/content", include_str!("metaschemas/draft_2020-12_meta_content.json")),
    ("draft/2020-12/meta/core", include_str!("metaschemas/draft_2020-12_meta_core.json")),
    (
        "draft/2020-12/meta/format-annotation",
        include_str!("metaschemas/draft_2020-12_meta_format-annotation.json"),
    ),
    (
        "draft/2020-12/meta/format-assertion",
        include_str!("metaschemas/draft_2020-12_meta_format-assertion.json"),
    ),
    ("draft/2020-12/meta/meta-data", include_str!("metaschemas/draft_2020-12_meta_meta-data.json")),
    ("draft/2020-12/meta/unevaluated", include_str!("metaschemas/draft_2020-12_meta_unevaluated.json")),
    ("draft/2020-12/meta/validation", include_str!("metaschemas/draft_2020-12_meta_validation.json")),
];

/// The drafts and the URLs of their metaschemas.
const DRAFTS: &[(Draft, &str)] = &[
    (Draft::Draft4, "http://json-schema.org/draft-04/schema"),
    (Draft::Draft6, "http://json-schema.org/draft-06/schema"),
    (Draft::Draft7, "http://json-schema.org/draft-07/schema"),
    (Draft::Draft2019, "https://json-schema.org/draft/2019-09/schema"),
    (Draft::Draft2020, "https://json-schema.org/draft/2020-12/schema"),
];

fn strip_host(url: &str) -> Option<&str> {
    url.strip_prefix("http://json-schema.org/").or_else(|| url.strip_prefix("https://json-schema.org/"))
}

/// Reports whether a document is one of json-schema.org.
pub(super) fn is_official(url: &str) -> bool {
    strip_host(url).is_some()
}

/// Returns the official document of a URL. The one without a version is the latest.
pub(super) fn document(url: &str) -> Option<&'static str> {
    let name = match strip_host(url)? {
        "schema" => "draft/2020-12/schema",
        name => name,
    };
    DOCUMENTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the draft that a `$schema` names.
pub(super) fn draft(url: &str) -> Option<Draft> {
    let url = url.strip_suffix('#').unwrap_or(url);
    let name = strip_host(url).or_else(|| url.strip_prefix("json-schema.org/"))?;
    if name == "schema" {
        return Some(Draft::Draft2020);
    }
    DRAFTS.iter().find(|(_, known)| strip_host(known) == Some(name)).map(|(draft, _)| *draft)
}

/// Checks that a document is a schema of the draft; the error is the validation's text.
pub(super) fn check(draft: Draft, schema: &Json) -> Result<(), String> {
    static COMPILED: [OnceLock<Result<Compiled, String>>; 5] = [const { OnceLock::new() }; 5];
    let index = DRAFTS.iter().position(|(known, _)| *known == draft).unwrap_or_default();
    let (Some(slot), Some((_, url))) = (COMPILED.get(index), DRAFTS.get(index)) else { return Ok(()) };
    let compiled = slot.get_or_init(|| compile(Documents::default(), url, Formats::Always));
    let compiled = compiled.as_ref().map_err(Clone::clone)?;
    validate(compiled, &schema.to_value()).map_err(|failure| failure.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metaschemas_satisfy_themselves() {
        for (draft, url) in DRAFTS {
            let document = Json::parse(document(url).unwrap().as_bytes()).unwrap();
            assert_eq!(check(*draft, &document), Ok(()), "{url}");
        }
    }

    #[test]
    fn drafts_have_many_names() {
        assert_eq!(draft("http://json-schema.org/draft-07/schema#"), Some(Draft::Draft7));
        assert_eq!(draft("https://json-schema.org/draft-07/schema"), Some(Draft::Draft7));
        assert_eq!(draft("https://json-schema.org/schema#"), Some(Draft::Draft2020));
        assert_eq!(draft("https://json-schema.org/draft-07/schema#x"), None);
        assert_eq!(draft("https://example.org/schema"), None);
    }
}
