//! Every code can be met: each has an input here. A code without one is dead, or its test is missing.

use ostinato_core::dedupe::policy;
use ostinato_core::envelope::{Origin, parse};
use ostinato_core::json::text;
use ostinato_core::schema::provider;
use ostinato_core::validate::capture_text;
use ostinato_core::{Code, Error, Limits};
use std::collections::HashSet;

/// Only Python objects can be wrong in these ways; tests/codec meets them.
const OF_OBJECTS: &[Code] = &[Code::NotFinite, Code::UnreadableObject];

const STORED: &str = r#"{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}}"#;
const ITEM: &str =
    r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"}],"encrypted_content":"x"}"#;

fn read(text: &str) -> Option<Error> {
    parse(text, &Limits::default()).err()
}

fn stored(from: &str, to: &str) -> Option<Error> {
    assert!(STORED.contains(from));
    read(&STORED.replace(from, to))
}

fn captured(from: &str, to: &str) -> Option<Error> {
    assert!(ITEM.contains(from));
    caught("openai-responses", "openai", None, &ITEM.replace(from, to), &Limits::default())
}

fn caught(wire: &str, name: &str, status: Option<&str>, item: &str, limits: &Limits) -> Option<Error> {
    capture_text(item, provider(wire, Some(name)).unwrap(), status, limits).err()
}

fn signed(signature: &str) -> Option<Error> {
    let part = format!("{{\"thoughtSignature\":\"{signature}\"}}");
    caught("gemini-generate-content", "gemini", None, &part, &Limits::default())
}

fn limited(limits: Limits) -> Option<Error> {
    caught("openai-responses", "openai", None, ITEM, &limits)
}

/// Code, what was refused, and where.
fn cases() -> Vec<(Code, Option<Error>, &'static str)> {
    let all = Limits::default();
    let bedrock = r#"{"reasoningContent":{"reasoningText":{"text":"a"},"redactedContent":"eA=="}}"#;
    vec![
        (Code::NotUtf8, text(b"{\"a\":\"\xff\"}").err(), ""),
        (Code::ByteOrderMark, read(&format!("\u{feff}{STORED}")), ""),
        (Code::NotJson, stored("\"version\":1", "\"version\":01"), ""),
        (Code::Truncated, read(&STORED[..40]), ""),
        (Code::TrailingText, read(&format!("{STORED} {{}}")), ""),
        (Code::DuplicateKey, stored("\"id\":\"rs_1\"", "\"id\":\"a\",\"i\\u0064\":\"b\""), "item/id"),
        (Code::LoneSurrogate, stored("rs_1", "\\ud83d"), "item/id"),
        (Code::TooDeep, read(&"[".repeat(200_000)), ""),
        (Code::TooLarge, limited(Limits { max_item_bytes: 20, ..all }), ""),
        (Code::TooManyParts, limited(Limits { max_parts: 0, ..all }), "summary"),
        (Code::TypeMismatch, stored("\"rs_1\"", "5"), "item/id"),
        (Code::Redacted, stored("\"x\"", "{\"redacted\":true,\"bytes\":1}"), "item/encrypted_content"),
        (Code::UnknownItemType, stored("\"reasoning\"", "\"message\""), "item/type"),
        (Code::MissingField, stored("\"id\":\"rs_1\",", ""), "item/id"),
        (Code::EmptyValue, stored("rs_1", ""), "item/id"),
        (Code::UnknownField, stored("\"summary\":[]", "\"summary\":[],\"status\":null"), "item/status"),
        (Code::UnknownPartType, captured("summary_text", "reasoning_text"), "summary/0/type"),
        (Code::SignatureNotBase64, signed("CiQBx"), "thoughtSignature"),
        (
            Code::StateMissing,
            caught("openai-chat", "deepseek", None, r#"{"role":"assistant","content":"a"}"#, &all),
            "",
        ),
        (Code::FieldsConflict, caught("bedrock-converse", "bedrock", None, bedrock, &all), "reasoningContent"),
        (Code::NotCompleted, captured("\"id\"", "\"status\":\"in_progress\",\"id\""), "status"),
        (Code::StatusInvalid, captured("\"id\"", "\"status\":[\"completed\"],\"id\""), "status"),
        (Code::ResponseIncomplete, caught("openai-responses", "openai", Some("incomplete"), ITEM, &all), ""),
        (Code::NotAnEnvelope, read("[1]"), ""),
        (Code::LegacyMinimal, read(r#"{"type":"reasoning","encrypted_content":"x"}"#), ""),
        (Code::LegacySnapshot, read(ITEM), ""),
        (Code::SchemaUnknown, stored("fast-agent.", "slow-agent."), "schema"),
        (Code::VersionNotInteger, stored("\"version\":1", "\"version\":true"), "version"),
        (Code::VersionUnknown, stored("\"version\":1", "\"version\":2"), "version"),
        (Code::DigestMismatch, digest("0"), "digest"),
        (Code::OriginInvalid, Origin::default().check().err(), "origin"),
        (Code::UnknownWire, provider("telegraph", None).err(), ""),
        (Code::UnknownProvider, provider("openai-responses", Some("nobody")).err(), ""),
        (Code::UnknownPolicy, policy("nothing").err(), ""),
    ]
}

fn digest(digest: &str) -> Option<Error> {
    let head = r#"{"schema":"ostinato.anthropic-messages.redacted_thinking","version":1,"item":{"type":"redacted_thinking","data":"x"}"#;
    read(&format!("{head},\"digest\":\"{digest}\"}}"))
}

/// Rule X1: each input is refused with its code, at its place, in words that hold no input.
#[test]
fn each_code_has_an_input() {
    for (code, error, path) in cases() {
        let error = error.unwrap_or_else(|| panic!("{}: accepted", code.slug()));
        assert_eq!((error.code().slug(), error.path().as_str()), (code.slug(), path));
        assert!(error.to_string().starts_with(code.slug()) && error.to_string().ends_with(code.sentence()));
    }
}

/// Rule X2: no code is without an input.
#[test]
fn no_code_is_unreachable() {
    let met: HashSet<_> = cases().into_iter().map(|(code, ..)| code).chain(OF_OBJECTS.iter().copied()).collect();
    let missing: Vec<_> = Code::ALL.iter().filter(|code| !met.contains(*code)).map(|code| code.slug()).collect();
    assert!(missing.is_empty(), "no input for {missing:?}");
}

/// Rule X2: slugs are unique words, sentences are sentences.
#[test]
fn the_list_of_codes() {
    let slugs: HashSet<_> = Code::ALL.iter().map(|code| code.slug()).collect();
    assert_eq!(slugs.len(), Code::ALL.len());
    for code in Code::ALL {
        assert!(code.slug().bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'));
        assert!(code.sentence().len() > 10 && !code.sentence().ends_with('.'));
    }
}

/// Rule X3: a key of the input is shown where it looks like a field name, else its length is.
#[test]
fn keys_in_paths() {
    let unknown = |key: &str| {
        let error = read(&STORED.replace("\"summary\":[]", &format!("\"summary\":[],\"{key}\":1"))).unwrap();
        assert_eq!(error.code(), Code::UnknownField);
        error.path()
    };
    assert_eq!(unknown("x-y.z_1"), "item/x-y.z_1");
    assert_eq!(unknown(&"k".repeat(64)), format!("item/{}", "k".repeat(64)));
    assert_eq!(unknown(&"k".repeat(65)), "item/<key of 65 bytes>");
    assert_eq!(unknown("a secret"), "item/<key of 8 bytes>");
    assert_eq!(unknown(""), "item/<key of 0 bytes>");
}
