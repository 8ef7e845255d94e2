//! The stream gives what the whole text gives, however it is cut, and holds no more than its cap.

use super::laws::{carried, odd_text};
use ostinato_core::redact::{Options, Stream, text};
use proptest::prelude::*;

fn run(given: &[u8], chunk: usize, cap: usize) -> (Vec<u8>, String) {
    let mut stream = Stream::with_cap(Options::default(), cap);
    let mut out = Vec::new();
    given.chunks(chunk.max(1)).for_each(|part| stream.feed(part, &mut out));
    stream.finish(&mut out);
    (out, stream.report().to_json())
}

fn redact(given: &str) -> String {
    String::from_utf8(run(given.as_bytes(), 7, 1 << 20).0).unwrap()
}

#[test]
fn lines_are_written_as_they_come() {
    let mut stream = Stream::new(Options::default());
    let mut out = Vec::new();
    stream.feed(b"{\"encrypted_content\":\"x1\"}\nstarted [\n2026 next line\n{\"a\":", &mut out);
    let found = String::from_utf8(out).unwrap();
    assert!(found.ends_with("started [\n2026 next line\n"), "{found}");
    assert!(!found.contains("x1"), "{found}");
}

#[test]
fn a_document_over_lines_is_read_as_one() {
    let given = "log: {\n  \"type\": \"reasoning\",\n  \"summary\": [\n    {\n      \"text\": \"SECRET words\",\n      \"type\": \"summary_text\"\n    }\n  ]\n}\nnext\n";
    assert_eq!(
        redact(given),
        "log: {\n  \"type\": \"reasoning\",\n  \"summary\": {\"parts\":1,\"bytes\":12}\n}\nnext\n"
    );
    let repr = "Item(\n    thinking='SECRET words',\n    type='thinking',\n)\n";
    assert!(!redact(repr).contains("SECRET"));
}

#[test]
fn a_document_beyond_the_cap_is_cut_between_elements() {
    let element = r#"{"text":"SECRET words","type":"summary_text"}"#;
    let given = format!("{{\"input\":[{}]}}\n", vec![element; 100].join(","));
    let (found, _) = run(given.as_bytes(), 64, 600);
    let found = String::from_utf8(found).unwrap();
    assert!(!found.contains("SECRET"));
    let value: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(value["input"].as_array().unwrap().len(), 100);
}

#[test]
fn a_string_beyond_the_cap_is_replaced_whole() {
    let given = format!("{{\"a\":1,\"text\":\"{}\",\"b\":2}}\n", "SECRET ".repeat(1000));
    let (found, report) = run(given.as_bytes(), 100, 500);
    assert_eq!(String::from_utf8(found).unwrap(), "{\"a\":1,\"text\":{\"redacted\":true,\"bytes\":7000},\"b\":2}\n");
    assert!(report.contains(r#""too_large":{"values":1,"bytes":7000}"#), "{report}");
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    let mut stream = Stream::with_cap(Options::default(), 4096);
    let mut out = Vec::new();
    let line = format!("{{\"type\":\"thinking\",\"signature\":\"{}\"}}\n", "A1b".repeat(200));
    for _ in 0..2000 {
        stream.feed(line.as_bytes(), &mut out);
        assert!(out.len() < 4096);
        out.clear();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn chunks_do_not_matter(lines in prop::collection::vec(odd_text(), 0..6), chunk in 1..40usize, cap in 16..400usize) {
        let given = lines.join("\n");
        let whole = run(given.as_bytes(), usize::MAX, cap);
        prop_assert_eq!(run(given.as_bytes(), chunk, cap), whole);
    }

    #[test]
    fn state_and_reasoning_are_gone(given in prop::collection::vec(carried(), 1..4), chunk in 1..300usize) {
        let given = given.join("\n");
        let (found, _) = run(given.as_bytes(), chunk, 1 << 20);
        let found = String::from_utf8(found).unwrap();
        prop_assert!(!found.contains("CANARY"), "{}\n{}", given, found);
        let again = run(found.as_bytes(), usize::MAX, 1 << 20).0;
        prop_assert_eq!(String::from_utf8(again).unwrap(), found);
    }

    #[test]
    fn one_line_is_one_text(given in carried()) {
        let given = given.replace('\n', " ");
        prop_assert_eq!(run(given.as_bytes(), 50, 1 << 20).0, text(&given, Options::default()).text.into_bytes());
    }
}
