//! A decoded JSON value: the second implementation of [`Node`], as obvious as can be.
//!
//! Python objects look like this to the engine: texts are decoded, nothing has an offset.

use ostinato_core::json::{Tree, Value};
use ostinato_core::node::{Node, Shape};
use ostinato_core::{Code, Error, Result};
use std::borrow::Cow;

/// A value with its keys in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn text(text: &str) -> Self {
        Json::Text(text.to_owned())
    }

    /// The decoded form of a tree; fails where a text cannot be decoded.
    pub fn of(tree: &Tree<'_>) -> Result<Self> {
        Ok(match &tree.value {
            Value::Null => Json::Null,
            Value::Bool(yes) => Json::Bool(*yes),
            Value::Number(text) => Json::Number((*text).to_owned()),
            Value::String(string) => Json::Text(string.decode()?.into_owned()),
            Value::Array(elements) => Json::List(elements.iter().map(Json::of).collect::<Result<_>>()?),
            Value::Object(entries) => {
                let entry = |(key, tree): &(ostinato_core::json::Key<'_>, Tree<'_>)| {
                    Ok((key.text.decode()?.into_owned(), Json::of(tree)?))
                };
                Json::Object(entries.iter().map(entry).collect::<Result<_>>()?)
            }
        })
    }

    /// Compact text, strings as serde_json writes them.
    pub fn compact(&self) -> String {
        match self {
            Json::Null => "null".into(),
            Json::Bool(yes) => yes.to_string(),
            Json::Number(text) => text.clone(),
            Json::Text(text) => quoted(text),
            Json::List(elements) => {
                format!("[{}]", elements.iter().map(Json::compact).collect::<Vec<_>>().join(","))
            }
            Json::Object(entries) => {
                let entry = |(key, value): &(String, Json)| format!("{}:{}", quoted(key), value.compact());
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
            }
        }
    }

    /// The same value in another spelling: spaces and escapes wherever JSON allows them, as the noise says.
    pub fn spelled(&self, noise: &mut Noise) -> String {
        let inner = match self {
            Json::Text(text) => noise.string(text),
            Json::List(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| element.spelled(noise)).collect();
                format!("[{}{}]", noise.space(), elements.join(","))
            }
            Json::Object(entries) => {
                let mut parts = Vec::new();
                for (key, value) in entries {
                    let key = noise.string(key);
                    parts.push(format!("{}{key}{}:{}", noise.space(), noise.space(), value.spelled(noise)));
                }
                format!("{{{}{}}}", parts.join(","), noise.space())
            }
            scalar => scalar.compact(),
        };
        format!("{}{inner}{}", noise.space(), noise.space())
    }

    pub fn entries_mut(&mut self) -> &mut Vec<(String, Json)> {
        match self {
            Json::Object(entries) => entries,
            _ => panic!("no object"),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => entries.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is always JSON")
}

/// An endless source of choices, from a few random bytes.
#[derive(Clone, Debug)]
pub struct Noise {
    bytes: Vec<u8>,
    next: usize,
}

impl Noise {
    pub fn new(bytes: Vec<u8>) -> Self {
        Noise { bytes, next: 0 }
    }

    fn byte(&mut self) -> u8 {
        self.next += 1;
        self.bytes.get(self.next % self.bytes.len().max(1)).copied().unwrap_or_default()
    }

    fn space(&mut self) -> &'static str {
        ["", "", "", " ", "\t", "\n", "\r", "  \n"][usize::from(self.byte() % 8)]
    }

    fn string(&mut self, text: &str) -> String {
        let mut out = String::from("\"");
        for character in text.chars() {
            match (self.byte() % 4, character) {
                (0, _) => escape(&mut out, character, |unit| format!("\\u{unit:04x}")),
                (1, _) => escape(&mut out, character, |unit| format!("\\u{unit:04X}")),
                (2, '/') => out.push_str("\\/"),
                _ => {
                    let quoted = quoted(&character.to_string());
                    out.push_str(&quoted[1..quoted.len() - 1]);
                }
            }
        }
        out.push('"');
        out
    }
}

/// Both halves of an astral character, as JSON spells it.
fn escape(out: &mut String, character: char, spell: impl Fn(u16) -> String) {
    character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&spell(*unit)));
}

impl<'n> Node<'n> for &'n Json {
    fn shape(&self) -> Shape {
        match self {
            Json::Null => Shape::Null,
            Json::Bool(yes) => Shape::Bool(*yes),
            Json::Number(text) if text.contains(['.', 'e', 'E']) => Shape::Float,
            Json::Number(_) => Shape::Integer,
            Json::Text(_) => Shape::Text,
            Json::List(_) => Shape::List,
            Json::Object(_) => Shape::Object,
        }
    }

    fn text(&self) -> Result<Cow<'n, str>> {
        match self {
            Json::Text(text) => Ok(Cow::Borrowed(text)),
            _ => Err(Error::new(Code::TypeMismatch)),
        }
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        Err(Error::new(Code::TypeMismatch))
    }

    fn integer(&self) -> Result<Cow<'n, str>> {
        match self {
            Json::Number(text) => Ok(Cow::Borrowed(text)),
            _ => Err(Error::new(Code::TypeMismatch)),
        }
    }

    fn entries(&self) -> Result<Vec<(Cow<'n, str>, Self)>> {
        match self {
            Json::Object(entries) => Ok(entries.iter().map(|(key, value)| (Cow::Borrowed(&**key), value)).collect()),
            _ => Ok(Vec::new()),
        }
    }

    fn get(&self, name: &'static str) -> Result<Option<Self>> {
        Ok(self.entries()?.into_iter().rev().find(|(key, _)| key == name).map(|(_, value)| value))
    }

    fn size(&self) -> Result<usize> {
        Ok(self.entries()?.len())
    }

    fn elements(&self, max: usize) -> Result<Vec<Self>> {
        match self {
            Json::List(elements) if elements.len() > max => Err(Error::new(Code::TooManyParts)),
            Json::List(elements) => Ok(elements.iter().collect()),
            _ => Ok(Vec::new()),
        }
    }

    fn push_json(&self, out: &mut String, max_depth: usize) -> Result<()> {
        self.check_depth(max_depth)?;
        out.push_str(&self.compact());
        Ok(())
    }

    fn check_depth(&self, max_depth: usize) -> Result<()> {
        let deeper = || max_depth.checked_sub(1).ok_or_else(|| Error::new(Code::TooDeep));
        match self {
            Json::List(elements) => {
                let depth = deeper()?;
                elements.iter().try_for_each(|element| element.check_depth(depth))
            }
            Json::Object(entries) => {
                let depth = deeper()?;
                entries.iter().try_for_each(|(_, value)| value.check_depth(depth))
            }
            _ => Ok(()),
        }
    }

    fn offset(&self) -> Option<usize> {
        None
    }
}
