//! Packed files measure as what is in them, told by their first bytes; damage is named and what came before it counts.
#![allow(clippy::unwrap_used)] // what tests share is no test to clippy

use flate2::Compression;
use flate2::write::GzEncoder;
use ostinato_core::scan::{Options, Progress, scan};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use std::io::Write;

fn history(lines: usize) -> String {
    let line = |number: usize| {
        let state = format!("{number:0>60}");
        json!({"type": "response_item", "payload": {"type": "reasoning", "summary": [], "encrypted_content": state}})
    };
    (0..lines).map(|number| line(number).to_string() + "\n").collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
}

fn measured(content: &[u8]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any-name");
    std::fs::write(&path, content).unwrap();
    let options = Options { chunk_bytes: 1000, timing: false, ..Options::default() };
    scan(&[path], &options, &Progress::default()).to_json()
}

fn check(content: &[u8], packing: &str, text: &str) {
    let found = measured(content);
    let file = &found["files"][0];
    assert_eq!((&file["packing"], &file["complete"]), (&json!(packing), &json!(true)));
    assert_eq!((&file["bytes"], &file["packed_bytes"]), (&json!(text.len()), &json!(content.len())));
    assert_eq!(file["records"], text.lines().count());
    assert_eq!(file["opaque"]["unique"], text.lines().count());
}

#[test]
fn gzip_and_zstd_are_unpacked() {
    let text = history(300);
    check(&gzip(&text), "gzip", &text);
    check(&zstd(&text), "zstd", &text);
    check(text.as_bytes(), "none", &text);
}

#[test]
fn packed_parts_one_after_another_are_one_text() {
    let text = history(300);
    let (one, two) = text.split_at(10_001); // inside a line
    check(&[gzip(one), gzip(two)].concat(), "gzip", &text);
    check(&[zstd(one), zstd(two)].concat(), "zstd", &text);
    // A frame of the user's own between them, which is to be skipped.
    let own = [&[0x50, 0x2a, 0x4d, 0x18][..], &7u32.to_le_bytes()[..], &b"my note"[..]].concat();
    check(&[zstd(one), own, zstd(two)].concat(), "zstd", &text);
}

#[test]
fn a_packed_file_that_is_cut_gives_what_it_has() {
    let text = history(3000);
    for packed in [gzip(&text), zstd(&text)] {
        let found = measured(&packed[..packed.len() * 3 / 4]);
        let file = &found["files"][0];
        assert_eq!(file["complete"], false);
        let records = file["records"].as_u64().unwrap();
        assert!(records > 100 && records < 3000, "{records}");
        assert_eq!(found["errors"].as_array().unwrap().len(), 1);
        assert!(found["errors"][0]["code"].as_str().unwrap().starts_with("packed_file_is_"));
    }
}

#[test]
fn a_packed_file_of_nothing_is_an_error_not_a_panic() {
    for damaged in [&b"\x1f\x8b"[..], b"\x1f\x8b\x08\x00garbage", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd\xff\xff\xff"]
    {
        let found = measured(damaged);
        assert_eq!(found["files"], json!([]));
        assert_eq!(found["errors"].as_array().unwrap().len(), 1, "{found}");
    }
}
