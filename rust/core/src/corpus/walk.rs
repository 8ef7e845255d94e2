//! Walking over a record: only what is asked for is looked at, everything is checked to be JSON.

use crate::error::Result;
use crate::item::unquote;
use crate::json::{Lexer, RawStr, Sort};
use std::borrow::Cow;

/// Deepest nesting of a record. Nothing here recurses, so it may be deeper than an item.
pub const DEEPEST_RECORD: usize = 10_000;

/// Visits the entries of the object that begins here. `visit` must read the value; an object it does not know, it skips.
/// A value of another kind is stepped over.
pub fn entries<'a>(
    lexer: &mut Lexer<'a>,
    mut visit: impl FnMut(Cow<'a, str>, &mut Lexer<'a>) -> Result<()>,
) -> Result<()> {
    if lexer.peek()? != Sort::Object {
        return skip(lexer).map(drop);
    }
    lexer.expect(b'{')?;
    if lexer.take(b'}') {
        return Ok(());
    }
    loop {
        lexer.space();
        let key = lexer.key()?;
        visit(decoded(key), lexer)?;
        if lexer.take(b'}') {
            return Ok(());
        }
        lexer.expect(b',')?;
    }
}

/// Visits the elements of the array that begins here. A value of another kind is stepped over.
pub fn elements<'a>(lexer: &mut Lexer<'a>, mut visit: impl FnMut(&mut Lexer<'a>) -> Result<()>) -> Result<()> {
    if lexer.peek()? != Sort::Array {
        return skip(lexer).map(drop);
    }
    lexer.expect(b'[')?;
    if lexer.take(b']') {
        return Ok(());
    }
    loop {
        visit(lexer)?;
        if lexer.take(b']') {
            return Ok(());
        }
        lexer.expect(b',')?;
    }
}

/// Steps over a value and gives its text.
pub fn skip<'a>(lexer: &mut Lexer<'a>) -> Result<&'a str> {
    lexer.skip(DEEPEST_RECORD)
}

/// Reads the value that begins here if it is a string, else steps over it.
pub fn string<'a>(lexer: &mut Lexer<'a>) -> Result<Option<RawStr<'a>>> {
    if lexer.peek()? == Sort::String {
        return lexer.string().map(Some);
    }
    skip(lexer).map(|_| None)
}

/// The text of a string. One with half of a surrogate pair, which no text can hold, stands for itself as written.
pub fn decoded(string: RawStr<'_>) -> Cow<'_, str> {
    string.decode().unwrap_or(Cow::Borrowed(string.raw))
}

/// The same, with a buffer to write into, whose memory serves for one text after another.
pub fn decoded_in<'t>(string: RawStr<'t>, buffer: &'t mut String) -> &'t str {
    buffer.clear();
    match string.escaped.then(|| string.decode_into(buffer)) {
        Some(Ok(())) => buffer,
        _ => string.raw,
    }
}

/// The text of a JSON text that is a string.
pub fn text(raw: &str) -> Option<Cow<'_, str>> {
    if !raw.starts_with('"') {
        return None;
    }
    unquote(raw).or_else(|| raw.get(1..raw.len().saturating_sub(1)).map(Cow::Borrowed))
}

/// Whether a JSON text is a string, list or object with something in it.
pub fn filled(raw: &str) -> bool {
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    matches!(raw.as_bytes().first(), Some(b'"')) && !inner.is_empty()
        || matches!(raw.as_bytes().first(), Some(b'[' | b'{')) && !inner.trim().is_empty()
}

/// A whole number that is not negative.
pub fn number(raw: &str) -> Option<u64> {
    raw.parse().ok()
}

/// Reads the value that begins here and finds in it the text of the value at a path of keys.
pub fn at<'a>(lexer: &mut Lexer<'a>, path: &[&str], found: &mut Option<&'a str>) -> Result<()> {
    let Some((name, rest)) = path.split_first() else {
        *found = Some(skip(lexer)?);
        return Ok(());
    };
    entries(lexer, |key, lexer| if key == *name { at(lexer, rest, found) } else { skip(lexer).map(drop) })
}
