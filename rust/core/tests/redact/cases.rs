//! The cases of the field that are about redaction: `tests/cases/redact-*.json`.

use ostinato_core::redact::{Options, text};
use serde_json::Value;

fn cases() -> Vec<Value> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let wanted = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("redact-"));
    let read = |path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    let cases: Vec<Value> = wanted.map(read).filter(|case| case["when"] == "redact").collect();
    assert!(cases.len() >= 5, "the cases are missing");
    cases
}

#[test]
fn what_must_be_absent_is_absent_from_text_and_report() {
    for case in cases() {
        let given = &case["given"];
        let value = given.get("log").or(given.get("items")).unwrap_or(given);
        let options = Options { length_only: given["digest"] == false, ..Options::default() };
        let redacted = text(&value.to_string(), options);
        for absent in case["then"]["absent"].as_array().unwrap() {
            let absent = absent.as_str().unwrap();
            assert!(!redacted.text.contains(absent), "{}", case["id"]);
            assert!(!redacted.report.to_json().contains(absent), "{}", case["id"]);
            assert!(!format!("{redacted:?}").contains(absent), "{}", case["id"]);
        }
        assert!(redacted.report.total().values > 0);
        let _: Value = serde_json::from_str(&redacted.text).expect("JSON stays JSON");
    }
}

#[test]
fn what_is_left_is_exactly_what_the_case_says() {
    let case = cases().into_iter().find(|case| case["id"] == "redact-request-log").unwrap();
    let redacted = text(&case["given"]["log"].to_string(), Options::default());
    let output: Value = serde_json::from_str(&redacted.text).unwrap();
    assert_eq!(output["input"][1], case["then"]["output"]["input/1"]);
    assert_eq!(output["input"][0], case["given"]["log"]["input"][0]);
}

#[test]
fn the_visible_part_of_a_tool_call_id_stays() {
    let case = cases().into_iter().find(|case| case["id"] == "redact-signature-in-tool-id").unwrap();
    let redacted = text(&case["given"]["log"].to_string(), Options::default());
    let output: Value = serde_json::from_str(&redacted.text).unwrap();
    let id = output["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.starts_with(case["then"]["output"]["tool_calls/0/id_prefix"].as_str().unwrap()), "{id}");
}
