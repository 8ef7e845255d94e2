//! The `thought` step of the Gemini Interactions API.
//!
//! Sources: google-genai 2.34.0 and 3.6.1 `ThoughtStep` (`signature` is a text there and passes unchanged, `summary` may
//! be missing, null or empty); it is base64 of bytes, as on generateContent; ai.google.dev thinking: resend all thought steps exactly as received.

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec, PartSpec};

/// A picture that was made while thinking, as models do that make pictures: `ThoughtSummaryContent` is text or image.
const IMAGE: PartSpec = PartSpec {
    tag: "image",
    fields: &[
        FieldSpec::new("data", Kind::Text).omit_if_empty(),
        FieldSpec::new("mime_type", Kind::Label).omit_if_empty(),
        FieldSpec::new("resolution", Kind::Label).omit_if_empty(),
        FieldSpec::new("uri", Kind::Text).omit_if_empty(),
    ],
};

/// One step of thought.
pub static STEP: ItemSpec = ItemSpec {
    wire: "gemini-interactions",
    kind: "thought",
    body: ObjectSpec {
        fields: &[
            FieldSpec::new("type", Kind::Tag("thought")),
            FieldSpec::new("signature", Kind::Opaque(Encoding::Base64)),
            FieldSpec::new("summary", Kind::Parts(&[PartSpec::of_text("text"), IMAGE])).omit_if_empty(),
        ],
        rules: &[],
    },
    ignored: &[],
    lifecycle: false,
};
