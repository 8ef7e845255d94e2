//! Counting a chunk of a file: whole lines, whole values, or elements of a long list.

use crate::corpus::Format;
use crate::error::{Code, Error};
use crate::json::{self, Lexer};
use crate::measure::Tally;
use memchr::{memchr, memmem};

/// A piece of a file that can be counted by itself.
pub enum Chunk {
    /// Lines, each with one value or several.
    Lines(Vec<u8>),
    /// Values one after another, wherever their lines end.
    Values(Vec<u8>),
    /// Elements of the long list of a document, with commas between them.
    Elements(Vec<u8>),
    /// A value that is not looked at, being larger than a record may be.
    TooLarge {
        /// How long it is.
        bytes: u64,
        /// Whether it is a line.
        is_line: bool,
    },
}

impl Chunk {
    /// Bytes of memory it takes.
    pub fn len(&self) -> usize {
        match self {
            Chunk::Lines(bytes) | Chunk::Values(bytes) | Chunk::Elements(bytes) => bytes.len(),
            Chunk::TooLarge { .. } => 0,
        }
    }

    /// Adds what is in it to a tally.
    pub fn count(&self, format: &dyn Format, tally: &mut Tally) {
        match self {
            Chunk::Lines(bytes) => lines(bytes, format, tally),
            Chunk::Values(bytes) => values(bytes, format, tally),
            Chunk::Elements(bytes) => elements(bytes, format, tally),
            Chunk::TooLarge { bytes, is_line } => {
                if *is_line {
                    tally.lines.physical += 1;
                    tally.lines.lines += 1;
                    tally.lines.longest = tally.lines.longest.max(*bytes);
                }
                tally.lines.problem(Code::TooLarge);
                tally.lines.unreadable_bytes += bytes;
            }
        }
    }
}

/// Counts whole lines. The last one may lack its end.
pub fn lines(bytes: &[u8], format: &dyn Format, tally: &mut Tally) {
    let text = json::text(bytes).ok();
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let line = &bytes[start..end];
        tally.lines.physical += 1;
        if !line.iter().all(u8::is_ascii_whitespace) {
            tally.lines.lines += 1;
            tally.lines.longest = tally.lines.longest.max(line.len() as u64);
            match text.map_or_else(|| line_text(line), |text| Ok(&text[start..end])) {
                Ok(line) => values_of_line(line, format, tally),
                Err(code) => unreadable(code, line.len(), tally),
            }
        }
        start = end + 1;
    }
}

/// The text of a line. One that ends inside a character was cut there.
fn line_text(line: &[u8]) -> Result<&str, Code> {
    std::str::from_utf8(line).map_err(|error| if error.error_len().is_none() { Code::Truncated } else { Code::NotUtf8 })
}

fn unreadable(code: Code, bytes: usize, tally: &mut Tally) {
    tally.lines.problem(code);
    tally.lines.unreadable_bytes += bytes as u64;
}

fn values_of_line(line: &str, format: &dyn Format, tally: &mut Tally) {
    let mut lexer = Lexer::new(line);
    let mut values = 0;
    let failed = loop {
        lexer.space();
        if lexer.pos() == line.len() {
            break None;
        }
        match format.record(&mut lexer, tally) {
            Ok(()) => values += 1,
            Err(error) => break Some(error.code()),
        }
    };
    tally.records += values;
    tally.lines.with_several_values += u64::from(values > 1);
    match failed {
        Some(code) if values == 0 => unreadable(code, line.len(), tally),
        Some(code) => tally.lines.problem(code),
        None => {}
    }
    surrogates(&lexer, tally);
}

/// Counts values one after another. After one that is broken, the next line is tried.
fn values(bytes: &[u8], format: &dyn Format, tally: &mut Tally) {
    let Some(text) = text_of(bytes, tally) else { return };
    let mut lexer = Lexer::new(text);
    loop {
        lexer.space();
        let start = lexer.pos();
        if start == text.len() {
            break;
        }
        match format.record(&mut lexer, tally) {
            Ok(()) => tally.records += 1,
            Err(error) => {
                let rest = &text[start..];
                let line = memchr(b'\n', rest.as_bytes()).filter(|_| error.code() != Code::Truncated);
                let broken = line.map_or(rest.len(), |line| line + 1);
                unreadable(error.code(), broken, tally);
                surrogates(&lexer, tally);
                lexer = Lexer::starting_at(text, start + broken);
            }
        }
    }
    surrogates(&lexer, tally);
}

/// A document that is one value and nothing else. If it is not, nothing can be told but the error.
pub fn document(bytes: &[u8], format: &dyn Format, tally: &mut Tally) -> Result<(), Error> {
    let text = json::text(bytes)?;
    let mut lexer = Lexer::new(text);
    format.record(&mut lexer, tally)?;
    lexer.end()?;
    tally.records += 1;
    surrogates(&lexer, tally);
    Ok(())
}

fn elements(bytes: &[u8], format: &dyn Format, tally: &mut Tally) {
    let Some(text) = text_of(bytes, tally) else { return };
    let mut lexer = Lexer::new(text);
    loop {
        lexer.space();
        let start = lexer.pos();
        if start == text.len() {
            break;
        }
        let read = format.element(&mut lexer, tally).and_then(|()| {
            lexer.space();
            if lexer.pos() == text.len() { Ok(()) } else { lexer.expect(b',') }
        });
        if let Err(error) = read {
            unreadable(error.code(), text.len() - start, tally);
            break;
        }
    }
    surrogates(&lexer, tally);
}

fn text_of<'b>(bytes: &'b [u8], tally: &mut Tally) -> Option<&'b str> {
    match json::text(bytes).or_else(|_| line_text(bytes)) {
        Ok(text) => Some(text),
        Err(code) => {
            unreadable(code, bytes.len(), tally);
            None
        }
    }
}

/// Names the newest line if half of a surrogate pair stands alone in it.
fn surrogates(lexer: &Lexer<'_>, tally: &mut Tally) {
    if lexer.met_surrogate() && lone_surrogate(lexer.text().as_bytes()) {
        tally.lines.problem(Code::LoneSurrogate);
    }
}

/// Whether half of a surrogate pair is escaped in it, standing alone.
fn lone_surrogate(bytes: &[u8]) -> bool {
    // Only the letter D in either case begins a half. Escaped backslashes before it make it plain text.
    let escape = |at: usize| bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0;
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    [&b"\\ud"[..], b"\\uD"].into_iter().flat_map(|half| memmem::find_iter(bytes, half)).any(|at| {
        if !escape(at) {
            return false;
        }
        match unit(at) {
            Some(0xd800..=0xdbff) => !unit(at + 6).is_some_and(|low| (0xdc00..0xe000).contains(&low)),
            Some(0xdc00..=0xdfff) => {
                !(at >= 6 && escape(at - 6) && unit(at - 6).is_some_and(|high| (0xd800..0xdc00).contains(&high)))
            }
            _ => false,
        }
    })
}
