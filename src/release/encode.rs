//! Record ↔ base64(gzip(JSON)), in three gzip members: what leads the chart, the chart, the rest.
//!
//! Readers see one stream (Go's gzip reader joins members). The chart's member is compressed once and shared by all
//! releases, and the state of a record can be changed by rewriting its small first member alone.

use std::io::{BufReader, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::{ChartInfo, ChartJson, HookRecord, Info, Record};
use crate::json;

/// What the API server allows a Secret's data, and a little less for what surrounds the record.
const LIMIT: usize = 1_048_576 - 4096;

/// The most a record may hold once unpacked; a chart is at most 100 MiB.
const UNPACKED_LIMIT: u64 = 256 * 1024 * 1024;

/// The value of `data.release` before the API's own base64: the inner base64 text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordBytes(pub(crate) Vec<u8>);

impl RecordBytes {
    /// Whether a Secret takes them.
    pub(crate) fn fit(&self) -> bool {
        self.0.len() <= LIMIT
    }
}

/// A record that does not fit.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "the release record is too large: {size} bytes even with all left out that can be, and a Secret takes {LIMIT}; make \
     the hooks or the notes of the chart smaller"
)]
pub(crate) struct EncodeError {
    size: usize,
}

/// A Secret that is no record.
#[derive(Debug, Error)]
pub(crate) enum DecodeError {
    /// Not base64.
    #[error("is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// Not gzip.
    #[error("cannot be unpacked: {0}")]
    Gzip(#[from] std::io::Error),
    /// Not the JSON of a release.
    #[error("is not the JSON of a release: {0}")]
    Json(#[from] serde_json::Error),
}

/// Encodes a record with as much as fits. What is left out first is what matters least: the chart's files, its templates,
/// then the manifest (`outline` stands for it, which names the objects and no more), then the values.
///
/// # Errors
/// When it does not fit even so.
pub(crate) fn encode(
    record: &Record,
    chart: &ChartJson,
    outline: impl FnOnce() -> String,
) -> Result<RecordBytes, EncodeError> {
    let head = member(&head_text(record));
    let tail = member(&tail_text(record));
    for chart in chart.members() {
        if let Ok(bytes) = join([&head, chart, &tail]) {
            return Ok(bytes);
        }
    }
    let [.., least] = chart.members();
    let outlined = Record { manifest: outline(), ..record.clone() };
    join([&head, least, &member(&tail_text(&outlined))])
        .or_else(|_| join([&head, least, &member(&tail_text(&Record { config: Value::Null, ..outlined }))]))
}

/// Joins members, if they fit.
fn join(members: [&[u8]; 3]) -> Result<RecordBytes, EncodeError> {
    let raw: usize = members.iter().map(|member| member.len()).sum();
    let size = raw.div_ceil(3) * 4;
    if size > LIMIT {
        return Err(EncodeError { size });
    }
    Ok(RecordBytes(BASE64.encode(members.concat()).into_bytes()))
}

/// Texts up to this many bytes are not compressed: to set up a compressor takes longer than all else that is done to them.
const STORED: usize = 2048;

/// Makes one member.
pub(super) fn member(text: &str) -> Vec<u8> {
    match u16::try_from(text.len()) {
        Ok(length) if text.len() <= STORED => stored(text, length),
        _ => compressed(text),
    }
}

/// A member of one block that is stored as it is (RFC 1951, 3.2.4, in the frame of RFC 1952).
fn stored(text: &str, length: u16) -> Vec<u8> {
    const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    const LAST_AND_STORED: u8 = 1;
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    let mut member = Vec::with_capacity(HEADER.len() + 5 + text.len() + 8);
    member.extend(HEADER);
    member.push(LAST_AND_STORED);
    member.extend(length.to_le_bytes());
    member.extend((!length).to_le_bytes());
    member.extend(text.as_bytes());
    member.extend(crc.sum().to_le_bytes());
    member.extend(crc.amount().to_le_bytes());
    member
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory cannot fail.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default()
}

/// The text before the chart.
fn head_text(record: &Record) -> String {
    format!("{{\"name\":{},\"info\":{},\"chart\":", json(&record.name), json(&record.info))
}

/// The text after the chart.
fn tail_text(record: &Record) -> String {
    let mut text = String::new();
    if record.config.as_object().is_some_and(|config| !config.is_empty()) {
        text.push_str(",\"config\":");
        text.push_str(&json(&record.config));
    }
    if !record.manifest.is_empty() {
        text.push_str(",\"manifest\":");
        text.push_str(&json(&record.manifest));
    }
    if !record.hooks.is_empty() {
        text.push_str(",\"hooks\":");
        text.push_str(&json(&record.hooks));
    }
    text.push_str(&format!(",\"version\":{},\"namespace\":{}}}", record.version, json(&record.namespace)));
    text
}

/// Our own types always serialize: they hold strings, numbers and JSON values.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[derive(Deserialize)]
struct Stored {
    name: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    version: i64,
    info: Info,
    #[serde(default)]
    chart: Option<StoredChart>,
    #[serde(default)]
    config: Option<Value>,
    #[serde(default)]
    manifest: String,
    #[serde(default)]
    hooks: Option<Vec<HookRecord>>,
}

#[derive(Default, Deserialize)]
struct StoredChart {
    #[serde(default)]
    metadata: Option<ChartInfo>,
}

/// Decodes a record of any Helm, and what it says of its chart.
pub(crate) fn decode(bytes: &RecordBytes) -> Result<(Record, ChartInfo), DecodeError> {
    let packed = BASE64.decode(bytes.0.trim_ascii())?;
    let stored: Stored = if packed.starts_with(&[0x1f, 0x8b, 0x08]) {
        json::from_reader(|| unpacked(&packed))?
    } else {
        json::from_slice(&packed)?
    };
    let record = Record {
        name: stored.name,
        namespace: stored.namespace,
        version: stored.version,
        info: stored.info,
        config: stored.config.unwrap_or(Value::Null),
        manifest: stored.manifest,
        hooks: stored.hooks.unwrap_or_default(),
    };
    Ok((record, stored.chart.and_then(|chart| chart.metadata).unwrap_or_default()))
}

/// The text of a packed record.
fn unpacked(packed: &[u8]) -> impl Read {
    BufReader::new(MultiGzDecoder::new(packed).take(UNPACKED_LIMIT))
}

/// Gives a stored record another `info`, keeping everything else byte for byte.
pub(crate) fn with_info(bytes: &RecordBytes, info: &Info) -> Result<RecordBytes, DecodeError> {
    let packed = BASE64.decode(bytes.0.trim_ascii())?;
    if let Some(changed) = replace_first_member(&packed, info) {
        return Ok(RecordBytes(BASE64.encode(changed).into_bytes()));
    }
    // Made by Helm itself: one member, so the whole is written anew.
    rewritten(&packed, info, None)
}

/// Makes the record of another revision of a stored one, with everything else as it is there.
pub(crate) fn as_revision(
    bytes: &RecordBytes,
    info: &Info,
    revision: i64,
) -> Result<RecordBytes, DecodeError> {
    rewritten(&BASE64.decode(bytes.0.trim_ascii())?, info, Some(revision))
}

fn rewritten(packed: &[u8], info: &Info, revision: Option<i64>) -> Result<RecordBytes, DecodeError> {
    let mut whole: Value = if packed.starts_with(&[0x1f, 0x8b, 0x08]) {
        json::from_reader(|| unpacked(packed))?
    } else {
        json::from_slice(packed)?
    };
    if let Some(whole) = whole.as_object_mut() {
        whole.insert("info".into(), serde_json::to_value(info)?);
        if let Some(revision) = revision {
            whole.insert("version".into(), revision.into());
        }
    }
    Ok(RecordBytes(BASE64.encode(member(&json(&whole))).into_bytes()))
}

/// Rewrites the first of our three members; `None` if the record is not one of ours.
fn replace_first_member(packed: &[u8], info: &Info) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Head {
        name: String,
        #[serde(rename = "chart")]
        _chart: (),
    }
    let mut first = GzDecoder::new(packed);
    let mut text = String::new();
    first.by_ref().take(UNPACKED_LIMIT).read_to_string(&mut text).ok()?;
    let rest = first.into_inner();
    let opening = text.strip_suffix(':')?;
    let head: Head = serde_json::from_str(&format!("{opening}:null}}")).ok()?;
    let mut changed = member(&format!("{{\"name\":{},\"info\":{},\"chart\":", json(&head.name), json(info)));
    changed.extend_from_slice(rest);
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::super::{LastRun, State};
    use super::*;

    fn record() -> Record {
        Record {
            name: "web".into(),
            namespace: "ns".into(),
            version: 3,
            info: Info {
                first_deployed: "2026-01-02T03:04:05.678901234+01:00".into(),
                last_deployed: "2026-01-02T03:04:05.678901234+01:00".into(),
                deleted: String::new(),
                description: "Upgrade complete".into(),
                status: State::Deployed,
                notes: "n".into(),
            },
            config: serde_json::json!({"b": true}),
            manifest: "---\n# Source: c/templates/a.yaml\nk: v\n".into(),
            hooks: vec![HookRecord {
                name: "h".into(),
                kind: "Job".into(),
                path: "c/templates/h.yaml".into(),
                manifest: "kind: Job".into(),
                events: vec!["post-install".into()],
                last_run: LastRun::default(),
                ..HookRecord::default()
            }],
        }
    }

    fn chart() -> ChartJson {
        let mut chart = helm::Chart::default();
        chart.metadata.name = "c".into();
        chart.metadata.version = "1.0.0".into();
        chart.metadata.api_version = "v2".into();
        chart.templates = vec![helm::chart::File { name: "templates/a.yaml".into(), data: "k: v\n".into() }];
        ChartJson::new(&chart)
    }

    #[test]
    fn records_read_back_and_can_change_state() {
        let record = record();
        let bytes = encode(&record, &chart(), String::new).unwrap();
        let (read, chart_info) = decode(&bytes).unwrap();
        assert_eq!(read, record);
        assert_eq!(chart_info, ChartInfo { name: "c".into(), version: "1.0.0".into() });

        let info = Info { status: State::Superseded, ..record.info.clone() };
        let changed = with_info(&bytes, &info).unwrap();
        let (read, chart_info) = decode(&changed).unwrap();
        assert_eq!(read, Record { info, ..record });
        assert_eq!(chart_info.name, "c");
    }

    #[test]
    fn members_read_back_whether_stored_or_compressed() {
        for length in [0, 1, STORED, STORED + 1, 100_000] {
            let text = noise(length);
            let mut read = String::new();
            GzDecoder::new(&*member(&text)).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }

    #[test]
    fn records_of_helm_itself_can_change_state() {
        let text = r#"{"name":"web","info":{"first_deployed":"","last_deployed":"","deleted":"","status":"deployed"},"chart":{"metadata":{"name":"c","version":"1.0.0"},"lock":null},"manifest":"m","version":2,"namespace":"ns"}"#;
        let bytes = RecordBytes(BASE64.encode(member(text)).into_bytes());
        let (record, _) = decode(&bytes).unwrap();
        let info = Info { status: State::Superseded, ..record.info };
        let (read, chart) = decode(&as_revision(&bytes, &info, 3).unwrap()).unwrap();
        assert_eq!((read.version, read.manifest.as_str(), chart.name.as_str()), (3, "m", "c"));
        let (read, chart) = decode(&with_info(&bytes, &info).unwrap()).unwrap();
        assert_eq!(read.info.status, State::Superseded);
        assert_eq!((read.version, chart.name.as_str()), (2, "c"));
    }

    #[test]
    fn the_json_is_what_helm_writes() {
        let text = head_text(&record()) + "null" + &tail_text(&record());
        assert_eq!(
            text,
            r#"{"name":"web","info":{"first_deployed":"2026-01-02T03:04:05.678901234+01:00","last_deployed":"2026-01-02T03:04:05.678901234+01:00","deleted":"","description":"Upgrade complete","status":"deployed","notes":"n"},"chart":null,"config":{"b":true},"manifest":"---\n# Source: c/templates/a.yaml\nk: v\n","hooks":[{"name":"h","kind":"Job","path":"c/templates/h.yaml","manifest":"kind: Job","events":["post-install"],"last_run":{"started_at":"","completed_at":"","phase":""}}],"version":3,"namespace":"ns"}"#
        );
    }

    /// Text that does not compress.
    fn noise(bytes: usize) -> String {
        let mut state = 1u64;
        (0..bytes)
            .map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                char::from(b'!' + (state >> 58) as u8)
            })
            .collect()
    }

    #[test]
    fn a_chart_that_is_too_big_is_left_out_and_too_much_is_an_error() {
        let mut big = helm::Chart::default();
        big.metadata.name = "big".into();
        big.files = vec![helm::chart::File { name: "f".into(), data: noise(2_000_000).as_str().into() }];
        let bytes = encode(&record(), &ChartJson::new(&big), String::new).unwrap();
        assert!(bytes.0.len() < LIMIT);
        assert_eq!(decode(&bytes).unwrap().1.name, "big");

        let outline = || "outline".to_owned();
        let huge = Record { manifest: noise(2_000_000), ..record() };
        assert_eq!(decode(&encode(&huge, &chart(), outline).unwrap()).unwrap().0.manifest, "outline");
        let huge = Record { config: noise(2_000_000).into(), ..huge };
        assert_eq!(decode(&encode(&huge, &chart(), outline).unwrap()).unwrap().0.config, Value::Null);
        let mut huge = huge;
        huge.info.notes = noise(2_000_000);
        assert!(encode(&huge, &chart(), outline).unwrap_err().to_string().contains("1044480"));
    }
}
