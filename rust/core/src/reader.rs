//! Reads one value by its table and writes it in canonical form, field by field.

use crate::error::{Code, Error, Result, field_name};
use crate::item::{Span, View, encode_base64, is_base64};
use crate::json::push_string;
use crate::limits::Limits;
use crate::node::{Node, Shape};
use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, MAX_FIELDS, ObjectSpec, PartSpec, Presence, TYPE};
use std::borrow::Cow;
use std::fmt;

/// Which of the two ways of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// What a provider sent: unknown fields are dropped and reported.
    Capture,
    /// What was stored: unknown fields are refused.
    Replay,
}

/// An item in canonical form.
pub struct Canonical {
    /// Its JSON text.
    pub json: String,
    /// Where its fields are in it.
    pub view: View,
    /// Paths of the unknown fields that capture dropped.
    pub dropped: Vec<String>,
}

/// Reads an item.
pub fn read<'n, N: Node<'n>>(node: &N, spec: &'static ItemSpec, mode: Mode, limits: &Limits) -> Result<Canonical> {
    let limits = &limits.bounded();
    let mut reader =
        Reader { mode, limits, ignored: spec.ignored, out: String::with_capacity(1024), dropped: Vec::new() };
    let fields = reader.object(node, &spec.body, Place::Item, limits.max_depth)?;
    reader.room(0)?; // escapes may have made the last text longer than it was
    let view = View { spec, item: Span::new(0, reader.out.len()), fields };
    Ok(Canonical { json: reader.out, view, dropped: reader.dropped })
}

/// The value of a key of an object.
pub fn find<'n, N: Node<'n>>(node: &N, name: &'static str) -> Result<Option<N>> {
    if node.shape() != Shape::Object {
        return Err(Error::new(Code::TypeMismatch).or_offset(node.offset()));
    }
    node.get(name)
}

struct Reader<'l> {
    mode: Mode,
    limits: &'l Limits,
    ignored: &'static [&'static str],
    out: String,
    dropped: Vec<String>,
}

impl Reader<'_> {
    /// Writes an object field by field in the order of its table.
    fn object<'n, N: Node<'n>>(
        &mut self,
        node: &N,
        spec: &'static ObjectSpec,
        place: Place<'_>,
        depth: usize,
    ) -> Result<[Span; MAX_FIELDS]> {
        if node.shape() != Shape::Object {
            return Err(Error::new(Code::TypeMismatch).or_offset(node.offset()));
        }
        let depth = deeper(node, depth)?;
        let mut slots: [Option<N>; MAX_FIELDS] = std::array::from_fn(|_| None);
        let mut known = 0;
        for (slot, field) in slots.iter_mut().zip(spec.fields) {
            *slot = self.slot(node, field, &mut known)?;
        }
        known += self.known_not_to_be_state(node, place, depth)?;
        if known < node.size()? {
            self.others(node, spec, place, depth)?;
        }
        let mut spans = [Span::default(); MAX_FIELDS];
        let mut present: Vec<&'static str> = Vec::with_capacity(spec.fields.len());
        self.out.push('{');
        for (index, field) in spec.fields.iter().enumerate() {
            let start = self.out.len();
            let written = self.field(slots[index].as_ref(), field, place, depth).map_err(|e| e.within(field.name))?;
            if let Some(value_start) = written {
                spans[index] = Span::new(value_start, self.out.len());
                present.push(field.name);
            } else {
                self.out.truncate(start);
            }
        }
        self.out.push('}');
        let rules = spec.rules.iter().try_for_each(|rule| rule.check(|name| present.contains(&name)));
        rules.map_err(|error| error.or_offset(node.offset()))?;
        Ok(spans)
    }

    /// The value of a row: under its name or, in what a provider's SDK says, under one of its other spellings.
    fn slot<'n, N: Node<'n>>(&self, node: &N, field: &'static FieldSpec, known: &mut usize) -> Result<Option<N>> {
        let mut found = node.get(field.name)?;
        *known += usize::from(found.is_some());
        let aliases = if self.mode == Mode::Capture { field.aliases } else { &[] };
        for alias in aliases {
            if let Some(value) = node.get(alias)? {
                if found.is_some() {
                    return Err(Error::new(Code::DuplicateKey).or_offset(value.offset()).within(field.name));
                }
                *known += 1;
                found = Some(value);
            }
        }
        Ok(found)
    }

    /// How many entries are fields that capture drops without a word.
    fn known_not_to_be_state<'n, N: Node<'n>>(&self, node: &N, place: Place<'_>, depth: usize) -> Result<usize> {
        let mut count = 0;
        if self.mode == Mode::Capture && matches!(place, Place::Item) {
            for name in self.ignored {
                if let Some(value) = node.get(name)? {
                    value.check_depth(depth).map_err(|error| error.within(name))?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }

    /// The entries that are not the one value of a row: keys the table does not name, and repeats.
    fn others<'n, N: Node<'n>>(&mut self, node: &N, spec: &ObjectSpec, place: Place<'_>, depth: usize) -> Result<()> {
        let mut seen = [false; MAX_FIELDS];
        for (key, value) in node.entries()? {
            let row = if self.mode == Mode::Capture { spec.row(&key) } else { spec.field(&key) };
            match row {
                Some((index, field)) if seen[index] => {
                    return Err(Error::new(Code::DuplicateKey).or_offset(value.offset()).within(field.name));
                }
                Some((index, _)) => seen[index] = true,
                None => self.unknown(&key, &value, place, depth)?,
            }
        }
        Ok(())
    }

    /// A key that the table does not name.
    fn unknown<'n, N: Node<'n>>(&mut self, key: &str, value: &N, place: Place<'_>, depth: usize) -> Result<()> {
        if self.mode == Mode::Replay {
            return Err(Error::new(Code::UnknownField).or_offset(value.offset()).within_key(key));
        }
        value.check_depth(depth).map_err(|error| error.within_key(key))?;
        if !(matches!(place, Place::Item) && self.ignored.contains(&key)) {
            self.dropped.push(place.path(key));
        }
        Ok(())
    }

    /// Writes `"name":value` and returns where the value begins, or nothing when the field is left out.
    fn field<'n, N: Node<'n>>(
        &mut self,
        value: Option<&N>,
        field: &'static FieldSpec,
        place: Place<'_>,
        depth: usize,
    ) -> Result<Option<usize>> {
        let Some(value) = value.filter(|value| value.shape() != Shape::Null) else {
            let missing = field.presence == Presence::Required;
            return if missing { Err(Error::new(Code::MissingField)) } else { Ok(None) };
        };
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        push_string(&mut self.out, field.name);
        self.out.push(':');
        let value_start = self.out.len();
        let empty = self.value(value, field, place, depth).map_err(|error| error.or_offset(value.offset()))?;
        if !empty {
            return Ok(Some(value_start));
        }
        match (field.presence, field.kind) {
            (Presence::OmitIfEmpty, _) => Ok(None),
            (_, Kind::Id | Kind::Opaque(_) | Kind::Label) => {
                Err(Error::new(Code::EmptyValue).or_offset(value.offset()))
            }
            _ => Ok(Some(value_start)),
        }
    }

    /// Writes a value; tells whether it is empty.
    fn value<'n, N: Node<'n>>(
        &mut self,
        value: &N,
        field: &'static FieldSpec,
        place: Place<'_>,
        depth: usize,
    ) -> Result<bool> {
        match (field.kind, value.shape()) {
            (Kind::Tag(tag), Shape::Text) if value.text()? == tag => self.text(tag),
            (Kind::Id | Kind::Label | Kind::Text | Kind::Opaque(_), Shape::Text) => {
                let text = value.text()?;
                if matches!(field.kind, Kind::Opaque(Encoding::Base64)) && !text.is_empty() && !is_base64(&text) {
                    return Err(Error::new(Code::SignatureNotBase64));
                }
                self.text(&text)
            }
            (Kind::Opaque(Encoding::Base64 | Encoding::Blob), Shape::Bytes) => {
                let text = encode_base64(&value.bytes()?);
                self.text(&text)
            }
            (Kind::Parts(specs), Shape::List) => self.parts(value, specs, Place::In(&place, field.name), depth),
            (Kind::Object(spec), Shape::Object) => {
                self.object(value, spec, Place::In(&place, field.name), depth)?;
                Ok(false)
            }
            (Kind::Integer, Shape::Integer) => {
                let digits = value.integer()?;
                self.room(digits.len())?;
                self.out.push_str(&digits);
                Ok(false)
            }
            (Kind::Flag, Shape::Bool(yes)) => {
                self.out.push_str(if yes { "true" } else { "false" });
                Ok(false)
            }
            (Kind::Json, _) => {
                value.push_json(&mut self.out, depth)?;
                self.room(0)?;
                Ok(false)
            }
            _ => Err(mismatch(value)),
        }
    }

    fn text(&mut self, text: &str) -> Result<bool> {
        self.room(text.len())?;
        push_string(&mut self.out, text);
        Ok(text.is_empty())
    }

    fn room(&self, bytes: usize) -> Result<()> {
        if self.out.len() + bytes > self.limits.max_item_bytes { Err(Error::new(Code::TooLarge)) } else { Ok(()) }
    }

    fn parts<'n, N: Node<'n>>(
        &mut self,
        list: &N,
        specs: &'static [PartSpec],
        place: Place<'_>,
        depth: usize,
    ) -> Result<bool> {
        let depth = deeper(list, depth)?;
        let elements = list.elements(self.limits.max_parts)?;
        self.out.push('[');
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.part(element, specs, Place::Part(&place, index), depth)
                .map_err(|error| error.or_offset(element.offset()).within_index(index))?;
        }
        self.out.push(']');
        Ok(elements.is_empty())
    }

    /// Writes one part: its `type` and its fields.
    fn part<'n, N: Node<'n>>(
        &mut self,
        node: &N,
        specs: &'static [PartSpec],
        place: Place<'_>,
        depth: usize,
    ) -> Result<()> {
        let tag = find(node, TYPE)?;
        let depth = deeper(node, depth)?;
        let tag = tag.filter(|tag| tag.shape() != Shape::Null);
        let tag = tag.ok_or_else(|| Error::new(Code::MissingField).within("type"))?;
        let name = if tag.shape() == Shape::Text { tag.text().map_err(|e| e.within("type"))? } else { "".into() };
        let spec = specs
            .iter()
            .find(|spec| spec.tag == name)
            .ok_or_else(|| Error::new(Code::UnknownPartType).or_offset(tag.offset()).within("type"))?;
        self.out.push_str("{\"type\":");
        push_string(&mut self.out, spec.tag);
        let mut known = 1;
        for field in spec.fields {
            let value = node.get(field.name)?;
            known += usize::from(value.is_some());
            let start = self.out.len();
            let written = self.field(value.as_ref(), field, place, depth).map_err(|error| error.within(field.name))?;
            if written.is_none() {
                self.out.truncate(start);
            }
        }
        self.out.push('}');
        if node.size()? > known { self.other_entries_of_part(node, spec, place, depth) } else { Ok(()) }
    }

    /// The entries of a part that are not the one value of a row: keys nobody names, and repeats.
    fn other_entries_of_part<'n, N: Node<'n>>(
        &mut self,
        node: &N,
        spec: &PartSpec,
        place: Place<'_>,
        depth: usize,
    ) -> Result<()> {
        let mut seen: Vec<Cow<'n, str>> = Vec::new();
        for (key, value) in node.entries()? {
            if key != TYPE && !spec.has(&key) {
                self.unknown(&key, &value, place, depth)?;
            } else if seen.contains(&key) {
                return Err(Error::new(Code::DuplicateKey).or_offset(value.offset()).within_key(&key));
            } else {
                seen.push(key);
            }
        }
        Ok(())
    }
}

/// Where an object stands in its item, for the names of fields that are dropped in it.
#[derive(Clone, Copy)]
enum Place<'a> {
    Item,
    In(&'a Place<'a>, &'a str),
    Part(&'a Place<'a>, usize),
}

impl Place<'_> {
    /// The path of a key in it, which may be any text.
    fn path(self, key: &str) -> String {
        format!("{self}{}", field_name(key))
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Item => Ok(()),
            Place::In(outer, name) => write!(f, "{outer}{name}/"),
            Place::Part(list, index) => write!(f, "{list}{index}/"),
        }
    }
}

/// The levels left inside a list or an object.
fn deeper<'n, N: Node<'n>>(node: &N, depth: usize) -> Result<usize> {
    depth.checked_sub(1).ok_or_else(|| Error::new(Code::TooDeep).or_offset(node.offset()))
}

/// What is wrong with a value of another type than its field has: it is one of redaction's marks, or anything else.
fn mismatch<'n, N: Node<'n>>(value: &N) -> Error {
    let holds = |name: &'static str| value.get(name).ok().flatten();
    let marked = value.shape() == Shape::Object
        && (holds("redacted").is_some_and(|flag| flag.shape() == Shape::Bool(true))
            || holds("parts").is_some() && holds("bytes").is_some());
    Error::new(if marked { Code::Redacted } else { Code::TypeMismatch })
}
