//! Sessions of this library (`docs/sessions.md`): one record on a line, state in envelopes inside of strings.
//! Whether a turn is whole, and each line as it was written, is not asked here: `ostinato sessions verify` tells.

use super::{Format, Head, items, openai, stored, walk};
use crate::error::Result;
use crate::json::{Lexer, RawStr, Sort};
use crate::measure::{Finger, Group, Tally};
use crate::payload::Parts;
use std::borrow::Cow;

/// The format.
pub struct OstinatoSession;

/// The value of `schema` in the first line.
const SCHEMA: &str = "ostinato.session";
/// Heads of the units that a session is made of.
const HEADS: &[&str] = &["turn", "history"];

/// Fields of a fidelity that hold state, where no envelope does.
const STATES: &[&str] = &["encrypted_content", "signature", "thought_signature", "redacted_content", "data"];
/// Fields of a fidelity in which such objects stand: OpenRouter's blocks, and items that are kept as they came.
const OBJECTS: &[&str] = &["reasoning_details", "verbatim", "item"];
/// How deep those may stand in each other.
const DEEPEST_OBJECT: usize = 4;
/// How state outside of envelopes is counted: its wire is not known.
const FIDELITY: &str = "fidelity";

impl Format for OstinatoSession {
    fn name(&self) -> &'static str {
        "ostinato_session"
    }

    fn recognises(&self, head: &Head<'_>) -> bool {
        // The first line may be damaged.
        head.any(|keys| {
            keys.says("schema", &[SCHEMA]) && keys.has(&["version", "session"])
                || keys.says("record", HEADS) && keys.has(&["epoch", "sha256"])
        })
    }

    fn record(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
        let mut record = Record::default();
        walk::entries(lexer, |key, lexer| record.read(&key, lexer))?;
        record.count(tally);
        Ok(())
    }
}

/// The fields of a line.
#[derive(Default)]
pub struct Record<'a> {
    kind: Option<Cow<'a, str>>,
    schema: bool,
    session: Option<Cow<'a, str>>,
    message: Option<Message<'a>>,
    envelopes: Vec<Stored<'a>>,
    /// Items of the message whose text is that of their envelope.
    derived: Vec<usize>,
}

/// The text of an envelope.
enum Stored<'a> {
    /// As it is written in the file.
    Raw(RawStr<'a>),
    /// A canonical one of a reasoning item, read already.
    Canonical(Parts<'a>),
}

impl<'a> Record<'a> {
    /// Takes the field whose value begins here.
    pub fn read(&mut self, key: &str, lexer: &mut Lexer<'a>) -> Result<()> {
        match key {
            "record" => self.kind = walk::string(lexer)?.map(walk::decoded),
            "schema" => self.schema = walk::string(lexer)?.is_some_and(|name| name.raw == SCHEMA),
            "session" => self.session = walk::string(lexer)?.map(walk::decoded),
            "message" if lexer.peek()? == Sort::Object => self.message = Some(Message::read(lexer)?),
            "replay" => walk::elements(lexer, |lexer| self.entry(lexer))?,
            _ => drop(walk::skip(lexer)?),
        }
        Ok(())
    }

    /// The name of the session, where the line says it.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref().filter(|name| !name.is_empty())
    }

    /// What the line is called.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    fn entry(&mut self, lexer: &mut Lexer<'a>) -> Result<()> {
        let (mut place, mut derived) = (None, false);
        walk::entries(lexer, |key, lexer| {
            if key == "envelopes" {
                return walk::elements(lexer, |lexer| {
                    self.envelopes.extend(envelope(lexer)?);
                    Ok(())
                });
            }
            let value = walk::skip(lexer)?;
            match key.as_ref() {
                "item" => place = walk::number(value),
                "derived" => derived = value == "true",
                _ => {}
            }
            Ok(())
        })?;
        let place = place.and_then(|place| usize::try_from(place).ok());
        self.derived.extend(place.filter(|_| derived));
        Ok(())
    }

    /// Counts the line.
    pub fn count(&self, tally: &mut Tally) {
        let header = if self.schema { "header" } else { "None" };
        tally.record_types.add_found(self.kind().unwrap_or(header), 1);
        if self.schema {
            tally.sessions.extend(self.session().map(Finger::of));
        }
        match (self.kind(), &self.message) {
            // The conversation begins anew.
            (Some("history"), _) => tally.main.reset(Group::default()),
            (Some("message"), Some(message)) => message.count(self, tally),
            _ => {}
        }
    }
}

fn envelope<'a>(lexer: &mut Lexer<'a>) -> Result<Option<Stored<'a>>> {
    let in_place = lexer.peek()? == Sort::String;
    if let Some((parts, end)) = in_place.then(|| stored::read(lexer.text(), lexer.pos() + 1)).flatten() {
        lexer.jump(end);
        return Ok(Some(Stored::Canonical(parts)));
    }
    Ok(walk::string(lexer)?.map(Stored::Raw))
}

/// The fields of a message.
#[derive(Default)]
struct Message<'a> {
    role: Option<Cow<'a, str>>,
    tokens: Option<u64>,
    results: bool,
    /// The texts of its thoughts, each with the place of its item.
    shown: Vec<(usize, RawStr<'a>)>,
    /// State outside of envelopes.
    states: Vec<RawStr<'a>>,
}

impl<'a> Message<'a> {
    fn read(lexer: &mut Lexer<'a>) -> Result<Self> {
        let mut message = Message::default();
        walk::entries(lexer, |key, lexer| {
            match key.as_ref() {
                "role" => message.role = walk::string(lexer)?.map(walk::decoded),
                "usage_metadata" => {
                    let mut tokens = None;
                    walk::at(lexer, &["thoughts_tokens"], &mut tokens)?;
                    message.tokens = tokens.and_then(walk::number);
                }
                "content_items" => {
                    let mut place = 0;
                    walk::elements(lexer, |lexer| {
                        message.item(place, lexer)?;
                        place += 1;
                        Ok(())
                    })?;
                }
                _ => drop(walk::skip(lexer)?),
            }
            Ok(())
        })?;
        Ok(message)
    }

    fn item(&mut self, place: usize, lexer: &mut Lexer<'a>) -> Result<()> {
        walk::entries(lexer, |key, lexer| {
            match key.as_ref() {
                "type" => self.results |= walk::string(lexer)?.is_some_and(|kind| kind.raw == "tool_result.done"),
                "thinking" => self.shown.extend(walk::string(lexer)?.map(|text| (place, text))),
                "fidelity" => fidelity(lexer, DEEPEST_OBJECT, &mut self.states)?,
                _ => drop(walk::skip(lexer)?),
            }
            Ok(())
        })
    }

    fn count(&self, record: &Record<'_>, tally: &mut Tally) {
        const NAME: &str = "message";
        tally.messages += 1;
        tally.tokens.several(self.tokens.unwrap_or_default(), u64::from(self.tokens.is_some()));
        let (mut group, mut buffer) = (Group::default(), String::new());
        for envelope in &record.envelopes {
            group.add(match envelope {
                Stored::Raw(text) => items::stored(walk::decoded_in(*text, &mut buffer), NAME, tally),
                Stored::Canonical(parts) => openai::canonical(parts, NAME, tally),
            });
        }
        for state in &self.states {
            let text = walk::decoded_in(*state, &mut buffer);
            tally.items.add(FIDELITY, 1);
            openai::state_of(
                FIDELITY,
                None,
                Some(text),
                openai::At { place: openai::Place::Item, record: NAME },
                tally,
            );
            group.state += text.len() as u64;
        }
        for (place, text) in &self.shown {
            let text = walk::decoded_in(*text, &mut buffer);
            if text.is_empty() {
                continue;
            }
            tally.display.shown(text);
            if record.derived.contains(place) {
                tally.display.replayed(text);
            }
        }
        if self.role.as_deref() == Some("assistant") {
            tally.main.output(Group { outputs: 1, ..group });
        } else {
            // State in an input is replayed like any other.
            tally.main.output(Group { outputs: 0, ..group });
            tally.main.input(!self.results);
        }
    }
}

/// Finds the state in a fidelity, or in an object of it.
fn fidelity<'a>(lexer: &mut Lexer<'a>, deepest: usize, states: &mut Vec<RawStr<'a>>) -> Result<()> {
    walk::entries(lexer, |key, lexer| {
        let name = key.as_ref();
        if STATES.contains(&name) {
            states.extend(walk::string(lexer)?);
        } else if deepest == 0 || !OBJECTS.contains(&name) {
            walk::skip(lexer)?;
        } else if lexer.peek()? == Sort::Array {
            walk::elements(lexer, |lexer| fidelity(lexer, deepest - 1, states))?;
        } else {
            fidelity(lexer, deepest - 1, states)?;
        }
        Ok(())
    })
}
