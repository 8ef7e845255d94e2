//! Redaction of what has structure: each entry of an object is judged by its name, its object and its value.

use super::mark::{self, Mark};
use super::prose::is_signature;
use super::reader::{self, Kind, Node, Reading};
use super::report::Why;
use super::scan::{Edit, Level, Scan, is_suspicious};
use super::spelling::{escape, respell, unescape};
use super::table::{self, Name, Place, Rule};
use super::{MAX_NESTED, shape};
use crate::spec::{Encoding, ItemSpec};
use std::borrow::Cow;

/// What an object says of itself.
#[derive(Default)]
struct Facts {
    place: Place,
    item: Option<&'static ItemSpec>,
    media: bool,
    /// What its own kinds say of the place.
    kinds: Place,
    /// One of them is a type of JSON Schema, which describes values and holds none.
    schema: bool,
}

/// The text that a key or a string spells.
pub fn spelled<'t>(text: &'t [u8], node: &Node) -> Cow<'t, [u8]> {
    let content = &text[node.content()];
    (0..node.escapes()).fold(Cow::Borrowed(content), |spelled, _| match spelled {
        Cow::Borrowed(bytes) => unescape(bytes),
        Cow::Owned(bytes) => Cow::Owned(unescape(&bytes).into_owned()),
    })
}

impl Scan<'_> {
    /// A value of which nothing is known but its place.
    pub fn value(&mut self, text: &[u8], reading: &Reading, index: usize, level: Level, edits: &mut Vec<Edit>) {
        let node = &reading.nodes[index];
        match node.kind {
            Kind::Str => self.string(text, node, level, edits),
            Kind::Deep => self.unread(text, reading, index, edits),
            Kind::Map | Kind::List if !mark::is_json(text, reading, index) => {
                self.entries(text, reading, index, level, edits);
            }
            _ => {}
        }
    }

    /// The entries of a container.
    fn entries(&mut self, text: &[u8], reading: &Reading, index: usize, level: Level, edits: &mut Vec<Edit>) {
        let facts = facts(text, reading, index, level.place);
        let level = Level { place: facts.place, depth: level.depth + 1, ..level };
        let (mut at, end) = (index + 1, reading.after(index));
        let mut key: Option<&Node> = None;
        while at < end {
            let node = &reading.nodes[at];
            match (node.kind, key.take()) {
                (Kind::Key, _) => {
                    self.key(text, node, level, edits);
                    key = Some(node);
                }
                (Kind::Name, _) => {}
                (_, None) => self.value(text, reading, at, level, edits),
                (_, Some(name)) => self.entry(text, reading, (name, at), &facts, level, edits),
            }
            at = reading.after(at);
        }
    }

    /// A key may be a value itself: maps are keyed by tool call ids, and those may hold a signature.
    fn key(&mut self, text: &[u8], node: &Node, level: Level, edits: &mut Vec<Edit>) {
        let content = &text[node.content()];
        if content.len() >= shape::SHORTEST_TOKEN && is_suspicious(content, level.nested + 1) {
            self.inner(text, node, &spelled(text, node), Level { place: Place::default(), ..level }, edits);
        }
    }

    /// The value of a key.
    fn entry(
        &mut self,
        text: &[u8],
        reading: &Reading,
        (key, at): (&Node, usize),
        facts: &Facts,
        level: Level,
        edits: &mut Vec<Edit>,
    ) {
        let spelled_key = spelled(text, key);
        let by_item = facts.item.and_then(|item| table::row(item, &spelled_key));
        let name = by_item.unwrap_or_else(|| table::name(&spelled_key));
        let node = &reading.nodes[at];
        let plain = Level { place: Place::default(), ..level };
        match node.kind {
            Kind::Str => {
                let value = spelled(text, node);
                if let Some((why, encoding)) = self.judge(name, &value, facts, level.place) {
                    self.replace(node, &value, (why, encoding), name.label, edits);
                } else if !(name.rule == Rule::SharedOpaque && facts.media && shape::is_data(&value)) {
                    // In an item, what the table shows is shown; elsewhere among reasoning only names and settings are.
                    let level = if by_item.is_some() { plain } else { level };
                    self.string(text, node, level, edits);
                }
            }
            Kind::Map | Kind::List if mark::is_json(text, reading, at) => {}
            Kind::Map | Kind::List => match name.rule {
                _ if is_empty(&text[node.span()]) => {}
                Rule::Opaque(_) => self.whole(reading, at, (Why::Opaque, name.label), edits),
                Rule::SharedOpaque if level.place.signs && node.kind == Kind::List => {
                    self.whole(reading, at, (Why::Opaque, name.label), edits);
                }
                Rule::Text | Rule::SharedText if node.kind == Kind::List && self.is_reasoning(name, level.place) => {
                    self.parts(text, reading, at, name.label, edits);
                }
                Rule::Text => {
                    self.value(text, reading, at, Level { place: Place { texts: true, signs: true }, ..level }, edits)
                }
                Rule::Inside(place) => {
                    self.value(text, reading, at, Level { place: level.place.or(place), ..level }, edits)
                }
                _ if by_item.is_some() => self.value(text, reading, at, plain, edits),
                _ => self.value(text, reading, at, level, edits),
            },
            Kind::Atom => {
                // Numbers and words of JSON say nothing; a bare token does.
                let value = &text[node.span()];
                let literal = value.len() < shape::SHORTEST_TOKEN
                    || value.iter().all(|b| b.is_ascii_digit() || b".-+eE".contains(b));
                let opaque =
                    matches!(name.rule, Rule::Opaque(_)) || name.rule == Rule::SharedOpaque && level.place.signs;
                if opaque && !literal {
                    self.state(text, node.span(), name.label, edits);
                }
            }
            Kind::Deep => self.unread(text, reading, at, edits),
            Kind::Key | Kind::Name => {}
        }
    }

    fn is_reasoning(&self, name: Name, place: Place) -> bool {
        self.options.reasoning_text && (name.rule == Rule::Text || place.texts)
    }

    /// What a string is, going by its name and its place. None: it is shown.
    fn judge(&self, name: Name, value: &[u8], facts: &Facts, place: Place) -> Option<(Why, Encoding)> {
        const STATE: Option<(Why, Encoding)> = Some((Why::Opaque, Encoding::Text));
        if value.is_empty() || mark::is_text(value) || table::is_stand_in(value) {
            return None;
        }
        let text = self.options.reasoning_text.then_some((Why::ReasoningText, Encoding::Text));
        match name.rule {
            Rule::Opaque(encoding) => Some((Why::Opaque, encoding)),
            Rule::SharedOpaque if facts.media && shape::is_data(value) && (!place.signs || shape::is_media(value)) => {
                None
            }
            Rule::SharedOpaque if place.signs || is_signature(name, value, false) => STATE,
            Rule::Text | Rule::Inside(Place { texts: true, .. }) if shape::is_state(value) => STATE,
            Rule::Text | Rule::Inside(Place { texts: true, .. }) if !table::is_setting(name, value) => text,
            Rule::SharedText if place.texts && !table::is_setting(name, value) => text,
            Rule::Hinted if shape::is_state(value) => STATE,
            Rule::Hinted if shape::is_prose(value) => text,
            _ => None,
        }
    }

    /// A string that is shown, unless something in it must not be.
    pub fn string(&mut self, text: &[u8], node: &Node, level: Level, edits: &mut Vec<Edit>) {
        let content = &text[node.content()];
        if level.place.texts && self.options.reasoning_text {
            let value = spelled(text, node);
            if shape::is_prose(&value) && !mark::is_text(&value) {
                self.replace(node, &value, (Why::ReasoningText, Encoding::Text), "reasoning", edits);
                return;
            }
        }
        if is_suspicious(content, level.nested + 1) {
            self.inner(text, node, &spelled(text, node), level, edits);
        }
    }

    /// The text in a string: JSON in it is redacted like any other.
    fn inner(&mut self, text: &[u8], node: &Node, value: &[u8], level: Level, edits: &mut Vec<Edit>) {
        let deeper = Level { nested: level.nested + 1, ..level };
        if deeper.nested >= MAX_NESTED {
            if is_suspicious(value, deeper.nested) && value.iter().any(|byte| b"{[(\"'\\=:<".contains(byte)) {
                self.replace(node, value, (Why::Unread, Encoding::Text), "nested", edits);
            }
            return;
        }
        let content = node.content();
        // Without escapes, and inside another string, the text is read as it is spelled.
        let plain = node.is_inner() || node.escapes() == 0;
        let found = self.text(if plain { &text[content.clone()] } else { value }, deeper);
        // A mark is longer than what it stands for, and may make of a name what reads like a text.
        self.unsettled |= !found.is_empty() && !shape::is_prose(value);
        let mut ranges: Vec<_> = found.iter().map(|edit| edit.range.clone()).collect();
        if !plain {
            respell(&text[content.clone()], &mut ranges);
        }
        for (edit, range) in found.into_iter().zip(ranges) {
            let with = if node.is_inner() { edit.with } else { escape(&edit.with, node.quote()) };
            edits.push(Edit { range: content.start + range.start..content.start + range.end, with });
        }
    }

    /// Puts a mark in place of a string.
    fn replace(
        &mut self,
        node: &Node,
        value: &[u8],
        (why, encoding): (Why, Encoding),
        label: &'static str,
        edits: &mut Vec<Edit>,
    ) {
        self.report.count(why, label, value.len());
        let mark =
            if why == Why::Opaque { Mark::state(value, encoding, self.options) } else { Mark::length(value.len()) };
        // A JSON string becomes an object; in other spellings the mark stands between the quotes that are there.
        if node.is_json_string() {
            edits.push(Edit { range: node.span(), with: mark.json() });
        } else {
            edits.push(Edit { range: node.content(), with: mark.text() });
        }
    }

    /// Puts a mark in place of a container that should have been a string.
    fn whole(&mut self, reading: &Reading, index: usize, (why, label): (Why, &'static str), edits: &mut Vec<Edit>) {
        let range = reading.nodes[index].span();
        self.report.count(why, label, range.len());
        let mark = Mark::length(range.len());
        edits.push(Edit { range, with: if reading.inner { mark.text() } else { mark.json() } });
    }

    /// Puts a mark in place of a container that is too deep, unless it is one.
    fn unread(&mut self, text: &[u8], reading: &Reading, index: usize, edits: &mut Vec<Edit>) {
        let own = &text[reading.nodes[index].span()];
        if !mark::is_json(own, &reader::read(own, 0, 1), 0) {
            self.whole(reading, index, (Why::Unread, "too_deep"), edits);
        }
    }

    /// Puts counts in place of a list of reasoning.
    fn parts(&mut self, text: &[u8], reading: &Reading, index: usize, label: &'static str, edits: &mut Vec<Edit>) {
        let (mut parts, mut at) = (0, index + 1);
        while at < reading.after(index) {
            parts += usize::from(reading.nodes[at].kind != Kind::Key);
            at = reading.after(at);
        }
        // Every text in it, at any depth, but for the words that name what a part is.
        let mut bytes = 0;
        let mut kind = false;
        for node in &reading.nodes[index + 1..reading.after(index)] {
            match node.kind {
                Kind::Key => kind = table::key(&spelled(text, node)).tells_kind,
                Kind::Str if !kind => bytes += spelled(text, node).len(),
                _ => kind = false,
            }
            kind &= node.kind == Kind::Key;
        }
        self.report.count(Why::ReasoningText, label, bytes);
        let with = if reading.inner { Mark::length(bytes).text() } else { mark::parts(parts, bytes) };
        edits.push(Edit { range: reading.nodes[index].span(), with });
    }
}

/// Whether there is nothing between the brackets of a container.
fn is_empty(container: &[u8]) -> bool {
    matches!(container, [_, inside @ .., _] if inside.trim_ascii().is_empty())
}

/// What an object says of itself, by its kind, its class and its markers.
fn facts(text: &[u8], reading: &Reading, index: usize, around: Place) -> Facts {
    let mut facts = Facts { place: around, ..Facts::default() };
    if reading.nodes[index].kind == Kind::List {
        return facts;
    }
    let (mut at, end) = (index + 1, reading.after(index));
    let mut key: Option<&Node> = None;
    while at < end {
        let node = &reading.nodes[at];
        match (node.kind, key.take()) {
            (Kind::Key, _) => key = Some(node),
            (Kind::Name, _) => facts.kinds = facts.kinds.or(table::kind(&text[node.span()]).unwrap_or_default()),
            (_, Some(name)) => fact(text, name, node, &mut facts),
            _ => {}
        }
        at = reading.after(at);
    }
    if facts.schema && facts.kinds == Place::default() {
        facts.place = Place::default();
    }
    facts.place = facts.place.or(facts.kinds);
    facts
}

fn fact(text: &[u8], key: &Node, value: &Node, facts: &mut Facts) {
    let name = spelled(text, key);
    let known = table::key(&name);
    let is_text = value.kind == Kind::Str;
    facts.media |= known.tells_media;
    if known.tells_kind && is_text {
        let tag = spelled(text, value);
        match table::kind(&tag) {
            Some(place) => facts.kinds = facts.kinds.or(place),
            None => facts.schema = true,
        }
        facts.item = facts.item.or_else(|| table::item(&tag));
    }
    if is_text && table::is_reasoning_id(&name, &text[value.content()]) {
        facts.kinds = Place { texts: true, signs: true };
    }
    match known.name.rule {
        // `thought: true` marks a part of Gemini whose text is reasoning.
        Rule::Text if value.kind == Kind::Atom && text[value.span()].eq_ignore_ascii_case(b"true") => {
            facts.place.texts |= name.eq_ignore_ascii_case(b"thought");
        }
        // An object with state or reasoning of its own may be signed, too.
        Rule::Opaque(_) | Rule::Text if is_text => facts.place.signs = true,
        _ => {}
    }
}
