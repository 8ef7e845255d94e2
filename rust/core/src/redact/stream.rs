//! Redaction of a stream in flat memory: JSON lines and log lines go line by line; a document that spans lines is
//! gathered until its brackets close. Where a document outgrows the cap, it is cut after one of its elements.
//!
//! Every decision falls at a byte of the stream, never at the border of a chunk: any way of cutting the stream into
//! chunks gives the same output.

use super::mark::Mark;
use super::scan::is_suspicious;
use super::{Options, Report, Why, bytes};
use memchr::memchr3;

/// Most bytes of one document that are held at once.
pub const CAP: usize = 64 << 20;
/// Deepest nesting that is followed; brackets beyond it are only text here.
const DEEPEST: usize = 1024;
/// How much of a chunk is looked at before what has been written is let go.
const PART: usize = 1 << 16;

/// Bytes that matter outside strings.
static MATTERS: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\"'{}[](),\n";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// A redaction that is fed piece by piece.
pub struct Stream {
    options: Options,
    cap: usize,
    report: Report,
    held: Vec<u8>,
    /// What has been written, and what has been looked at, of `held`.
    written: usize,
    seen: usize,
    /// Where the current line begins.
    line: usize,
    /// Brackets that are open, each with the place after its last comma.
    open: Vec<(u8, usize)>,
    /// The string that is open: its quote and where it begins.
    string: Option<(u8, usize)>,
    /// Whether the next byte of the string is escaped.
    escaped: bool,
    /// Whether lines are being gathered.
    gathering: bool,
    /// Bytes that have been dropped of an open string that is larger than the cap.
    dropped: Option<usize>,
}

impl Stream {
    /// A stream that holds at most [`CAP`] bytes of a document.
    pub fn new(options: Options) -> Self {
        Stream::with_cap(options, CAP)
    }

    /// A stream with a cap of its own.
    pub fn with_cap(options: Options, cap: usize) -> Self {
        Stream {
            options,
            cap: cap.max(16),
            report: Report::default(),
            held: Vec::new(),
            written: 0,
            seen: 0,
            line: 0,
            open: Vec::new(),
            string: None,
            escaped: false,
            gathering: false,
            dropped: None,
        }
    }

    /// What has been replaced so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes the next bytes and appends to `out` what can be written.
    pub fn feed(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        for part in chunk.chunks(PART) {
            self.compact();
            self.held.extend_from_slice(part);
            while self.seen < self.held.len() {
                self.step(out);
            }
            self.drop_string();
        }
    }

    /// Ends the stream and appends what was left.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.end_string(false, out);
        self.write(self.seen, out);
        self.restart();
    }

    /// Looks at the next byte, or at all bytes up to the next one that matters.
    fn step(&mut self, out: &mut Vec<u8>) {
        let limit = self.held.len().min(self.written + self.cap);
        if !self.escaped {
            let rest = &self.held[self.seen..limit];
            let next = match self.string {
                Some((quote, _)) => memchr3(quote, b'\\', b'\n', rest),
                None => rest.iter().position(|byte| MATTERS[usize::from(*byte)]),
            };
            self.seen += next.unwrap_or(rest.len());
        }
        if self.seen < limit {
            let byte = self.held[self.seen];
            self.seen += 1;
            if byte == b'\n' {
                self.newline(out);
                return;
            }
            self.byte(byte, out);
        }
        if self.seen >= self.written + self.cap {
            self.cut(out);
        }
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        let place = self.seen - 1;
        match (self.string, byte) {
            (Some(_), _) if self.escaped => self.escaped = false,
            (Some(_), b'\\') => self.escaped = true,
            (Some((quote, _)), byte) if byte == quote => self.end_string(true, out),
            (Some(_), _) => {}
            (None, b'"') => self.string = Some((byte, place)),
            // An apostrophe in prose is no quote; one of Python stands after a bracket, a separator or a line.
            (None, b'\'') if !self.open.is_empty() && b"{[(,:=\n".contains(&self.last(place)) => {
                self.string = Some((byte, place))
            }
            (None, b'[') if place > self.written && self.held[place - 1] == 0x1b => {} // a colour
            (None, b'{' | b'[' | b'(') if self.open.len() < DEEPEST => self.open.push((byte, 0)),
            (None, b'}') => self.close(b'{'),
            (None, b']') => self.close(b'['),
            (None, b')') => self.close(b'('),
            (None, b',') => {
                if let Some((_, comma)) = self.open.last_mut() {
                    *comma = place + 1;
                }
            }
            _ => {}
        }
    }

    /// The last byte of the line before a place that is no space; the end of the line before where there is none.
    fn last(&self, place: usize) -> u8 {
        let line = &self.held[self.line.max(self.written).min(place)..place];
        line.trim_ascii_end().last().copied().unwrap_or(b'\n')
    }

    fn close(&mut self, opener: u8) {
        if let Some(at) = self.open.iter().rposition(|(open, _)| *open == opener) {
            self.open.truncate(at);
        }
    }

    /// A line ended: it is written, unless it belongs to a document that goes on.
    fn newline(&mut self, out: &mut Vec<u8>) {
        self.end_string(false, out);
        if self.gathering && !self.continues() {
            // What was gathered is no document: it is written as it is, and this line is looked at afresh.
            self.write(self.line, out);
            self.restart();
            self.seen = self.line;
            return;
        }
        let opened = b"{[(,:".contains(&self.last(self.seen));
        self.gathering = !self.open.is_empty() && (self.gathering || opened);
        if self.gathering {
            self.line = self.seen;
        } else {
            self.write(self.seen, out);
            self.restart();
        }
    }

    /// Whether the current line may be part of a document that began on an earlier one.
    fn continues(&self) -> bool {
        let line = self.held[self.line.max(self.written)..self.seen].trim_ascii();
        let word = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-+.".contains(byte)).count();
        let rest = &line[word..];
        match line.first() {
            None => false,
            Some(b'"' | b'\'' | b'{' | b'}' | b'[' | b']' | b'(' | b')') => true,
            Some(_) if word > 0 && matches!(rest, b"" | b",") => true, // a number, true, None
            // name=…, Name(…: the repr of an SDK object
            Some(_) => {
                word > 0 && matches!(rest.first(), Some(b'=' | b'(')) && self.open.iter().any(|(open, _)| *open == b'(')
            }
        }
    }

    /// A document outgrew the cap. It is written up to the end of an element, as far out as leaves little behind.
    fn cut(&mut self, out: &mut Vec<u8>) {
        if self.dropped.is_some() {
            self.drop_string();
            return;
        }
        let commas = || self.open.iter().map(|(_, comma)| *comma).filter(|comma| *comma > self.written);
        let far = commas().find(|comma| *comma >= self.written + self.cap / 2);
        if let Some(comma) = far.or_else(|| commas().max()) {
            self.write(comma, out);
        } else if let Some((_, start)) = self.string {
            self.write(start, out);
            self.dropped = Some(0);
            self.drop_string();
        } else {
            self.write(self.seen, out);
        }
    }

    /// Lets go of what is held of a string that is dropped.
    fn drop_string(&mut self) {
        if let Some(dropped) = &mut self.dropped {
            *dropped += self.seen - self.written;
            self.written = self.seen;
        }
    }

    /// A string ended, or was cut off; where it was dropped, its mark is written.
    fn end_string(&mut self, closed: bool, out: &mut Vec<u8>) {
        let string = self.string.take();
        self.escaped = false;
        if self.dropped.is_none() {
            return;
        }
        // The newline that cut the string off is not part of it.
        let newline = usize::from(!closed && self.seen > self.written && self.held[self.seen - 1] == b'\n');
        self.seen -= newline;
        self.drop_string();
        self.seen += newline;
        // Without its quotes.
        let length = self.dropped.take().unwrap_or_default().saturating_sub(1 + usize::from(closed));
        self.report.count(Why::Unread, "too_large", length);
        let mark = Mark::length(length);
        let with = match string {
            Some((b'"', _)) if closed => mark.json(),
            Some((quote, _)) if closed => format!("{0}{1}{0}", char::from(quote), mark.text()),
            _ => mark.text(),
        };
        out.extend_from_slice(with.as_bytes());
    }

    /// Redacts and writes what is held up to a place.
    fn write(&mut self, end: usize, out: &mut Vec<u8>) {
        let piece = &self.held[self.written.min(end)..end];
        if is_suspicious(piece, 0) {
            let redacted = bytes(piece, self.options);
            self.report.merge(&redacted.report);
            out.extend_from_slice(&redacted.text);
        } else {
            out.extend_from_slice(piece);
        }
        self.written = self.written.max(end);
    }

    /// Forgets the document that was being read.
    fn restart(&mut self) {
        self.line = self.written;
        self.open.clear();
        self.string = None;
        self.escaped = false;
        self.gathering = false;
    }

    /// Lets go of what has been written.
    fn compact(&mut self) {
        let by = std::mem::take(&mut self.written);
        self.held.drain(..by);
        self.seen -= by;
        self.line = self.line.saturating_sub(by);
        for (_, comma) in &mut self.open {
            *comma = comma.saturating_sub(by);
        }
        if let Some((_, start)) = &mut self.string {
            *start = start.saturating_sub(by);
        }
    }
}
