//! `thinking` and `redacted_thinking` of Anthropic Messages.
//!
//! Sources: anthropic 0.125.0, 1.17.0, 2.14.0 types. An empty `thinking` with a signature is normal (display omitted);
//! an empty signature is an unfinished stream.

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec};

const fn item(kind: &'static str, fields: &'static [FieldSpec]) -> ItemSpec {
    let body = ObjectSpec { fields, rules: &[] };
    // cache_control is a marker of requests; the provider does not count it as a change of the block.
    ItemSpec { wire: "anthropic-messages", kind, body, ignored: &["cache_control"], lifecycle: false }
}

/// A signed block of thinking.
pub static THINKING: ItemSpec = item(
    "thinking",
    &[
        FieldSpec::new("type", Kind::Tag("thinking")),
        FieldSpec::new("thinking", Kind::Text),
        FieldSpec::new("signature", Kind::Opaque(Encoding::Text)),
    ],
);

/// A block of which only the provider can read anything.
pub static REDACTED: ItemSpec = item(
    "redacted_thinking",
    &[FieldSpec::new("type", Kind::Tag("redacted_thinking")), FieldSpec::new("data", Kind::Opaque(Encoding::Text))],
);
