//! The frame around a stored item: its schema, its version and, where origin matters, its origin and digest.

use crate::canonical::Scanner;
use crate::error::{Code, Error, Result};
use crate::item::{Item, View};
use crate::json::{Tree, push_string};
use crate::limits::{FRAME_ROOM, Limits, ORIGIN_BYTES};
use crate::node::{Node, Shape};
use crate::opaque::sha256_hex;
use crate::schema::{FAST_AGENT_REASONING, Frame, SCHEMAS, Schema};
use crate::spec::Presence;
use crate::validate;
use std::borrow::Cow;

/// Where state was made. The account is a salted SHA-256 in hex, never the account itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct Origin {
    pub provider: Option<String>,
    pub endpoint: Option<String>,
    pub account: Option<String>,
    pub model: Option<String>,
}

/// The names of an origin's fields in canonical order.
pub const ORIGIN_FIELDS: [&str; 4] = ["provider", "endpoint", "account", "model"];

impl Origin {
    fn slots(&self) -> [&Option<String>; 4] {
        [&self.provider, &self.endpoint, &self.account, &self.model]
    }

    /// Refuses an account that is no digest, a text that is empty or longer than [`ORIGIN_BYTES`], and an origin that
    /// says nothing.
    pub fn check(&self) -> Result<()> {
        let digest =
            |text: &String| text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let named = self.slots().iter().any(|slot| slot.is_some());
        let whole =
            self.slots().iter().all(|slot| slot.as_ref().is_none_or(|text| (1..=ORIGIN_BYTES).contains(&text.len())));
        if named && whole && self.account.as_ref().is_none_or(digest) {
            Ok(())
        } else {
            Err(Error::new(Code::OriginInvalid).within("origin"))
        }
    }

    fn push(&self, out: &mut String) {
        out.push('{');
        let mut separator = "";
        for (name, slot) in ORIGIN_FIELDS.iter().zip(self.slots()) {
            if let Some(text) = slot {
                out.push_str(separator);
                push_string(out, name);
                out.push(':');
                push_string(out, text);
                separator = ",";
            }
        }
        out.push('}');
    }
}

/// An envelope that was accepted.
pub struct Envelope<'a> {
    /// Which one.
    pub schema: &'static Schema,
    /// The text that the view points into: the input itself, or the item written anew.
    pub text: Cow<'a, str>,
    /// Where the item is in it.
    pub view: View,
    /// Where the state was made, if the envelope says so.
    pub origin: Option<Origin>,
    /// The route that made it, for envelopes whose origin is a text.
    pub route: Option<String>,
}

/// The stored text of an item (rules E1, E6 to E8).
pub fn serialize(item: Item<'_>, origin: Option<&Origin>) -> Result<String> {
    origin.map_or(Ok(()), Origin::check)?;
    let schema = schema_for(item, origin.is_some());
    let mut out = frame(schema, item);
    if schema.frame == Frame::Sealed {
        if let Some(origin) = origin {
            out.push_str(",\"origin\":");
            origin.push(&mut out);
        }
        out.push_str(",\"digest\":\"");
        out.push_str(&item.digest());
        out.push('"');
    }
    out.push('}');
    Ok(out)
}

/// The stored text of an item whose envelope names a route: whoever reads it without one takes OpenAI for its maker
/// (fast-agent 0.10.48). An envelope that has no place for a route is written without.
pub fn serialize_routed(item: Item<'_>, route: &str) -> Result<String> {
    let schema = schema_for(item, false);
    if schema.frame != Frame::Route {
        return serialize(item, None);
    }
    let mut out = frame(schema, item);
    out.push_str(",\"origin\":");
    push_string(&mut out, route);
    out.push('}');
    Ok(out)
}

/// An envelope up to the end of its item.
fn frame(schema: &Schema, item: Item<'_>) -> String {
    let json = item.json();
    let mut out = String::with_capacity(json.len() + 256);
    out.push_str("{\"schema\":\"");
    out.push_str(schema.name);
    out.push_str("\",\"version\":");
    out.push_str(&schema.version.to_string());
    out.push_str(",\"item\":");
    out.push_str(json);
    out
}

/// The envelope an item is written in: the first row that holds it, a sealed one where the origin is to be kept.
pub fn schema_for(item: Item<'_>, with_origin: bool) -> &'static Schema {
    let spec = item.spec();
    let same = |schema: &&Schema| schema.item.wire == spec.wire && schema.item.kind == spec.kind;
    let mut rows = SCHEMAS.iter().filter(same);
    let takes =
        |schema: &&Schema| if schema.frame == Frame::Sealed { true } else { !with_origin && holds(schema, item) };
    // Every item has a sealed row of its own (a test walks the tables), so the default is never reached.
    rows.find(takes).unwrap_or(&SCHEMAS[0])
}

/// Whether an item has all that the table of a schema requires and nothing that it does not name.
fn holds(schema: &Schema, item: Item<'_>) -> bool {
    let body = &schema.item.body;
    let known = item.spec().body.fields.iter().all(|f| item.raw(f.name).is_none() || body.field(f.name).is_some());
    known && body.fields.iter().all(|f| f.presence != Presence::Required || item.raw(f.name).is_some())
}

/// Reads a stored text. Any text gives an item or a named refusal.
pub fn parse<'a>(text: &'a str, limits: &Limits) -> Result<Envelope<'a>> {
    match canonical(text, limits) {
        Some(envelope) => Ok(envelope),
        None => general(text, limits),
    }
}

/// A canonical text without origin, recognised in place.
pub fn canonical<'a>(text: &'a str, limits: &Limits) -> Option<Envelope<'a>> {
    let limits = &limits.bounded();
    fits(text, limits).ok()?;
    let mut scanner = Scanner::new(text)?;
    scanner.take("{\"schema\":\"")?;
    let name = scanner.plain()?;
    let schema = SCHEMAS.iter().find(|schema| schema.name == name && schema.version == 1)?;
    scanner.take(",\"version\":1,\"item\":")?;
    // Levels of nesting in the deepest item that this road knows: item, list, part.
    if limits.max_depth < 3 {
        return None;
    }
    let view = scanner.item(schema.item, limits)?;
    if schema.frame == Frame::Sealed {
        scanner.take(",\"digest\":\"")?;
        let digest = scanner.plain()?;
        (digest == Item::new(text, &view).digest()).then_some(())?;
    }
    scanner.take("}")?;
    scanner.done().then_some(Envelope { schema, text: Cow::Borrowed(text), view, origin: None, route: None })
}

/// Refuses a text that is too long for any item within the limits (rule L2).
fn fits(text: &str, limits: &Limits) -> Result<()> {
    if text.len() > limits.max_item_bytes + FRAME_ROOM { Err(Error::new(Code::TooLarge)) } else { Ok(()) }
}

/// Any JSON text, through the tree and the engine.
pub fn general<'a>(text: &'a str, limits: &Limits) -> Result<Envelope<'a>> {
    let limits = &limits.bounded();
    fits(text, limits)?;
    let tree = Tree::parse(text, limits.max_depth + 1)?;
    tree.check_keys()?;
    from_node(&&tree, limits)
}

/// A stored record that has already been decoded.
pub fn from_node<'n, 'a, N: Node<'n>>(node: &N, limits: &Limits) -> Result<Envelope<'a>> {
    if node.shape() != Shape::Object {
        return Err(Error::new(Code::NotAnEnvelope).or_offset(node.offset()));
    }
    let entries = node.entries()?;
    let get = |name: &str| entries.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value);
    let Some(name) = get("schema") else { return Err(Error::new(unframed(&entries))) };
    let schema = look_up(name, get("version"))?;
    let allowed: &[&str] = match schema.frame {
        Frame::Bare => &["schema", "version", "item"],
        Frame::Route => &["schema", "version", "item", "origin"],
        Frame::Sealed => &["schema", "version", "item", "origin", "digest"],
    };
    if let Some((key, value)) = entries.iter().find(|(key, _)| !allowed.contains(&key.as_ref())) {
        return Err(Error::new(Code::UnknownField).or_offset(value.offset()).within_key(key));
    }
    let given = |name: &str| get(name).filter(|value| value.shape() != Shape::Null);
    let item = given("item").ok_or_else(|| Error::new(Code::MissingField).within("item"))?;
    let item = validate::replay(item, schema.item, limits).map_err(|error| error.within("item"))?;
    let mut envelope = Envelope { schema, text: Cow::Owned(item.json), view: item.view, origin: None, route: None };
    match schema.frame {
        Frame::Bare => {}
        // fast-agent 0.10.48 reads an origin that is no text as none.
        Frame::Route => {
            let route = get("origin").filter(|value| value.shape() == Shape::Text);
            envelope.route =
                route.map(|value| value.text().map(Cow::into_owned)).transpose().map_err(|e| e.within("origin"))?;
        }
        Frame::Sealed => {
            envelope.origin = given("origin").map(origin).transpose()?;
            check_digest(given("digest"), &envelope.text)?;
        }
    }
    Ok(envelope)
}

fn look_up<'n, N: Node<'n>>(name: &N, version: Option<&N>) -> Result<&'static Schema> {
    let unknown = || Error::new(Code::SchemaUnknown).or_offset(name.offset()).within("schema");
    if name.shape() != Shape::Text {
        return Err(unknown());
    }
    let name_text = name.text().map_err(|error| error.within("schema"))?;
    let mut rows = SCHEMAS.iter().filter(|schema| schema.name == name_text).peekable();
    if rows.peek().is_none() {
        return Err(unknown());
    }
    let version = version.ok_or_else(|| Error::new(Code::MissingField).within("version"))?;
    let refuse = |code: Code| Error::new(code).or_offset(version.offset()).within("version");
    if version.shape() != Shape::Integer {
        return Err(refuse(Code::VersionNotInteger));
    }
    let digits = version.integer().map_err(|error| error.within("version"))?;
    let number: Option<i64> = digits.parse().ok();
    rows.find(|schema| Some(schema.version) == number).ok_or_else(|| refuse(Code::VersionUnknown))
}

/// Which of the older generations an object without a schema is.
fn unframed<'n, N: Node<'n>>(entries: &[(Cow<'n, str>, N)]) -> Code {
    let has = |name: &str| entries.iter().any(|(key, _)| key == name);
    let reasoning = entries.iter().all(|(key, value)| {
        key != "type" || value.shape() == Shape::Text && value.text().is_ok_and(|text| text == "reasoning")
    });
    if !reasoning || !has("encrypted_content") {
        Code::NotAnEnvelope
    } else if has("summary") || has("content") {
        Code::LegacySnapshot
    } else {
        Code::LegacyMinimal
    }
}

fn origin<'n, N: Node<'n>>(node: &N) -> Result<Origin> {
    let invalid = || Error::new(Code::OriginInvalid).or_offset(node.offset()).within("origin");
    if node.shape() != Shape::Object {
        return Err(invalid());
    }
    let mut slots: [Option<String>; 4] = [const { None }; 4];
    for (key, value) in node.entries()? {
        let index = ORIGIN_FIELDS.iter().position(|name| *name == key);
        let index = index.ok_or_else(|| {
            Error::new(Code::UnknownField).or_offset(value.offset()).within_key(&key).within("origin")
        })?;
        if value.shape() != Shape::Text {
            return Err(invalid());
        }
        slots[index] = Some(value.text().map_err(|e| e.within(ORIGIN_FIELDS[index]).within("origin"))?.into_owned());
    }
    let [provider, endpoint, account, model] = slots;
    let origin = Origin { provider, endpoint, account, model };
    origin.check().map(|()| origin)
}

fn check_digest<'n, N: Node<'n>>(stored: Option<&N>, json: &str) -> Result<()> {
    let stored = stored.ok_or_else(|| Error::new(Code::MissingField).within("digest"))?;
    let same = stored.shape() == Shape::Text && stored.text().is_ok_and(|text| text == sha256_hex(json.as_bytes()));
    if same { Ok(()) } else { Err(Error::new(Code::DigestMismatch).or_offset(stored.offset()).within("digest")) }
}

/// Bytes that envelope 1 adds to its item: a golden number of the format.
pub fn frame_bytes() -> usize {
    "{\"schema\":\"\",\"version\":1,\"item\":}".len() + FAST_AGENT_REASONING.len()
}
