//! Rollouts of the Codex CLI: one record on a line, `{timestamp, type, payload}`, or in the oldest the bare item.

use super::openai::{At, Fields, Place};
use super::{Format, Head, walk};
use crate::error::Result;
use crate::json::Lexer;
use crate::measure::{Finger, Group, Tally};
use std::borrow::Cow;

/// The format.
pub struct Codex;

/// Types of records whose payload is an object.
const RECORDS: &[&str] = &[
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication_metadata",
];

impl Format for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn recognises(&self, head: &Head<'_>) -> bool {
        let bare = |keys: &super::head::Keys<'_>| {
            keys.has(&["record_type"]) || keys.has(&["id", "timestamp", "instructions"]) && keys.get("type").is_none()
        };
        head.any(|keys| keys.says("type", RECORDS) && keys.object("payload")) || head.values.first().is_some_and(bare)
    }

    fn record(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
        let mut payload = None;
        let mut bare = Fields::default();
        let mut bare_session = false;
        walk::entries(lexer, |key, lexer| match key.as_ref() {
            "payload" => {
                payload = Some(walk::skip(lexer)?);
                Ok(())
            }
            _ => {
                bare_session |= key == "instructions";
                bare.read(key, lexer)
            }
        })?;
        // Python's name for what is not there, as other readers of these files count it.
        let kind = bare.kind.as_deref().unwrap_or("None");
        tally.record_types.add_found(kind, 1);
        match payload {
            Some(payload) => enveloped(kind, payload, tally),
            None => {
                if bare_session && bare.kind.is_none() {
                    session(bare.id.as_deref(), tally);
                }
                item(&bare, "bare", tally);
                Ok(())
            }
        }
    }
}

fn session(id: Option<&str>, tally: &mut Tally) {
    tally.sessions.extend(id.map(Finger::of));
}

fn enveloped(kind: &str, payload: &str, tally: &mut Tally) -> Result<()> {
    let mut lexer = Lexer::new(payload);
    match kind {
        "response_item" => {
            let fields = Fields::of(&mut lexer)?;
            item(&fields, kind, tally);
        }
        "event_msg" => event(&mut lexer, tally)?,
        "session_meta" => {
            let fields = Fields::of(&mut lexer)?;
            session(fields.id.as_deref(), tally);
        }
        "compacted" => compacted(&mut lexer, kind, tally)?,
        _ => {}
    }
    Ok(())
}

/// What an item is to the conversation.
enum Side {
    /// An input that a user wrote.
    User,
    /// Another input: the result of a tool, an instruction.
    Input,
    /// Written by the model.
    Output,
    /// Neither.
    None,
}

fn side(kind: &str, role: Option<&str>) -> Side {
    match (kind, role) {
        ("message" | "", Some("user")) => Side::User,
        ("message" | "", Some("assistant")) => Side::Output,
        ("message" | "", Some(_)) | ("agent_message" | "tool_result", _) => Side::Input,
        ("reasoning" | "compaction" | "compaction_summary", _) => Side::Output,
        _ if kind.ends_with("_output") => Side::Input,
        _ if kind.ends_with("_call") => Side::Output,
        _ => Side::None,
    }
}

fn item(fields: &Fields<'_>, record: &str, tally: &mut Tally) {
    let group = fields.count(At { place: Place::Item, record }, tally);
    let side = side(fields.kind.as_deref().unwrap_or_default(), fields.role.as_deref());
    match side {
        Side::Output => tally.main.output(Group { outputs: 1, ..group }),
        Side::User | Side::Input => {
            // State in an input (what another agent said) goes with the request.
            if group.state > 0 {
                tally.main.output(Group { outputs: 0, ..group });
            }
            tally.main.input(matches!(side, Side::User));
        }
        Side::None => {}
    }
}

/// Events repeat what items say, to be shown; of the running count of tokens the highest is what was used.
fn event(lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
    let mut kind: Option<Cow<'_, str>> = None;
    let mut text = None;
    let mut info = None;
    walk::entries(lexer, |key, lexer| {
        let value = walk::skip(lexer)?;
        match key.as_ref() {
            "type" => kind = walk::text(value),
            "text" => text = Some(value),
            "info" => info = Some(value),
            _ => {}
        }
        Ok(())
    })?;
    match (kind.as_deref(), text, info) {
        (Some("agent_reasoning" | "agent_reasoning_raw_content"), Some(text), _) => {
            walk::text(text).into_iter().for_each(|text| tally.display.shown(&text));
        }
        (Some("token_count"), _, Some(info)) => {
            let total = walk::at(info, &["total_token_usage", "reasoning_output_tokens"])?;
            total.and_then(walk::number).into_iter().for_each(|total| tally.tokens.running(total));
        }
        _ => {}
    }
    Ok(())
}

/// A history that was folded: what follows is sent after the items that replace it.
fn compacted(lexer: &mut Lexer<'_>, record: &str, tally: &mut Tally) -> Result<()> {
    let mut kept = Group::default();
    walk::entries(lexer, |key, lexer| {
        if key != "replacement_history" {
            return walk::skip(lexer).map(drop);
        }
        walk::elements(lexer, |lexer| {
            tally.replacement_history_items += 1;
            let fields = Fields::of(lexer)?;
            kept.add(fields.count(At { place: Place::Nested, record }, tally));
            Ok(())
        })
    })?;
    tally.main.reset(kept);
    Ok(())
}
