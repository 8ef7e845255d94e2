//! What it takes to write and to read each form, in nanoseconds an item, for a sample of real items.

use super::{Parts, Sample};
use crate::envelope;
use crate::item::Item;
use crate::json::{Tree, push_string};
use crate::limits::{DEEPEST, Limits};
use crate::opaque::sha256_hex;
use crate::schema;
use crate::validate;
use std::borrow::Cow;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time spent on one measurement at least, if the sample is small.
const ENOUGH: Duration = Duration::from_millis(10);

/// Nanoseconds an item, and megabytes of stored text a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Timing {
    pub form: &'static str,
    pub items: u64,
    pub bytes: u64,
    pub serialize_ns: f64,
    pub serialize_mb_s: f64,
    pub parse_ns: f64,
    pub parse_mb_s: f64,
}

/// Times the three forms over a sample, in this library.
pub fn time(samples: &[Sample]) -> Vec<Timing> {
    let parts: Vec<Parts<'_>> = samples.iter().filter_map(|sample| read(&sample.0)).collect();
    let read_json = |text: &str| Tree::parse(text, DEEPEST).is_ok();
    let read_envelope = |text: &str| envelope::parse(text, &Limits::default()).is_ok();
    vec![
        form("raw_snapshot", &parts, push_snapshot, read_json),
        form("canonical_envelope", &parts, push_envelope, read_envelope),
        form("legacy_fallback", &parts, push_legacy, read_json),
    ]
}

fn form(
    name: &'static str,
    parts: &[Parts<'_>],
    write: fn(&mut String, &Parts<'_>),
    parse: impl Fn(&str) -> bool,
) -> Timing {
    if parts.is_empty() {
        return Timing { form: name, ..Timing::default() };
    }
    let texts: Vec<String> = parts.iter().map(|parts| written(write, parts)).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut out = String::new();
    let serialize = per_round(|| {
        for parts in parts {
            out.clear();
            write(&mut out, parts);
            black_box(&out);
        }
    });
    let parsing = per_round(|| {
        for text in &texts {
            black_box(parse(black_box(text)));
        }
    });
    let (items, total) = (parts.len() as f64, bytes as f64);
    Timing {
        form: name,
        items: parts.len() as u64,
        bytes: bytes as u64,
        serialize_ns: serialize / items,
        serialize_mb_s: 1000.0 * total / serialize,
        parse_ns: parsing / items,
        parse_mb_s: 1000.0 * total / parsing,
    }
}

fn written(write: fn(&mut String, &Parts<'_>), parts: &Parts<'_>) -> String {
    let mut out = String::new();
    write(&mut out, parts);
    out
}

/// Nanoseconds of the fastest round, in as many rounds as take long enough.
fn per_round(mut round: impl FnMut()) -> f64 {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    while begin.elapsed() < ENOUGH {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best
}

/// The parts of a canonical item.
fn read(json: &str) -> Option<Parts<'_>> {
    let provider = schema::provider("openai-responses", Some("codex")).ok()?;
    let tree = Tree::parse(json, DEEPEST).ok()?;
    let (canonical, _) = validate::capture(&&tree, provider, None, &Limits::default()).ok()?;
    let item = Item::new(&canonical.json, &canonical.view);
    let owned = |texts: Vec<Cow<'_, str>>| texts.into_iter().map(|text| Cow::Owned(text.into_owned())).collect();
    Some(Parts {
        id: item.id().map(|id| Cow::Owned(id.into_owned())),
        summary: owned(item.parts("summary")),
        content: owned(item.parts("content")),
        content_is_empty_list: false,
        state: Cow::Owned(item.text("encrypted_content")?.into_owned()),
    })
}

fn push_parts(out: &mut String, tag: &str, texts: &[Cow<'_, str>]) {
    out.push('[');
    for (index, text) in texts.iter().enumerate() {
        out.push_str(if index > 0 { ",{\"type\":\"" } else { "{\"type\":\"" });
        out.push_str(tag);
        out.push_str("\",\"text\":");
        push_string(out, text);
        out.push('}');
    }
    out.push(']');
}

/// Writes the canonical item.
pub(super) fn push_item(out: &mut String, parts: &Parts<'_>) {
    out.push_str("{\"type\":\"reasoning\"");
    if let Some(id) = &parts.id {
        out.push_str(",\"id\":");
        push_string(out, id);
    }
    out.push_str(",\"summary\":");
    push_parts(out, "summary_text", &parts.summary);
    out.push_str(",\"encrypted_content\":");
    push_string(out, &parts.state);
    if !parts.content.is_empty() {
        out.push_str(",\"content\":");
        push_parts(out, "reasoning_text", &parts.content);
    }
    out.push('}');
}

/// Writes the envelope: that of fast-agent where there is an id, else our own with its digest.
pub(crate) fn push_envelope(out: &mut String, parts: &Parts<'_>) {
    let name = if parts.id.is_some() { schema::FAST_AGENT_REASONING } else { "ostinato.openai-responses.reasoning" };
    out.push_str("{\"schema\":\"");
    out.push_str(name);
    out.push_str("\",\"version\":1,\"item\":");
    let start = out.len();
    push_item(out, parts);
    if parts.id.is_none() {
        let digest = sha256_hex(&out.as_bytes()[start..]);
        out.push_str(",\"digest\":\"");
        out.push_str(&digest);
        out.push('"');
    }
    out.push('}');
}

/// Writes what fast-agent 0.10.11 stored: the SDK's dump in Python's default spelling.
pub(super) fn push_snapshot(out: &mut String, parts: &Parts<'_>) {
    out.push('{');
    if let Some(id) = &parts.id {
        out.push_str("\"id\": ");
        push_ascii(out, id);
        out.push_str(", ");
    }
    out.push_str("\"summary\": ");
    push_dumped(out, "summary_text", &parts.summary);
    out.push_str(", \"type\": \"reasoning\", \"content\": ");
    match (parts.content.is_empty(), parts.content_is_empty_list) {
        (true, false) => out.push_str("null"),
        _ => push_dumped(out, "reasoning_text", &parts.content),
    }
    out.push_str(", \"encrypted_content\": ");
    push_ascii(out, &parts.state);
    out.push('}');
}

/// Writes what fast-agent 0.10.4 stored.
pub(super) fn push_legacy(out: &mut String, parts: &Parts<'_>) {
    out.push_str("{\"type\": \"reasoning\", \"encrypted_content\": ");
    push_ascii(out, &parts.state);
    if let Some(id) = &parts.id {
        out.push_str(", \"id\": ");
        push_ascii(out, id);
    }
    out.push('}');
}

fn push_dumped(out: &mut String, tag: &str, texts: &[Cow<'_, str>]) {
    out.push('[');
    for (index, text) in texts.iter().enumerate() {
        out.push_str(if index > 0 { ", {\"text\": " } else { "{\"text\": " });
        push_ascii(out, text);
        out.push_str(", \"type\": \"");
        out.push_str(tag);
        out.push_str("\"}");
    }
    out.push(']');
}

/// Writes a string as Python's `json.dumps` does: everything but printable ASCII as `\uXXXX`.
fn push_ascii(out: &mut String, text: &str) {
    if text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
        return push_string(out, text);
    }
    let mut escaped = String::with_capacity(text.len() + 2);
    push_string(&mut escaped, text);
    for character in escaped.chars() {
        if (' '..'\u{7f}').contains(&character) {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            out.push_str("\\u");
            for shift in [12, 8, 4, 0] {
                out.push(char::from(b"0123456789abcdef"[usize::from(*unit >> shift & 15)]));
            }
        }
    }
}
