//! Redaction: state and reasoning are taken out of anything that may be logged, shown or sent to somebody else.
//!
//! What is replaced keeps its place, its length and, for state, its digest; everything else keeps its bytes. All wires
//! are redacted at once, and any text will do: JSON, JSON inside strings, JSON that was cut off, Python reprs, log lines.
//! A value that is missed is an incident and a word too many is a nuisance: where the two compete, the value goes.

mod mark;
mod prose;
mod reader;
mod report;
mod scan;
mod shape;
mod spelling;
mod stream;
mod table;
mod view;
mod walk;
mod words;

pub use report::{Count, Report, Why};
pub use stream::{CAP, Stream};
pub use view::{Fields, Shown, view, view_json};

use scan::{Level, Scan, apply};

/// What is redacted, and how much is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether reasoning text goes, beside opaque state.
    pub reasoning_text: bool,
    /// Lengths only. A digest of a secret does not give it away, but two logs with one digest hold the same state.
    pub length_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { reasoning_text: true, length_only: false }
    }
}

/// Deepest nesting of containers that is read, the strings around them included; what is deeper is replaced whole.
pub const MAX_DEPTH: usize = 128;
/// Most strings within strings that are read; what is deeper is replaced whole.
pub const MAX_NESTED: usize = 6;
/// How often a text is read again until nothing more is found. Text that never settles is replaced whole.
const MAX_ROUNDS: usize = 8;

/// A redacted text and what was replaced in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<T> {
    /// The text.
    pub text: T,
    /// What was replaced.
    pub report: Report,
}

/// Redacts any text. The result is a fixed point: redacting it again changes nothing.
pub fn text(text: &str, options: Options) -> Redacted<String> {
    let redacted = bytes(text.as_bytes(), options);
    // Edits begin and end at ASCII characters, so the text stays UTF-8 and nothing is lost here.
    Redacted { text: String::from_utf8_lossy(&redacted.text).into_owned(), report: redacted.report }
}

/// Redacts any bytes; those that are no UTF-8 stay as they are, unless they stand in something that goes.
pub fn bytes(text: &[u8], options: Options) -> Redacted<Vec<u8>> {
    let mut report = Report::default();
    let mut current = text.to_vec();
    for _ in 0..MAX_ROUNDS {
        let mut scan = Scan { options, report: &mut report, unsettled: false, endless: 0 };
        let edits = scan.text(&current, Level::TOP);
        let settled = !scan.unsettled;
        current = if edits.is_empty() { current } else { apply(&current, &edits) };
        // Marks in sound structure leave it sound, and are known as marks.
        if settled || edits.is_empty() {
            return Redacted { text: current, report };
        }
    }
    report.count(Why::Unread, "unsettled", text.len());
    Redacted { text: mark::Mark::length(text.len()).text().into_bytes(), report }
}
