//! Blocks of Anthropic Messages, as Claude Code and fast-agent keep them.

use super::openai::{At, Place, state_of};
use super::walk;
use crate::error::Result;
use crate::item::Item;
use crate::json::Lexer;
use crate::measure::Tally;
use std::borrow::Cow;

/// A content block: what tells its kind, and its state if it has any.
#[derive(Default)]
pub struct Block<'a> {
    kind: Option<Cow<'a, str>>,
    thinking: Option<&'a str>,
    signature: Option<&'a str>,
    data: Option<&'a str>,
    others: Vec<Cow<'a, str>>,
}

impl<'a> Block<'a> {
    /// Reads the block that begins here.
    pub fn read(lexer: &mut Lexer<'a>) -> Result<Self> {
        let mut block = Block::default();
        walk::entries(lexer, |key, lexer| {
            let value = walk::skip(lexer)?;
            match key.as_ref() {
                "type" => block.kind = walk::text(value),
                "thinking" => block.thinking = Some(value),
                "signature" => block.signature = Some(value),
                "data" => block.data = Some(value),
                "cache_control" => {} // a marker of requests, no part of the block
                _ => block.others.push(key),
            }
            Ok(())
        })?;
        Ok(block)
    }

    /// The block of an item whose places are known.
    pub fn of_item(item: Item<'a>) -> Self {
        Block {
            kind: item.spec().tag().map(Cow::Borrowed),
            thinking: item.raw("thinking"),
            signature: item.raw("signature"),
            data: item.raw("data"),
            others: Vec::new(),
        }
    }

    /// Whether it is the result of a tool.
    pub fn is_tool_result(&self) -> bool {
        self.kind.as_deref() == Some("tool_result")
    }

    /// Its wire and kind, and the text of its state, if it is of a kind that carries state.
    fn state(&self) -> Option<(&'static str, Option<&'a str>)> {
        match self.kind.as_deref() {
            Some("thinking") => Some((THINKING, self.signature)),
            Some("redacted_thinking") => Some(("anthropic.redacted_thinking", self.data)),
            _ => None,
        }
    }

    /// Whether it is of a kind that carries state.
    pub fn carries_state(&self) -> bool {
        self.state().is_some()
    }

    /// Counts the block if it carries state; gives the bytes of it.
    pub fn count(&self, record: &str, tally: &mut Tally) -> u64 {
        let Some((kind, state)) = self.state() else { return 0 };
        tally.items.add(kind, 1);
        let state = state.and_then(walk::text);
        state_of(kind, None, state.as_deref(), At { place: Place::Item, record }, tally);
        self.others.iter().for_each(|field| tally.unknown_field(kind, field));
        if kind == THINKING {
            let text = self.thinking.and_then(walk::text).unwrap_or_default();
            tally.text.thinking_blocks += 1;
            tally.text.thinking_empty += u64::from(text.is_empty());
            tally.text.thinking_bytes += text.len() as u64;
            if !text.is_empty() {
                tally.display.replayed(&text);
            }
        }
        state.map_or(0, |text| text.len() as u64)
    }
}

const THINKING: &str = "anthropic.thinking";
