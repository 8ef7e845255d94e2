//! The entries of OpenRouter's `reasoning_details`. Their order and `index` are part of what must come back.
//!
//! Source: openrouter 1.3.84 types. `id` and `format` may be null, which is the same as missing.

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec};

const ID: FieldSpec = FieldSpec::new("id", Kind::Id).omit_if_empty();
const FORMAT: FieldSpec = FieldSpec::new("format", Kind::Label).optional();
const INDEX: FieldSpec = FieldSpec::new("index", Kind::Integer).optional();

const fn tag(tag: &'static str) -> FieldSpec {
    FieldSpec::new("type", Kind::Tag(tag))
}

const fn item(kind: &'static str, fields: &'static [FieldSpec]) -> ItemSpec {
    let body = ObjectSpec { fields, rules: &[] };
    ItemSpec { wire: "openai-chat", kind, body, ignored: &[], lifecycle: false }
}

/// Reasoning as text, signed where the model behind it signs.
pub static TEXT: ItemSpec = item(
    "reasoning.text",
    &[
        tag("reasoning.text"),
        FieldSpec::new("text", Kind::Text).optional(),
        FieldSpec::new("signature", Kind::Opaque(Encoding::Text)).omit_if_empty(),
        ID,
        FORMAT,
        INDEX,
    ],
);

/// A summary of the reasoning.
pub static SUMMARY: ItemSpec =
    item("reasoning.summary", &[tag("reasoning.summary"), FieldSpec::new("summary", Kind::Text), ID, FORMAT, INDEX]);

/// Opaque state.
pub static ENCRYPTED: ItemSpec = item(
    "reasoning.encrypted",
    &[tag("reasoning.encrypted"), FieldSpec::new("data", Kind::Opaque(Encoding::Text)), ID, FORMAT, INDEX],
);

/// A tool that the server called while the model was reasoning.
pub static SERVER_TOOL_CALL: ItemSpec = item(
    "reasoning.server_tool_call",
    &[
        tag("reasoning.server_tool_call"),
        FieldSpec::new("tool_name", Kind::Label),
        FieldSpec::new("arguments", Kind::Json).optional(),
        FieldSpec::new("result", Kind::Json).optional(),
        FieldSpec::new("tool_call_id", Kind::Label).omit_if_empty(),
        ID,
        FORMAT,
        INDEX,
    ],
);
