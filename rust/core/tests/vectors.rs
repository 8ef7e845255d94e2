//! Plays `tests/vectors/<schema>/v<N>/{accept,reject,capture}/*.json`, which Python plays too.
//! The layout of a vector is described in `tests/vectors/README.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests say what they expect

use ostinato_core::envelope::{Envelope, Origin, parse, serialize, serialize_routed};
use ostinato_core::json::{Tree, Value, compact, text};
use ostinato_core::schema::{SCHEMAS, provider};
use ostinato_core::validate::capture_text;
use ostinato_core::{Error, Item, Limits};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// One vector: where it stands, and its object.
struct Vector<'a> {
    schema: &'a str,
    name: String,
    tree: &'a Tree<'a>,
}

impl Vector<'_> {
    fn text(&self, name: &str) -> Option<String> {
        self.tree.get(name).map(|value| value.as_str().expect("a text").into_owned())
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.tree.get(name).map(|value| count(value))
    }

    /// The item that is expected, in canonical form. `json` gives it where the spelling of numbers matters.
    fn item(&self) -> Option<String> {
        self.text("json").or_else(|| self.tree.get("item").map(|item| compact(item).unwrap()))
    }

    /// What is read: the pieces of `text`, or the compact text of `stored` or `input`.
    fn bytes(&self) -> Vec<u8> {
        let Some(pieces) = self.tree.get("text") else {
            let value = self.tree.get("stored").or_else(|| self.tree.get("input")).expect("something to read");
            return compact(value).unwrap().into_bytes();
        };
        let mut bytes = Vec::new();
        build(pieces, &mut bytes);
        bytes
    }

    fn limits(&self) -> Limits {
        let all = Limits::default();
        let Some(given) = self.tree.get("limits") else { return all };
        let get = |name: &str, default| given.get(name).map_or(default, count);
        Limits {
            max_depth: get("max_depth", all.max_depth),
            max_item_bytes: get("max_item_bytes", all.max_item_bytes),
            max_parts: get("max_parts", all.max_parts),
        }
    }

    fn origin(&self) -> Option<Origin> {
        let origin = self.tree.get("origin")?;
        let get = |name: &str| origin.get(name).map(|value| value.as_str().unwrap().into_owned());
        let [provider, endpoint, account, model] = ["provider", "endpoint", "account", "model"].map(get);
        Some(Origin { provider, endpoint, account, model })
    }

    /// Fails unless the error is the one that is expected.
    fn refused(&self, error: &Error) {
        let expected = (self.text("code"), self.text("path").unwrap_or_default());
        assert_eq!((Some(error.code().slug().to_owned()), error.path()), expected, "{}", self.name);
        if let Some(offset) = self.number("offset") {
            assert_eq!(error.offset(), Some(offset), "{}", self.name);
        }
    }
}

fn count(tree: &Tree<'_>) -> usize {
    match tree.value {
        Value::Number(digits) => digits.parse().unwrap(),
        _ => panic!("a number is expected"),
    }
}

/// A text, a repeated one, bytes in base64, or a list of these.
fn build(piece: &Tree<'_>, out: &mut Vec<u8>) {
    if let Some(repeated) = piece.get("$repeat") {
        let times = count(piece.get("times").unwrap());
        out.extend(repeated.as_str().unwrap().repeat(times).into_bytes());
    } else if let Some(base64) = piece.get("$bytes") {
        out.extend(ostinato_core::item::decode_base64(&base64.as_str().unwrap()).unwrap());
    } else if let Some(plain) = piece.as_str() {
        out.extend(plain.as_bytes());
    } else {
        piece.elements().iter().for_each(|piece| build(piece, out));
    }
}

fn accept(vector: &Vector<'_>) {
    let bytes = vector.bytes();
    let limits = vector.limits();
    let stored = text(&bytes).unwrap();
    let envelope = parse(stored, &limits).unwrap_or_else(|error| panic!("{}: {error}", vector.name));
    let Envelope { schema, text, view, origin, route } = &envelope;
    let item = Item::new(text, view);
    assert_eq!(schema.name, vector.schema, "{}", vector.name);
    assert_eq!((origin, route), (&vector.origin(), &vector.text("route")), "{}", vector.name);
    if let Some(expected) = vector.item() {
        assert_eq!(item.json(), expected, "{}", vector.name);
    }
    if let Some(parts) = vector.number("parts") {
        assert_eq!(item.parts("summary").len(), parts, "{}", vector.name);
    }
    let written = match route {
        Some(route) => serialize_routed(item, route).unwrap(),
        None => serialize(item, origin.as_ref()).unwrap(),
    };
    let canonical = matches!(vector.tree.get("canonical").unwrap().value, Value::Bool(true));
    assert_eq!(written == stored, canonical, "{}", vector.name);
    if let Some(bytes) = vector.number("bytes") {
        assert_eq!(written.len(), bytes, "{}", vector.name);
    }
    let again = parse(&written, &limits).unwrap();
    assert_eq!(Item::new(&again.text, &again.view).json(), item.json(), "{}", vector.name);
    assert_eq!((&again.origin, &again.route), (origin, route), "{}", vector.name);
}

fn reject(vector: &Vector<'_>) {
    let bytes = vector.bytes();
    let outcome = text(&bytes).and_then(|stored| parse(stored, &vector.limits()));
    vector.refused(&outcome.err().unwrap_or_else(|| panic!("{}: accepted", vector.name)));
}

fn capture(vector: &Vector<'_>) {
    let bytes = vector.bytes();
    let wire = vector.text("wire").unwrap_or_else(|| "openai-responses".into());
    let status = vector.text("response_status");
    let outcome = provider(&wire, vector.text("provider").as_deref())
        .and_then(|row| capture_text(text(&bytes)?, row, status.as_deref(), &vector.limits()));
    match (outcome, vector.item()) {
        (Ok((canonical, completion)), Some(expected)) => {
            assert_eq!(canonical.json, expected, "{}", vector.name);
            let dropped = vector.tree.get("dropped").unwrap().elements();
            let dropped: Vec<_> = dropped.iter().map(|name| name.as_str().unwrap().into_owned()).collect();
            assert_eq!(canonical.dropped, dropped, "{}", vector.name);
            assert_eq!(Some(completion.slug().to_owned()), vector.text("completion"), "{}", vector.name);
        }
        (Err(error), None) => vector.refused(&error),
        (Ok(_), None) => panic!("{}: accepted", vector.name),
        (Err(error), Some(_)) => panic!("{}: {error}", vector.name),
    }
}

/// Plays every vector of one kind; each that fails says so.
fn play(kind: &str, check: fn(&Vector<'_>)) {
    let (mut played, mut failed) = (0, 0);
    for schema in SCHEMAS {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
        let folder = root.join(schema.name).join(format!("v{}", schema.version)).join(kind);
        // Every schema has vectors of every kind: a missing folder fails here.
        for file in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
            let source = std::fs::read_to_string(&file).unwrap();
            let tree = Tree::parse(&source, 64).unwrap();
            for vector in tree.get("vectors").unwrap().elements() {
                let name = vector.get("name").and_then(Tree::as_str).unwrap();
                let stem = file.file_stem().unwrap().to_string_lossy();
                let name = format!("{}/{kind}/{stem}/{name}", schema.name);
                let vector = Vector { schema: schema.name, name, tree: vector };
                failed += usize::from(catch_unwind(AssertUnwindSafe(|| check(&vector))).is_err());
                played += 1;
            }
        }
    }
    assert_eq!(failed, 0, "of {played} {kind} vectors");
}

/// Stored texts that are read: as this item, of this schema, and written in canonical form.
#[test]
fn stored_texts_that_are_accepted() {
    play("accept", accept);
}

/// Stored texts that are refused: with this code, at this place.
#[test]
fn stored_texts_that_are_refused() {
    play("reject", reject);
}

/// Provider items: what is kept of them, what is dropped, why they are refused.
#[test]
fn provider_items() {
    play("capture", capture);
}
