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
        let mut instructions = false;
        walk::entries(lexer, |key, lexer| {
            if key == "payload" {
                payload = Some(Payload::read(bare.kind.as_deref(), lexer)?);
                return Ok(());
            }
            instructions |= key == "instructions";
            bare.read(key, lexer)
        })?;
        // Python's name for what is not there, as other readers of these files count it.
        let kind = bare.kind.as_deref().unwrap_or("None");
        tally.record_types.add_found(kind, 1);
        match payload {
            // Its type came after it.
            Some(Payload::Other(text)) => Payload::read(Some(kind), &mut Lexer::new(text))?.count(kind, tally)?,
            Some(payload) => payload.count(kind, tally)?,
            None => {
                // The head of the oldest rollouts has no type.
                if instructions && bare.kind.is_none() {
                    tally.sessions.extend(bare.id.as_deref().map(Finger::of));
                }
                item(&bare, "bare", tally);
            }
        }
        Ok(())
    }
}

/// The payload of a record. Nothing is counted before the record has been read to its end.
enum Payload<'a> {
    Item(Fields<'a>),
    Session(Fields<'a>),
    Event(Event<'a>),
    Compacted(&'a str),
    Other(&'a str),
}

impl<'a> Payload<'a> {
    fn read(kind: Option<&str>, lexer: &mut Lexer<'a>) -> Result<Self> {
        Ok(match kind {
            Some("response_item") => Payload::Item(Fields::of(lexer)?),
            Some("session_meta") => Payload::Session(Fields::of(lexer)?),
            Some("event_msg") => Payload::Event(Event::read(lexer)?),
            Some("compacted") => Payload::Compacted(walk::skip(lexer)?),
            _ => Payload::Other(walk::skip(lexer)?),
        })
    }

    fn count(&self, record: &str, tally: &mut Tally) -> Result<()> {
        match self {
            Payload::Item(fields) => item(fields, record, tally),
            Payload::Session(fields) => tally.sessions.extend(fields.id.as_deref().map(Finger::of)),
            Payload::Event(event) => event.count(tally)?,
            Payload::Compacted(text) => compacted(&mut Lexer::new(text), record, tally)?,
            Payload::Other(_) => {}
        }
        Ok(())
    }
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
#[derive(Default)]
struct Event<'a> {
    kind: Option<Cow<'a, str>>,
    text: Option<&'a str>,
    info: Option<&'a str>,
}

impl<'a> Event<'a> {
    fn read(lexer: &mut Lexer<'a>) -> Result<Self> {
        let mut event = Event::default();
        walk::entries(lexer, |key, lexer| {
            let value = walk::skip(lexer)?;
            match key.as_ref() {
                "type" => event.kind = walk::text(value),
                "text" => event.text = Some(value),
                "info" => event.info = Some(value),
                _ => {}
            }
            Ok(())
        })?;
        Ok(event)
    }

    fn count(&self, tally: &mut Tally) -> Result<()> {
        match (self.kind.as_deref(), self.text, self.info) {
            (Some("agent_reasoning" | "agent_reasoning_raw_content"), Some(text), _) => {
                walk::text(text).into_iter().for_each(|text| tally.display.shown(&text));
            }
            (Some("token_count"), _, Some(info)) => {
                let mut total = None;
                walk::at(&mut Lexer::new(info), &["total_token_usage", "reasoning_output_tokens"], &mut total)?;
                total.and_then(walk::number).into_iter().for_each(|total| tally.tokens.running(total));
            }
            _ => {}
        }
        Ok(())
    }
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
