//! The engine: a value and a table in, a canonical item or a named refusal out.
//!
//! **Capture** reads what a provider sent: fields that the table does not name are dropped and reported.
//! **Replay** reads what was stored: they are refused.

use crate::error::{Code, Error, Result, field_name};
use crate::item::{Span, View, encode_base64};
use crate::json::{Tree, push_string};
use crate::limits::Limits;
use crate::node::{Node, Shape};
use crate::schema::Provider;
use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, MAX_FIELDS, ObjectSpec, PartSpec, Presence};

/// Which of the two ways of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Capture,
    Replay,
}

/// Which rule let an item pass as complete (rule C3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The item says `completed`.
    ItemStatus,
    /// The item says nothing and its response completed.
    ResponseStatus,
    /// Neither says anything: real items of a done event carry no status.
    NotStated,
}

impl Completion {
    /// Its public name.
    pub const fn slug(self) -> &'static str {
        match self {
            Completion::ItemStatus => "item_status",
            Completion::ResponseStatus => "response_status",
            Completion::NotStated => "not_stated",
        }
    }
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

/// The words of an item's status, and of a response's.
const ITEM_STATUS: &[&str] = &["in_progress", "incomplete", "failed", "cancelled", "queued", "searching"];
const RESPONSE_STATUS: &[&str] = &["in_progress", "incomplete", "failed", "cancelled", "queued"];

/// Canonical form of an item that a provider has completed.
pub fn capture<'n, N: Node<'n>>(
    node: &N,
    provider: &Provider,
    response_status: Option<&str>,
    limits: &Limits,
) -> Result<(Canonical, Completion)> {
    let spec = choose(node, provider.items)?;
    let completion = completion(node, spec, response_status)?;
    Ok((read(node, spec, Mode::Capture, limits)?, completion))
}

/// The same for the JSON text of an item.
pub fn capture_text(
    text: &str,
    provider: &Provider,
    response_status: Option<&str>,
    limits: &Limits,
) -> Result<(Canonical, Completion)> {
    if text.len() > limits.bounded().max_item_bytes {
        return Err(Error::new(Code::TooLarge));
    }
    let tree = Tree::parse(text, limits.max_depth)?;
    tree.check_keys()?;
    capture(&&tree, provider, response_status, limits)
}

/// Canonical form of a stored item. Nothing is dropped: what the table does not name is refused.
pub fn replay<'n, N: Node<'n>>(node: &N, spec: &'static ItemSpec, limits: &Limits) -> Result<Canonical> {
    if spec.tag().is_some() {
        choose(node, &[spec])?;
    }
    read(node, spec, Mode::Replay, limits)
}

fn find<'n, N: Node<'n>>(node: &N, name: &str) -> Result<Option<N>> {
    if node.shape() != Shape::Object {
        return Err(Error::new(Code::TypeMismatch).or_offset(node.offset()));
    }
    Ok(node.entries()?.into_iter().rev().find(|(key, _)| key == name).map(|(_, value)| value))
}

/// The table of an object: by its `type`, else the wire's untagged item.
fn choose<'n, N: Node<'n>>(node: &N, items: &[&'static ItemSpec]) -> Result<&'static ItemSpec> {
    let tag = find(node, "type")?;
    for spec in items.iter().copied() {
        match spec.tag() {
            None => return Ok(spec),
            Some(name) => {
                let same = |value: &N| value.shape() == Shape::Text && value.text().is_ok_and(|text| text == name);
                if tag.as_ref().is_some_and(same) {
                    return Ok(spec);
                }
            }
        }
    }
    let code = if tag.as_ref().is_none_or(|value| value.shape() == Shape::Null) {
        Code::MissingField
    } else {
        Code::UnknownItemType
    };
    Err(Error::new(code).or_offset(tag.and_then(|value| value.offset())).within("type"))
}

/// Whether the item may be taken as complete, and by which rule.
fn completion<'n, N: Node<'n>>(node: &N, spec: &ItemSpec, response: Option<&str>) -> Result<Completion> {
    let status = if spec.lifecycle { find(node, "status")? } else { None };
    if let Some(status) = status.filter(|value| value.shape() != Shape::Null) {
        let refuse = |code| Err(Error::new(code).or_offset(status.offset()).within("status"));
        if status.shape() != Shape::Text {
            return refuse(Code::StatusInvalid);
        }
        let word = status.text().map_err(|error| error.within("status"))?;
        return match word.as_ref() {
            "completed" => Ok(Completion::ItemStatus),
            word if ITEM_STATUS.contains(&word) => refuse(Code::NotCompleted),
            _ => refuse(Code::StatusInvalid),
        };
    }
    match response {
        None => Ok(Completion::NotStated),
        Some("completed") => Ok(Completion::ResponseStatus),
        Some(word) if RESPONSE_STATUS.contains(&word) => Err(Error::new(Code::ResponseIncomplete)),
        Some(_) => Err(Error::new(Code::StatusInvalid).within("response_status")),
    }
}

fn read<'n, N: Node<'n>>(node: &N, spec: &'static ItemSpec, mode: Mode, limits: &Limits) -> Result<Canonical> {
    let limits = &limits.bounded();
    let mut reader = Reader { mode, limits, ignored: spec.ignored, out: String::new(), dropped: Vec::new() };
    let fields = reader.object(node, &spec.body, "", limits.max_depth)?;
    reader.room(0)?; // escapes may have made the last text longer than it was
    let view = View { spec, item: Span::new(0, reader.out.len()), fields };
    Ok(Canonical { json: reader.out, view, dropped: reader.dropped })
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
        path: &str,
        depth: usize,
    ) -> Result<[Span; MAX_FIELDS]> {
        if node.shape() != Shape::Object {
            return Err(Error::new(Code::TypeMismatch).or_offset(node.offset()));
        }
        let depth = deeper(node, depth)?;
        let mut slots: [Option<N>; MAX_FIELDS] = std::array::from_fn(|_| None);
        for (key, value) in node.entries()? {
            let row = if self.mode == Mode::Capture { spec.row(&key) } else { spec.field(&key) };
            match row {
                Some((index, field)) if slots[index].is_some() => {
                    return Err(Error::new(Code::DuplicateKey).or_offset(value.offset()).within(field.name));
                }
                Some((index, _)) => slots[index] = Some(value),
                None => self.unknown(&key, &value, path, depth)?,
            }
        }
        let mut spans = [Span::default(); MAX_FIELDS];
        let mut present: Vec<&'static str> = Vec::with_capacity(spec.fields.len());
        self.out.push('{');
        for (index, field) in spec.fields.iter().enumerate() {
            let start = self.out.len();
            let written = self.field(slots[index].as_ref(), field, start, depth).map_err(|e| e.within(field.name))?;
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

    /// A key that the table does not name.
    fn unknown<'n, N: Node<'n>>(&mut self, key: &str, value: &N, path: &str, depth: usize) -> Result<()> {
        if self.mode == Mode::Replay {
            return Err(Error::new(Code::UnknownField).or_offset(value.offset()).within_key(key));
        }
        value.check_depth(depth).map_err(|error| error.within_key(key))?;
        if !(path.is_empty() && self.ignored.contains(&key)) {
            self.dropped.push(format!("{path}{}", field_name(key)));
        }
        Ok(())
    }

    /// Writes `"name":value` and returns where the value begins, or nothing when the field is left out.
    fn field<'n, N: Node<'n>>(
        &mut self,
        value: Option<&N>,
        field: &'static FieldSpec,
        start: usize,
        depth: usize,
    ) -> Result<Option<usize>> {
        let Some(value) = value.filter(|value| value.shape() != Shape::Null) else {
            let missing = field.presence == Presence::Required;
            return if missing { Err(Error::new(Code::MissingField)) } else { Ok(None) };
        };
        if start > 0 && !self.out.ends_with('{') {
            self.out.push(',');
        }
        push_string(&mut self.out, field.name);
        self.out.push(':');
        let value_start = self.out.len();
        let empty = self.value(value, field, depth).map_err(|error| error.or_offset(value.offset()))?;
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
    fn value<'n, N: Node<'n>>(&mut self, value: &N, field: &'static FieldSpec, depth: usize) -> Result<bool> {
        let mismatch = || Err(Error::new(Code::TypeMismatch));
        match (field.kind, value.shape()) {
            (Kind::Tag(tag), Shape::Text) if value.text()? == tag => self.text(tag),
            (Kind::Id | Kind::Label | Kind::Text | Kind::Opaque(_), Shape::Text) => {
                let text = value.text()?;
                self.text(&text)
            }
            (Kind::Opaque(Encoding::Base64 | Encoding::Blob), Shape::Bytes) => {
                let text = encode_base64(&value.bytes()?);
                self.text(&text)
            }
            (Kind::Parts(specs), Shape::List) => self.parts(value, specs, field.name, depth),
            (Kind::Object(spec), Shape::Object) => {
                self.object(value, spec, &format!("{}/", field.name), depth)?;
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
            _ => mismatch(),
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
        name: &str,
        depth: usize,
    ) -> Result<bool> {
        let depth = deeper(list, depth)?;
        let elements = list.elements(self.limits.max_parts)?;
        self.out.push('[');
        for (index, element) in elements.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let path = format!("{name}/{index}/");
            self.part(element, specs, &path, depth)
                .map_err(|error| error.or_offset(element.offset()).within_index(index))?;
        }
        self.out.push(']');
        Ok(elements.is_empty())
    }

    /// Writes one part: its `type` and its one text.
    fn part<'n, N: Node<'n>>(&mut self, node: &N, specs: &'static [PartSpec], path: &str, depth: usize) -> Result<()> {
        let tag = find(node, "type")?;
        let depth = deeper(node, depth)?;
        let tag = tag.filter(|tag| tag.shape() != Shape::Null);
        let tag = tag.ok_or_else(|| Error::new(Code::MissingField).within("type"))?;
        let name = if tag.shape() == Shape::Text { tag.text().map_err(|e| e.within("type"))? } else { "".into() };
        let spec = specs
            .iter()
            .find(|spec| spec.tag == name)
            .ok_or_else(|| Error::new(Code::UnknownPartType).or_offset(tag.offset()).within("type"))?;
        let mut text = None;
        let mut tags = 0;
        for (key, value) in node.entries()? {
            if key == "type" && tags == 0 {
                tags += 1;
            } else if key == spec.text && text.is_none() {
                text = Some(value);
            } else if key == "type" || key == spec.text {
                return Err(Error::new(Code::DuplicateKey).or_offset(value.offset()).within_key(&key));
            } else {
                self.unknown(&key, &value, path, depth)?;
            }
        }
        let text = text.filter(|value| value.shape() != Shape::Null);
        let text = text.ok_or_else(|| Error::new(Code::MissingField).within(spec.text))?;
        if text.shape() != Shape::Text {
            return Err(Error::new(Code::TypeMismatch).or_offset(text.offset()).within(spec.text));
        }
        self.out.push_str("{\"type\":");
        push_string(&mut self.out, spec.tag);
        self.out.push(',');
        push_string(&mut self.out, spec.text);
        self.out.push(':');
        let decoded = text.text().map_err(|error| error.within(spec.text))?;
        self.text(&decoded).map_err(|error| error.within(spec.text))?;
        self.out.push('}');
        Ok(())
    }
}

/// The levels left inside a list or an object.
fn deeper<'n, N: Node<'n>>(node: &N, depth: usize) -> Result<usize> {
    depth.checked_sub(1).ok_or_else(|| Error::new(Code::TooDeep).or_offset(node.offset()))
}
