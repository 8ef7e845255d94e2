//! Saved sessions of fast-agent: one document, `{"messages": [...]}`, with stored records as texts inside channels.

use super::head::Keys;
use super::openai::{At, Fields, Place};
use super::{Format, Head, anthropic, openai, stored, walk};
use crate::envelope::{self, Envelope};
use crate::error::{Code, Error, Result};
use crate::item::Item;
use crate::json::{Lexer, RawStr, Sort};
use crate::limits::Limits;
use crate::measure::{Group, Tally};
use crate::payload::Parts;
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
    texts: Vec<(usize, Text<'a>)>,
}

/// The text of a block.
enum Text<'a> {
    /// As it is written in the file.
    Raw(RawStr<'a>),
    /// A canonical envelope of a reasoning item, read already.
    Canonical(Parts<'a>),
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
        walk::entries(lexer, |key, lexer| match key.as_ref() {
            "text" => {
                texts.extend(text(CHANNELS[channel].1, lexer)?.map(|text| (channel, text)));
                Ok(())
            }
            "resource" => walk::entries(lexer, |key, lexer| {
                let text = walk::string(lexer)?.filter(|_| key == "text");
                texts.extend(text.map(|text| (channel, Text::Raw(text))));
                Ok(())
            }),
            _ => walk::skip(lexer).map(drop),
        })
    }

    fn count(&self, tally: &mut Tally) {
        tally.messages += 1;
        let answered = self.texts.iter().any(|(channel, _)| CHANNELS[*channel].1 == Holds::Answer);
        let mut group = Group::default();
        let mut compacted = false;
        let mut buffer = String::new();
        for (channel, text) in &self.texts {
            let (name, holds) = CHANNELS[*channel];
            let text = match text {
                Text::Raw(text) if holds == Holds::Usage && usage_in_place(text.raw, tally).is_some() => continue,
                Text::Raw(text) => walk::decoded_in(*text, &mut buffer),
                Text::Canonical(parts) => {
                    tally.generation.add("canonical", 1);
                    group.add(openai::canonical(parts, name, tally));
                    continue;
                }
            };
            match holds {
                Holds::Reasoning | Holds::Compaction => {
                    compacted |= holds == Holds::Compaction;
                    group.add(record(text, name, holds, tally));
                }
                Holds::Answer => group.state += block(text, name, tally),
                Holds::Thinking => {
                    let state = block(text, name, tally);
                    group.state += if answered { 0 } else { state };
                }
                Holds::Display => tally.display.shown(text),
                Holds::Usage => usage(text, tally),
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

/// The text that begins here.
fn text<'a>(holds: Holds, lexer: &mut Lexer<'a>) -> Result<Option<Text<'a>>> {
    let in_place = holds == Holds::Reasoning && lexer.peek()? == Sort::String;
    if let Some((parts, end)) = in_place.then(|| stored::read(lexer.text(), lexer.pos() + 1)).flatten() {
        lexer.jump(end);
        return Ok(Some(Text::Canonical(parts)));
    }
    Ok(walk::string(lexer)?.map(Text::Raw))
}

/// Counts a stored record: what generation it is of, whether it is read, and its item.
fn record(text: &str, channel: &'static str, holds: Holds, tally: &mut Tally) -> Group {
    let read = envelope::parse(text, &Limits::default());
    let refused = read.as_ref().err().map(Error::code);
    if let Some(code) = refused {
        tally.refused.add(code.slug(), 1);
    }
    if holds == Holds::Reasoning {
        tally.generation.add(generation(refused), 1);
    }
    let at = At { place: Place::Item, record: channel };
    match read {
        // Read in place: the text is as it would be written, and where its fields are is known.
        Ok(Envelope { text: Cow::Borrowed(text), view, .. }) => {
            Fields::of_item(Item::new(text, &view)).count(at, tally)
        }
        _ => item_of(text, holds).map_or_else(Group::default, |fields| fields.count(at, tally)),
    }
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
fn item_of(text: &str, holds: Holds) -> Option<Fields<'_>> {
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
    let mut fields = framed.unwrap_or(bare);
    if fields.kind.is_none() && holds == Holds::Reasoning && fields.has_state() {
        fields.kind = Some(Cow::Borrowed("reasoning")); // fast-agent 0.10.4 to 0.10.11 read it so
    }
    Some(fields)
}

fn block(text: &str, channel: &str, tally: &mut Tally) -> u64 {
    match anthropic::Block::read(&mut Lexer::new(text)) {
        Ok(block) => block.count(channel, tally),
        Err(error) => {
            tally.refused.add(error.code().slug(), 1);
            0
        }
    }
}

/// The same as [`usage`], from the text as it is written in the file: nothing if it is not as fast-agent writes it.
fn usage_in_place(raw: &str, tally: &mut Tally) -> Option<()> {
    const ATTEMPT: &str = r#"\"provider\": "#;
    const COMPLETION: &str = r#"\"completion\": "#;
    const REASONING: &str = r#"\"reasoning\": "#;
    let (mut attempts, mut completions, mut sum, mut reports) = (0, 0, 0, 0);
    for at in memchr::memchr_iter(b'{', raw.as_bytes()) {
        let (before, object) = (&raw[..at], &raw[at + 1..]);
        attempts += u64::from(object.starts_with(ATTEMPT));
        if before.ends_with(COMPLETION) {
            completions += 1;
            let object = &object[..memchr::memchr(b'}', object.as_bytes())?];
            let tokens = object.split(", ").find_map(|field| field.strip_prefix(REASONING))?;
            if tokens != "null" {
                sum += walk::number(tokens)?;
                reports += 1;
            }
        }
    }
    (attempts > 0 && attempts == completions).then(|| tally.tokens.several(sum, reports))
}

/// Tokens of reasoning in each attempt of a message.
fn usage(text: &str, tally: &mut Tally) {
    let read = walk::entries(&mut Lexer::new(text), |key, lexer| {
        if key != "provider_attempts" {
            return walk::skip(lexer).map(drop);
        }
        walk::elements(lexer, |lexer| {
            let mut tokens = None;
            walk::at(lexer, &["completion", "reasoning"], &mut tokens)?;
            tokens.and_then(walk::number).into_iter().for_each(|tokens| tally.tokens.several(tokens, 1));
            Ok(())
        })
    });
    if let Err(error) = read {
        tally.refused.add(error.code().slug(), 1);
    }
}
