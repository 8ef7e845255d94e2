//! The tally: what is counted of saved histories. Two tallies of neighbouring stretches of a file join into one, in any
//! grouping, so that a file can be measured in parallel.

mod counts;
mod finger;
mod flow;
mod states;

pub use counts::Counts;
pub use finger::{Finger, FingerMap, FingerSet};
pub use flow::{Flow, Group, Replay, Weight};
pub use states::{Class, Ids, States, Unique, class};

use crate::error::Code;
use crate::payload::Payload;
use std::collections::BTreeMap;

/// Lines that could not be read are named up to this number in a file; all are counted.
const NAMED_LINES: usize = 20;

/// A line that could not be read, or not wholly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number in the file, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub code: Code,
}

/// The lines and values of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Lines {
    /// Lines that are not blank.
    pub lines: u64,
    /// Lines, the blank ones included.
    pub physical: u64,
    pub longest: u64,
    pub with_several_values: u64,
    /// Bytes of lines without a complete value.
    pub unreadable_bytes: u64,
    /// What is wrong with lines, by code.
    pub problems: Counts,
    pub bad: Vec<BadLine>,
}

impl Lines {
    /// Something is wrong with the newest line.
    pub fn problem(&mut self, code: Code) {
        self.problems.add(code.slug(), 1);
        if self.bad.len() < NAMED_LINES {
            self.bad.push(BadLine { line: self.physical, code });
        }
    }

    fn merge(&mut self, other: Lines) {
        let room = NAMED_LINES.saturating_sub(self.bad.len());
        let before = self.physical;
        self.bad.extend(other.bad.into_iter().take(room).map(|bad| BadLine { line: before + bad.line, ..bad }));
        self.lines += other.lines;
        self.physical += other.physical;
        self.longest = self.longest.max(other.longest);
        self.with_several_values += other.with_several_values;
        self.unreadable_bytes += other.unreadable_bytes;
        self.problems.merge(other.problems);
    }
}

/// Histograms of OpenAI's reasoning items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Reasoning {
    pub summary_parts: Counts,
    pub content: Counts,
    pub encrypted_content: Counts,
    pub status: Counts,
    pub unknown_fields: Counts,
}

/// Text that models wrote while reasoning, kept beside the state. Bytes are UTF-8 bytes of decoded text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Text {
    pub summary_parts: u64,
    pub summary_bytes: u64,
    pub content_parts: u64,
    pub content_bytes: u64,
    pub thinking_blocks: u64,
    pub thinking_empty: u64,
    pub thinking_bytes: u64,
}

/// Text that is stored to be shown, apart from what is stored to be replayed.
#[derive(Clone, Debug, Default)]
pub struct Display {
    /// Texts and their number.
    shown: FingerMap<u64>,
    /// Texts of replay items, as a program would show them.
    replayed: FingerSet,
}

/// What display text adds up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DisplayFigures {
    pub texts: u64,
    pub bytes: u64,
    /// Those that say what a summary or content of the file says.
    pub repeated: u64,
    pub repeated_bytes: u64,
}

impl Display {
    /// A text that is stored to be shown.
    pub fn shown(&mut self, text: &str) {
        *self.shown.entry(Finger::of(text)).or_default() += 1;
    }

    /// A text of a replay item.
    pub fn replayed(&mut self, text: &str) {
        self.replayed.insert(Finger::of(text));
    }

    fn merge(&mut self, other: Display) {
        for (finger, count) in other.shown {
            *self.shown.entry(finger).or_default() += count;
        }
        self.replayed.extend(other.replayed);
    }

    fn close(&mut self) -> DisplayFigures {
        let mut figures = DisplayFigures::default();
        for (finger, count) in std::mem::take(&mut self.shown) {
            figures.texts += count;
            figures.bytes += count * finger.bytes();
            if self.replayed.contains(&finger) {
                figures.repeated += count;
                figures.repeated_bytes += count * finger.bytes();
            }
        }
        self.replayed = FingerSet::default();
        figures
    }
}

/// Reasoning tokens as providers reported them. Never a guess from bytes.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// By response: a response is reported on several lines.
    by_response: FingerMap<u64>,
    /// Reports that belong to no named response.
    pub sum: u64,
    /// Reports.
    pub reports: u64,
    /// The highest running total of a file.
    pub running: Option<u64>,
    /// Bytes of state in files with a report.
    pub state_bytes: u64,
}

impl Tokens {
    /// A report of one response.
    pub fn of_response(&mut self, id: &str, tokens: u64) {
        let known = self.by_response.entry(Finger::of(id)).or_default();
        *known = tokens.max(*known);
    }

    /// Reports that stand alone.
    pub fn several(&mut self, sum: u64, reports: u64) {
        self.sum += sum;
        self.reports += reports;
    }

    /// A running total.
    pub fn running(&mut self, total: u64) {
        self.running = Some(total.max(self.running.unwrap_or_default()));
        self.reports += 1;
    }

    fn merge(&mut self, other: Tokens) {
        for (id, tokens) in other.by_response {
            let known = self.by_response.entry(id).or_default();
            *known = tokens.max(*known);
        }
        self.sum += other.sum;
        self.reports += other.reports;
        self.running = self.running.max(other.running);
        self.state_bytes += other.state_bytes;
    }

    fn close(&mut self, state_bytes: u64) {
        let by_response = std::mem::take(&mut self.by_response);
        self.reports += by_response.len() as u64;
        self.sum += by_response.values().sum::<u64>() + self.running.take().unwrap_or_default();
        self.state_bytes = if self.reports > 0 { state_bytes } else { 0 };
    }
}

/// What one stretch of a file holds, or one file, or many files.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Tally {
    pub lines: Lines,
    pub records: u64,
    pub record_types: Counts,
    /// Replay items at the places where the format keeps them, by wire and kind.
    pub items: Counts,
    /// The same structures elsewhere.
    pub nested: Counts,
    pub states: States,
    /// Bytes of state by the record (or channel) it was met in, nested places included.
    pub by_record: Counts,
    /// The same by wire and kind.
    pub by_kind: Counts,
    pub reasoning: Reasoning,
    pub text: Text,
    pub display: Display,
    pub tokens: Tokens,
    /// Fields that the table of an item does not name, by wire and kind.
    pub unknown_fields: BTreeMap<&'static str, Counts>,
    /// Stored records of fast-agent by what made them.
    pub generation: Counts,
    /// Stored records that are not read, by code.
    pub refused: Counts,
    pub messages: u64,
    pub sidechain_records: u64,
    pub replacement_history_items: u64,
    pub sessions: FingerSet,
    pub responses: FingerSet,
    /// Names of records; true when met before.
    uuids: FingerMap<bool>,
    /// The conversation, and beside it those of subagents in the same file.
    pub main: Flow,
    pub side: Flow,
    pub payload: Payload,
    /// Figures that are final once a file has been read.
    pub closed: Closed,
}

/// Figures that mean something only for whole files; for several files they add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Closed {
    pub ids: Ids,
    pub display: DisplayFigures,
    pub replay: Replay,
    pub uuids_seen_twice: u64,
}

impl Tally {
    /// The name of a record.
    pub fn uuid(&mut self, uuid: &str) {
        self.uuids.entry(Finger::of(uuid)).and_modify(|again| *again = true).or_default();
    }

    /// The conversation that a record belongs to.
    pub fn flow(&mut self, sidechain: bool) -> &mut Flow {
        if sidechain { &mut self.side } else { &mut self.main }
    }

    /// A field that the table of an item does not name.
    pub fn unknown_field(&mut self, kind: &'static str, name: &str) {
        self.unknown_fields.entry(kind).or_default().add_found(name, 1);
    }

    /// Adds what follows in the same file, or another file if both have been closed.
    pub fn merge(&mut self, next: Tally) {
        self.lines.merge(next.lines);
        self.records += next.records;
        self.record_types.merge(next.record_types);
        self.items.merge(next.items);
        self.nested.merge(next.nested);
        self.states.merge(next.states);
        self.by_record.merge(next.by_record);
        self.by_kind.merge(next.by_kind);
        self.reasoning.merge(next.reasoning);
        self.text.add(next.text);
        self.display.merge(next.display);
        self.tokens.merge(next.tokens);
        for (kind, names) in next.unknown_fields {
            self.unknown_fields.entry(kind).or_default().merge(names);
        }
        self.generation.merge(next.generation);
        self.refused.merge(next.refused);
        self.messages += next.messages;
        self.sidechain_records += next.sidechain_records;
        self.replacement_history_items += next.replacement_history_items;
        self.sessions.extend(next.sessions);
        self.responses.extend(next.responses);
        for (uuid, again) in next.uuids {
            self.uuids.entry(uuid).and_modify(|known| *known = true).or_insert(again);
        }
        self.main.merge(next.main);
        self.side.merge(next.side);
        self.payload.merge(next.payload);
        self.closed.add(&next.closed);
    }

    /// A tally to add to those of other files; the figures stay here, what is needed to compare files goes there.
    pub fn share(&mut self) -> Tally {
        let texts = self.states.take_texts();
        let sessions = std::mem::take(&mut self.sessions);
        let responses = std::mem::take(&mut self.responses);
        let mut shared = Tally { sessions, responses, ..self.clone() };
        shared.states.put_texts(texts);
        shared.lines.bad.clear();
        shared
    }

    /// The file ends here: what only a whole file can tell is told, and what is no longer needed is let go.
    pub fn close(&mut self) {
        let mut replay = std::mem::take(&mut self.main).close();
        replay.add(&std::mem::take(&mut self.side).close());
        self.tokens.close(self.states.chars);
        let uuids = std::mem::take(&mut self.uuids);
        self.closed.add(&Closed {
            ids: self.states.close_ids(),
            display: self.display.close(),
            replay,
            uuids_seen_twice: uuids.values().filter(|again| **again).count() as u64,
        });
    }
}

impl Reasoning {
    fn merge(&mut self, other: Reasoning) {
        self.summary_parts.merge(other.summary_parts);
        self.content.merge(other.content);
        self.encrypted_content.merge(other.encrypted_content);
        self.status.merge(other.status);
        self.unknown_fields.merge(other.unknown_fields);
    }
}

impl Text {
    fn add(&mut self, other: Text) {
        self.summary_parts += other.summary_parts;
        self.summary_bytes += other.summary_bytes;
        self.content_parts += other.content_parts;
        self.content_bytes += other.content_bytes;
        self.thinking_blocks += other.thinking_blocks;
        self.thinking_empty += other.thinking_empty;
        self.thinking_bytes += other.thinking_bytes;
    }
}

impl Closed {
    fn add(&mut self, other: &Closed) {
        self.ids.with_id += other.ids.with_id;
        self.ids.distinct += other.ids.distinct;
        self.ids.with_several_values += other.ids.with_several_values;
        self.ids.exact_duplicates += other.ids.exact_duplicates;
        self.ids.shared += other.ids.shared;
        self.ids.re_encrypted += other.ids.re_encrypted;
        self.ids.conflicts += other.ids.conflicts;
        self.display.texts += other.display.texts;
        self.display.bytes += other.display.bytes;
        self.display.repeated += other.display.repeated;
        self.display.repeated_bytes += other.display.repeated_bytes;
        self.replay.add(&other.replay);
        self.uuids_seen_twice += other.uuids_seen_twice;
    }
}
