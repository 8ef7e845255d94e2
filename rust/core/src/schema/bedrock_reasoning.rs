//! The `reasoningContent` block of Bedrock Converse: signed text, or bytes that only the provider can read.
//!
//! Source: botocore 1.44.8 service model. `text` is required, also when it is empty. `redactedContent` is `bytes` in
//! Python and standard base64 on the wire.

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec, Rule};

static REASONING_TEXT: ObjectSpec = ObjectSpec {
    fields: &[
        FieldSpec::new("text", Kind::Text),
        FieldSpec::new("signature", Kind::Opaque(Encoding::Text)).omit_if_empty(),
    ],
    rules: &[],
};

static REASONING_CONTENT: ObjectSpec = ObjectSpec {
    fields: &[
        FieldSpec::new("reasoningText", Kind::Object(&REASONING_TEXT)).optional(),
        FieldSpec::new("redactedContent", Kind::Opaque(Encoding::Blob)).omit_if_empty(),
    ],
    rules: &[Rule::OneOf(&["reasoningText", "redactedContent"])],
};

/// One reasoning block.
pub static BLOCK: ItemSpec = ItemSpec {
    wire: "bedrock-converse",
    kind: "reasoning",
    body: ObjectSpec { fields: &[FieldSpec::new("reasoningContent", Kind::Object(&REASONING_CONTENT))], rules: &[] },
    ignored: &[],
    lifecycle: false,
};
