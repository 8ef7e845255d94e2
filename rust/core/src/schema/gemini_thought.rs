//! A part of Gemini generateContent that carries a thought signature.
//!
//! Sources: google-genai 1.75.0, 2.34.0, 3.6.1 `Part`; ai.google.dev thought-signatures: a signature goes back in the
//! very part it came with, so the part is kept whole. The signature is bytes; clients spell it in both alphabets.

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec};

/// A signed part of any kind.
pub static PART: ItemSpec = ItemSpec {
    wire: "gemini-generate-content",
    kind: "part",
    body: ObjectSpec {
        fields: &[
            FieldSpec::new("thought", Kind::Flag).optional(),
            FieldSpec::new("text", Kind::Text).optional(),
            FieldSpec::new("functionCall", Kind::Json).optional().or(&["function_call"]),
            FieldSpec::new("functionResponse", Kind::Json).optional().or(&["function_response"]),
            FieldSpec::new("inlineData", Kind::Json).optional().or(&["inline_data"]),
            FieldSpec::new("fileData", Kind::Json).optional().or(&["file_data"]),
            FieldSpec::new("executableCode", Kind::Json).optional().or(&["executable_code"]),
            FieldSpec::new("codeExecutionResult", Kind::Json).optional().or(&["code_execution_result"]),
            FieldSpec::new("toolCall", Kind::Json).optional().or(&["tool_call"]),
            FieldSpec::new("toolResponse", Kind::Json).optional().or(&["tool_response"]),
            FieldSpec::new("videoMetadata", Kind::Json).optional().or(&["video_metadata"]),
            FieldSpec::new("thoughtSignature", Kind::Opaque(Encoding::Base64)).or(&["thought_signature"]),
        ],
        rules: &[],
    },
    ignored: &[],
    lifecycle: false,
};
