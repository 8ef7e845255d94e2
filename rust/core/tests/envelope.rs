//! The frame: what is written, what is read, what is refused.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use ostinato_core::envelope::{self, canonical, general, parse, serialize};
use ostinato_core::{Code, Item, Limits};

const TEXT: &str = r#"{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"A \"b\"\n"}],"encrypted_content":"gAAAAAB-example"}}"#;

fn code(text: &str) -> (Code, String) {
    let error = parse(text, &Limits::default()).err().expect("a refusal");
    (error.code(), error.path())
}

#[test]
fn a_canonical_text_is_read_in_place_and_written_again_byte_for_byte() {
    let limits = Limits::default();
    let envelope = canonical(TEXT, &limits).expect("canonical");
    let item = Item::new(&envelope.text, &envelope.view);
    assert_eq!(item.id().as_deref(), Some("rs_1"));
    assert_eq!(item.parts("summary"), ["A \"b\"\n"]);
    assert_eq!(serialize(item, None).unwrap(), TEXT);
    let slow = general(TEXT, &limits).unwrap();
    assert_eq!(Item::new(&slow.text, &slow.view).json(), item.json());
    assert_eq!(TEXT.len() - item.json().len(), envelope::frame_bytes());
}

#[test]
fn refusals_name_a_code_and_a_path() {
    let inner = |replacement: &str| TEXT.replace(r#""id":"rs_1""#, replacement);
    assert_eq!(code(&inner(r#""id":"rs_1","extra":1"#)), (Code::UnknownField, "item/extra".into()));
    assert_eq!(code(&inner(r#""id":"rs_1","id":"rs_1""#)), (Code::DuplicateKey, "item/id".into()));
    assert_eq!(code(&inner(r#""id":"""#)), (Code::EmptyValue, "item/id".into()));
    assert_eq!(code(&inner(r#""id":"\ud800""#)), (Code::LoneSurrogate, "item/id".into()));
    assert_eq!(code(&TEXT.replace("\"version\":1", "\"version\":true")), (Code::VersionNotInteger, "version".into()));
    assert_eq!(code(&TEXT.replace("\"version\":1", "\"version\":1.0")), (Code::VersionNotInteger, "version".into()));
    assert_eq!(code(&TEXT.replace("\"version\":1", "\"version\":2")), (Code::VersionUnknown, "version".into()));
    assert_eq!(code(&TEXT[..100]).0, Code::Truncated);
    assert_eq!(code(&format!("{TEXT}x")).0, Code::TrailingText);
    assert_eq!(code(&"[".repeat(200_000)).0, Code::TooDeep);
    assert_eq!(code(r#"{"type":"reasoning","encrypted_content":"x"}"#).0, Code::LegacyMinimal);
    assert_eq!(code(r#"{"type":"reasoning","summary":[],"encrypted_content":"x"}"#).0, Code::LegacySnapshot);
    assert_eq!(code(r#"{"type":"thinking","signature":"x"}"#).0, Code::NotAnEnvelope);
}
