//! The rival: what somebody writes who reads the format with serde, borrowed where it can be, unknown fields refused.

#![allow(missing_docs, dead_code)] // shared by several benches, each using a part

use serde::Deserialize;
use std::borrow::Cow;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame<'a> {
    pub schema: &'a str,
    pub version: u32,
    #[serde(borrow)]
    pub item: Item<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item<'a> {
    pub r#type: &'a str,
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    #[serde(borrow)]
    pub summary: Vec<Part<'a>>,
    #[serde(borrow)]
    pub encrypted_content: Cow<'a, str>,
    #[serde(borrow)]
    pub content: Option<Vec<Part<'a>>>,
}

#[derive(Deserialize)]
pub struct Part<'a> {
    pub r#type: &'a str,
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

/// A fast-agent history, all but the replay channel skipped.
#[derive(Deserialize)]
pub struct History<'a> {
    #[serde(borrow)]
    pub messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
pub struct Message<'a> {
    #[serde(borrow, default)]
    pub channels: Channels<'a>,
}

#[derive(Deserialize, Default)]
pub struct Channels<'a> {
    #[serde(borrow, default, rename = "openai-reasoning-encrypted")]
    pub replay: Vec<Block<'a>>,
}

#[derive(Deserialize)]
pub struct Block<'a> {
    #[serde(borrow)]
    pub text: Cow<'a, str>,
}

/// Valid envelopes in a history.
pub fn count(history: &[u8]) -> Option<usize> {
    let history: History<'_> = serde_json::from_slice(history).ok()?;
    let blocks = history.messages.iter().flat_map(|message| &message.channels.replay);
    Some(blocks.filter(|block| serde_json::from_str::<Frame<'_>>(&block.text).is_ok()).count())
}
