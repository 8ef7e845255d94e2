//! The table language. One [`FieldSpec`] row drives the allowlist, the canonical field order, redaction, byte
//! metering, the dedupe identity and the JSON Schema; none of them is written anywhere else.

use crate::error::{Code, Error, Result};

/// The key by which wires tell their items apart.
pub static TYPE: &str = "type";
/// The key of an item's lifecycle.
pub static STATUS: &str = "status";

/// How many fields an item may have: views keep one span per row.
pub const MAX_FIELDS: usize = 12;

/// One field of an item.
#[derive(Debug)]
pub struct FieldSpec {
    /// The name in the canonical item.
    pub name: &'static str,
    /// Other spellings that capture accepts, as SDKs write them.
    pub aliases: &'static [&'static str],
    /// What the value is.
    pub kind: Kind,
    /// When it may be missing.
    pub presence: Presence,
    /// Whether it tells one state from another.
    pub identity: bool,
}

/// What a value is. The kind also decides what a log may show of it, see [`Class`].
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Exactly this text.
    Tag(&'static str),
    /// The provider's name of the item: a text, not empty.
    Id,
    /// A short word of the provider, such as a format name.
    Label,
    /// Text that a model wrote while reasoning. May be empty.
    Text,
    /// State that only the provider can read: a text, not empty.
    Opaque(Encoding),
    /// A list of parts.
    Parts(&'static [PartSpec]),
    /// An object of its own.
    Object(&'static ObjectSpec),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Flag,
    /// Any JSON value: kept as it is, key order and number text included.
    Json,
}

/// How opaque state travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A text; two values are the same when the texts are.
    Text,
    /// Bytes, spelled in either base64 alphabet, padded or not; two values are the same when the bytes are. What is no
    /// base64 is refused: a signature that was cut, or joined from pieces (ruby_llm#521, 2026-03; litellm#42204, 2026-09).
    /// Python `bytes` are written in the standard alphabet with padding.
    Base64,
    /// The same, of any spelling, and a Python dict for the provider's SDK holds `bytes`: botocore encodes what it is given, so base64
    /// text would be encoded twice (botocore 1.44.8).
    Blob,
}

/// When a field may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Must be there; null counts as missing.
    Required,
    /// May be missing or null, which are the same. An empty value is a value.
    Optional,
    /// May be missing, null or empty, which are the same and are left out.
    OmitIfEmpty,
}

/// One type of part in a list. The values of its fields are texts.
#[derive(Debug)]
pub struct PartSpec {
    /// The value of the part's `type`.
    pub tag: &'static str,
    /// Rows in canonical order, without `type`. What a model wrote is in the row [`PART_TEXT`].
    pub fields: &'static [FieldSpec],
}

/// The field of a part that is its text.
pub const PART_TEXT: &str = "text";

impl PartSpec {
    /// A part that is one text.
    pub const fn of_text(tag: &'static str) -> Self {
        const TEXT: &[FieldSpec] = &[FieldSpec::new(PART_TEXT, Kind::Text)];
        PartSpec { tag, fields: TEXT }
    }

    /// Whether it has a field of this name.
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }
}

/// An object inside an item: its fields and what must hold between them.
#[derive(Debug)]
pub struct ObjectSpec {
    /// Rows in canonical order.
    pub fields: &'static [FieldSpec],
    /// What must hold between them.
    pub rules: &'static [Rule],
}

/// What must hold between fields.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// At least one of these is present, else there is nothing to replay.
    AnyOf(&'static [&'static str]),
    /// Exactly one of these is present.
    OneOf(&'static [&'static str]),
}

impl Rule {
    /// Refuses a set of fields that breaks the rule.
    pub fn check(self, present: impl Fn(&str) -> bool) -> Result<()> {
        let (Rule::AnyOf(names) | Rule::OneOf(names)) = self;
        match names.iter().filter(|name| present(name)).count() {
            0 => Err(Error::new(Code::StateMissing)),
            1 => Ok(()),
            _ if matches!(self, Rule::AnyOf(_)) => Ok(()),
            _ => Err(Error::new(Code::FieldsConflict)),
        }
    }
}

/// One replay item of one wire.
#[derive(Debug)]
pub struct ItemSpec {
    /// The wire it travels on.
    pub wire: &'static str,
    /// Its name within the wire.
    pub kind: &'static str,
    /// Rows in canonical order, and the rules between them.
    pub body: ObjectSpec,
    /// Fields that are known not to be state: capture drops them without a word.
    pub ignored: &'static [&'static str],
    /// Whether capture reads a `status`.
    pub lifecycle: bool,
}

/// What a report or a log may show of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A fixed word: shown.
    Tag,
    /// A name or a short word: shown.
    Id,
    /// Reasoning text: its length only.
    Text,
    /// Opaque state: its length and digest only.
    Opaque,
    /// Ordinary data of the conversation.
    Data,
}

impl Kind {
    /// What a report or a log may show.
    pub const fn class(self) -> Class {
        match self {
            Kind::Tag(_) => Class::Tag,
            Kind::Id | Kind::Label => Class::Id,
            Kind::Text | Kind::Parts(_) => Class::Text,
            Kind::Opaque(_) => Class::Opaque,
            Kind::Integer | Kind::Flag | Kind::Json | Kind::Object(_) => Class::Data,
        }
    }
}

impl FieldSpec {
    /// A row that is required.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        let identity = matches!(kind, Kind::Id | Kind::Opaque(_));
        FieldSpec { name, aliases: &[], kind, presence: Presence::Required, identity }
    }

    /// The same row, which may be missing.
    pub const fn optional(self) -> Self {
        FieldSpec { presence: Presence::Optional, ..self }
    }

    /// The same row, left out when it is empty.
    pub const fn omit_if_empty(self) -> Self {
        FieldSpec { presence: Presence::OmitIfEmpty, ..self }
    }

    /// The same row with other spellings that capture accepts.
    pub const fn or(self, aliases: &'static [&'static str]) -> Self {
        FieldSpec { aliases, ..self }
    }
}

impl ObjectSpec {
    /// The row of a name, and its index.
    pub fn field(&self, name: &str) -> Option<(usize, &'static FieldSpec)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// The row that a key of the provider belongs to: its name or one of its aliases.
    pub fn row(&self, key: &str) -> Option<(usize, &'static FieldSpec)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == key || field.aliases.contains(&key))
    }
}

impl ItemSpec {
    /// The value of `type`, where the wire tells its items apart by it.
    pub fn tag(&self) -> Option<&'static str> {
        self.body.fields.iter().find_map(|field| match field.kind {
            Kind::Tag(tag) if field.name == "type" => Some(tag),
            _ => None,
        })
    }

    /// The name of its envelope.
    pub fn schema(&self) -> String {
        format!("ostinato.{}.{}", self.wire, self.kind)
    }
}
