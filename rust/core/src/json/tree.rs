//! A parsed value that keeps duplicate keys, key order, number text and offsets.
//!
//! Used where every field must be seen, not where speed counts: the hot paths use the scanner alone.

use super::lexer::{Lexer, Sort};
use super::raw_str::RawStr;
use crate::error::{Code, Error, Result};
use crate::limits::DEEPEST;
use std::borrow::Cow;
use std::collections::HashSet;

/// A value and the byte offset at which it begins.
#[derive(Clone, PartialEq)]
pub struct Tree<'a> {
    /// What it is.
    pub value: Value<'a>,
    /// Byte offset of its first character in the text.
    pub start: usize,
}

/// A JSON value. Strings are as written; numbers are their text.
#[derive(Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(RawStr<'a>),
    Array(Vec<Tree<'a>>),
    Object(Vec<(Key<'a>, Tree<'a>)>),
}

/// A key and where it stands.
#[derive(Clone, Copy, PartialEq)]
pub struct Key<'a> {
    /// The string as written.
    pub text: RawStr<'a>,
    /// Byte offset of its opening quote.
    pub start: usize,
}

impl<'a> Tree<'a> {
    /// Parses a text that is exactly one value. Depth is bounded, whatever is asked for, so recursion is.
    pub fn parse(text: &'a str, max_depth: usize) -> Result<Self> {
        if text.starts_with('\u{feff}') {
            return Err(Error::at(Code::ByteOrderMark, 0));
        }
        let mut lexer = Lexer::new(text);
        let tree = Tree::read(&mut lexer, max_depth.min(DEEPEST + 1))?;
        lexer.end()?;
        Ok(tree)
    }

    /// Reads the value that begins here.
    pub fn read(lexer: &mut Lexer<'a>, max_depth: usize) -> Result<Self> {
        let sort = lexer.peek()?;
        let start = lexer.pos();
        let value = match sort {
            Sort::Null => lexer.word("null").map(|()| Value::Null)?,
            Sort::Bool => {
                let yes = lexer.text().as_bytes()[start] == b't';
                lexer.word(if yes { "true" } else { "false" })?;
                Value::Bool(yes)
            }
            Sort::Number => Value::Number(lexer.number()?),
            Sort::String => Value::String(lexer.string()?),
            Sort::Array | Sort::Object => {
                let Some(deeper) = max_depth.checked_sub(1) else {
                    return Err(Error::at(Code::TooDeep, start));
                };
                if sort == Sort::Array { Tree::array(lexer, deeper)? } else { Tree::object(lexer, deeper)? }
            }
        };
        Ok(Tree { value, start })
    }

    fn array(lexer: &mut Lexer<'a>, max_depth: usize) -> Result<Value<'a>> {
        lexer.expect(b'[')?;
        let mut elements = Vec::new();
        if lexer.take(b']') {
            return Ok(Value::Array(elements));
        }
        loop {
            elements.push(Tree::read(lexer, max_depth)?);
            if lexer.take(b']') {
                return Ok(Value::Array(elements));
            }
            lexer.expect(b',')?;
        }
    }

    fn object(lexer: &mut Lexer<'a>, max_depth: usize) -> Result<Value<'a>> {
        lexer.expect(b'{')?;
        let mut entries = Vec::new();
        if lexer.take(b'}') {
            return Ok(Value::Object(entries));
        }
        loop {
            lexer.space();
            let start = lexer.pos();
            let text = lexer.key()?;
            entries.push((Key { text, start }, Tree::read(lexer, max_depth)?));
            if lexer.take(b'}') {
                return Ok(Value::Object(entries));
            }
            lexer.expect(b',')?;
        }
    }

    /// The value of a key of an object, the last one where a key repeats.
    pub fn get(&self, key: &str) -> Option<&Tree<'a>> {
        match &self.value {
            Value::Object(entries) => entries.iter().rev().find(|(name, _)| name.is(key)).map(|(_, tree)| tree),
            _ => None,
        }
    }

    /// The elements of an array; nothing for any other value.
    pub fn elements(&self) -> &[Tree<'a>] {
        match &self.value {
            Value::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The entries of an object; nothing for any other value.
    pub fn entries(&self) -> &[(Key<'a>, Tree<'a>)] {
        match &self.value {
            Value::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The decoded text of a string; none for any other value and for a lone surrogate.
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        match &self.value {
            Value::String(string) => string.decode().ok(),
            _ => None,
        }
    }

    /// Whether it is this text.
    pub fn is_str(&self, text: &str) -> bool {
        self.as_str().is_some_and(|found| found == text)
    }

    /// Refuses an object with the same key twice, and a key with a lone surrogate, at any depth.
    pub fn check_keys(&self) -> Result<()> {
        match &self.value {
            Value::Array(elements) => {
                elements.iter().enumerate().try_for_each(|(i, tree)| tree.check_keys().map_err(|e| e.within_index(i)))
            }
            Value::Object(entries) => {
                let mut seen = HashSet::with_capacity(entries.len());
                for (key, tree) in entries {
                    let name = key.text.decode().map_err(|_| Error::at(Code::LoneSurrogate, key.start))?;
                    if !seen.insert(name.clone()) {
                        return Err(Error::at(Code::DuplicateKey, key.start).within_key(&name));
                    }
                    tree.check_keys().map_err(|error| error.within_key(&name))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Key<'_> {
    /// Whether the decoded key is this name.
    pub fn is(&self, name: &str) -> bool {
        if self.text.escaped { self.text.decode().is_ok_and(|decoded| decoded == name) } else { self.text.raw == name }
    }
}
