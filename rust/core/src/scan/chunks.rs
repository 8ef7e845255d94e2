//! A file as a row of chunks. Memory is needed for the chunks in flight only.

use super::Options;
use super::count::Chunk;
use super::cut::{Cutter, LineCounter};
use super::files::reason;
use super::source::Source;
use memchr::{memchr, memrchr};
use std::collections::VecDeque;

/// What is read so far of a file.
pub struct Input<'s> {
    source: Source<'s>,
    /// Read, and not given out.
    pub buffer: Vec<u8>,
    /// Whether the file goes on after that.
    pub more: bool,
    /// Bytes read in all.
    pub bytes: u64,
    /// The last of them.
    pub last: Option<u8>,
    /// Why the file could not be read to its end.
    pub incomplete: Option<&'static str>,
}

impl<'s> Input<'s> {
    /// Begins a file.
    pub fn new(source: Source<'s>) -> Self {
        Input { source, buffer: Vec::new(), more: true, bytes: 0, last: None, incomplete: None }
    }

    /// Reads until the buffer is this long or the file ends.
    pub fn fill(&mut self, length: usize) {
        let before = self.buffer.len();
        if self.more {
            self.more = self.source.fill(&mut self.buffer, length).unwrap_or_else(|error| {
                self.incomplete = Some(reason(&error));
                false
            });
        }
        self.bytes += (self.buffer.len() - before) as u64;
        self.last = self.buffer[before..].last().copied().or(self.last);
    }
}

/// Gives out the chunks of a file in order.
pub trait Chunks: Send {
    /// The next one.
    fn next(&mut self) -> Option<Chunk>;

    /// Takes a chunk back, whose memory may be used again.
    fn give_back(&mut self, _chunk: Chunk) {}
}

/// Whole lines.
pub struct LineChunks<'i, 's> {
    input: &'i mut Input<'s>,
    chunk: usize,
    largest: usize,
    spare: Vec<Vec<u8>>,
}

impl<'i, 's> LineChunks<'i, 's> {
    /// The lines of a file, from what has been read of it on.
    pub fn new(input: &'i mut Input<'s>, options: &Options) -> Self {
        LineChunks { input, chunk: options.chunk_bytes, largest: options.max_record_bytes, spare: Vec::new() }
    }

    /// The first bytes of the buffer as a chunk; what follows stays.
    fn split(&mut self, end: usize) -> Chunk {
        let mut rest = self.spare.pop().unwrap_or_default();
        rest.clear();
        rest.extend_from_slice(&self.input.buffer[end..]);
        let mut bytes = std::mem::replace(&mut self.input.buffer, rest);
        bytes.truncate(end);
        Chunk::Lines(bytes)
    }

    /// A line that is longer than a record may be: passed over up to its end.
    fn pass_over(&mut self) -> Chunk {
        let mut passed = 0;
        loop {
            let end = memchr(b'\n', &self.input.buffer);
            let line = end.unwrap_or(self.input.buffer.len());
            passed += line as u64;
            self.input.buffer.drain(..end.map_or(line, |end| end + 1));
            if end.is_some() || !self.input.more {
                return Chunk::TooLarge { bytes: passed, is_line: true };
            }
            self.input.fill(self.chunk);
        }
    }
}

impl Chunks for LineChunks<'_, '_> {
    fn next(&mut self) -> Option<Chunk> {
        let mut length = self.chunk;
        loop {
            self.input.fill(length);
            let buffer = &self.input.buffer;
            if buffer.is_empty() {
                return None;
            }
            if !self.input.more && buffer.len() <= length {
                return Some(self.split(buffer.len()));
            }
            match memrchr(b'\n', &buffer[..length.min(buffer.len())]) {
                Some(end) => return Some(self.split(end + 1)),
                None if length >= self.largest => return Some(self.pass_over()),
                None => length = (2 * length).min(self.largest),
            }
        }
    }

    fn give_back(&mut self, chunk: Chunk) {
        if let Chunk::Lines(bytes) = chunk {
            self.spare.push(bytes);
        }
    }
}

/// Whole values, and elements of long lists.
pub struct DocumentChunks<'i, 's> {
    input: &'i mut Input<'s>,
    piece: usize,
    cutter: Cutter,
    lines: LineCounter,
    ready: VecDeque<Chunk>,
    finished: bool,
}

impl<'i, 's> DocumentChunks<'i, 's> {
    /// The values of a file, from what has been read of it on.
    pub fn new(input: &'i mut Input<'s>, list: Option<&'static str>, options: &Options) -> Self {
        let cutter = Cutter::new(list, options.chunk_bytes, options.max_record_bytes);
        let lines = LineCounter::default();
        DocumentChunks { input, piece: options.chunk_bytes, cutter, lines, ready: VecDeque::new(), finished: false }
    }

    /// Lines so far: all, and those that are not empty.
    pub fn lines(&self) -> (u64, u64) {
        self.lines.lines()
    }
}

impl Chunks for DocumentChunks<'_, '_> {
    fn next(&mut self) -> Option<Chunk> {
        let mut out = Vec::new();
        while self.ready.is_empty() && !self.finished {
            self.input.fill(self.piece);
            self.lines.feed(&self.input.buffer);
            self.cutter.feed(&self.input.buffer, &mut out);
            self.input.buffer.clear();
            if !self.input.more {
                self.cutter.finish(&mut out);
                self.finished = true;
            }
            self.ready.extend(out.drain(..));
        }
        self.ready.pop_front()
    }
}
