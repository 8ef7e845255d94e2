//! Objects that carry state (`§`) or reasoning (`¶`): the items of the tables, and what the tables do not have.

use ostinato_core::schema;
use ostinato_core::spec::{FieldSpec, Kind, ObjectSpec, PartSpec};
use serde_json::{Value, json};

/// Stands for state.
pub const STATE: &str = "§";
/// Stands for reasoning.
pub const TEXT: &str = "¶";

/// Stream events, SDK spellings and saved histories.
const CARRIERS: &[&str] = &[
    r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"§"}}"#,
    r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"¶"}}"#,
    r#"{"type":"content_block_start","content_block":{"type":"redacted_thinking","data":"§"}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","delta":"¶"}"#,
    r#"{"type":"response.reasoning_text.done","item_id":"rs_1","text":"¶"}"#,
    r#"{"type":"response.reasoning_summary_part.done","part":{"type":"summary_text","text":"¶"}}"#,
    r#"{"type":"web_search_result","title":"t","encrypted_content":"§"}"#,
    r#"{"type":"web_search_result_location","encrypted_index":"§"}"#,
    r#"{"type":"encrypted_code_execution_result","encrypted_stdout":"§"}"#,
    r#"{"type":"advisor_redacted_result","encrypted_content":"§"}"#,
    r#"{"type":"compaction","content":"c","encrypted_content":"§","signature":"§"}"#,
    r#"{"type":"program","code":"c","fingerprint":"§"}"#,
    r#"{"type":"agent_message","content":[{"type":"encrypted_content","encrypted_content":"§"}]}"#,
    r#"{"type":"message","role":"assistant","encrypted_content":"§","content":"hello"}"#,
    r#"{"type":"thinking","thinking":"¶","thinkingSignature":"§"}"#,
    r#"{"type":"thinking","thinking":[{"type":"text","text":"¶"}]}"#,
    r#"{"type":"reasoning","text":"¶","metadata":{"openai":{"itemId":"rs_1","reasoningEncryptedContent":"§"}}}"#,
    r#"{"type":"reasoning","text":"¶","providerMetadata":{"anthropic":{"signature":"§"}}}"#,
    r#"{"type":"reasoning","text":"¶","providerOptions":{"anthropic":{"redactedData":"§"}}}"#,
    r#"{"type":"tool-call","providerMetadata":{"google":{"thoughtSignature":"§"}}}"#,
    r#"{"type":"assistant.message","data":{"reasoningText":"¶","reasoningOpaque":"§","encryptedContent":"§"}}"#,
    r#"{"part_kind":"thinking","content":"¶","id":"rs_1","signature":"§"}"#,
    r#"{"channels":{"reasoning":[{"type":"text","text":"¶"}]}}"#,
    r#"{"functionCall":{"name":"f","args":{},"thoughtSignature":"§"}}"#,
    r#"{"functionCall":{"name":"f"},"thought_signature":"§"}"#,
    r#"{"extra_content":{"google":{"thought_signature":"§"}}}"#,
    r#"{"provider_specific_fields":{"thought_signatures":["§"]}}"#,
    r#"{"thought":true,"text":"¶"}"#,
    r#"{"type":"gemini","content":"c","thoughts":[{"subject":"¶","description":"¶"}]}"#,
    r#"{"type":"agent_reasoning","text":"¶"}"#,
    r#"{"type":"thinking.done","text":"¶","fidelity":{"signature":"§"}}"#,
    r#"{"type":"tool_call.done","fidelity":{"thought_signature":"§"}}"#,
    r#"{"type":"thought_summary","content":{"type":"text","text":"¶"}}"#,
    r#"{"type":"thought_signature","signature":"§"}"#,
    r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"signature":"§"}}}}"#,
    r#"{"contentBlockDelta":{"delta":{"reasoningContent":{"text":"¶"}}}}"#,
    r#"{"type":"redactedThinking","data":"§"}"#,
    r#"{"thinking_blocks":[{"type":"thinking","thinking":"¶","signature":"§"}]}"#,
    r#"{"choices":[{"delta":{"reasoning_content":"¶"}}]}"#,
    r#"{"message":{"role":"assistant","reasoning":"¶","reasoning_details":[{"type":"reasoning.encrypted","data":"§"}]}}"#,
    r#"{"type":"think","think":"¶","encrypted":"§"}"#,
    r#"{"role":"assistant","channel":"analysis","content":"¶"}"#,
    r#"{"id":"rs_1","summary":[{"text":"¶","type":"summary_text"}],"encrypted_content":"§"}"#,
    r#"{"continuation_token":"§"}"#,
];

fn fill(body: &'static ObjectSpec) -> Value {
    Value::Object(fill_all(body.fields))
}

fn fill_all(fields: &'static [FieldSpec]) -> serde_json::Map<String, Value> {
    let filled = |field: &'static FieldSpec| match field.kind {
        Kind::Tag(tag) => json!(tag),
        Kind::Id | Kind::Label => json!("rs_1"),
        Kind::Text => json!(TEXT),
        Kind::Opaque(_) => json!(STATE),
        Kind::Parts(parts) => {
            let part = |part: &PartSpec| {
                let mut filled = fill_all(part.fields);
                filled.insert("type".to_owned(), json!(part.tag));
                Value::Object(filled)
            };
            json!(parts.iter().map(part).collect::<Vec<_>>())
        }
        Kind::Object(inner) => fill(inner),
        Kind::Integer => json!(7),
        Kind::Flag => json!(true),
        Kind::Json => json!({"n": 1}),
    };
    fields.iter().map(|field| (field.name.to_owned(), filled(field))).collect()
}

/// Every place of every wire.
pub fn carriers() -> Vec<Value> {
    let items = schema::items().map(|item| fill(&item.body));
    items.chain(CARRIERS.iter().map(|text| serde_json::from_str(text).unwrap())).collect()
}
