//! Items of OpenAI Responses, as Codex and fast-agent keep them.

use super::walk;
use crate::error::Result;
use crate::item::Item;
use crate::json::Lexer;
use crate::measure::{Class, Counts, Group, Tally};
use crate::payload::{Parts, display};
use std::borrow::Cow;

/// Where an item was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where the format keeps its items.
    Item,
    /// Elsewhere: in a history inside a record.
    Nested,
}

const REASONING: &str = "openai.reasoning";
const ENCRYPTED_PART: &str = "openai.encrypted_part";

/// The place of an item, and the record (or channel) it was met in.
#[derive(Clone, Copy)]
pub struct At<'r> {
    pub place: Place,
    pub record: &'r str,
}

/// An item: the fields of any kind, as they are written.
#[derive(Default)]
pub struct Fields<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub role: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
    summary: Option<&'a str>,
    content: Option<&'a str>,
    state: Option<&'a str>,
    status: Option<&'a str>,
    others: Vec<Cow<'a, str>>,
}

impl<'a> Fields<'a> {
    /// Takes the field whose value begins here.
    pub fn read(&mut self, key: Cow<'a, str>, lexer: &mut Lexer<'a>) -> Result<()> {
        let value = walk::skip(lexer)?;
        match key.as_ref() {
            "type" => self.kind = walk::text(value),
            "role" => self.role = walk::text(value),
            "id" => self.id = walk::text(value).filter(|id| !id.is_empty()),
            "summary" => self.summary = Some(value),
            "content" => self.content = Some(value),
            "encrypted_content" => self.state = Some(value),
            "status" => self.status = Some(value),
            _ => self.others.push(key),
        }
        Ok(())
    }

    /// Reads the object that begins here.
    pub fn of(lexer: &mut Lexer<'a>) -> Result<Self> {
        let mut fields = Fields::default();
        walk::entries(lexer, |key, lexer| fields.read(key, lexer))?;
        Ok(fields)
    }

    /// The fields of an item whose places are known.
    pub fn of_item(item: Item<'a>) -> Self {
        Fields {
            kind: item.spec().tag().map(Cow::Borrowed),
            role: None,
            id: item.id().filter(|id| !id.is_empty()),
            summary: item.raw("summary"),
            content: item.raw("content"),
            state: item.raw("encrypted_content"),
            status: None,
            others: Vec::new(),
        }
    }

    /// Whether there is a field for ciphertext with something in it.
    pub fn has_state(&self) -> bool {
        self.state.is_some_and(walk::filled)
    }

    /// Counts the item if it carries state, and gives what it weighs in a request.
    pub fn count(&self, at: At<'_>, tally: &mut Tally) -> Group {
        match self.kind.as_deref() {
            Some("reasoning") => self.reasoning(at, tally),
            // The older name of the same item.
            Some("compaction" | "compaction_summary") => self.other("compaction", at, tally),
            kind => {
                let carries = self.state.is_some_and(|state| state.starts_with('"'));
                let mut group = if carries { self.other(kind.unwrap_or("item"), at, tally) } else { Group::default() };
                group.state += self.encrypted_parts(at, tally);
                group
            }
        }
    }

    fn other(&self, kind: &str, at: At<'_>, tally: &mut Tally) -> Group {
        let kind = format!("openai.{kind}");
        place(at.place, &kind, tally);
        let state = self.state.and_then(walk::text);
        state_of(&kind, self.id.as_deref(), state.as_deref(), at, tally);
        let bytes = state.map_or(0, |text| text.len() as u64);
        Group { state: bytes, ..Group::default() }
    }

    /// Parts of a message that are ciphertext: what one agent said to another.
    fn encrypted_parts(&self, at: At<'_>, tally: &mut Tally) -> u64 {
        let Some(content) = self.content.filter(|content| content.contains("encrypted_content")) else { return 0 };
        let mut bytes = 0;
        let walked = walk::elements(&mut Lexer::new(content), |lexer| {
            let part = Fields::of(lexer)?;
            if part.kind.as_deref() == Some("encrypted_content") {
                place(at.place, ENCRYPTED_PART, tally);
                let state = part.state.and_then(walk::text);
                state_of(ENCRYPTED_PART, None, state.as_deref(), at, tally);
                bytes += state.map_or(0, |text| text.len() as u64);
            }
            Ok(())
        });
        // The content was stepped over before, so it is well-formed.
        debug_assert!(walked.is_ok());
        bytes
    }

    fn reasoning(&self, at: At<'_>, tally: &mut Tally) -> Group {
        place(at.place, REASONING, tally);
        let state = self.state.and_then(walk::text);
        let class = state_of(REASONING, self.id.as_deref(), state.as_deref(), at, tally);
        let (parts, fits) = self.parts(state.unwrap_or_default());
        if at.place == Place::Item {
            self.histograms(class, tally);
            count_texts(&parts, tally);
        }
        let sendable = fits && !parts.state.is_empty();
        if !sendable {
            tally.payload.left_out += u64::from(at.place == Place::Item);
            return Group { state: parts.state.len() as u64, outputs: 1, ..Group::default() };
        }
        match at.place {
            Place::Item => tally.payload.item(&parts, class),
            Place::Nested => crate::payload::weigh(&parts),
        }
    }

    /// The texts of the item, and whether it can be written in every form of the payload comparison.
    fn parts(&self, state: Cow<'a, str>) -> (Parts<'a>, bool) {
        let (summary, summary_fits) = texts(self.summary.unwrap_or("null"));
        let (content, content_fits) = texts(self.content.unwrap_or("[]"));
        let null = self.content.is_some_and(|content| content == "null");
        let content_is_empty_list = self.content.is_some_and(|raw| raw.starts_with('[')) && content.is_empty();
        let fits = summary_fits && (content_fits || null);
        (Parts { id: self.id.clone(), summary, content, content_is_empty_list, state }, fits)
    }

    fn histograms(&self, class: Option<Class>, tally: &mut Tally) {
        let reasoning = &mut tally.reasoning;
        match self.summary.map(|raw| (raw, raw.as_bytes().first())) {
            None => reasoning.summary_parts.add("absent", 1),
            Some((_, Some(b'n'))) => reasoning.summary_parts.add("null", 1),
            Some((raw, Some(b'['))) => count_number(&mut reasoning.summary_parts, length(raw)),
            Some(_) => reasoning.summary_parts.add("other", 1),
        }
        reasoning.content.add(shape(self.content), 1);
        reasoning.encrypted_content.add(class.map_or_else(|| shape(self.state), Class::name), 1);
        match self.status.map(walk::text) {
            Some(Some(status)) => reasoning.status.add_found(&status, 1),
            _ => reasoning.status.add(shape(self.status), 1),
        }
        for name in &self.others {
            reasoning.unknown_fields.add_found(name, 1);
            tally.unknown_fields.entry(REASONING).or_default().add_found(name, 1);
        }
    }
}

/// Counts a reasoning item in canonical form, and gives what it weighs in a request.
pub fn canonical(parts: &Parts<'_>, record: &str, tally: &mut Tally) -> Group {
    let at = At { place: Place::Item, record };
    tally.items.add(REASONING, 1);
    let class = state_of(REASONING, parts.id.as_deref(), Some(&parts.state), at, tally);
    let reasoning = &mut tally.reasoning;
    count_number(&mut reasoning.summary_parts, parts.summary.len());
    reasoning.content.add(if parts.content.is_empty() { "absent" } else { "nonempty" }, 1);
    reasoning.encrypted_content.add(class.map_or("absent", Class::name), 1);
    reasoning.status.add("absent", 1);
    count_texts(parts, tally);
    tally.payload.item(parts, class)
}

/// Counts how often a number was met.
fn count_number(counts: &mut Counts, number: usize) {
    const FIRST: [&str; 4] = ["0", "1", "2", "3"];
    match FIRST.get(number) {
        Some(name) => counts.add(name, 1),
        None => counts.add_found(&number.to_string(), 1),
    }
}

fn place(place: Place, kind: &str, tally: &mut Tally) {
    match place {
        Place::Item => tally.items.add_found(kind, 1),
        Place::Nested => tally.nested.add_found(kind, 1),
    }
}

/// Counts the text of a state field, which may be missing.
pub fn state_of(kind: &str, id: Option<&str>, text: Option<&str>, at: At<'_>, tally: &mut Tally) -> Option<Class> {
    if let Some(text) = text {
        tally.by_record.add_found(at.record, text.len() as u64);
        tally.by_kind.add_found(kind, text.len() as u64);
    }
    match at.place {
        Place::Item => tally.states.item(id, text),
        Place::Nested => {
            text.into_iter().for_each(|text| tally.states.nested(text));
            None
        }
    }
}

fn count_texts(parts: &Parts<'_>, tally: &mut Tally) {
    let bytes = |texts: &[Cow<'_, str>]| texts.iter().map(|text| text.len() as u64).sum::<u64>();
    tally.text.summary_parts += parts.summary.len() as u64;
    tally.text.summary_bytes += bytes(&parts.summary);
    tally.text.content_parts += parts.content.len() as u64;
    tally.text.content_bytes += bytes(&parts.content);
    // A program shows the parts one by one (Codex) or all together (fast-agent).
    for text in parts.summary.iter().chain(&parts.content) {
        tally.display.replayed(text);
    }
    let together = display(parts);
    let alone = parts.summary.first().or(parts.content.first());
    if !together.is_empty() && alone.is_none_or(|text| *text != together) {
        tally.display.replayed(&together);
    }
}

/// The texts of a list of parts (or of a text that stands for one), and whether each part is a tag and a text.
fn texts(raw: &str) -> (Vec<Cow<'_, str>>, bool) {
    if let Some(text) = walk::text(raw) {
        return (vec![text], false);
    }
    let mut texts = Vec::new();
    let mut fits = raw.starts_with('[');
    let walked = walk::elements(&mut Lexer::new(raw), |lexer| {
        let mut text = None;
        walk::entries(lexer, |key, lexer| {
            let value = walk::skip(lexer)?;
            if key == "text" {
                text = walk::text(value);
            }
            Ok(())
        })?;
        fits &= text.is_some();
        texts.extend(text);
        Ok(())
    });
    debug_assert!(walked.is_ok());
    (texts, fits)
}

fn length(list: &str) -> usize {
    let mut length = 0;
    let walked = walk::elements(&mut Lexer::new(list), |lexer| {
        length += 1;
        walk::skip(lexer).map(drop)
    });
    debug_assert!(walked.is_ok());
    length
}

/// What stands in an optional field.
fn shape(raw: Option<&str>) -> &'static str {
    match raw.map(|raw| (raw, raw.as_bytes().first())) {
        None => "absent",
        Some((_, Some(b'n'))) => "null",
        Some((_, Some(b'"'))) => "string",
        Some((raw, Some(b'[' | b'{'))) => {
            if walk::filled(raw) {
                "nonempty"
            } else {
                "empty"
            }
        }
        Some(_) => "other",
    }
}
