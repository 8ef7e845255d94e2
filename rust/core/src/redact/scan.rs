//! One text: what in it must be replaced. Finds the structured values, reads the prose between them, and puts the
//! replacements together. Strings inside values come back here as texts of their own.

use super::mark;
use super::reader;
use super::report::Report;
use super::shape;
use super::table::Place;
use super::{MAX_DEPTH, MAX_NESTED, Options};
use crate::schema::INLINE_FORMS;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;
use std::ops::Range;
use std::sync::LazyLock;

/// A range of a text and what stands there instead.
pub struct Edit {
    /// Which bytes.
    pub range: Range<usize>,
    /// What instead.
    pub with: String,
}

/// Where a text stands.
#[derive(Clone, Copy)]
pub struct Level {
    /// What is known of the object that it is a value of.
    pub place: Place,
    /// Containers around it.
    pub depth: usize,
    /// Strings around it.
    pub nested: usize,
}

impl Level {
    /// The text as it was handed over.
    pub const TOP: Level = Level { place: Place { texts: false, signs: false }, depth: 0, nested: 0 };
}

/// A redaction under way.
pub struct Scan<'r> {
    /// What the caller wants.
    pub options: Options,
    /// What has been replaced so far.
    pub report: &'r mut Report,
    /// Whether something was replaced outside sound structure. What then stands around it may read differently.
    pub unsettled: bool,
    /// The inline forms of which no end follows any more in the text at hand, one bit each.
    pub endless: u8,
}

/// What every name and value that matters has in it, less the first letters, which may be capitals. In names in capitals
/// it is all capitals. A text without any of these is left alone.
const STEMS: [&str; 12] = [
    "crypted", "gnature", "asoning", "hink", "ought", "dacted", "paque", "ummary", "gerprint", "inuation", "alysis",
    "paction",
];
/// How values begin that matter, and an escape that may spell anything.
const STARTS: [&str; 5] = ["gAAAA", "eyJ", "W3si", "ewog", "\\u00"];

/// Finds them in one pass.
pub static ANCHORS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let stems = STEMS.iter().flat_map(|stem| [(*stem).to_owned(), stem.to_ascii_uppercase()]);
    let all = stems.chain(STARTS.iter().map(|start| (*start).to_owned()));
    // With this kind of match, candidates are found with vector instructions.
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(all).ok()
});

/// Whether anything in a text could have to be replaced.
pub fn is_suspicious(text: &[u8], nested: usize) -> bool {
    let run = if nested == 0 { shape::REST } else { shape::LONG };
    ANCHORS.as_ref().is_none_or(|anchors| anchors.is_match(text)) || shape::next_run(text, 0, run).is_some()
}

impl Scan<'_> {
    /// Everything that must be replaced in a text, in order and without overlaps.
    pub fn text(&mut self, text: &[u8], level: Level) -> Vec<Edit> {
        if !is_suspicious(text, level.nested) {
            return Vec::new();
        }
        let mut edits = self.whole_string(text, level);
        if !edits.is_empty() {
            return edits;
        }
        let around = std::mem::take(&mut self.endless);
        let mut at = self.unopened(text, level, &mut edits);
        loop {
            let open = next_container(text, at);
            let reached = self.prose(text, at..open.unwrap_or(text.len()), level, &mut edits);
            match open {
                None => break,
                // A value that a name in the prose has reaches beyond the bracket.
                Some(open) if reached > open => at = reached,
                Some(open) => at = self.container(text, open, level, &mut edits),
            }
        }
        self.endless = around;
        in_order(edits)
    }

    /// Templates that open a form of reasoning in the prompt leave only its end in the answer: what stands before it is
    /// reasoning. Returns where to go on.
    fn unopened(&mut self, text: &[u8], level: Level, edits: &mut Vec<Edit>) -> usize {
        if level.nested == 0 || !self.options.reasoning_text {
            return 0;
        }
        let tags = INLINE_FORMS.iter().filter(|form| form.close.starts_with("</"));
        let ends = tags.filter_map(|form| {
            let end = memmem::find(text, form.close.as_bytes())?;
            memmem::find(&text[..end], form.open.as_bytes()).is_none().then_some(end)
        });
        let end = ends.min().unwrap_or(0);
        self.thought(text, 0..end, edits);
        self.unsettled |= !edits.is_empty();
        end
    }

    /// A text that is one JSON string: what must be replaced in the text that it spells.
    fn whole_string(&mut self, text: &[u8], level: Level) -> Vec<Edit> {
        let blank = |byte: &&u8| byte.is_ascii_whitespace();
        let start = text.iter().take_while(blank).count();
        let end = text.len() - text.iter().rev().take_while(blank).count();
        let mut edits = Vec::new();
        if level.nested < MAX_NESTED && text.get(start) == Some(&b'"') {
            let reading = reader::read(text, start, MAX_DEPTH - level.depth.min(MAX_DEPTH));
            match reading.nodes.as_slice() {
                [node] if node.is_json_string() && node.span() == (start..end) => {
                    self.string(text, node, level, &mut edits);
                }
                _ => {}
            }
        }
        edits
    }

    /// The container that begins here; returns where it ends.
    fn container(&mut self, text: &[u8], open: usize, level: Level, edits: &mut Vec<Edit>) -> usize {
        let reading = reader::read(text, open, MAX_DEPTH.saturating_sub(level.depth));
        let first = edits.len();
        if !reading.nodes.is_empty() && !mark::is_json(text, &reading, 0) {
            self.value(text, &reading, 0, level, edits);
        }
        if !reading.clean {
            self.unsettled |= edits.len() > first;
            self.doubtful(text, open..reading.end, level, first, edits);
        }
        reading.end.max(open + 1)
    }

    /// A container whose brackets and quotes do not match may be prose or cut: what the structure did not give is read
    /// as prose, too.
    fn doubtful(&mut self, text: &[u8], range: Range<usize>, level: Level, first: usize, edits: &mut Vec<Edit>) {
        let mut found: Vec<Range<usize>> = edits[first..].iter().map(|edit| edit.range.clone()).collect();
        found.sort_by_key(|range| range.start);
        let mut at = range.start;
        for taken in found {
            if taken.start > at {
                at = self.prose(text, at..taken.start, level, edits).max(taken.end);
            }
            at = at.max(taken.end);
        }
        if at < range.end {
            self.prose(text, at..range.end, level, edits);
        }
    }
}

/// Where the next container begins: a bracket, or the class name before a parenthesis.
fn next_container(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr3(b'{', b'[', b'(', &text[at..])?;
        if text[at] == b'[' && at > 0 && text[at - 1] == 0x1b {
            at += 1; // a colour
            continue;
        }
        if text[at] != b'(' {
            return Some(at);
        }
        let name =
            text[from..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if name > 0 {
            return Some(at - name);
        }
        at += 1;
    }
}

/// Edits by place; of those that overlap, one that covers both.
fn in_order(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    let mut kept: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match kept.last_mut() {
            Some(last) if edit.range.start < last.range.end => last.range.end = last.range.end.max(edit.range.end),
            _ => kept.push(edit),
        }
    }
    kept
}

/// The text with its edits.
pub fn apply(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.extend_from_slice(&text[at..edit.range.start]);
        out.extend_from_slice(edit.with.as_bytes());
        at = edit.range.end;
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// What an embedded text in base64 spells, where that is a text with something to replace.
pub fn hides_state(run: &[u8], options: Options, level: Level) -> bool {
    let decoded = std::str::from_utf8(run).ok().and_then(crate::item::decode_base64);
    let deeper = Level { nested: level.nested + 1, ..level };
    let Some(decoded) = decoded else { return false };
    if deeper.nested >= MAX_NESTED {
        return is_suspicious(&decoded, deeper.nested);
    }
    let mut unheard = Report::default();
    !Scan { options, report: &mut unheard, unsettled: false, endless: 0 }.text(&decoded, deeper).is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_suspicious;
    use crate::redact::table;

    #[test]
    fn no_name_that_decides_alone_is_overlooked() {
        for name in table::names() {
            let capital = name[..1].to_ascii_uppercase() + &name[1..];
            for spelled in [name.to_owned(), name.to_ascii_uppercase(), capital] {
                assert!(is_suspicious(spelled.as_bytes(), 1), "{spelled}");
            }
        }
    }
}
