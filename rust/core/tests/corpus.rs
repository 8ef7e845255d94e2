//! The sample histories measure as an independent reader measured them.

#![allow(clippy::unwrap_used)] // what tests share is no test to clippy

use ostinato_core::scan::{Measurement, Options, Progress, scan};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")
}

fn measure(path: &Path, options: Options) -> Measurement {
    scan(&[path.to_path_buf()], &Options { timing: false, ..options }, &Progress::default())
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
        let measured = measure(&data().join(&name), options).to_json();
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
