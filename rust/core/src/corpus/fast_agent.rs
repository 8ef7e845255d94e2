//! Saved sessions of fast-agent: one document, `{"messages": [...]}`, with stored records as texts inside channels.

use super::head::Keys;
use super::openai::{At, Fields, Place};
use super::{Format, Head, anthropic, walk};
use crate::envelope;
use crate::error::{Code, Result};
use crate::json::{Lexer, RawStr, Sort};
use crate::limits::Limits;
use crate::measure::{Group, Tally};
use std::borrow::Cow;

/// The format.
pub struct FastAgent;

/// What a channel of a message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Reasoning items of OpenAI Responses, of any generation.
    Reasoning,
    /// Compaction items.
    Compaction,
    /// Every block of an answer of Anthropic: what is replayed.
    Answer,
    /// Its thinking blocks again: replayed only where there is no answer channel.
    Thinking,
    /// Reasoning text to be shown.
    Display,
    /// What the provider says was used.
    Usage,
}

const CHANNELS: &[(&str, Holds)] = &[
    ("openai-reasoning-encrypted", Holds::Reasoning),
    ("openai-compaction-items", Holds::Compaction),
    ("anthropic-assistant-raw-content", Holds::Answer),
    ("anthropic-thinking-raw", Holds::Thinking),
    ("reasoning", Holds::Display),
    ("fast-agent-usage", Holds::Usage),
];

impl Format for FastAgent {
    fn name(&self) -> &'static str {
        "fast_agent"
    }

    fn recognises(&self, head: &Head<'_>) -> bool {
        head.values.first().is_some_and(|keys| {
            let history = keys.get("messages").is_some_and(|list| {
                // Requests of other programs have a list of this name too, but not such messages in it.
                first_elements(list).iter().any(is_message)
                    || list.trim_end().ends_with(']') && !walk::filled(list) && keys.len() == 1
            });
            let session =
                keys.has(&["session_id", "schema_version"]) && (keys.object("continuation") || keys.object("metadata"));
            history || session || is_message(keys)
        })
    }

    fn list(&self) -> Option<&'static str> {
        Some("messages")
    }

    fn session_is_folder(&self) -> bool {
        true
    }

    fn record(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
        let mut alone = Message::default();
        walk::entries(lexer, |key, lexer| {
            if key == "messages" && lexer.peek()? == Sort::Array {
                return walk::elements(lexer, |lexer| self.element(lexer, tally));
            }
            alone.read(&key, lexer)
        })?;
        if alone.role.is_some() {
            alone.count(tally);
        }
        Ok(())
    }

    fn element(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
        let mut message = Message::default();
        walk::entries(lexer, |key, lexer| message.read(&key, lexer))?;
        message.count(tally);
        Ok(())
    }
}

fn is_message(keys: &Keys<'_>) -> bool {
    let ours =
        keys.get("channels").is_some_and(|raw| CHANNELS.iter().any(|(name, _)| Keys::of(raw).get(name).is_some()));
    keys.has(&["role"]) && (keys.has(&["is_template"]) || ours) || ours && keys.has(&["content"])
}

/// The keys of the first elements of a list, which may be cut.
fn first_elements(list: &str) -> Vec<Keys<'_>> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(list);
    // An error only says where the list was cut, or that it is none.
    let _cut = walk::elements(&mut lexer, |lexer| {
        lexer.space();
        let start = lexer.pos();
        let result = walk::skip(lexer);
        if found.len() < 4 {
            found.push(Keys::of(list.get(start..).unwrap_or_default()));
        }
        result.map(drop)
    });
    found
}

#[derive(Default)]
struct Message<'a> {
    role: Option<Cow<'a, str>>,
    content: bool,
    results: bool,
    texts: Vec<(usize, RawStr<'a>)>,
}

impl<'a> Message<'a> {
    fn read(&mut self, key: &str, lexer: &mut Lexer<'a>) -> Result<()> {
        match key {
            "role" => self.role = walk::string(lexer)?.map(walk::decoded),
            "content" => self.content = walk::filled(walk::skip(lexer)?),
            "tool_results" => self.results = walk::filled(walk::skip(lexer)?),
            "channels" => {
                walk::entries(lexer, |name, lexer| match CHANNELS.iter().position(|(channel, _)| *channel == name) {
                    Some(channel) => walk::elements(lexer, |lexer| self.block(channel, lexer)),
                    None => walk::skip(lexer).map(drop),
                })?
            }
            _ => drop(walk::skip(lexer)?),
        }
        Ok(())
    }

    /// The text of a text block, or of the text resource embedded in a block.
    fn block(&mut self, channel: usize, lexer: &mut Lexer<'a>) -> Result<()> {
        let texts = &mut self.texts;
        walk::entries(lexer, |key, lexer| {
            if key == "resource" {
                return walk::entries(lexer, |key, lexer| {
                    let text = walk::string(lexer)?;
                    texts.extend(text.filter(|_| key == "text").map(|text| (channel, text)));
                    Ok(())
                });
            }
            let text = walk::string(lexer)?;
            texts.extend(text.filter(|_| key == "text").map(|text| (channel, text)));
            Ok(())
        })
    }

    fn count(&self, tally: &mut Tally) {
        tally.messages += 1;
        let answered = self.texts.iter().any(|(channel, _)| CHANNELS[*channel].1 == Holds::Answer);
        let mut group = Group::default();
        let mut compacted = false;
        for (channel, text) in &self.texts {
            let (name, holds) = CHANNELS[*channel];
            let text = walk::decoded(*text);
            match holds {
                Holds::Reasoning | Holds::Compaction => {
                    compacted |= holds == Holds::Compaction;
                    group.add(stored(&text, name, holds, tally));
                }
                Holds::Answer => group.state += block(&text, name, tally),
                Holds::Thinking => {
                    let state = block(&text, name, tally);
                    group.state += if answered { 0 } else { state };
                }
                Holds::Display => tally.display.shown(&text),
                Holds::Usage => usage(&text, tally),
            }
        }
        self.flow(group, compacted, tally);
    }

    fn flow(&self, group: Group, compacted: bool, tally: &mut Tally) {
        let flow = &mut tally.main;
        match self.role.as_deref() {
            _ if compacted => {
                flow.reset(group);
                flow.input(false);
            }
            Some("assistant") => flow.output(Group { outputs: 1, ..group }),
            _ => {
                // State in an input is replayed like any other.
                flow.output(Group { outputs: 0, ..group });
                flow.input(self.content && !self.results);
            }
        }
    }
}

/// Counts a stored record: what generation it is of, whether it is read, and its item.
fn stored(text: &str, channel: &'static str, holds: Holds, tally: &mut Tally) -> Group {
    let refused = envelope::parse(text, &Limits::default()).err().map(|error| error.code());
    if let Some(code) = refused {
        tally.refused.add(code.slug(), 1);
    }
    if holds == Holds::Reasoning {
        tally.generation.add(generation(refused), 1);
    }
    let Some(mut fields) = item_of(text) else { return Group::default() };
    if fields.kind.is_none() && holds == Holds::Reasoning && fields.has_state() {
        fields.kind = Some(Cow::Borrowed("reasoning")); // fast-agent 0.10.4 to 0.10.11 read it so
    }
    fields.count(At { place: Place::Item, record: channel }, tally)
}

fn generation(refused: Option<Code>) -> &'static str {
    match refused {
        None => "canonical",
        Some(Code::LegacyMinimal) => "minimal",
        Some(Code::LegacySnapshot) => "snapshot",
        Some(Code::SchemaUnknown | Code::VersionUnknown | Code::VersionNotInteger) => "unknown",
        Some(_) => "malformed",
    }
}

/// The item of a stored record: in its envelope, or the record itself.
fn item_of(text: &str) -> Option<Fields<'_>> {
    let mut framed = None;
    let mut bare = Fields::default();
    let mut lexer = Lexer::new(text);
    walk::entries(&mut lexer, |key, lexer| {
        if key == "item" && lexer.peek()? == Sort::Object {
            framed = Some(Fields::of(lexer)?);
            return Ok(());
        }
        bare.read(key, lexer)
    })
    .ok()?;
    Some(framed.unwrap_or(bare))
}

fn block(text: &str, channel: &str, tally: &mut Tally) -> u64 {
    let at = At { place: Place::Item, record: channel };
    match anthropic::block(&mut Lexer::new(text), at, tally) {
        Ok(block) => block.state,
        Err(error) => {
            tally.refused.add(error.code().slug(), 1);
            0
        }
    }
}

/// Tokens of reasoning in each attempt of a message.
fn usage(text: &str, tally: &mut Tally) {
    let read = walk::entries(&mut Lexer::new(text), |key, lexer| {
        if key != "provider_attempts" {
            return walk::skip(lexer).map(drop);
        }
        walk::elements(lexer, |lexer| {
            let attempt = walk::skip(lexer)?;
            let tokens = walk::at(attempt, &["completion", "reasoning"])?.and_then(walk::number);
            tokens.into_iter().for_each(|tokens| tally.tokens.once(tokens));
            Ok(())
        })
    });
    if let Err(error) = read {
        tally.refused.add(error.code().slug(), 1);
    }
}
