//! The `compaction` item of OpenAI Responses: a conversation folded into ciphertext.
//!
//! Sources: `ResponseCompactionItem` of openai 2.53.0 to 3.57.0 (`created_by` is output only); fast-agent 0.10.48.

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec};

const TYPE: FieldSpec = FieldSpec::new("type", Kind::Tag("compaction"));
const ID: FieldSpec = FieldSpec::new("id", Kind::Id);
const STATE: FieldSpec = FieldSpec::new("encrypted_content", Kind::Opaque(Encoding::Text));

const fn item(fields: &'static [FieldSpec]) -> ItemSpec {
    let body = ObjectSpec { fields, rules: &[] };
    ItemSpec {
        wire: "openai-responses",
        kind: "compaction",
        body,
        ignored: &["status", "created_by"],
        lifecycle: false,
    }
}

/// OpenAI: the id is required.
pub static ITEM: ItemSpec = item(&[TYPE, ID, STATE]);

/// Codex rollouts store compaction items without one.
pub static WITHOUT_ID: ItemSpec = item(&[TYPE, ID.omit_if_empty(), STATE]);
