//! The fast road recognises nothing that the general road would not read in the same way.

use crate::envelopes::captured;
use crate::strategies::provider_item;
use ostinato_core::envelope::{canonical, general, serialize};
use ostinato_core::schema::SCHEMAS;
use ostinato_core::{Item, Limits};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Fails unless both roads give the same item, or the fast road gives none.
pub fn agree(text: &str, limits: &Limits) {
    let Some(fast) = canonical(text, limits) else { return };
    let slow = general(text, limits).unwrap_or_else(|error| panic!("fast road only: {error}: {text}"));
    let (fast_item, slow_item) = (Item::new(&fast.text, &fast.view), Item::new(&slow.text, &slow.view));
    assert_eq!(fast_item.json(), slow_item.json());
    assert_eq!((fast.schema.name, &fast.origin, &fast.route), (slow.schema.name, &slow.origin, &slow.route));
    for field in fast_item.spec().body.fields {
        assert_eq!(fast_item.raw(field.name), slow_item.raw(field.name), "{}", field.name);
    }
    assert_eq!(serialize(fast_item, None).unwrap(), serialize(slow_item, None).unwrap());
}

/// One change of a text.
#[derive(Clone, Debug)]
enum Edit {
    Delete(Index, usize),
    Insert(Index, String),
    Replace(Index, usize, String),
    Copy(Index, Index, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let fragments: &[&str] = &[
        "\"",
        "\\",
        "\\\"",
        "\\u0008",
        "\\b",
        "\\u0001",
        "\\u001F",
        "\\u001f",
        "\\/",
        "\\ud800",
        ",",
        ",,",
        ":",
        "{",
        "}",
        "[",
        "]",
        "[]",
        "{}",
        "\"\"",
        "null",
        "1",
        "1.0",
        "true",
        " ",
        "\n",
        "\u{feff}",
        "\u{2028}",
        "é",
        "\"id\":\"x\",",
        "\"content\":[],",
        "\"content\":null,",
        "\"status\":\"completed\",",
        ",\"origin\":\"openai\"",
        ",\"origin\":null",
        "\"text\":\"\"",
        "\"type\":\"reasoning\",",
        "{\"type\":\"summary_text\",\"text\":\"\"}",
        "{\"type\":\"text\",\"text\":\"\"},",
        "\"version\":1,",
        "\"version\":2,",
    ];
    let fragment = || select(fragments.to_vec()).prop_map(str::to_owned);
    prop_oneof![
        (any::<Index>(), 1usize..24).prop_map(|(at, n)| Edit::Delete(at, n)),
        (any::<Index>(), fragment()).prop_map(|(at, text)| Edit::Insert(at, text)),
        (any::<Index>(), 1usize..8, fragment()).prop_map(|(at, n, text)| Edit::Replace(at, n, text)),
        (any::<Index>(), any::<Index>(), 1usize..40).prop_map(|(from, to, n)| Edit::Copy(from, to, n)),
    ]
}

impl Edit {
    fn apply(&self, text: &mut Vec<char>) {
        let range = |text: &Vec<char>, at: &Index, n: usize| {
            let start = at.index(text.len() + 1);
            start..(start + n).min(text.len())
        };
        match self {
            Edit::Delete(at, n) => drop(text.drain(range(text, at, *n))),
            Edit::Insert(at, new) => drop(text.splice(range(text, at, 0), new.chars())),
            Edit::Replace(at, n, new) => drop(text.splice(range(text, at, *n), new.chars())),
            Edit::Copy(from, to, n) => {
                let copied = text[range(text, from, *n)].to_vec();
                drop(text.splice(range(text, to, 0), copied));
            }
        }
    }
}

/// The same text with the digest that its item would need, so that edits of sealed items reach the table.
fn resealed(text: &str) -> Option<String> {
    let start = text.find(",\"item\":")? + ",\"item\":".len();
    let end = text.rfind(",\"digest\":\"")?;
    let item = text.get(start..end)?;
    Some(format!("{},\"digest\":\"{}\"}}", &text[..end], ostinato_core::opaque::sha256_hex(item.as_bytes())))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Canonical texts of the kinds that the fast road knows are recognised by it, and both roads agree.
    #[test]
    fn canonical_texts((provider, _, item) in provider_item()) {
        let canonical_item = captured(provider, &item);
        let stored = serialize(Item::new(&canonical_item.json, &canonical_item.view), None).unwrap();
        agree(&stored, &Limits::default());
        // A picture is no text.
        let texts = !stored.contains(r#""summary":[{"type":"image""#) && !stored.contains(r#"},{"type":"image""#);
        if ["openai-responses", "anthropic-messages", "gemini-interactions"].contains(&provider.wire) && texts {
            prop_assert!(canonical(&stored, &Limits::default()).is_some(), "{}", stored);
        }
    }

    /// Edited canonical texts: whatever the fast road still recognises, the general road reads in the same way.
    #[test]
    fn edited_texts((provider, _, item) in provider_item(), edits in prop::collection::vec(edit(), 1..4)) {
        let canonical_item = captured(provider, &item);
        let stored = serialize(Item::new(&canonical_item.json, &canonical_item.view), None).unwrap();
        let mut characters: Vec<char> = stored.chars().collect();
        edits.iter().for_each(|edit| edit.apply(&mut characters));
        let edited: String = characters.into_iter().collect();
        agree(&edited, &Limits::default());
        if let Some(text) = resealed(&edited) {
            agree(&text, &Limits::default());
        }
    }
}

/// An item with any subset of the fields of its table, each with its smallest value: both roads agree on all of them.
#[test]
fn every_subset_of_fields() {
    for schema in SCHEMAS {
        let fields = schema.item.body.fields;
        for subset in 0..1u32 << fields.len() {
            let chosen = fields.iter().enumerate().filter(|(index, _)| subset >> index & 1 == 1);
            let parts: Vec<String> =
                chosen.map(|(_, field)| format!("\"{}\":{}", field.name, smallest(field))).collect();
            let item = format!("{{{}}}", parts.join(","));
            let digest = ostinato_core::opaque::sha256_hex(item.as_bytes());
            let head = format!("{{\"schema\":\"{}\",\"version\":1,\"item\":{item}", schema.name);
            agree(&format!("{head}}}"), &Limits::default());
            agree(&format!("{head},\"digest\":\"{digest}\"}}"), &Limits::default());
        }
    }
}

/// Every escape of one unit, in both cases of hex: the fast road takes only the spelling that the writer writes.
#[test]
fn every_escape() {
    let head =
        r#"{"schema":"fast-agent.openai-responses.reasoning-replay","version":1,"item":{"type":"reasoning","id":""#;
    let tail = r#"","summary":[],"encrypted_content":"x"}}"#;
    let short = ['"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u', 'v', '0', 'x', ' '].map(|letter| format!("\\{letter}"));
    let long = (0..=0x100u32).chain([0x2028, 0xd800, 0xdfff, 0xfeff]);
    let long = long.flat_map(|unit| [format!("\\u{unit:04x}"), format!("\\u{unit:04X}")]);
    for escape in short.into_iter().chain(long) {
        agree(&format!("{head}{escape}{tail}"), &Limits::default());
        agree(&format!("{head}a{escape}{escape}b{tail}"), &Limits::default());
    }
}

fn smallest(field: &ostinato_core::spec::FieldSpec) -> String {
    use ostinato_core::spec::{Encoding, Kind};
    match field.kind {
        Kind::Tag(tag) => format!("\"{tag}\""),
        Kind::Id | Kind::Label | Kind::Opaque(Encoding::Text | Encoding::Blob) => "\"x\"".into(),
        Kind::Opaque(Encoding::Base64) => "\"eA\"".into(),
        Kind::Text => "\"\"".into(),
        Kind::Parts(_) => "[]".into(),
        Kind::Object(_) | Kind::Json => "{}".into(),
        Kind::Integer => "0".into(),
        Kind::Flag => "true".into(),
    }
}
