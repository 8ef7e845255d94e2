//! Transcripts of Claude Code: one record on a line, one response spread over several of them.

use super::anthropic::Block;
use super::head::Keys;
use super::{Format, Head, walk};
use crate::error::Result;
use crate::json::{Lexer, Sort};
use crate::measure::{Finger, Group, Tally};
use std::borrow::Cow;

/// The format.
pub struct ClaudeCode;

/// Records that have no `parentUuid` and name their session.
const WITHOUT_PARENT: &[&str] =
    &["queue-operation", "last-prompt", "ai-title", "custom-title", "permission-mode", "mode"];

impl Format for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude_code"
    }

    fn recognises(&self, head: &Head<'_>) -> bool {
        // Qwen Code writes the same frame around messages of Gemini's shape.
        let of_gemini = head
            .any(|keys| keys.object("message") && Keys::of(keys.get("message").unwrap_or_default()).has(&["parts"]));
        !of_gemini
            && head.any(|keys| {
                keys.has(&["parentUuid"])
                    || keys.says("type", &["summary"]) && keys.has(&["leafUuid"])
                    || keys.says("type", &["file-history-snapshot"])
                    || keys.says("type", WITHOUT_PARENT) && keys.has(&["sessionId"])
            })
    }

    fn record(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
        Record::read(lexer)?.count(tally);
        Ok(())
    }
}

/// The fields of a record that say what it is.
#[derive(Default)]
struct Record<'a> {
    kind: Option<Cow<'a, str>>,
    subtype: Option<Cow<'a, str>>,
    uuid: Option<Cow<'a, str>>,
    session: Option<Cow<'a, str>>,
    sidechain: bool,
    /// Made by the program, not by its user: a notice, a summary of what was compacted.
    made: bool,
    message: Option<Message<'a>>,
}

impl<'a> Record<'a> {
    fn read(lexer: &mut Lexer<'a>) -> Result<Self> {
        let mut record = Record::default();
        walk::entries(lexer, |key, lexer| {
            if key == "message" && lexer.peek()? == Sort::Object {
                record.message = Some(Message::read(lexer)?);
                return Ok(());
            }
            let value = walk::skip(lexer)?;
            match key.as_ref() {
                "type" => record.kind = walk::text(value),
                "subtype" => record.subtype = walk::text(value),
                "uuid" => record.uuid = walk::text(value),
                "sessionId" => record.session = walk::text(value).filter(|id| !id.is_empty()),
                "isSidechain" => record.sidechain = value == "true",
                "isMeta" | "isCompactSummary" => record.made |= value == "true",
                _ => {}
            }
            Ok(())
        })?;
        Ok(record)
    }

    fn count(&self, tally: &mut Tally) {
        let kind = self.kind.as_deref().unwrap_or("None");
        tally.record_types.add_found(kind, 1);
        tally.sidechain_records += u64::from(self.sidechain);
        self.uuid.iter().for_each(|uuid| tally.uuid(uuid));
        tally.sessions.extend(self.session.as_deref().map(Finger::of));
        if kind == "system" && self.subtype.as_deref() == Some("compact_boundary") {
            tally.flow(self.sidechain).reset(Group::default());
        }
        let Some(message) = &self.message else { return };
        let state = message.blocks.iter().map(|block| block.count(kind, tally)).sum();
        match kind {
            "assistant" => {
                message.count_response(tally);
                tally.flow(self.sidechain).output(Group { outputs: 1, state, ..Group::default() });
            }
            "user" => tally.flow(self.sidechain).input(message.text && !message.tool_result && !self.made),
            _ => {}
        }
    }
}

/// The fields of a message.
#[derive(Default)]
struct Message<'a> {
    id: Option<Cow<'a, str>>,
    reasoning_tokens: Option<u64>,
    text: bool,
    tool_result: bool,
    /// The blocks that carry state.
    blocks: Vec<Block<'a>>,
}

impl<'a> Message<'a> {
    fn read(lexer: &mut Lexer<'a>) -> Result<Self> {
        let mut message = Message::default();
        walk::entries(lexer, |key, lexer| {
            match key.as_ref() {
                "id" => message.id = walk::text(walk::skip(lexer)?).filter(|id| !id.is_empty()),
                "usage" => message.reasoning_tokens = reasoning_tokens(lexer)?,
                "content" if lexer.peek()? == Sort::Array => walk::elements(lexer, |lexer| {
                    let block = Block::read(lexer)?;
                    message.tool_result |= block.is_tool_result();
                    message.text |= !block.is_tool_result();
                    message.blocks.extend(Some(block).filter(Block::carries_state));
                    Ok(())
                })?,
                "content" => message.text = walk::filled(walk::skip(lexer)?),
                _ => drop(walk::skip(lexer)?),
            }
            Ok(())
        })?;
        Ok(message)
    }

    fn count_response(&self, tally: &mut Tally) {
        let Some(id) = &self.id else { return };
        tally.responses.insert(Finger::of(id));
        if let Some(tokens) = self.reasoning_tokens {
            tally.tokens.of_response(id, tokens);
        }
    }
}

/// `usage.output_tokens_details.thinking_tokens`, which newer versions write.
fn reasoning_tokens(lexer: &mut Lexer<'_>) -> Result<Option<u64>> {
    let mut tokens = None;
    walk::at(lexer, &["output_tokens_details", "thinking_tokens"], &mut tokens)?;
    Ok(tokens.and_then(walk::number))
}
