//! Formats of saved histories. A new format is a file here and its line in [`FORMATS`].

mod anthropic;
mod claude_code;
mod codex;
mod fast_agent;
mod head;
mod items;
mod openai;
mod ostinato_export;
mod ostinato_session;
mod stored;
mod walk;

pub use head::Head;
pub use walk::DEEPEST_RECORD;

use crate::error::Result;
use crate::json::Lexer;
use crate::measure::Tally;

/// How a program saves its histories.
pub trait Format: Sync {
    /// Its name in reports.
    fn name(&self) -> &'static str;

    /// Whether a file that begins like this is one of it.
    fn recognises(&self, head: &Head<'_>) -> bool;

    /// The list in a document of this format that can be long, and is read element by element.
    fn list(&self) -> Option<&'static str> {
        None
    }

    /// Whether the files of one folder are of one session, which no file names.
    fn session_is_folder(&self) -> bool {
        false
    }

    /// Reads the value that begins here, a whole record. What is complete is counted, even if the record is not.
    fn record(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()>;

    /// Reads the element that begins here, of the list that [`Format::list`] names.
    fn element(&self, lexer: &mut Lexer<'_>, tally: &mut Tally) -> Result<()> {
        self.record(lexer, tally)
    }
}

/// Every format, in the order in which they are asked.
pub static FORMATS: &[&dyn Format] = &[
    &ostinato_export::OstinatoExport { redacted: false },
    &ostinato_export::OstinatoExport { redacted: true },
    &ostinato_session::OstinatoSession,
    &fast_agent::FastAgent,
    &codex::Codex,
    &claude_code::ClaudeCode,
];

/// The format of a file that begins like this.
pub fn recognise(head: &Head<'_>) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.recognises(head))
}
