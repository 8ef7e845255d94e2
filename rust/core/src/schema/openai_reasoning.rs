//! The `reasoning` item of OpenAI Responses and of the servers that speak its wire.
//!
//! Sources: `ResponseReasoningItem` of openai 2.53.0, 3.3.1, 3.5.0 and 3.57.0 (the same six fields); openrouter 1.3.84
//! `OpenResponsesReasoning` (`format`, `signature`); recorded traffic of open-weight servers (plain `content`).

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec, PartSpec, Rule};

const TYPE: FieldSpec = FieldSpec::new("type", Kind::Tag("reasoning"));
const ID: FieldSpec = FieldSpec::new("id", Kind::Id);
const SUMMARY: FieldSpec = FieldSpec::new("summary", Kind::Parts(&[PartSpec::of_text("summary_text")]));
const STATE: FieldSpec = FieldSpec::new("encrypted_content", Kind::Opaque(Encoding::Text));
const CONTENT: FieldSpec =
    FieldSpec::new("content", Kind::Parts(&[PartSpec::of_text("reasoning_text")])).omit_if_empty();
const FORMAT: FieldSpec = FieldSpec::new("format", Kind::Label).optional();
const SIGNATURE: FieldSpec = FieldSpec::new("signature", Kind::Opaque(Encoding::Text)).omit_if_empty();

const fn item(fields: &'static [FieldSpec], rules: &'static [Rule]) -> ItemSpec {
    let body = ObjectSpec { fields, rules };
    ItemSpec { wire: "openai-responses", kind: "reasoning", body, ignored: &["status"], lifecycle: true }
}

/// OpenAI and Azure: id and ciphertext are required.
pub static STRICT: ItemSpec = item(&[TYPE, ID, SUMMARY, STATE, CONTENT], &[]);

/// xAI, Codex, Copilot: the id may be missing, and none is ever minted.
pub static WITHOUT_ID: ItemSpec = item(&[TYPE, ID.omit_if_empty(), SUMMARY, STATE, CONTENT], &[]);

/// OpenRouter: `format` and `signature` must come back too.
pub static GATEWAY: ItemSpec = item(
    &[TYPE, ID.omit_if_empty(), SUMMARY, STATE.omit_if_empty(), CONTENT, FORMAT, SIGNATURE],
    &[Rule::AnyOf(&["encrypted_content", "signature", "content"])],
);

/// Open-weight servers: the reasoning is plain text in `content`; ciphertext is missing, null or empty.
pub static OPEN_WEIGHTS: ItemSpec = item(
    &[TYPE, ID.omit_if_empty(), SUMMARY, STATE.omit_if_empty(), CONTENT],
    &[Rule::AnyOf(&["encrypted_content", "content"])],
);

/// What a stored item of any of them may hold.
pub static WIDEST: ItemSpec = item(
    &[TYPE, ID.omit_if_empty(), SUMMARY, STATE.omit_if_empty(), CONTENT, FORMAT, SIGNATURE],
    &[Rule::AnyOf(&["encrypted_content", "signature", "content"])],
);
