//! The structural view of one item: what a log may hold of it.

use super::Options;
use super::mark::{self, Mark};
use super::scan::is_suspicious;
use crate::item::{Item, parse_raw, unquote};
use crate::json::{Tree, compact, push_string};
use crate::spec::{Kind, ObjectSpec};
use std::borrow::Cow;

/// What may be shown of a field, by its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown<'a> {
    /// A word or an id: itself.
    Word(Cow<'a, str>),
    /// A number or a flag: its JSON text.
    Plain(Cow<'a, str>),
    /// A text: its length.
    Text(usize),
    /// State: its length and, unless only lengths are wanted, its digest.
    State(usize, Option<String>),
    /// Parts: how many, and the length of their texts.
    Parts(usize, usize),
    /// Any other value: the length of its JSON text.
    Data(usize),
    /// An object: its fields.
    Fields(Fields<'a>),
}

/// The fields of an item, or of an object in it, in the order of the table.
pub type Fields<'a> = Vec<(&'static str, Shown<'a>)>;

/// What may be shown of an item's fields.
pub fn view(item: Item<'_>, options: Options) -> Fields<'_> {
    let fields = item.spec().body.fields.iter();
    let shown = fields.filter_map(|field| {
        let raw = item.raw(field.name)?;
        let shown = match field.kind {
            Kind::Parts(_) => {
                let (count, bytes) = item.size_of_parts(field.name);
                Shown::Parts(count, bytes)
            }
            Kind::Object(spec) => match parse_raw(raw) {
                Ok(tree) => Shown::Fields(object(&tree, spec, options)),
                Err(_) => Shown::Data(raw.len()),
            },
            kind => show(Cow::Borrowed(raw), kind, options),
        };
        Some((field.name, shown))
    });
    shown.collect()
}

/// An object inside an item, of which the item keeps no places.
fn object<'a>(tree: &Tree<'_>, spec: &'static ObjectSpec, options: Options) -> Fields<'a> {
    let fields = spec.fields.iter();
    let shown = fields.filter_map(|field| {
        let value = tree.get(field.name)?;
        let shown = match field.kind {
            Kind::Object(inner) => Shown::Fields(object(value, inner, options)),
            kind => show(Cow::Owned(compact(value).ok()?), kind, options),
        };
        Some((field.name, shown))
    });
    shown.collect()
}

/// What may be shown of the JSON text of a value that is no object of the tables.
fn show<'a>(raw: Cow<'a, str>, kind: Kind, options: Options) -> Shown<'a> {
    let text = || unquote(&raw).unwrap_or(Cow::Borrowed(&raw));
    match kind {
        Kind::Tag(tag) => Shown::Word(Cow::Borrowed(tag)),
        Kind::Id | Kind::Label => {
            let text = text().into_owned();
            // A signature can hide in an id.
            let hides = is_suspicious(text.as_bytes(), 0);
            Shown::Word(Cow::Owned(if hides { super::text(&text, options).text } else { text }))
        }
        Kind::Opaque(encoding) => {
            let (bytes, digest) = Mark::state(text().as_bytes(), encoding, options).into_parts();
            Shown::State(bytes, digest)
        }
        Kind::Text => Shown::Text(text().len()),
        Kind::Integer | Kind::Flag => Shown::Plain(raw),
        Kind::Json | Kind::Parts(_) | Kind::Object(_) => Shown::Data(raw.len()),
    }
}

/// The view of an item as one line of JSON: its wire, its kind and its fields.
pub fn view_json(item: Item<'_>, options: Options) -> String {
    let spec = item.spec();
    let mut out = String::from("{\"wire\":");
    push_string(&mut out, spec.wire);
    out.push_str(",\"kind\":");
    push_string(&mut out, spec.kind);
    out.push_str(",\"fields\":");
    push_fields(&mut out, &view(item, options));
    out.push('}');
    out
}

fn push_fields(out: &mut String, fields: &Fields<'_>) {
    out.push('{');
    for (index, (name, shown)) in fields.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        push_string(out, name);
        out.push(':');
        match shown {
            Shown::Word(word) => push_string(out, word),
            Shown::Plain(raw) => out.push_str(raw),
            Shown::Text(bytes) => out.push_str(&Mark::length(*bytes).json()),
            Shown::State(bytes, digest) => out.push_str(&Mark::of(*bytes, digest.clone()).json()),
            Shown::Parts(parts, bytes) => out.push_str(&mark::parts(*parts, *bytes)),
            Shown::Data(bytes) => out.push_str(&format!("{{\"bytes\":{bytes}}}")),
            Shown::Fields(inner) => push_fields(out, inner),
        }
    }
    out.push('}');
}
