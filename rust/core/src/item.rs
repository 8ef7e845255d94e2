//! A canonical item: its JSON text and where its fields are in it. Nothing is decoded until it is asked for.

use crate::error::Result;
use crate::json::{Lexer, RawStr, Tree};
use crate::limits::DEEPEST;
use crate::opaque::{Opaque, sha256_hex};
use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, MAX_FIELDS, ObjectSpec, PART_TEXT};
use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The range between two offsets; the limits keep them below 2^32.
    #[allow(clippy::cast_possible_truncation)]
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// Whether nothing is there.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The text of the range.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Where an item and its fields stand in a text.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Which item it is.
    pub spec: &'static ItemSpec,
    /// The whole item, braces included.
    pub item: Span,
    /// The value of each row of the table; empty where the field is missing.
    pub fields: [Span; MAX_FIELDS],
}

/// A canonical item, borrowed from the text it stands in.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    text: &'a str,
    view: &'a View,
}

/// What telemetry and tallies count of one item. Bytes are UTF-8 bytes of decoded text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Meter {
    pub opaque_bytes: usize,
    pub summary_parts: usize,
    pub summary_bytes: usize,
    pub content_parts: usize,
    pub content_bytes: usize,
}

impl<'a> Item<'a> {
    /// The item that a view describes in its text.
    pub fn new(text: &'a str, view: &'a View) -> Self {
        Item { text, view }
    }

    /// Its table.
    pub fn spec(self) -> &'static ItemSpec {
        self.view.spec
    }

    /// Its canonical JSON text.
    pub fn json(self) -> &'a str {
        self.view.item.of(self.text)
    }

    /// The JSON text of a field's value, if the item has it.
    pub fn raw(self, name: &str) -> Option<&'a str> {
        let (index, _) = self.view.spec.body.field(name)?;
        let span = self.view.fields[index];
        (!span.is_empty()).then(|| span.of(self.text))
    }

    /// The fields that the item has, in table order, each with the JSON text of its value.
    pub fn fields(self) -> impl Iterator<Item = (&'static FieldSpec, &'a str)> {
        let rows = self.view.spec.body.fields.iter().zip(self.view.fields);
        rows.filter(|(_, span)| !span.is_empty()).map(move |(field, span)| (field, span.of(self.text)))
    }

    /// The decoded text of a field that holds text.
    pub fn text(self, name: &str) -> Option<Cow<'a, str>> {
        unquote(self.raw(name)?)
    }

    /// The item's name at its provider, if it has one.
    pub fn id(self) -> Option<Cow<'a, str>> {
        let field = self.view.spec.body.fields.iter().find(|field| field.identity && matches!(field.kind, Kind::Id))?;
        self.text(field.name)
    }

    /// The texts of the parts of a field; a part that is no text has none.
    pub fn parts(self, name: &str) -> Vec<Cow<'a, str>> {
        let mut texts = Vec::new();
        self.each_part(name, |text| texts.extend(text.and_then(|text| text.decode().ok())));
        texts
    }

    /// How many parts a field has, and the bytes of their texts.
    pub fn size_of_parts(self, name: &str) -> (usize, usize) {
        let (mut parts, mut bytes) = (0, 0);
        self.each_part(name, |text| {
            parts += 1;
            bytes += match text {
                Some(text) if text.escaped => text.decode().map_or(0, |decoded| decoded.len()),
                Some(text) => text.raw.len(),
                None => 0,
            };
        });
        (parts, bytes)
    }

    fn each_part(self, name: &str, mut see: impl FnMut(Option<RawStr<'a>>)) {
        let field = self.view.spec.body.field(name);
        if let (Some(raw), Some((_, FieldSpec { kind: Kind::Parts(_), .. }))) = (self.raw(name), field) {
            let mut lexer = Lexer::new(raw);
            // Canonical text: [{"type":"…","text":"…"},…]. Any other text has been refused before.
            while let Some(text) = part(&mut lexer) {
                see(text);
            }
        }
    }

    /// Every opaque value of the item with the encoding of its field, in table order.
    pub fn opaque(self) -> Vec<(Cow<'a, str>, Encoding)> {
        let mut values = Vec::new();
        for (field, span) in self.view.spec.body.fields.iter().zip(self.view.fields) {
            match field.kind {
                _ if span.is_empty() => {}
                Kind::Opaque(encoding) => {
                    values.extend(unquote(span.of(self.text)).map(|value| (value, encoding)));
                }
                Kind::Object(_) => {
                    let nested = self.nested(field.name, |kind| matches!(kind, Kind::Opaque(_)));
                    values.extend(nested.into_iter().filter_map(|(text, kind)| match kind {
                        Kind::Opaque(encoding) => Some((text, encoding)),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        values
    }

    /// The texts of some kind inside a field that is an object.
    fn nested(self, name: &str, wanted: fn(Kind) -> bool) -> Vec<(Cow<'a, str>, Kind)> {
        let mut texts = Vec::new();
        let field = self.view.spec.body.field(name);
        if let (Some(raw), Some((_, FieldSpec { kind: Kind::Object(spec), .. }))) = (self.raw(name), field)
            && let Ok(tree) = Tree::parse(raw, DEEPEST)
        {
            collect(&tree, spec, wanted, &mut texts);
        }
        texts
    }

    /// SHA-256 of what makes this state this state: the first opaque value, or the whole item where it has none.
    /// Values that are bytes are compared as bytes, whichever base64 alphabet they are spelled in (rule D1).
    pub fn state_digest(self) -> String {
        match self.opaque().first() {
            Some((value, Encoding::Text)) => Opaque::new(value).sha256(),
            Some((value, Encoding::Base64 | Encoding::Blob)) => match decode_base64(value) {
                Some(bytes) => sha256_hex(&bytes),
                None => Opaque::new(value).sha256(),
            },
            None => sha256_hex(self.json().as_bytes()),
        }
    }

    /// SHA-256 of the canonical JSON text, as a sealed envelope keeps it.
    pub fn digest(self) -> String {
        sha256_hex(self.json().as_bytes())
    }

    /// Counts and byte lengths.
    pub fn meter(self) -> Meter {
        let mut meter =
            Meter { opaque_bytes: self.opaque().iter().map(|(value, _)| value.len()).sum(), ..Meter::default() };
        for field in self.view.spec.body.fields {
            let (parts, bytes) = match field.kind {
                Kind::Parts(_) => self.size_of_parts(field.name),
                Kind::Text => self.text(field.name).map_or((0, 0), |text| (1, text.len())),
                Kind::Object(_) => {
                    let texts = self.nested(field.name, |kind| matches!(kind, Kind::Text));
                    (texts.len(), texts.iter().map(|(text, _)| text.len()).sum())
                }
                _ => continue,
            };
            if field.name == "summary" && matches!(field.kind, Kind::Parts(_)) {
                meter.summary_parts += parts;
                meter.summary_bytes += bytes;
            } else {
                meter.content_parts += parts;
                meter.content_bytes += bytes;
            }
        }
        meter
    }

    /// Hash of the canonical text, for tables in memory.
    pub fn fingerprint(self) -> [u8; 32] {
        Sha256::digest(self.json().as_bytes()).into()
    }
}

fn collect<'a>(tree: &Tree<'a>, spec: &ObjectSpec, wanted: fn(Kind) -> bool, texts: &mut Vec<(Cow<'a, str>, Kind)>) {
    for field in spec.fields {
        match (field.kind, tree.get(field.name)) {
            (Kind::Object(deeper), Some(value)) => collect(value, deeper, wanted, texts),
            (kind, Some(value)) if wanted(kind) => texts.extend(value.as_str().map(|text| (text, kind))),
            _ => {}
        }
    }
}

/// The text of the next part of a canonical list: none of a part that is no text, and nothing after the last.
fn part<'a>(lexer: &mut Lexer<'a>) -> Option<Option<RawStr<'a>>> {
    if !(lexer.take(b'[') || lexer.take(b',')) || !lexer.take(b'{') {
        return None;
    }
    let mut found = None;
    loop {
        let key = lexer.key().ok()?;
        let value = lexer.string().ok()?;
        if key.raw == PART_TEXT {
            found = Some(value);
        }
        if !lexer.take(b',') {
            break;
        }
    }
    lexer.expect(b'}').ok()?;
    Some(found)
}

/// The decoded text of a JSON string.
pub fn unquote(raw: &str) -> Option<Cow<'_, str>> {
    RawStr::quoted(raw)?.decode().ok()
}

/// Whether a text is base64 of one alphabet, and whole: with all of its padding or without any (rule V5).
pub fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let whole = match text.len() - body.len() {
        0 => !body.is_empty() && body.len() % 4 != 1,
        1 | 2 => text.len().is_multiple_of(4),
        _ => false,
    };
    // Without leaving early, so that the compiler uses vector instructions: signatures are long.
    let all_of = |plus: u8, slash: u8| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() | (byte == plus) | (byte == slash);
        body.bytes().fold(true, |all, byte| all & known(byte))
    };
    whole && (all_of(b'+', b'/') || all_of(b'-', b'_'))
}

/// The bytes of a text in either base64 alphabet, padded or not; none if it is neither. Bits beyond the last byte do not
/// count, as for Python and for the servers.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    const EITHER: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, EITHER);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::URL_SAFE, EITHER);
    STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text)).ok()
}

/// Bytes in the standard alphabet with padding.
pub fn encode_base64(bytes: &[u8]) -> String {
    general_purpose::STANDARD.encode(bytes)
}

/// The decoded value of a JSON text, for callers who need one.
pub fn parse_raw(raw: &str) -> Result<Tree<'_>> {
    Tree::parse(raw, DEEPEST)
}
