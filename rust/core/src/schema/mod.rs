//! The tables: which items there are, which envelopes hold them, which provider's contract is which.
//! A new version of an envelope is a row here; a new item is a file beside this one and its lines here.

mod anthropic_thinking;
mod bedrock_reasoning;
mod chat_reasoning;
mod gemini_interactions_thought;
mod gemini_thought;
mod openai_compaction;
mod openai_reasoning;
mod openrouter_details;

pub use chat_reasoning::{INLINE_FORMS, InlineForm};

use crate::dedupe::{self, Policy};
use crate::error::{Code, Error, Result};
use crate::spec::ItemSpec;

/// How an envelope is framed around its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// `schema`, `version`, `item` and nothing else.
    Bare,
    /// The same and, before the closing brace, an optional `origin`, which is a text.
    Route,
    /// The same and an optional `origin` object, then the `digest` of the item.
    Sealed,
}

/// One version of one envelope.
#[derive(Debug)]
pub struct Schema {
    /// The value of its `schema` field.
    pub name: &'static str,
    /// The value of its `version` field.
    pub version: i64,
    /// What stands around the item.
    pub frame: Frame,
    /// What stands in it.
    pub item: &'static ItemSpec,
}

/// Name of the envelope that fast-agent 0.10.48 writes for a reasoning item.
pub const FAST_AGENT_REASONING: &str = "fast-agent.openai-responses.reasoning-replay";
/// Name of the envelope that fast-agent 0.10.48 writes for a compaction item.
pub const FAST_AGENT_COMPACTION: &str = "fast-agent.openai-responses.compaction-replay";

const fn sealed(name: &'static str, item: &'static ItemSpec) -> Schema {
    Schema { name, version: 1, frame: Frame::Sealed, item }
}

/// Every envelope that is read. The first row that holds an item is the one it is written in.
pub static SCHEMAS: &[Schema] = &[
    Schema { name: FAST_AGENT_REASONING, version: 1, frame: Frame::Bare, item: &openai_reasoning::STRICT },
    Schema { name: FAST_AGENT_COMPACTION, version: 1, frame: Frame::Route, item: &openai_compaction::ITEM },
    sealed("ostinato.openai-responses.reasoning", &openai_reasoning::WIDEST),
    sealed("ostinato.openai-responses.compaction", &openai_compaction::WITHOUT_ID),
    sealed("ostinato.anthropic-messages.thinking", &anthropic_thinking::THINKING),
    sealed("ostinato.anthropic-messages.redacted_thinking", &anthropic_thinking::REDACTED),
    sealed("ostinato.gemini-generate-content.part", &gemini_thought::PART),
    sealed("ostinato.gemini-interactions.thought", &gemini_interactions_thought::STEP),
    sealed("ostinato.openai-chat.reasoning", &chat_reasoning::MESSAGE),
    sealed("ostinato.openai-chat.reasoning.text", &openrouter_details::TEXT),
    sealed("ostinato.openai-chat.reasoning.summary", &openrouter_details::SUMMARY),
    sealed("ostinato.openai-chat.reasoning.encrypted", &openrouter_details::ENCRYPTED),
    sealed("ostinato.openai-chat.reasoning.server_tool_call", &openrouter_details::SERVER_TOOL_CALL),
    sealed("ostinato.bedrock-converse.reasoning", &bedrock_reasoning::BLOCK),
];

/// One provider's contract for one wire: which rows its items follow, and how repeats are judged.
#[derive(Debug)]
pub struct Provider {
    /// The provider's name.
    pub name: &'static str,
    /// The wire it speaks.
    pub wire: &'static str,
    /// Its items, tried in order: by `type`, the untagged one last.
    pub items: &'static [&'static ItemSpec],
    /// How repeats are judged.
    pub policy: &'static Policy,
}

const RESPONSES: &str = "openai-responses";
const CHAT: &str = "openai-chat";
const MESSAGES: &str = "anthropic-messages";

static STRICT: &[&ItemSpec] = &[&openai_reasoning::STRICT, &openai_compaction::ITEM];
static WITHOUT_ID: &[&ItemSpec] = &[&openai_reasoning::WITHOUT_ID, &openai_compaction::WITHOUT_ID];
static GATEWAY: &[&ItemSpec] = &[&openai_reasoning::GATEWAY, &openai_compaction::WITHOUT_ID];
static OPEN_WEIGHTS: &[&ItemSpec] = &[&openai_reasoning::OPEN_WEIGHTS];
static THINKING: &[&ItemSpec] = &[&anthropic_thinking::THINKING, &anthropic_thinking::REDACTED];
static CHAT_ITEMS: &[&ItemSpec] = &[
    &openrouter_details::TEXT,
    &openrouter_details::SUMMARY,
    &openrouter_details::ENCRYPTED,
    &openrouter_details::SERVER_TOOL_CALL,
    &chat_reasoning::MESSAGE,
];
static PART: &[&ItemSpec] = &[&gemini_thought::PART];
static STEP: &[&ItemSpec] = &[&gemini_interactions_thought::STEP];
static CONVERSE: &[&ItemSpec] = &[&bedrock_reasoning::BLOCK];

const fn row(
    name: &'static str,
    wire: &'static str,
    items: &'static [&'static ItemSpec],
    policy: &'static Policy,
) -> Provider {
    Provider { name, wire, items, policy }
}

/// Every known contract. The first row of a wire is its default.
/// Sources: openai 2.53.0 to 3.57.0 types; docs.x.ai troubleshooting-reasoning (its example has no id); Codex rollouts
/// 0.34 to 0.106 (no id at all); openrouter 1.3.84 types (`format`, `signature`); vLLM, llama.cpp and LM Studio traffic.
pub static PROVIDERS: &[Provider] = &[
    row("openai", RESPONSES, STRICT, &dedupe::RE_ENCRYPTS),
    row("azure", RESPONSES, STRICT, &dedupe::RE_ENCRYPTS),
    row("codex", RESPONSES, WITHOUT_ID, &dedupe::RE_ENCRYPTS),
    row("copilot", RESPONSES, WITHOUT_ID, &dedupe::RE_ENCRYPTS),
    row("xai", RESPONSES, WITHOUT_ID, &dedupe::EXACT),
    row("openrouter", RESPONSES, GATEWAY, &dedupe::EXACT),
    row("deepseek", RESPONSES, OPEN_WEIGHTS, &dedupe::EXACT),
    row("vllm", RESPONSES, OPEN_WEIGHTS, &dedupe::EXACT),
    row("llama.cpp", RESPONSES, OPEN_WEIGHTS, &dedupe::EXACT),
    row("lm-studio", RESPONSES, OPEN_WEIGHTS, &dedupe::EXACT),
    row("open-responses", RESPONSES, OPEN_WEIGHTS, &dedupe::EXACT),
    row("anthropic", MESSAGES, THINKING, &dedupe::POSITIONAL),
    row("bedrock", MESSAGES, THINKING, &dedupe::POSITIONAL),
    row("vertex", MESSAGES, THINKING, &dedupe::POSITIONAL),
    row("gemini", "gemini-generate-content", PART, &dedupe::POSITIONAL),
    row("vertex", "gemini-generate-content", PART, &dedupe::POSITIONAL),
    row("gemini", "gemini-interactions", STEP, &dedupe::POSITIONAL),
    row("vertex", "gemini-interactions", STEP, &dedupe::POSITIONAL),
    row("openrouter", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("deepseek", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("moonshot", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("zai", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("minimax", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("qwen", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("vllm", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("xai", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("groq", CHAT, CHAT_ITEMS, &dedupe::POSITIONAL),
    row("bedrock", "bedrock-converse", CONVERSE, &dedupe::POSITIONAL),
];

/// The contract of a provider on a wire; the wire's default where no provider is named.
pub fn provider(wire: &str, name: Option<&str>) -> Result<&'static Provider> {
    let mut rows = PROVIDERS.iter().filter(|row| row.wire == wire).peekable();
    if rows.peek().is_none() {
        return Err(Error::new(Code::UnknownWire));
    }
    match name {
        None => rows.next(),
        Some(name) => rows.find(|row| row.name == name),
    }
    .ok_or_else(|| Error::new(Code::UnknownProvider))
}

/// The items of a wire in their widest contract: what a stored history may hold.
pub fn items() -> impl Iterator<Item = &'static ItemSpec> {
    SCHEMAS.iter().filter(|schema| schema.frame == Frame::Sealed).map(|schema| schema.item)
}
