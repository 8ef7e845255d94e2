//! Cutting documents where their values and elements end, without looking into them: a document may be larger than the
//! memory. Only brackets, quotes and commas are followed; what is between them is checked when the chunk is counted.

use super::count::Chunk;
use crate::json::{STEP, brackets_in, equal_in};
use memchr::{memchr_iter, memchr2, memmem};

/// Follows the structure of a document fed in pieces.
pub struct Cutter {
    /// The key of the long list of a document.
    list: Option<&'static str>,
    /// Bytes after which a chunk is given out.
    target: usize,
    /// Bytes of the largest value that is kept.
    largest: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    in_list: bool,
    /// Elements of the list since the last cut, or the document around it.
    open: Vec<u8>,
    around: Vec<u8>,
    /// Whole values, not yet given out.
    whole: Vec<u8>,
    /// Bytes of a value that outgrew the limit.
    dropped: u64,
}

impl Cutter {
    /// Begins a file.
    pub fn new(list: Option<&'static str>, target: usize, largest: usize) -> Self {
        Cutter {
            list,
            target,
            largest,
            depth: 0,
            in_string: false,
            escaped: false,
            in_list: false,
            open: Vec::new(),
            around: Vec::new(),
            whole: Vec::new(),
            dropped: 0,
        }
    }

    /// Takes the next bytes and gives out what is complete.
    pub fn feed(&mut self, input: &[u8], out: &mut Vec<Chunk>) {
        let mut start = 0; // of what is not yet kept
        let mut at = 0;
        while at < input.len() {
            if self.in_string {
                at = self.string(input, at);
                continue;
            }
            at = self.structure(input, at);
            let Some(byte) = input.get(at).copied() else { break };
            at += 1;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    self.depth += 1;
                    if byte == b'[' && self.depth == 2 && !self.in_list && self.opens_list(&input[start..at - 1]) {
                        self.keep(&input[start..at]);
                        start = at;
                        self.in_list = true;
                    }
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.in_list && self.depth == 1 {
                        self.keep(&input[start..at - 1]);
                        start = at - 1;
                        self.elements(out);
                        self.in_list = false;
                    }
                    if self.depth == 0 {
                        self.keep(&input[start..at]);
                        start = at;
                        self.value(out);
                    }
                }
                b',' if self.in_list && self.depth == 2 && self.is_due(at - start) => {
                    self.keep(&input[start..at - 1]);
                    start = at;
                    self.elements(out);
                }
                _ => {}
            }
        }
        self.keep(&input[start..]);
    }

    /// Gives out what is left when the file ends, complete or not.
    pub fn finish(&mut self, out: &mut Vec<Chunk>) {
        // A list that ends inside an element says that it was cut; one that ends between two cannot, its document can.
        let inside = self.in_list && (self.depth > 2 || self.in_string || self.dropped > 0);
        if self.in_list {
            self.elements(out);
        }
        if inside {
            self.around.clear();
        }
        self.whole.append(&mut self.around);
        self.give_whole(out);
        if self.dropped > 0 {
            out.push(Chunk::TooLarge { bytes: std::mem::take(&mut self.dropped), is_line: false });
        }
    }

    /// The place of the next byte that may matter outside of a string.
    fn structure(&self, input: &[u8], mut at: usize) -> usize {
        // Commas matter between the elements of the list only.
        let commas = self.in_list && self.depth == 2;
        while let Some(step) = input.get(at..).and_then(|rest| rest.first_chunk()) {
            let hits = brackets_in(step) | if commas { equal_in(step, b',') } else { 0 };
            if hits != 0 {
                return at + hits.trailing_zeros() as usize;
            }
            at += STEP;
        }
        at
    }

    /// Steps through a string that is open; gives the place where it ends, or the end of the input.
    fn string(&mut self, input: &[u8], mut at: usize) -> usize {
        if std::mem::take(&mut self.escaped) {
            at += 1;
        }
        loop {
            let Some(found) = string_end(input, at) else { return input.len() };
            at = found;
            if input[at] == b'"' {
                self.in_string = false;
                return at + 1;
            }
            at += 2;
            if at > input.len() {
                self.escaped = true;
                return input.len();
            }
        }
    }

    /// Whether the list that opens after these bytes is the one that can be long.
    fn opens_list(&self, before: &[u8]) -> bool {
        let Some(name) = self.list else { return false };
        // The key may have come with the piece before.
        let mut key = self.around[self.around.len().saturating_sub(name.len() + 64)..].to_vec();
        key.extend_from_slice(before);
        let key = key.trim_ascii_end().strip_suffix(b":").unwrap_or_default().trim_ascii_end();
        let quoted = key.strip_suffix(b"\"").and_then(|key| key.strip_suffix(name.as_bytes()));
        quoted.is_some_and(|before| before.ends_with(b"\""))
    }

    /// Whether a chunk is to be given out, with this many bytes more in it.
    fn is_due(&self, more: usize) -> bool {
        self.open.len() + more >= self.target || self.dropped > 0
    }

    fn keep(&mut self, bytes: &[u8]) {
        let kept = if self.in_list { &mut self.open } else { &mut self.around };
        if self.dropped == 0 && kept.len() + bytes.len() <= self.largest {
            kept.extend_from_slice(bytes);
        } else {
            self.dropped += (std::mem::take(kept).len() + bytes.len()) as u64;
        }
    }

    fn elements(&mut self, out: &mut Vec<Chunk>) {
        let open = std::mem::take(&mut self.open);
        match std::mem::take(&mut self.dropped) {
            0 if open.trim_ascii().is_empty() => {}
            0 => out.push(Chunk::Elements(open)),
            dropped => out.push(Chunk::TooLarge { bytes: dropped + open.len() as u64, is_line: false }),
        }
    }

    fn value(&mut self, out: &mut Vec<Chunk>) {
        let around = std::mem::take(&mut self.around);
        match std::mem::take(&mut self.dropped) {
            0 => self.whole.extend_from_slice(&around),
            dropped => out.push(Chunk::TooLarge { bytes: dropped + around.len() as u64, is_line: false }),
        }
        if self.whole.len() >= self.target {
            self.give_whole(out);
        }
    }

    fn give_whole(&mut self, out: &mut Vec<Chunk>) {
        let whole = std::mem::take(&mut self.whole);
        if !whole.trim_ascii().is_empty() {
            out.push(Chunk::Values(whole));
        }
    }
}

/// The place of the next quote or backslash.
fn string_end(input: &[u8], at: usize) -> Option<usize> {
    // Most strings are short.
    let first = input.get(at..)?.first_chunk();
    let hits = first.map_or(0, |step| equal_in(step, b'"') | equal_in(step, b'\\'));
    if hits != 0 {
        return Some(at + hits.trailing_zeros() as usize);
    }
    memchr2(b'"', b'\\', &input[at..]).map(|found| at + found)
}

/// The lines of a document, of which nothing else is asked than how many there are.
#[derive(Default)]
pub struct LineCounter {
    ends: u64,
    blank: u64,
    last: Option<u8>,
}

impl LineCounter {
    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.ends += memchr_iter(b'\n', bytes).count() as u64;
        let across = self.last.is_none_or(|last| last == b'\n') && bytes.first() == Some(&b'\n');
        self.blank += u64::from(across);
        if memmem::find(bytes, b"\n\n").is_some() {
            self.blank += bytes.windows(2).filter(|pair| pair == b"\n\n").count() as u64;
        }
        self.last = bytes.last().copied().or(self.last);
    }

    /// All lines, and those that are not empty.
    pub fn lines(&self) -> (u64, u64) {
        let open = u64::from(self.last.is_some_and(|last| last != b'\n'));
        (self.ends + open, self.ends + open - self.blank)
    }
}
