//! A strict scanner of JSON text (RFC 8259) that records where values are and copies nothing.

use crate::error::{Code, Error, Result};
use memchr::memchr2;
use multiversion::multiversion;
use std::borrow::Cow;

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

/// A scanned string: the text between its quotes, escapes and all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RawStr<'a> {
    /// Between the quotes, as written.
    pub raw: &'a str,
    /// Whether there is a backslash in it.
    pub escaped: bool,
}

/// A position in a text. Every method leaves it after what it read.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Lexer { text, pos: 0 }
    }

    /// Starts at a byte offset, which must be a character border.
    pub fn starting_at(text: &'a str, pos: usize) -> Self {
        Lexer { text, pos }
    }

    /// The text being read.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The byte offset of the next character.
    pub fn pos(&self) -> usize {
        self.pos
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn byte(&self) -> Option<u8> {
        self.bytes().get(self.pos).copied()
    }

    /// Skips space, tab, line feed and carriage return.
    pub fn space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.pos += 1;
        }
    }

    /// An error here: `truncated` at the end of the text, else `not_json`.
    #[cold]
    pub fn unexpected(&self) -> Error {
        let code = if self.pos >= self.text.len() { Code::Truncated } else { Code::NotJson };
        Error::at(code, self.pos)
    }

    /// Skips space and tells what begins here.
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
    pub fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.byte() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    /// Skips space, then takes this byte or fails.
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
            let rest = &self.bytes()[self.pos..];
            let Some(found) = memchr2(b'"', b'\\', rest) else {
                self.control(start, self.text.len())?;
                self.pos = self.text.len();
                return Err(self.unexpected());
            };
            self.pos += found;
            if rest[found] == b'"' {
                break;
            }
            escaped = true;
            self.escape()?;
        }
        let end = self.pos;
        self.control(start, end)?;
        self.pos += 1;
        Ok(RawStr { raw: &self.text[start..end], escaped })
    }

    /// Refuses a raw control character between two offsets.
    fn control(&mut self, start: usize, end: usize) -> Result<()> {
        let inside = &self.bytes()[start..end];
        if has_control(inside) {
            let offset = inside.iter().position(|byte| *byte < 0x20).unwrap_or_default();
            return Err(Error::at(Code::NotJson, start + offset));
        }
        Ok(())
    }

    /// Steps over one escape; the backslash is next.
    fn escape(&mut self) -> Result<()> {
        self.pos += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.pos += 1,
            Some(b'u') => {
                self.pos += 1;
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
        // One bit per open bracket: true for an object. Bounded by max_depth.
        let mut open: Vec<bool> = Vec::new();
        loop {
            let sort = self.peek()?;
            match sort {
                Sort::Null => self.word("null")?,
                Sort::Bool => self.word(if self.byte() == Some(b't') { "true" } else { "false" })?,
                Sort::Number => drop(self.number()?),
                Sort::String => drop(self.string()?),
                Sort::Array | Sort::Object => {
                    if open.len() >= max_depth {
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
                let Some(object) = open.last().copied() else { return Ok(&self.text[start..self.pos]) };
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

/// Whether a byte below 0x20 is in it. Written in blocks so that the compiler uses vector instructions, the widest ones
/// that the machine has.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn has_control(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<64>();
    let block_has = |block: &[u8; 64]| block.iter().fold(0u8, |acc, byte| acc | u8::from(*byte < 0x20)) != 0;
    blocks.iter().any(block_has) || rest.iter().any(|byte| *byte < 0x20)
}

impl<'a> RawStr<'a> {
    /// The decoded text: borrowed when nothing was escaped. `lone_surrogate` when half a pair stands alone.
    pub fn decode(self) -> Result<Cow<'a, str>> {
        if !self.escaped {
            return Ok(Cow::Borrowed(self.raw));
        }
        let mut out = String::with_capacity(self.raw.len());
        let mut rest = self.raw;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            out.push_str(&rest[..at]);
            let offset = self.raw.len() - rest.len() + at;
            rest = &rest[at + 1..];
            let (character, used) = unescape(rest).ok_or_else(|| Error::at(Code::LoneSurrogate, offset))?;
            out.push(character);
            rest = &rest[used..];
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
    }
}

/// The character of an escape (after its backslash) and the bytes it took; none for a lone surrogate.
fn unescape(rest: &str) -> Option<(char, usize)> {
    let simple = |c| Some((c, 1));
    match rest.as_bytes().first()? {
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'u' => {
            let unit = hex4(rest.get(1..5)?)?;
            if let Some(character) = char::from_u32(unit) {
                return Some((character, 5));
            }
            let low = rest.get(5..11).and_then(|pair| pair.strip_prefix("\\u")).and_then(hex4)?;
            if !(0xd800..0xdc00).contains(&unit) || !(0xdc00..0xe000).contains(&low) {
                return None;
            }
            char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)).map(|c| (c, 11))
        }
        other => simple(char::from(*other)),
    }
}

fn hex4(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}
