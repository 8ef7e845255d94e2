//! The beginning of a file, as far as is needed to tell its format: content decides, never the name.

use super::walk;
use crate::error::Code;
use crate::json::Lexer;
use std::borrow::Cow;

/// A file whose first values do not tell is asked up to this number.
const VALUES: usize = 400;

/// The keys of an object with the text of what they hold.
pub struct Keys<'a>(Vec<(Cow<'a, str>, &'a str)>);

/// The first values of a file. The last one may be cut.
pub struct Head<'a> {
    /// The keys of each.
    pub values: Vec<Keys<'a>>,
    /// Whether the first line is a value, or several.
    pub lines: bool,
}

impl<'a> Head<'a> {
    /// Looks at the first values of a text. Lines that are no JSON are passed over.
    pub fn read(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut values = Vec::new();
        let mut lexer = Lexer::new(text);
        let mut first_end = None;
        while values.len() < VALUES {
            lexer.space();
            let start = lexer.pos();
            if start == text.len() {
                break;
            }
            let (keys, code) = Keys::read(&mut lexer);
            first_end = first_end.or(Some(&text[start..lexer.pos()]));
            // A value may be cut, or nested beyond all measure: its first keys say what it is all the same.
            if matches!(code, None | Some(Code::Truncated | Code::TooDeep)) {
                values.push(keys);
            }
            if code.is_some() {
                // After a line that is no JSON the next one is looked at; after a value that is cut there is none.
                let next = text[start..].find('\n').filter(|_| code != Some(Code::Truncated));
                let Some(line) = next else { break };
                lexer = Lexer::starting_at(text, start + line + 1);
            }
        }
        Head { values, lines: !first_end.unwrap_or_default().contains('\n') }
    }

    /// Whether a value passes.
    pub fn any(&self, test: impl Fn(&Keys<'a>) -> bool) -> bool {
        self.values.iter().any(test)
    }
}

impl<'a> Keys<'a> {
    /// Reads the object that begins here as far as it goes, and tells what was wrong with it.
    fn read(lexer: &mut Lexer<'a>) -> (Self, Option<Code>) {
        let mut keys = Vec::new();
        let text = lexer.text();
        let result = walk::entries(lexer, |key, lexer| {
            let start = lexer.pos();
            // A value that is cut is kept too: a document may be far longer than what is looked at.
            let (value, result) = match walk::skip(lexer) {
                Ok(value) => (value, Ok(())),
                Err(error) => (text[start..].trim_start(), Err(error)),
            };
            keys.push((key, value));
            result
        });
        (Keys(keys), result.err().map(|error| error.code()))
    }

    /// The keys of the object that a text begins with.
    pub fn of(text: &'a str) -> Self {
        Keys::read(&mut Lexer::new(text)).0
    }

    /// The text of what a key holds.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// Whether all of these keys are there.
    pub fn has(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.get(key).is_some())
    }

    /// Whether a key holds one of these texts.
    pub fn says(&self, key: &str, texts: &[&str]) -> bool {
        let value = self.get(key).and_then(walk::text);
        value.is_some_and(|value| texts.contains(&value.as_ref()))
    }

    /// Whether a key holds an object.
    pub fn object(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value.starts_with('{'))
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
