//! A measurement as plain data: the schema `ostinato.measure`, version 1, which `docs/measure.md` explains.
//! Counts, lengths, names and paths only: no text of a history is in it.

use super::{FileMeasure, Measurement};
use crate::measure::{Closed, Counts, Replay, Tally, Tokens, Unique, Weight};
use crate::payload::{Payload, Timing};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Name of the schema.
pub const SCHEMA: &str = "ostinato.measure";
/// Its version. A key that is added leaves it as it is; a key that goes or changes its meaning raises it.
pub const VERSION: u64 = 1;

/// Permission bits that a file with replay state should have, and those of its folder.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

impl Measurement {
    /// The measurement as plain data.
    pub fn to_json(&self) -> Value {
        json!({
            "schema": SCHEMA,
            "version": VERSION,
            "stopped": self.stopped,
            "files": self.files.iter().map(file).collect::<Vec<Value>>(),
            "total": self.total_json(),
            "folders": self.folders.iter().map(|folder| json!({
                "path": text(&folder.path),
                "mode": octal(folder.mode),
                "findings": permissive("dir", folder.mode, PRIVATE_FOLDER),
            })).collect::<Vec<Value>>(),
            "skipped": self.skipped.iter().map(|(path, looks_like)| json!({
                "path": text(path), "code": "format_unknown", "looks_like": looks_like,
            })).collect::<Vec<Value>>(),
            "errors": self.errors.iter().map(|error| json!({
                "path": text(&error.path), "code": error.reason,
            })).collect::<Vec<Value>>(),
        })
    }

    fn total_json(&self) -> Value {
        let sum = |each: fn(&FileMeasure) -> u64| self.files.iter().map(each).sum::<u64>();
        let mut formats = Counts::default();
        self.files.iter().for_each(|file| formats.add(file.format, 1));
        let open = |mode: Option<u32>, wanted: u32| mode.is_some_and(|mode| mode & 0o777 & !wanted != 0);
        let files = self.files.iter().filter(|found| open(found.file.mode, PRIVATE_FILE)).count();
        let folders = self.folders.iter().filter(|folder| open(Some(folder.mode), PRIVATE_FOLDER)).count();
        let mut total = figures(&self.total, &self.total.states.unique(), &self.total.closed);
        total.extend(object(json!({
            "files": self.files.len(),
            "skipped": self.skipped.len(),
            "errors": self.errors.len(),
            "formats": counts(&formats),
            "bytes": sum(|file| file.bytes),
            "packed_bytes": sum(|file| file.file.bytes),
            "sessions": self.total.sessions.len(),
            "responses": self.total.responses.len(),
            "longest_line": self.total.lines.longest,
            "permissive_mode": { "file": files, "dir": folders },
        })));
        if let Some(Value::Object(payload)) = total.get_mut("payload") {
            payload.insert("timing".to_owned(), self.timing.iter().map(timing).collect());
        }
        Value::Object(total)
    }
}

fn file(file: &FileMeasure) -> Value {
    let mut all = figures(&file.tally, &file.unique, &file.closed);
    let bad = file.tally.lines.bad.iter().map(|bad| match bad.line {
        0 => json!({ "code": bad.code.slug() }),
        line => json!({ "code": bad.code.slug(), "line": line }),
    });
    all.extend(object(json!({
        "path": text(&file.file.path),
        "format": file.format,
        "packing": file.packing.name(),
        "bytes": file.bytes,
        "packed_bytes": file.file.bytes,
        "mode": file.file.mode.map(octal),
        "complete": file.incomplete.is_none(),
        "final_newline": file.final_newline,
        "longest_line": file.has_lines.then_some(file.tally.lines.longest),
        "problem_lines": bad.collect::<Vec<Value>>(),
        "sessions": file.sessions,
        "responses": file.responses,
        "findings": file.file.mode.map_or_else(Vec::new, |mode| permissive("file", mode, PRIVATE_FILE)),
    })));
    Value::Object(all)
}

/// What files and the total have alike.
fn figures(tally: &Tally, unique: &Unique, closed: &Closed) -> Map<String, Value> {
    let ids = closed.ids;
    let unknown: Map<String, Value> =
        tally.unknown_fields.iter().map(|(kind, names)| ((*kind).to_owned(), counts(names))).collect();
    object(json!({
        "lines": tally.lines.lines,
        "lines_with_several_values": tally.lines.with_several_values,
        "unreadable_bytes": tally.lines.unreadable_bytes,
        "problems": counts(&tally.lines.problems),
        "records": tally.records,
        "record_types": counts(&tally.record_types),
        "messages": tally.messages,
        "turns": closed.replay.turns,
        "items": counts(&tally.items),
        "nested": counts(&tally.nested),
        "opaque": {
            "values": tally.states.values,
            "unique": unique.values,
            "chars": tally.states.chars,
            "unique_chars": unique.chars,
            "placeholders": tally.states.placeholders,
            "empty": tally.states.empty,
        },
        "state": {
            "bytes": tally.by_record.sum(),
            "unique_bytes": unique.bytes,
            "by_record": counts(&tally.by_record),
            "by_kind": counts(&tally.by_kind),
        },
        "ids": {
            "with_id": ids.with_id,
            "distinct": ids.distinct,
            "with_several_values": ids.with_several_values,
        },
        "duplicates": tally.states.values - unique.values,
        "repeats": {
            "exact_duplicate": ids.exact_duplicates,
            "ciphertext_shared": ids.shared,
            "re_encrypted": ids.re_encrypted,
            "id_ciphertext_conflict": ids.conflicts,
        },
        "reasoning": {
            "summary_parts": counts(&tally.reasoning.summary_parts),
            "content": counts(&tally.reasoning.content),
            "encrypted_content": counts(&tally.reasoning.encrypted_content),
            "status": counts(&tally.reasoning.status),
            "unknown_fields": counts(&tally.reasoning.unknown_fields),
        },
        "thinking": {
            "blocks": tally.text.thinking_blocks,
            "empty_text": tally.text.thinking_empty,
        },
        "text": {
            "summary_parts": tally.text.summary_parts,
            "summary_bytes": tally.text.summary_bytes,
            "content_parts": tally.text.content_parts,
            "content_bytes": tally.text.content_bytes,
            "thinking_bytes": tally.text.thinking_bytes,
        },
        "display": {
            "texts": closed.display.texts,
            "bytes": closed.display.bytes,
            "repeated": closed.display.repeated,
            "repeated_bytes": closed.display.repeated_bytes,
        },
        "tokens": tokens(&tally.tokens),
        "unknown_fields": unknown,
        "generation": counts(&tally.generation),
        "refused": counts(&tally.refused),
        "uuids_seen_twice": closed.uuids_seen_twice,
        "sidechain_records": tally.sidechain_records,
        "replacement_history_items": tally.replacement_history_items,
        "replay": {
            "requests": closed.replay.requests,
            "final_request_bytes": closed.replay.final_request.state,
            "cumulative_bytes": closed.replay.cumulative.state,
        },
        "payload": payload(&tally.payload, &closed.replay),
    }))
}

fn tokens(tokens: &Tokens) -> Value {
    let known = tokens.reports > 0;
    let ratio = || (100.0 * tokens.state_bytes as f64 / tokens.sum as f64).round() / 100.0;
    json!({
        "reports": tokens.reports,
        "reasoning": known.then_some(tokens.sum),
        "state_bytes": known.then_some(tokens.state_bytes),
        "state_bytes_per_token": (tokens.sum > 0).then(ratio),
    })
}

fn payload(payload: &Payload, replay: &Replay) -> Value {
    let form = |stored: u64, of: fn(&Weight) -> u64| {
        json!({
            "stored_bytes": stored,
            "final_request_bytes": of(&replay.final_request),
            "cumulative_bytes": of(&replay.cumulative),
        })
    };
    json!({
        "items": payload.items,
        "left_out": payload.left_out,
        "raw_snapshot": form(payload.stored.snapshot, |weight| weight.snapshot),
        "canonical_envelope": form(payload.stored.canonical, |weight| weight.canonical),
        "legacy_fallback": form(payload.stored.legacy, |weight| weight.legacy),
    })
}

fn timing(timing: &Timing) -> Value {
    json!({
        "form": timing.form,
        "sample_items": timing.items,
        "sample_bytes": timing.bytes,
        "serialize_ns_per_item": round(timing.serialize_ns),
        "serialize_mb_per_s": round(timing.serialize_mb_s),
        "parse_ns_per_item": round(timing.parse_ns),
        "parse_mb_per_s": round(timing.parse_mb_s),
    })
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// What is to be said of a file or folder that others may open.
fn permissive(kind: &str, mode: u32, wanted: u32) -> Vec<Value> {
    if mode & 0o777 & !wanted == 0 {
        return Vec::new();
    }
    vec![json!({ "code": "permissive_mode", "path_kind": kind, "mode": octal(mode), "wanted": octal(wanted) })]
}

fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}

fn counts(counts: &Counts) -> Value {
    counts.iter().map(|(name, count)| (name.to_owned(), Value::from(count))).collect::<Map<String, Value>>().into()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
