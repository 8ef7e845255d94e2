//! The fast road for stored records: a canonical envelope is read where it stands, escaped once more inside a string of
//! the history, and nothing but its texts is unescaped. What this file does not recognise goes the general way, and both
//! must agree (a property test beside it).

use crate::canonical::canonical_escape;
use crate::json::{RawStr, has_control};
use crate::limits::Limits;
use crate::payload::Parts;
use memchr::memchr2;
use std::borrow::Cow;

const HEAD: &str = r#"{\"schema\":\"fast-agent.openai-responses.reasoning-replay\",\"version\":1,\"item\":{\"type\":\"reasoning\",\"id\":\""#;
const SUMMARY: &str = r#",\"summary\":["#;
const SUMMARY_PART: &str = r#"{\"type\":\"summary_text\",\"text\":\""#;
const STATE: &str = r#",\"encrypted_content\":\""#;
const CONTENT: &str = r#",\"content\":["#;
const CONTENT_PART: &str = r#"{\"type\":\"reasoning_text\",\"text\":\""#;
const QUOTE: &str = r#"\""#;

/// Reads a string of the history that begins at a place after its quote. Gives the item of a canonical reasoning envelope
/// and the place after the closing quote; nothing for any other string.
pub fn read(text: &str, start: usize) -> Option<(Parts<'_>, usize)> {
    let mut scanner = Scanner { text, pos: start };
    scanner.take(HEAD)?;
    let id = scanner.text().filter(|id| !id.is_empty())?;
    scanner.take(SUMMARY)?;
    let summary = scanner.parts(SUMMARY_PART)?;
    scanner.take(STATE)?;
    let state = scanner.text().filter(|state| !state.is_empty())?;
    let content = match scanner.take(CONTENT) {
        Some(()) => scanner.parts(CONTENT_PART).filter(|content| !content.is_empty())?,
        None => Vec::new(),
    };
    scanner.take("}}\"")?;
    let whole = &text.as_bytes()[start..scanner.pos];
    let limits = Limits::default();
    let fits = summary.len().max(content.len()) <= limits.max_parts && whole.len() <= limits.max_item_bytes;
    let parts = Parts { id: Some(id), summary, content, content_is_empty_list: false, state };
    (fits && !has_control(whole)).then_some((parts, scanner.pos))
}

struct Scanner<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Scanner<'a> {
    fn take(&mut self, expected: &str) -> Option<()> {
        let found = self.text.as_bytes().get(self.pos..)?.starts_with(expected.as_bytes());
        found.then(|| self.pos += expected.len())
    }

    /// The text of an inner string, from after its quote to after its end.
    fn text(&mut self) -> Option<Cow<'a, str>> {
        let start = self.pos;
        let mut escaped = false;
        loop {
            let rest = self.text.as_bytes().get(self.pos..)?;
            let found = memchr2(b'"', b'\\', rest)?;
            self.pos += found;
            match rest[found..] {
                [b'\\', b'"', ..] => break,
                // An escape of the inner string: its backslash takes two bytes, and so does what it stands before.
                [b'\\', b'\\', b'\\', b'"' | b'\\', ..] => self.pos += 4,
                [b'\\', b'\\', b'"' | b'\\', ..] => return None, // the string of the history ends or is broken here
                [b'\\', b'\\', ref escape @ ..] => self.pos += 2 + canonical_escape(escape)?,
                _ => return None,
            }
            escaped = true;
        }
        let raw = &self.text[start..self.pos];
        self.take(QUOTE)?;
        if !escaped {
            return Some(Cow::Borrowed(raw));
        }
        let inner = RawStr { raw, escaped }.decode().ok()?;
        let text = RawStr { raw: &inner, escaped }.decode().ok()?;
        Some(Cow::Owned(text.into_owned()))
    }

    fn parts(&mut self, opening: &str) -> Option<Vec<Cow<'a, str>>> {
        let mut texts = Vec::new();
        if self.take("]").is_some() {
            return Some(texts);
        }
        loop {
            self.take(opening)?;
            texts.push(self.text()?);
            self.take("}")?;
            if self.take("]").is_some() {
                return Some(texts);
            }
            self.take(",")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Lexer, push_string};
    use crate::{Item, envelope};
    use proptest::prelude::*;

    /// What the general way says of the string that begins here.
    fn general(text: &str) -> Option<(Parts<'static>, usize)> {
        let mut lexer = Lexer::new(text);
        let string = lexer.string().ok()?.decode().ok()?;
        let envelope = envelope::parse(&string, &Limits::default()).ok()?;
        let item = Item::new(&envelope.text, &envelope.view);
        let owned = |texts: Vec<Cow<'_, str>>| texts.into_iter().map(|text| Cow::Owned(text.into_owned())).collect();
        let parts = Parts {
            id: item.id().map(|id| Cow::Owned(id.into_owned())),
            summary: owned(item.parts("summary")),
            content: owned(item.parts("content")),
            content_is_empty_list: false,
            state: Cow::Owned(item.text("encrypted_content")?.into_owned()),
        };
        Some((parts, lexer.pos()))
    }

    fn stored(parts: &Parts<'_>) -> String {
        let (mut text, mut out) = (String::new(), String::new());
        crate::payload::push_envelope(&mut text, parts);
        push_string(&mut out, &text);
        out
    }

    fn texts() -> impl Strategy<Value = Vec<Cow<'static, str>>> {
        prop::collection::vec("[ -~\\u{0}-\\u{1f}é😀]{0,20}".prop_map(Cow::Owned), 0..3)
    }

    fn parts() -> impl Strategy<Value = Parts<'static>> {
        ("[a-z\"\\\\\n]{1,6}", texts(), texts(), "[A-Za-z0-9_\"-]{1,20}").prop_map(|(id, summary, content, state)| {
            let (id, state) = (Some(Cow::Owned(id)), Cow::Owned(state));
            Parts { id, summary, content, content_is_empty_list: false, state }
        })
    }

    proptest! {
        /// What this library writes is recognised, and read as the general way reads it.
        #[test]
        fn canonical_strings_are_read_in_place(parts in parts()) {
            let text = stored(&parts);
            prop_assert_eq!(read(&text, 1), Some((parts, text.len())));
            prop_assert_eq!(read(&text, 1), general(&text));
        }

        /// Whatever else is recognised, the general way accepts with the same fields and the same end.
        #[test]
        fn nothing_is_recognised_that_is_not_an_envelope(
            parts in parts(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), "[\"\\\\{}\\[\\],:nu0a\u{1}]{0,2}", 0usize..3), 1..4),
        ) {
            let mut text: Vec<char> = stored(&parts).chars().collect();
            for (place, inserted, removed) in edits {
                let at = place.index(text.len() - 1) + 1;
                let end = (at + removed).min(text.len());
                text.splice(at..end, inserted.chars());
            }
            let text: String = text.into_iter().collect();
            if let Some(found) = read(&text, 1) {
                prop_assert_eq!(Some(found), general(&text));
            }
        }
    }
}
