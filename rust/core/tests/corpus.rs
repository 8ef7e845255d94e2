//! The sample histories measure as an independent reader measured them, however they are cut and spread over threads.
#![allow(clippy::unwrap_used, clippy::panic)] // what tests share is no test to clippy

use ostinato_core::scan::{Options, Progress, scan};
use proptest::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")
}

fn measure(path: &Path, options: Options) -> Value {
    scan(&[path.to_path_buf()], &Options { timing: false, ..options }, &Progress::default()).to_json()
}

fn expected() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(data().join("expected.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["files"].as_object().unwrap().clone()
}

/// Every key that the independent reader gave must be there with the same value.
fn differences(name: &str, found: &Value, expected: &Value) -> Vec<String> {
    let keys = expected.as_object().unwrap().iter();
    keys.filter(|(key, value)| found[key.as_str()] != **value)
        .map(|(key, value)| format!("{name}: {key} is {}, not {value}", found[key.as_str()]))
        .collect()
}

fn check(options: Options) {
    let mut wrong = Vec::new();
    for (name, expected) in expected() {
        let measured = measure(&data().join(&name), options);
        match measured["files"].as_array().unwrap().as_slice() {
            [file] => wrong.extend(differences(&name, file, &expected)),
            _ => wrong.push(format!("{name}: not measured: {measured}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_sample_measures_as_expected() {
    check(Options::default());
}

#[test]
fn small_chunks_change_nothing() {
    for chunk_bytes in [1 << 10, 30_000] {
        check(Options { chunk_bytes, whole_bytes: chunk_bytes, ..Options::default() });
    }
}

/// Whatever number is asked for, the system does not run out of threads.
#[test]
fn threads_are_bounded() {
    let sample = data().join("codex/v0.63-header-only.jsonl");
    let measured = measure(&sample, Options { threads: usize::MAX, ..Options::default() });
    assert_eq!(measured["files"].as_array().unwrap().len(), 1);
}

#[test]
fn threads_change_nothing() {
    let all = |threads| {
        let options = Options { threads, chunk_bytes: 20_000, whole_bytes: 40_000, ..Options::default() };
        measure(&data(), options)
    };
    let alone = all(1);
    assert_eq!(alone["files"].as_array().unwrap().len(), expected().len());
    assert_eq!(alone, all(4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn no_cut_changes_a_figure(chunk_bytes in 1usize..50_000, file in 0usize..5) {
        let file = data().join([
            "codex/v0.106-mid.jsonl",
            "codex/made-cut-inside-character.jsonl",
            "claude_code/v2.1.220-many-record-types-a.jsonl",
            "fast_agent/v0.10.11-tool_loop/history_coder.json",
            "fast_agent/v0.10.48-native_compaction/history_coder.json",
        ][file]);
        let options = Options { threads: 2, chunk_bytes, whole_bytes: 0, ..Options::default() };
        prop_assert_eq!(measure(&file, options), measure(&file, Options::default()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_damage_gives_figures_and_no_panic(
        file in 0usize..4,
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..4), 0usize..3000), 1..6),
        chunk_bytes in 1usize..5000,
        largest in 100usize..100_000,
    ) {
        let file = data().join([
            "codex/v0.146-replacement-history.jsonl",
            "claude_code/v2.1.9-sidechain.jsonl",
            "fast_agent/v0.10.48-unicode_edges/history_coder.json",
            "fast_agent/v0.10.48-other_providers/history_anthropic.json",
        ][file]);
        let mut bytes = std::fs::read(file).unwrap();
        for (at, inserted, removed) in edits {
            let at = at.index(bytes.len() + 1);
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, inserted);
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("damaged"), &bytes).unwrap();
        let options = Options { threads: 1, chunk_bytes, whole_bytes: chunk_bytes, max_record_bytes: largest, ..Options::default() };
        let found = measure(folder.path(), options);
        let total = &found["total"];
        prop_assert!(total["opaque"]["unique"].as_u64() <= total["opaque"]["values"].as_u64());
        prop_assert!(total["unreadable_bytes"].as_u64() <= Some(bytes.len() as u64));
        prop_assert_eq!(found["files"].as_array().unwrap().len() + found["skipped"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_scan_that_was_asked_to_stop_says_so() {
    let progress = Progress::default();
    progress.stop();
    let found = scan(&[data()], &Options::default(), &progress).to_json();
    assert_eq!((&found["stopped"], &found["files"]), (&Value::Bool(true), &Value::Array(Vec::new())));
}

#[test]
fn what_is_in_several_files_counts_once_in_the_total() {
    let total = measure(&data().join("claude_code"), Options::default())["total"].clone();
    let values = total["opaque"]["values"].as_u64().unwrap();
    let unique = total["opaque"]["unique"].as_u64().unwrap();
    let of_files: u64 = expected()
        .iter()
        .filter(|(name, _)| name.starts_with("claude_code/"))
        .map(|(_, file)| file["opaque"]["values"].as_u64().unwrap())
        .sum();
    assert_eq!(values, of_files);
    // Growth copies, resumed and edited copies hold the same signatures.
    assert!(unique < values, "{unique} of {values}");
    assert_eq!(total["duplicates"].as_u64().unwrap(), values - unique);
}
