//! One file, from its first byte to its last.

use super::chunks::{Chunks, DocumentChunks, Input, LineChunks};
use super::count::{self, Chunk};
use super::cut::LineCounter;
use super::files::{Found, reason};
use super::source::{Packing, Source};
use super::{Options, Progress, folder};
use crate::corpus::{self, Format, Head};
use crate::error::Code;
use crate::json;
use crate::measure::{BadLine, Closed, Finger, Tally, Unique};
use rayon::prelude::*;
use std::borrow::Cow;

/// What is looked at to tell the format, and what is looked at when that is not enough.
const HEADS: [usize; 2] = [16 << 10, 1 << 20];

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What became of a file.
#[derive(Debug)]
pub enum Outcome {
    /// It was measured.
    Measured(Box<FileMeasure>),
    /// It is of no known format; what it looks like.
    Skipped(&'static str),
    /// It could not be opened.
    Failed(&'static str),
    /// The scan was stopped.
    Stopped,
}

/// A line that could not be read.
pub type Problem = BadLine;

/// What was measured of one file.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct FileMeasure {
    pub file: Found,
    pub format: &'static str,
    pub packing: Packing,
    /// Bytes of the text, unpacked.
    pub bytes: u64,
    pub final_newline: bool,
    /// Whether it was read as lines.
    pub has_lines: bool,
    /// Why it was not read to its end.
    pub incomplete: Option<&'static str>,
    pub tally: Tally,
    pub unique: Unique,
    pub sessions: u64,
    pub responses: u64,
    pub closed: Closed,
}

/// The reading of one file.
pub struct Reading<'s> {
    pub file: &'s Found,
    pub options: &'s Options,
    pub progress: &'s Progress,
    /// Whether to use all threads for it.
    pub wide: bool,
}

impl Reading<'_> {
    /// Measures the file.
    pub fn outcome(&self) -> Outcome {
        let source = match Source::open(&self.file.path, &self.progress.bytes_done) {
            Ok(source) => source,
            Err(error) => return Outcome::Failed(reason(&error)),
        };
        if let Some(other) = source.other {
            return Outcome::Skipped(other);
        }
        let packing = source.packing;
        let mut input = Input::new(source);
        let Some((format, lines)) = tell(&mut input) else {
            return match input.incomplete {
                Some(reason) => Outcome::Failed(reason),
                None => Outcome::Skipped(looks_like(&input.buffer)),
            };
        };
        let mut tally = Tally::default();
        if input.buffer.starts_with(BYTE_ORDER_MARK) {
            input.buffer.drain(..BYTE_ORDER_MARK.len());
            tally.lines.problems.add(Code::ByteOrderMark.slug(), 1);
        }
        let has_lines = lines && format.list().is_none();
        if has_lines {
            let mut chunks = LineChunks::new(&mut input, self.options);
            self.count(format, &mut chunks, &mut tally);
        } else {
            self.document(format, &mut input, &mut tally);
        }
        if self.progress.stopped() {
            return Outcome::Stopped;
        }
        if format.session_is_folder() {
            tally.sessions = folder(&self.file.path).iter().map(|path| Finger::of(&path.to_string_lossy())).collect();
        }
        tally.close();
        Outcome::Measured(Box::new(FileMeasure {
            file: self.file.clone(),
            format: format.name(),
            packing,
            bytes: input.bytes,
            final_newline: input.last == Some(b'\n'),
            has_lines,
            incomplete: input.incomplete,
            unique: tally.states.unique(),
            sessions: tally.sessions.len() as u64,
            responses: tally.responses.len() as u64,
            closed: tally.closed,
            tally,
        }))
    }

    /// A document, or values that do not keep to lines.
    fn document(&self, format: &'static dyn Format, input: &mut Input<'_>, tally: &mut Tally) {
        input.fill(self.options.whole_bytes);
        if !input.more {
            // Most documents are whole and small. One that is not as it should be is read again in pieces.
            let mut whole = Tally::default();
            if count::document(&input.buffer, format, &mut whole).is_ok() {
                tally.merge(whole);
                let mut lines = LineCounter::default();
                lines.feed(&input.buffer);
                (tally.lines.physical, tally.lines.lines) = lines.lines();
                return;
            }
        }
        let mut chunks = DocumentChunks::new(input, format.list(), self.options);
        self.count(format, &mut chunks, tally);
        (tally.lines.physical, tally.lines.lines) = chunks.lines();
    }

    fn count(&self, format: &'static dyn Format, chunks: &mut dyn Chunks, tally: &mut Tally) {
        if !self.wide {
            while let Some(chunk) = chunks.next().filter(|_| !self.progress.stopped()) {
                chunk.count(format, tally);
                chunks.give_back(chunk);
            }
            return;
        }
        let mut batch = self.batch(chunks);
        while !batch.is_empty() && !self.progress.stopped() {
            let counting = || batch.par_iter().map(|chunk| self.tally(format, chunk)).collect::<Vec<Tally>>();
            let (next, tallies) = rayon::join(|| self.batch(chunks), counting);
            tallies.into_iter().for_each(|next| tally.merge(next));
            std::mem::replace(&mut batch, next).into_iter().for_each(|chunk| chunks.give_back(chunk));
        }
    }

    fn tally(&self, format: &'static dyn Format, chunk: &Chunk) -> Tally {
        let mut tally = Tally::default();
        if !self.progress.stopped() {
            chunk.count(format, &mut tally);
        }
        tally
    }

    /// As many chunks as the threads have work with, and no more: what is in flight is what takes memory.
    fn batch(&self, chunks: &mut dyn Chunks) -> Vec<Chunk> {
        let threads = rayon::current_num_threads();
        let mut room = 2 * threads * self.options.chunk_bytes;
        let mut batch = Vec::new();
        while room > 0 && batch.len() < 4 * threads && !self.progress.stopped() {
            let Some(chunk) = chunks.next() else { break };
            room = room.saturating_sub(chunk.len());
            batch.push(chunk);
        }
        batch
    }
}

/// The format of a file, and whether each of its lines is a value.
fn tell(input: &mut Input<'_>) -> Option<(&'static dyn Format, bool)> {
    for length in HEADS {
        input.fill(length);
        // The end may be cut inside a character, and a line may hold other bytes: what can be told is told all the same.
        let text = json::text(&input.buffer).map_or_else(|_| String::from_utf8_lossy(&input.buffer), Cow::Borrowed);
        let head = Head::read(&text);
        if let Some(format) = corpus::recognise(&head) {
            return Some((format, head.lines));
        }
        if !input.more {
            break;
        }
    }
    None
}

/// What a file of no known format looks like, for people who wonder why it was skipped.
fn looks_like(bytes: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(bytes);
    match text.trim_start_matches('\u{feff}').trim_start().as_bytes().first() {
        None => "empty",
        Some(b'{' | b'[') => "json_of_another_format",
        Some(_) if bytes.contains(&0) => "binary",
        Some(_) => "text",
    }
}
