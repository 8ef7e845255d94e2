//! Which names and which kinds of objects carry state or reasoning.
//!
//! The schema tables say it for the items of every wire; the rows here add what carries the same values elsewhere:
//! stream events, SDK spellings, saved histories of other programs. A name decides alone where it means one thing only.
//! Names that mean something else elsewhere (`signature`, `data`, `text`) decide together with their object.

use crate::schema;
use crate::spec::{Class, Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec};
use std::sync::LazyLock;

/// What is known of the object that a value stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its texts are reasoning.
    pub texts: bool,
    /// Its signatures and data are state.
    pub signs: bool,
}

impl Place {
    const BOTH: Place = Place { texts: true, signs: true };
    const TEXTS: Place = Place { texts: true, signs: false };
    const SIGNS: Place = Place { texts: false, signs: true };

    /// What holds here and there together.
    pub fn or(self, other: Place) -> Place {
        Place { texts: self.texts || other.texts, signs: self.signs || other.signs }
    }
}

/// What a name says of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// State, always.
    Opaque(Encoding),
    /// Reasoning, always: a text, a list of parts, or an object that holds them.
    Text,
    /// State in an item that carries state, and wherever the value looks like it.
    SharedOpaque,
    /// Reasoning in an item of reasoning.
    SharedText,
    /// Everything below stands in such a place.
    Inside(Place),
    /// A name that speaks of reasoning and is not known: what reads like a text is reasoning.
    Hinted,
    /// Nothing.
    Plain,
}

/// A rule and the name under which a report counts it. Reports never show a name of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// What it says of its value.
    pub rule: Rule,
    /// The name in a report.
    pub label: &'static str,
}

const TEXT: Rule = Rule::Opaque(Encoding::Text);

/// Names that the schema tables do not have, or that mean something else outside the items of the tables.
/// Sources, in this order: anthropic 2.14.0 (search results, citations, code execution); pi sessions; LiteLLM 1.110.2;
/// AI SDK 5 provider metadata; Copilot CLI 1.0; google-genai 3.6.1; Kimi CLI 1.4; Gemini CLI 0.4; Codex 0.146; mmsp 0.5.6.
const CARRIERS: &[(&str, Rule)] = &[
    ("encrypted_index", TEXT),
    ("encrypted_stdout", TEXT),
    ("thinking_signature", TEXT),
    ("text_signature", TEXT),
    ("reasoning_signature", TEXT),
    ("thought_signatures", TEXT),
    ("redacted_data", TEXT),
    ("reasoning_encrypted_content", TEXT),
    ("reasoning_opaque", TEXT),
    ("continuation_token", TEXT),
    ("reasoning_text", Rule::Text),
    ("reasoning_delta", Rule::Text),
    ("reasoning_summary", Rule::Text),
    ("reasoning_summary_text", Rule::Text),
    ("agent_reasoning", Rule::Text),
    ("thinking_delta", Rule::Text),
    ("thinking_text", Rule::Text),
    ("thinking_content", Rule::Text),
    ("think", Rule::Text),
    ("thought", Rule::Text),
    ("thoughts", Rule::Text),
    ("thought_summary", Rule::Text),
    ("chain_of_thought", Rule::Text),
    ("signature", Rule::SharedOpaque),
    ("sig", Rule::SharedOpaque),
    ("data", Rule::SharedOpaque),
    ("encrypted", Rule::SharedOpaque),
    ("fingerprint", Rule::SharedOpaque),
    ("text", Rule::SharedText),
    ("delta", Rule::SharedText),
    ("content", Rule::SharedText),
    ("summary", Rule::SharedText),
    ("subject", Rule::SharedText),
    ("description", Rule::SharedText),
    ("title", Rule::SharedText),
    ("message", Rule::SharedText),
    ("value", Rule::SharedText),
    ("reasoning_details", Rule::Inside(Place::BOTH)),
    ("thinking_blocks", Rule::Inside(Place::BOTH)),
    ("fidelity", Rule::Inside(Place::SIGNS)),
    ("provider_metadata", Rule::Inside(Place::SIGNS)),
    ("provider_options", Rule::Inside(Place::SIGNS)),
    ("provider_details", Rule::Inside(Place::SIGNS)),
    ("provider_specific_fields", Rule::Inside(Place::SIGNS)),
    ("extra_content", Rule::Inside(Place::SIGNS)),
];

/// Kinds of objects by their whole name, beside those whose name speaks of reasoning.
const KINDS: &[(&str, Place)] = &[
    ("summary_text", Place::TEXTS),
    ("summarytext", Place::TEXTS),
    ("analysis", Place::TEXTS), // the channel of gpt-oss
    ("think", Place::BOTH),
    ("signature_delta", Place::SIGNS),
    ("compaction", Place::SIGNS),
    ("compaction_delta", Place::SIGNS),
    ("program", Place::SIGNS), // its fingerprint is a ciphertext
];

/// What a name or a kind that speaks of reasoning has in it.
const STEMS: &[&str] = &["reasoning", "thinking", "thought"];

/// Names under which an object says what it is.
const KIND_NAMES: &[&str] =
    &["type", "partkind", "partdeltakind", "kind", "eventkind", "event", "channel", "role", "class"];

/// Values of `type` in a JSON Schema. A property called `reasoning` is no reasoning.
const SCHEMA_TYPES: &[&str] = &["string", "object", "array", "boolean", "number", "integer", "null"];

/// Names that say that the object beside them is a picture, a sound or a document.
const MEDIA_NAMES: &[&str] = &["mediatype", "mimetype", "contenttype"];

/// Words of a setting, where the same name holds a text elsewhere.
const SETTINGS: &[&[u8]] = &[b"auto", b"concise", b"detailed", b"none"];

/// Values that stand for a signature where there is none (ai.google.dev thought-signatures); they are published words.
const STAND_INS: &[&[u8]] = &[b"skip_thought_signature_validator", b"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="];

/// Longest name that is looked up, without its separators.
const LONGEST: usize = 48;

/// What a key says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// What it says of its value.
    pub name: Name,
    /// Whether its value is the kind of the object.
    pub tells_kind: bool,
    /// Whether it stands in the description of a picture, a sound or a document.
    pub tells_media: bool,
}

impl Key {
    const PLAIN: Key = Key { name: Name { rule: Rule::Plain, label: "" }, tells_kind: false, tells_media: false };

    const fn named(name: Name) -> Key {
        Key { name, ..Key::PLAIN }
    }
}

/// The known names by their length: two or three of each.
static NAMES: LazyLock<Vec<Vec<(Folded, Key)>>> = LazyLock::new(|| {
    let mut names = vec![Vec::new(); LONGEST + 1];
    for (label, rule) in CARRIERS {
        add(&mut names, label, Key::named(Name { rule: *rule, label }));
    }
    KIND_NAMES.iter().for_each(|name| add(&mut names, name, Key { tells_kind: true, ..Key::PLAIN }));
    MEDIA_NAMES.iter().for_each(|name| add(&mut names, name, Key { tells_media: true, ..Key::PLAIN }));
    schema::items().for_each(|item| collect(&item.body, &mut names));
    names
});

/// Takes the names of an object's rows, those that it shares with other objects aside: they are listed already.
fn collect(body: &'static ObjectSpec, names: &mut [Vec<(Folded, Key)>]) {
    for field in body.fields {
        let rule = match field.kind {
            Kind::Opaque(encoding) => Rule::Opaque(encoding),
            Kind::Object(inner) => {
                collect(inner, names);
                Rule::Text
            }
            _ if field.kind.class() == Class::Text => Rule::Text,
            _ => continue,
        };
        for name in field.aliases.iter().chain([&field.name]) {
            add(names, name, Key::named(Name { rule, label: field.name }));
        }
    }
}

fn add(names: &mut [Vec<(Folded, Key)>], name: &str, key: Key) {
    let folded = Folded::new(name.as_bytes());
    if let Some(bucket) = names.get_mut(folded.length)
        && !bucket.iter().any(|(known, _)| *known == folded)
    {
        bucket.push((folded, key));
    }
}

/// A name without case and separators: `thoughtSignature` and `thought_signature` are one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Folded {
    bytes: [u8; LONGEST],
    /// One more than fits where the name is longer.
    length: usize,
}

impl Folded {
    fn new(name: &[u8]) -> Folded {
        let mut folded = Folded { bytes: [0; LONGEST], length: 0 };
        for byte in name.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
            match folded.bytes.get_mut(folded.length) {
                Some(slot) => *slot = byte.to_ascii_lowercase(),
                None => {
                    folded.length = LONGEST + 1;
                    break;
                }
            }
            folded.length += 1;
        }
        folded
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length.min(LONGEST)]
    }
}

/// What a key says. Names of telemetry are dotted: their last part decides, too.
pub fn key(key: &[u8]) -> Key {
    let whole = Folded::new(key);
    if let Some(found) = known(&whole) {
        return found;
    }
    let hinted = speaks_of_reasoning(whole.as_slice());
    let last = key.iter().rposition(|byte| matches!(byte, b'.' | b'/' | b':')).map(|dot| &key[dot + 1..]);
    let last = last.and_then(|last| known(&Folded::new(last)));
    match last.map(|last| (last, last.name.rule)) {
        Some((Key { name, .. }, Rule::SharedOpaque)) if hinted => Key::named(Name { rule: TEXT, ..name }),
        Some((Key { name, .. }, Rule::SharedText)) if hinted => Key::named(Name { rule: Rule::Text, ..name }),
        Some((last, _)) => Key::named(last.name),
        None if hinted => Key::named(Name { rule: Rule::Hinted, label: "reasoning" }),
        None => Key::PLAIN,
    }
}

/// The names that decide alone, and the kinds of objects in which shared names do.
#[cfg(test)]
pub fn names() -> Vec<String> {
    let decides = |key: &Key| matches!(key.name.rule, Rule::Opaque(_) | Rule::Text | Rule::Hinted);
    let names = NAMES.iter().flatten().filter(|(_, key)| decides(key));
    let names = names.map(|(name, _)| String::from_utf8_lossy(name.as_slice()).into_owned());
    names.chain(KINDS.iter().map(|(kind, _)| (*kind).to_owned()).filter(|kind| kind != "program")).collect()
}

/// What a key says of its value.
pub fn name(name: &[u8]) -> Name {
    key(name).name
}

fn known(folded: &Folded) -> Option<Key> {
    let bucket = NAMES.get(folded.length).map_or(&[][..], Vec::as_slice);
    let found = bucket.iter().find(|(name, _)| name == folded).map(|(_, key)| *key);
    let encrypted = || folded.as_slice().starts_with(b"encrypted");
    found.or_else(|| encrypted().then_some(Key::named(Name { rule: TEXT, label: "encrypted_content" })))
}

fn speaks_of_reasoning(folded: &[u8]) -> bool {
    let begins = |at: usize| STEMS.iter().any(|stem| folded[at..].starts_with(stem.as_bytes()));
    (0..folded.len()).any(|at| matches!(folded[at], b'r' | b't') && begins(at))
}

/// What the kind of an object says of the place. None where it is a JSON Schema, in which nothing is reasoning.
pub fn kind(value: &[u8]) -> Option<Place> {
    let lower = value.get(..value.len().min(4 * LONGEST)).unwrap_or(value).to_ascii_lowercase();
    let text = String::from_utf8_lossy(&lower);
    if SCHEMA_TYPES.contains(&text.as_ref()) {
        return None;
    }
    let listed = KINDS.iter().find(|(name, _)| *name == text).map(|(_, place)| *place);
    Some(listed.unwrap_or(if speaks_of_reasoning(&lower) { Place::BOTH } else { Place::default() }))
}

/// Whether a value is the id of a reasoning item. SDK dumps write the type last, where a cut takes it away.
pub fn is_reasoning_id(key: &[u8], value: &[u8]) -> bool {
    key == b"id" && value.starts_with(b"rs_")
}

/// The table of a tagged item.
pub fn item(tag: &[u8]) -> Option<&'static ItemSpec> {
    schema::items().find(|item| item.tag().is_some_and(|name| name.as_bytes() == tag))
}

/// What the table of an item says of one of its fields.
pub fn row(item: &'static ItemSpec, key: &[u8]) -> Option<Name> {
    let (_, field): (usize, &'static FieldSpec) = item.body.row(std::str::from_utf8(key).ok()?)?;
    let rule = match (field.kind, field.kind.class()) {
        (Kind::Opaque(encoding), _) => Rule::Opaque(encoding),
        (_, Class::Text) => Rule::Text,
        (Kind::Object(_), _) => return None,
        _ => Rule::Plain,
    };
    Some(Name { rule, label: field.name })
}

/// Whether a text is a word of a setting, of which the name may also hold a text.
pub fn is_setting(name: Name, value: &[u8]) -> bool {
    matches!(name.label, "summary" | "reasoning_summary") && SETTINGS.contains(&value)
}

/// Whether a value is a published stand-in and no state.
pub fn is_stand_in(value: &[u8]) -> bool {
    STAND_INS.contains(&value)
}
