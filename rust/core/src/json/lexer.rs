//! A strict scanner of JSON text (RFC 8259) that records where values are and copies nothing.

use super::bytes::{SHORT, STEP, has_control, is_simple_escape, specials_in};
use super::raw_str::RawStr;
use crate::error::{Code, Error, Result};
use memchr::memchr2;

/// What kind of value begins at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// a number
    Number,
    /// a string
    String,
    /// `[`
    Array,
    /// `{`
    Object,
}

/// A position in a text. Every method leaves it after what it read.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    surrogate: bool,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Lexer { text, pos: 0, surrogate: false }
    }

    /// Starts at a byte offset, which must be a character border.
    pub fn starting_at(text: &'a str, pos: usize) -> Self {
        Lexer { text, pos, surrogate: false }
    }

    /// Goes on at a byte offset, which must be a character border: something else read what is in between.
    pub fn jump(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// The text being read.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The byte offset of the next character.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Whether the escape of a surrogate was met, paired or not.
    pub fn met_surrogate(&self) -> bool {
        self.surrogate
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn byte(&self) -> Option<u8> {
        self.bytes().get(self.pos).copied()
    }

    /// Skips space, tab, line feed and carriage return.
    #[inline]
    pub fn space(&mut self) {
        if self.byte().is_some_and(|byte| byte <= b' ') {
            self.indent();
        }
    }

    /// Skips what may be a long run of space: indented text is full of them.
    fn indent(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
            while self.bytes()[self.pos..].starts_with(b"        ") {
                self.pos += 8;
            }
        }
    }

    /// An error here: `truncated` at the end of the text, else `not_json`.
    #[cold]
    pub fn unexpected(&self) -> Error {
        let code = if self.pos >= self.text.len() { Code::Truncated } else { Code::NotJson };
        Error::at(code, self.pos)
    }

    /// Skips space and tells what begins here.
    #[inline]
    pub fn peek(&mut self) -> Result<Sort> {
        self.space();
        match self.byte() {
            Some(b'"') => Ok(Sort::String),
            Some(b'{') => Ok(Sort::Object),
            Some(b'[') => Ok(Sort::Array),
            Some(b't' | b'f') => Ok(Sort::Bool),
            Some(b'n') => Ok(Sort::Null),
            Some(b'-' | b'0'..=b'9') => Ok(Sort::Number),
            _ => Err(self.unexpected()),
        }
    }

    /// Skips space, then takes this byte if it is next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.byte() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    /// Skips space, then takes this byte or fails.
    #[inline]
    pub fn expect(&mut self, byte: u8) -> Result<()> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Reads a word such as `null`.
    pub fn word(&mut self, word: &'static str) -> Result<()> {
        let rest = &self.bytes()[self.pos..];
        if rest.starts_with(word.as_bytes()) {
            self.pos += word.len();
            return Ok(());
        }
        let same = rest.iter().zip(word.bytes()).take_while(|(a, b)| **a == *b).count();
        self.pos += same;
        Err(self.unexpected())
    }

    /// Reads a string whose quote is next. Escapes are checked, surrogates are not paired.
    pub fn string(&mut self) -> Result<RawStr<'a>> {
        self.expect(b'"')?;
        let start = self.pos;
        let mut escaped = false;
        loop {
            match self.special(&mut escaped) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(Error::at(Code::NotJson, self.pos)),
                None => return Err(self.unexpected()),
            }
        }
        let end = self.pos;
        self.pos += 1;
        Ok(RawStr { raw: &self.text[start..end], escaped })
    }

    /// Goes to the next quote, control character or backslash and tells which it is, or to the end. May step over
    /// escapes of one character, and says so.
    #[inline]
    fn special(&mut self, escaped: &mut bool) -> Option<u8> {
        let bytes = self.bytes();
        let mut quiet = 0;
        // Most strings are short, and escapes stand close together: few bytes at a time are faster there.
        while let Some(step) = bytes.get(self.pos..).and_then(|rest| rest.first_chunk::<STEP>()) {
            let mut hits = specials_in(step);
            let mut next = STEP;
            while hits != 0 {
                let at = hits.trailing_zeros() as usize;
                let escape = bytes.get(self.pos + at + 1).is_some_and(|byte| is_simple_escape(*byte));
                if step[at] != b'\\' || !escape {
                    self.pos += at;
                    return Some(step[at]);
                }
                *escaped = true;
                quiet = 0;
                next = next.max(at + 2);
                // Done with everything up to the escaped character.
                hits &= u32::MAX << (at + 2);
            }
            self.pos += next;
            quiet += STEP;
            if quiet > SHORT {
                break;
            }
        }
        self.special_far()
    }

    /// The same in a long string.
    fn special_far(&mut self) -> Option<u8> {
        let rest = &self.bytes()[self.pos..];
        let found = memchr2(b'"', b'\\', rest);
        let before = &rest[..found.unwrap_or(rest.len())];
        let control = if has_control(before) { before.iter().position(|byte| *byte < 0x20) } else { None };
        self.pos += control.unwrap_or(before.len());
        self.byte()
    }

    /// Steps over one escape; the backslash is next.
    fn escape(&mut self) -> Result<()> {
        self.pos += 1;
        match self.byte() {
            Some(byte) if is_simple_escape(byte) => self.pos += 1,
            Some(b'u') => {
                self.pos += 1;
                self.surrogate |= matches!(self.byte(), Some(b'd' | b'D'));
                for _ in 0..4 {
                    if !self.byte().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.unexpected());
                    }
                    self.pos += 1;
                }
            }
            _ => return Err(self.unexpected()),
        }
        Ok(())
    }

    /// Reads a number and returns its text as written.
    pub fn number(&mut self) -> Result<&'a str> {
        let start = self.pos;
        self.pos += usize::from(self.byte() == Some(b'-'));
        match self.byte() {
            Some(b'0') => self.pos += 1,
            _ => self.digits()?,
        }
        if self.byte() == Some(b'.') {
            self.pos += 1;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.pos += 1;
            self.pos += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(&self.text[start..self.pos])
    }

    fn digits(&mut self) -> Result<()> {
        let start = self.pos;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.pos += 1;
        }
        if self.pos == start { Err(self.unexpected()) } else { Ok(()) }
    }

    /// Steps over one value of any size without recursion; returns its text.
    pub fn skip(&mut self, max_depth: usize) -> Result<&'a str> {
        self.space();
        let start = self.pos;
        let mut open = Open::default();
        loop {
            match self.peek()? {
                Sort::Null => self.word("null")?,
                Sort::Bool => self.word(if self.byte() == Some(b't') { "true" } else { "false" })?,
                Sort::Number => drop(self.number()?),
                Sort::String => drop(self.string()?),
                sort @ (Sort::Array | Sort::Object) => {
                    if open.depth >= max_depth {
                        return Err(Error::at(Code::TooDeep, self.pos));
                    }
                    self.pos += 1;
                    let object = sort == Sort::Object;
                    if !self.take(if object { b'}' } else { b']' }) {
                        open.push(object);
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
            }
            // A value ended: close what ends with it, then go to the next one.
            loop {
                let Some(object) = open.last() else { return Ok(&self.text[start..self.pos]) };
                if self.take(b',') {
                    if object {
                        self.key()?;
                    }
                    break;
                }
                self.expect(if object { b'}' } else { b']' })?;
                open.pop();
            }
        }
    }

    /// Reads a key and its colon.
    pub fn key(&mut self) -> Result<RawStr<'a>> {
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }

    /// Fails unless only space is left.
    pub fn end(&mut self) -> Result<()> {
        self.space();
        if self.pos == self.text.len() { Ok(()) } else { Err(Error::at(Code::TrailingText, self.pos)) }
    }
}

/// The brackets that are open: one bit each, set for an object. Memory is taken only where a value is very deep.
#[derive(Default)]
struct Open {
    depth: usize,
    newest: u64,
    older: Vec<u64>,
}

impl Open {
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.older.push(self.newest);
        }
        self.newest = self.newest << 1 | u64::from(object);
        self.depth += 1;
    }

    fn last(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.newest & 1 == 1)
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.newest >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.newest = self.older.pop().unwrap_or_default();
        }
    }
}
