//! Exports of this library (`docs/export.md`): a mark, and behind it turns with the items of their wire, or a session.

use super::openai::{At, Fields, Place};
use super::ostinato_session::Record;
use super::{Format, Head, anthropic, items, walk};
use crate::error::Result;
use crate::json::{Lexer, Sort};
use crate::measure::{Finger, Group, Tally};
use std::borrow::Cow;

/// The format, of which there are two: with state, and without.
pub struct OstinatoExport {
    /// Whether marks stand in place of state. Its items are not looked at: there is nothing to send again.
    pub redacted: bool,
}

/// The key of the first line.
const MARK: &str = "ostinato";

impl Format for OstinatoExport {
    fn name(&self) -> &'static str {
        if self.redacted { "ostinato_redacted_export" } else { "ostinato_export" }
    }

    fn recognises(&self, head: &Head<'_>) -> bool {
        let mark = head.values.first().and_then(|keys| keys.get(MARK)).filter(|mark| mark.starts_with('{'));
        mark.map(super::head::Keys::of).is_some_and(|mark| {
            mark.has(&["export", "resumable"]) && self.redacted != (mark.get("resumable") == Some("true"))
        })
    }

    fn record(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
        let mut turn = Turn::default();
        // What is no line of an export is one of the session in it.
        let mut line = Record::default();
        let mut mark = false;
        walk::entries(lexer, |key, lexer| match key.as_ref() {
            MARK => {
                mark = true;
                walk::skip(lexer).map(drop)
            }
            "role" => {
                turn.role = walk::string(lexer)?.map(walk::decoded);
                Ok(())
            }
            "usage" => {
                let tokens = &mut turn.tokens;
                walk::entries(lexer, |name, lexer| {
                    let count = walk::number(walk::skip(lexer)?).filter(|_| TOKENS.contains(&name.as_ref()));
                    *tokens = count.or(*tokens);
                    Ok(())
                })
            }
            "items" if lexer.peek()? == Sort::Array => {
                turn.is_one = true;
                walk::elements(lexer, |lexer| turn.item(walk::skip(lexer)?, self.redacted, tally))
            }
            key => line.read(key, lexer),
        })?;
        if mark {
            tally.record_types.add("mark", 1);
        } else if turn.is_one {
            tally.record_types.add_found(line.kind().unwrap_or("None"), 1);
            turn.count(tally);
        } else {
            line.count(tally);
            let named = line.session().filter(|_| line.kind() == Some("head"));
            tally.sessions.extend(named.map(Finger::of));
        }
        Ok(())
    }
}

/// The turn of an export.
#[derive(Default)]
struct Turn<'a> {
    role: Option<Cow<'a, str>>,
    tokens: Option<u64>,
    /// Whether the line has items, as the line of a turn does.
    is_one: bool,
    /// Whether there are results of tools among them.
    results: bool,
    group: Group,
}

const RECORD: &str = "turn";
/// What a turn's tokens of reasoning are called: by this library, by OpenAI, by Codex.
const TOKENS: &[&str] = &["thoughts_tokens", "reasoning_tokens", "reasoning_output_tokens"];

impl Turn<'_> {
    fn item(&mut self, raw: &str, redacted: bool, tally: &mut Tally) -> Result<()> {
        let native = Native::read(raw)?;
        self.results |= native.is_result();
        if !redacted {
            self.group.add(native.count(tally)?);
        }
        Ok(())
    }

    fn count(&self, tally: &mut Tally) {
        tally.messages += 1;
        tally.tokens.several(self.tokens.unwrap_or_default(), u64::from(self.tokens.is_some()));
        match self.role.as_deref() {
            Some("assistant" | "model") => tally.main.output(Group { outputs: 1, ..self.group }),
            role => {
                tally.main.output(Group { outputs: 0, ..self.group });
                tally.main.input(role == Some("user") && !self.results);
            }
        }
    }
}

/// An item of any wire: what tells its kind, and the lists that state stands in.
#[derive(Default)]
struct Native<'a> {
    raw: &'a str,
    kind: Option<Cow<'a, str>>,
    signed: bool,
    parts: Option<&'a str>,
    content: Option<&'a str>,
    details: Option<&'a str>,
    /// Whether there is reasoning text beside what a chat message says.
    reasons: bool,
}

impl<'a> Native<'a> {
    fn read(raw: &'a str) -> Result<Self> {
        let mut native = Native { raw, ..Native::default() };
        walk::entries(&mut Lexer::new(raw), |key, lexer| {
            let value = walk::skip(lexer)?;
            match key.as_ref() {
                "type" => native.kind = walk::text(value),
                "signature" => native.signed = walk::filled(value),
                "parts" => native.parts = Some(value),
                "content" => native.content = Some(value),
                "reasoning_details" => native.details = Some(value).filter(|value| walk::filled(value)),
                "reasoning_content" | "reasoning" => native.reasons |= value.starts_with('"') && walk::filled(value),
                _ => {}
            }
            Ok(())
        })?;
        Ok(native)
    }

    /// Whether it is the result of a tool: of Responses, Messages, Gemini or Converse.
    fn is_result(&self) -> bool {
        let inside = |list: Option<&str>, name: &str| list.is_some_and(|list| list.contains(name));
        self.kind.as_deref().is_some_and(|kind| kind.ends_with("_output") || kind == "function_result")
            || inside(self.content, "\"tool_result\"")
            || inside(self.content, "\"toolResult\"")
            || inside(self.parts, "\"functionResponse\"")
    }

    fn count(&self, tally: &mut Tally) -> Result<Group> {
        let mut group = Group::default();
        each(self.parts, |part| {
            if has(part, &["thoughtSignature", "thought_signature"])? {
                group.add(items::native("gemini-generate-content", part, RECORD, tally));
            }
            Ok(())
        })?;
        each(self.content, |block| {
            if has(block, &["reasoningContent"])? {
                group.add(items::native("bedrock-converse", block, RECORD, tally));
            }
            group.state += anthropic::Block::read(&mut Lexer::new(block))?.count(RECORD, tally);
            Ok(())
        })?;
        each(self.details, |block| {
            group.add(items::native("openai-chat", block, RECORD, tally));
            Ok(())
        })?;
        match self.kind.as_deref() {
            Some("thought") if self.signed => group.add(items::native("gemini-interactions", self.raw, RECORD, tally)),
            None if self.details.is_none() && self.reasons => {
                group.add(items::native("openai-chat", self.raw, RECORD, tally));
            }
            _ => {
                let at = At { place: Place::Item, record: RECORD };
                group.add(Fields::of(&mut Lexer::new(self.raw))?.count(at, tally));
            }
        }
        Ok(group)
    }
}

/// Visits the text of each object in a list, where there is one.
fn each(list: Option<&str>, mut visit: impl FnMut(&str) -> Result<()>) -> Result<()> {
    walk::elements(&mut Lexer::new(list.unwrap_or("[]")), |lexer| {
        lexer.space();
        let object = lexer.peek()? == Sort::Object;
        let raw = walk::skip(lexer)?;
        if object { visit(raw) } else { Ok(()) }
    })
}

/// Whether an object has one of these keys, with something in it.
fn has(object: &str, names: &[&str]) -> Result<bool> {
    let mut found = false;
    walk::entries(&mut Lexer::new(object), |key, lexer| {
        let value = walk::skip(lexer)?;
        found |= names.contains(&key.as_ref()) && walk::filled(value);
        Ok(())
    })?;
    Ok(found)
}
