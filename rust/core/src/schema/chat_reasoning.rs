//! The reasoning fields of an assistant message on Chat Completions, and the inline forms of reasoning.
//!
//! Sources: recorded traffic of DeepSeek, Moonshot, Z.ai, Qwen, MiniMax, Groq and OpenRouter; api-docs.deepseek.com
//! thinking_mode and platform.kimi.ai (an empty `reasoning_content` must come back as an empty string).

use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec, Rule};

/// The reasoning of one assistant message, whichever of the three names its server uses.
pub static MESSAGE: ItemSpec = ItemSpec {
    wire: "openai-chat",
    kind: "reasoning",
    body: ObjectSpec {
        fields: &[
            FieldSpec::new("reasoning_content", Kind::Text).optional(),
            FieldSpec::new("reasoning", Kind::Text).optional(),
            FieldSpec::new("encrypted_content", Kind::Opaque(Encoding::Text)).omit_if_empty(),
        ],
        rules: &[Rule::AnyOf(&["reasoning_content", "reasoning", "encrypted_content"])],
    },
    // The rest of an assistant message, which is not reasoning. reasoning_details are items of their own.
    ignored: &[
        "annotations",
        "audio",
        "content",
        "function_call",
        "name",
        "reasoning_details",
        "refusal",
        "role",
        "tool_calls",
    ],
    lifecycle: false,
};

/// A way in which reasoning stands inside the visible text of a message.
#[derive(Debug)]
pub struct InlineForm {
    /// What opens it, at the very beginning of the text.
    pub open: &'static str,
    /// What closes it.
    pub close: &'static str,
}

/// The inline forms that servers use. MiniMax M2, Qwen3 and DeepSeek R1 templates; Gemma and Granite; gpt-oss harmony.
pub static INLINE_FORMS: &[InlineForm] = &[
    InlineForm { open: "<think>", close: "</think>" },
    InlineForm { open: "<thinking>", close: "</thinking>" },
    InlineForm { open: "<reasoning>", close: "</reasoning>" },
    InlineForm { open: "<thought>", close: "</thought>" },
    InlineForm { open: "<|channel|>analysis<|message|>", close: "<|end|>" },
];
