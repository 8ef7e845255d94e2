//! Blocks of Anthropic Messages, as Claude Code and fast-agent keep them.

use super::openai::{At, Place, state_of};
use super::walk;
use crate::error::Result;
use crate::json::Lexer;
use crate::measure::Tally;
use std::borrow::Cow;

/// What a content block is to the one who counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Whether it is the result of a tool.
    pub tool_result: bool,
    /// Bytes of its state.
    pub state: u64,
}

/// Reads the content block that begins here and counts it if it carries state.
pub fn block(lexer: &mut Lexer<'_>, at: At<'_>, tally: &mut Tally) -> Result<Block> {
    let mut kind = None;
    let mut thinking = None;
    let mut signature = None;
    let mut data = None;
    let mut others: Vec<Cow<'_, str>> = Vec::new();
    walk::entries(lexer, |key, lexer| {
        let value = walk::skip(lexer)?;
        match key.as_ref() {
            "type" => kind = walk::text(value),
            "thinking" => thinking = Some(value),
            "signature" => signature = Some(value),
            "data" => data = Some(value),
            "cache_control" => {} // a marker of requests, no part of the block
            _ => others.push(key),
        }
        Ok(())
    })?;
    let (name, state) = match kind.as_deref() {
        Some("thinking") => ("anthropic.thinking", signature),
        Some("redacted_thinking") => ("anthropic.redacted_thinking", data),
        kind => return Ok(Block { tool_result: kind == Some("tool_result"), state: 0 }),
    };
    let state = state.and_then(walk::text);
    let bytes = state.as_ref().map_or(0, |text| text.len() as u64);
    state_of(None, state.as_deref(), at, tally);
    if at.place == Place::Nested {
        tally.nested.add(name, 1);
        return Ok(Block { tool_result: false, state: bytes });
    }
    tally.items.add(name, 1);
    others.iter().for_each(|field| tally.unknown_field(name, field));
    if name == "anthropic.thinking" {
        let text = thinking.and_then(walk::text).unwrap_or_default();
        tally.text.thinking_blocks += 1;
        tally.text.thinking_empty += u64::from(text.is_empty());
        tally.text.thinking_bytes += text.len() as u64;
        if !text.is_empty() {
            tally.display.replayed(&text);
        }
    }
    Ok(Block { tool_result: false, state: bytes })
}
