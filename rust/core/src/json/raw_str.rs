//! A string as it is written, and its text.

use super::bytes::backslash;
use crate::error::{Code, Error, Result};
use std::borrow::Cow;

/// A scanned string: the text between its quotes, escapes and all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RawStr<'a> {
    /// Between the quotes, as written.
    pub raw: &'a str,
    /// Whether there is a backslash in it.
    pub escaped: bool,
}

impl<'a> RawStr<'a> {
    /// The string in a JSON text that is known to be sound; none if it is no string.
    pub fn quoted(raw: &'a str) -> Option<Self> {
        let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
        Some(RawStr { raw: inner, escaped: memchr::memchr(b'\\', inner.as_bytes()).is_some() })
    }

    /// The decoded text: borrowed when nothing was escaped. `lone_surrogate` when half a pair stands alone.
    pub fn decode(self) -> Result<Cow<'a, str>> {
        if !self.escaped {
            return Ok(Cow::Borrowed(self.raw));
        }
        let mut out = String::with_capacity(self.raw.len());
        self.decode_into(&mut out)?;
        Ok(Cow::Owned(out))
    }

    /// Appends the decoded text.
    pub fn decode_into(self, out: &mut String) -> Result<()> {
        let bytes = self.raw.as_bytes();
        out.reserve(bytes.len());
        // Where the text begins that is to be copied, and where to look for the next backslash.
        let (mut start, mut from) = (0, 0);
        while let Some(at) = backslash(bytes, from) {
            out.push_str(&self.raw[start..at]);
            match bytes.get(at + 1) {
                // These stand for themselves and are copied with what follows.
                Some(b'"' | b'\\' | b'/') => (start, from) = (at + 1, at + 2),
                _ => {
                    let escape = unescape(&self.raw[at + 1..]);
                    let (character, used) = escape.ok_or_else(|| Error::at(Code::LoneSurrogate, at))?;
                    out.push(character);
                    (start, from) = (at + 1 + used, at + 1 + used);
                }
            }
        }
        out.push_str(&self.raw[start..]);
        Ok(())
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
