//! Redaction of what has no structure: log lines, `key=value`, the ends of what was cut off. The last line of defence:
//! it goes by names that stand before a value, and by what state looks like.

use super::mark::{self, Mark};
use super::report::Why;
use super::scan::{ANCHORS, Edit, Level, Scan, hides_state};
use super::shape;
use super::table::{self, Name, Rule};
use super::words::{colour, end_of_string, line_end};
use crate::schema::{INLINE_FORMS, InlineForm};
use crate::spec::Encoding;
use aho_corasick::{Anchored, Input};
use memchr::memmem;
use std::ops::Range;

/// What stands between a tool call's id and the signature that LiteLLM 1.110 puts into it.
const IN_AN_ID: &[u8] = b"__thought__";

/// A value in prose.
enum Value {
    /// In quotes; whether the closing one is there.
    Quoted(Range<usize>, bool),
    /// Up to a space or a bracket; the separator before it.
    Bare(Range<usize>, u8),
    /// None, or a bracket: structure, which is read elsewhere.
    Elsewhere,
}

impl Scan<'_> {
    /// Reads a range of prose. A value may reach beyond its end: returns how far was read, at least to the end.
    pub fn prose(&mut self, text: &[u8], range: Range<usize>, level: Level, edits: &mut Vec<Edit>) -> usize {
        let before = edits.len();
        let mut at = range.start;
        let mut free = range.start; // from here on nothing has been replaced
        while let Some(anchor) = next_anchor(text, at..range.end) {
            let first = edits.len();
            at = self.anchor(text, free, &anchor, level, edits).max(anchor.start + 1);
            if let Some(edit) = edits.get(first) {
                let start = edit.range.start;
                let end = edits.last().map_or(start, |last| last.range.end);
                self.runs(text, free..start, level, edits);
                free = end;
                at = at.max(end);
            }
        }
        if free < range.end {
            self.runs(text, free..range.end, level, edits);
        }
        self.unsettled |= edits.len() > before;
        at.max(range.end)
    }

    /// What one anchor is about; returns where to go on.
    fn anchor(
        &mut self,
        text: &[u8],
        free: usize,
        anchor: &Range<usize>,
        level: Level,
        edits: &mut Vec<Edit>,
    ) -> usize {
        let start = anchor.start;
        let rest = &text[start..];
        if rest.starts_with(shape::TOKEN) {
            return self.token(text, free, start, edits);
        }
        if let Some(end) = self.inline(text, anchor, level, edits) {
            return end;
        }
        let id = around(text, anchor, IN_AN_ID).filter(|id| *id >= free);
        if let Some(from) = id.map(|id| id + IN_AN_ID.len()) {
            let length = shape::run(&text[from..]);
            if length > 0 {
                self.state(text, from..from + length, "__thought__", edits);
            }
            return from + length;
        }
        let (name, end) = name_around(text, free, anchor);
        if name.rule == Rule::Plain {
            return end;
        }
        self.named(text, end, name, level, edits)
    }

    /// A token of OpenAI, or the beginning of one that was cut off.
    fn token(&mut self, text: &[u8], free: usize, start: usize, edits: &mut Vec<Edit>) -> usize {
        let end = start + shape::run(&text[start..]);
        let before = &text[free..start];
        let run = start - before.iter().rev().take_while(|byte| shape::is_base64(**byte)).count();
        let excused = shape::is_excused(&text[free..run], &text[run..end]);
        // `\ngAAAA…` and `%22gAAAA…`: the letter before it belongs to an escape.
        let escape = before.iter().rev().take(3).any(|byte| matches!(byte, b'\\' | b'%'));
        let alone = escape || before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'+');
        if alone && !excused && end - start >= shape::SHORTEST_TOKEN {
            self.state(text, start..end, "gAAAA", edits);
        }
        end
    }

    /// Reasoning inside a visible text. One that does not end goes on to the end of a cut line, and to the end of a
    /// text that begins with it.
    fn inline(&mut self, text: &[u8], anchor: &Range<usize>, level: Level, edits: &mut Vec<Edit>) -> Option<usize> {
        if !self.options.reasoning_text {
            return None;
        }
        let opened =
            |(bit, form): (usize, &'static InlineForm)| Some((bit, form, around(text, anchor, form.open.as_bytes())?));
        let (bit, form, open) = INLINE_FORMS.iter().enumerate().find_map(opened)?;
        let start = open + form.open.len();
        // The end is looked for once: where there is none, there is none further on.
        let endless = self.endless & (1 << bit) != 0;
        let found = (!endless).then(|| memmem::find(&text[start..], form.close.as_bytes())).flatten();
        self.endless |= u8::from(found.is_none()) << bit;
        let end = match found {
            Some(length) => start + length,
            None if text[..open].iter().all(u8::is_ascii_whitespace) => text.len(),
            None if level.nested == 0 => line_end(text, start),
            None => return None,
        };
        self.thought(text, start..end, edits);
        Some(end)
    }

    /// Reasoning that stands in a text.
    pub fn thought(&mut self, text: &[u8], range: Range<usize>, edits: &mut Vec<Edit>) {
        let inside = text[range.clone()].trim_ascii();
        if !inside.is_empty() && !mark::is_text(inside) {
            self.report.count(Why::ReasoningText, "<think>", range.len());
            edits.push(Edit { with: Mark::length(range.len()).text(), range });
        }
    }

    /// State that stands in a text.
    pub fn state(&mut self, text: &[u8], range: Range<usize>, label: &'static str, edits: &mut Vec<Edit>) {
        let value = &text[range.clone()];
        self.report.count(Why::Opaque, label, value.len());
        edits.push(Edit { with: Mark::state(value, Encoding::Text, self.options).text(), range });
    }

    /// The value after a name; returns where to go on.
    fn named(&mut self, text: &[u8], end: usize, name: Name, level: Level, edits: &mut Vec<Edit>) -> usize {
        let (range, open_ended, quoted, separator) = match value_after(text, end) {
            Value::Elsewhere => return end,
            Value::Quoted(range, closed) => (range, !closed, true, 0),
            Value::Bare(range, separator) => (range, false, false, separator),
        };
        let value = &text[range.clone()];
        if value.is_empty() || mark::is_text(value) || table::is_stand_in(value) {
            return range.end;
        }
        let state = match name.rule {
            Rule::Opaque(_) => quoted || !(is_nothing(value) || separator == b':' && is_identifier(value)),
            Rule::SharedOpaque => is_signature(name, value, open_ended),
            _ => shape::is_state(value),
        };
        if state {
            self.state(text, range.clone(), name.label, edits);
            return range.end;
        }
        if !self.options.reasoning_text {
            return end; // the value may hold names of its own
        }
        let range = match name.rule {
            Rule::Text | Rule::Inside(_) if quoted && !table::is_setting(name, value) => range,
            Rule::Hinted if quoted && shape::is_prose(value) => range,
            Rule::SharedText if quoted && level.place.texts => range,
            // A bare text has no end of its own; only names that mean nothing else have one.
            Rule::Text if !quoted && name.label.contains('_') && !is_code(text, range.start) => {
                range.start..sentence_end(text, range.start)
            }
            _ => return end,
        };
        self.report.count(Why::ReasoningText, name.label, range.len());
        edits.push(Edit { with: Mark::length(range.len()).text(), range: range.clone() });
        range.end
    }

    /// Long runs of base64 in a range that nothing else has claimed.
    fn runs(&mut self, text: &[u8], range: Range<usize>, level: Level, edits: &mut Vec<Edit>) {
        let part = &text[..range.end];
        let mut at = range.start;
        while let Some(run) = shape::next_run(part, at, shape::REST) {
            at = run.end;
            let value = &text[run.clone()];
            let state = if shape::spells_json(value) {
                hides_state(value, self.options, level)
            } else {
                let long = run.len() >= shape::VERY_LONG && shape::is_mixed(value);
                let rest = || level.nested == 0 && is_rest(text, &run) && shape::is_varied(value);
                !shape::is_excused(&text[range.start..run.start], value) && (long || rest())
            };
            if state {
                self.state(text, run, "base64", edits);
            }
        }
    }
}

/// Whether a run is what is left of a value that was cut: a line or a text begins with it, and a quote or nothing
/// follows.
fn is_rest(text: &[u8], run: &Range<usize>) -> bool {
    let before = text[..run.start].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    let after = text[run.end..].first();
    before.is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
        && after.is_none_or(|byte| matches!(byte, b'"' | b'\'' | b'\\' | b'\n' | b'\r'))
}

/// Where a text begins of which an anchor is a part, if it stands there.
fn around(text: &[u8], anchor: &Range<usize>, whole: &[u8]) -> Option<usize> {
    let start = anchor.start.checked_sub(memmem::find(whole, &text[anchor.clone()])?)?;
    text[start..].starts_with(whole).then_some(start)
}

fn next_anchor(text: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let input = Input::new(text).range(range.start.min(range.end)..range.end).anchored(Anchored::No);
    let found = ANCHORS.as_ref()?.find(input)?;
    Some(found.start()..found.end())
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$')
}

/// The whole name that an anchor is a part of, and where it ends.
fn name_around(text: &[u8], free: usize, anchor: &Range<usize>) -> (Name, usize) {
    let mut start =
        anchor.start - text[free..anchor.start].iter().rev().take_while(|byte| is_name_byte(**byte)).count();
    let end = anchor.end + text[anchor.end..].iter().take_while(|byte| is_name_byte(**byte)).count();
    // The letter of `\n` is no part of a name that follows it.
    if start > free && text[start - 1] == b'\\' && start < anchor.start && matches!(text[start], b'n' | b't' | b'r') {
        start += 1;
    }
    (table::name(&text[start..end]), end)
}

/// The value after a name that ends here: `name": "…`, `name=…`, `name: …`, `name">…`.
fn value_after(text: &[u8], end: usize) -> Value {
    let space = |mut at: usize| {
        while let Some(length) = text.get(at).and_then(|byte| match byte {
            b' ' | b'\t' => Some(1),
            _ => Some(colour(&text[at..])).filter(|length| *length > 0),
        }) {
            at += length;
        }
        at
    };
    let quote = |at: usize| {
        let at = at + text[at..].iter().take_while(|byte| **byte == b'\\').count();
        at + usize::from(matches!(text.get(at), Some(b'"' | b'\'')))
    };
    let entity = |at: usize| if text[at..].starts_with(b"&quot;") { at + 6 } else { at };
    let mut at = entity(quote(end));
    at = space(at + usize::from(text.get(at) == Some(&b']')));
    let Some(separator @ (b':' | b'=' | b'>')) = text.get(at).copied() else { return Value::Elsewhere };
    at += 1 + usize::from(matches!(text.get(at + 1), Some(b'=' | b'>')));
    at = entity(space(at));
    // Some("…"), SecretStr('…')
    let wrapper = text[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if wrapper > 0 && text.get(at + wrapper) == Some(&b'(') {
        at += wrapper + 1;
    }
    let prefix = text[at..].iter().take(2).take_while(|byte| b"bBrRuUfF".contains(byte)).count();
    if matches!(text.get(at + prefix), Some(b'"' | b'\'')) {
        at += prefix;
    }
    let backslashes = text[at..].iter().take_while(|byte| **byte == b'\\').count();
    if let Some(quote @ (b'"' | b'\'')) = text.get(at + backslashes).copied() {
        let start = at + backslashes + 1;
        return match end_of_string(text, start, quote, backslashes) {
            Some((end, _)) => Value::Quoted(start..end, true),
            None => Value::Quoted(start..line_end(text, start), false),
        };
    }
    if matches!(text.get(at), None | Some(b'{' | b'[' | b'(')) {
        return Value::Elsewhere;
    }
    let stop = |byte: &u8| byte.is_ascii_whitespace() || b",;&)]}\"'`<>\\".contains(byte);
    let length = text[at..].iter().position(stop).unwrap_or(text.len() - at);
    Value::Bare(at..at + length, separator)
}

/// Where a bare text ends: at the end of its line, or before the next `name=`.
fn sentence_end(text: &[u8], start: usize) -> usize {
    let end = line_end(text, start);
    let line = &text[start..end];
    let next = memchr::memchr_iter(b'=', line).find_map(|equals| {
        let name = line[..equals].iter().rev().take_while(|byte| is_name_byte(**byte)).count();
        let before = equals - name;
        (name > 0 && before > 0 && line[before - 1] == b' ').then(|| before - 1)
    });
    start + next.unwrap_or(line.len())
}

/// Whether a bare word says that there is no value.
fn is_nothing(value: &[u8]) -> bool {
    const WORDS: [&[u8]; 8] = [b"null", b"none", b"nil", b"undefined", b"true", b"false", b"nan", b"..."];
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) || value.iter().all(|byte| byte.is_ascii_digit())
}

/// Whether a bare word is a name in source code: `str`, `item.signature`.
fn is_identifier(value: &[u8]) -> bool {
    value.len() <= 40 && value.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'))
}

/// Whether bare words are source code: nothing, a name or a type, or a name and what follows one.
fn is_code(text: &[u8], start: usize) -> bool {
    const WORDS: [&[u8]; 8] = [b"not", b"bool", b"str", b"string", b"int", b"bytes", b"object", b"any"];
    let line = &text[start..line_end(text, start)];
    let name = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')).count();
    let (name, rest) = line.split_at(name);
    let name = name.strip_suffix(b".").unwrap_or(name);
    let rest = rest.trim_ascii_start();
    let next = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start().first();
    is_nothing(name) && !name.iter().all(u8::is_ascii_digit)
        || WORDS.iter().any(|word| name.eq_ignore_ascii_case(word))
        || name.iter().any(|byte| matches!(byte, b'_' | b'.'))
        || !name.is_empty() && next.is_none_or(|byte| b"=()[]{};\"'|:<>&".contains(byte))
}

/// Whether the value of a shared name is state although its object does not tell.
pub fn is_signature(name: Name, value: &[u8], open_ended: bool) -> bool {
    if name.label != "signature" {
        return shape::is_state(value);
    }
    let varied = value.iter().any(u8::is_ascii_digit) || value.len() >= shape::REST;
    shape::is_word(value) && (open_ended || value.len() >= 16 && varied)
}
