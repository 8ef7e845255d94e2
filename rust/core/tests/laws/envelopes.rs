//! Round trips of envelopes, and what holds for any text.

use crate::page::frame_bytes;
use crate::strategies::{item, json, noise, origin, provider_item, text};
use crate::value::Json;
use ostinato_core::envelope::{
    Envelope, Origin, canonical, from_node, general, parse, schema_for, serialize, serialize_routed,
};
use ostinato_core::json::{Tree, compact};
use ostinato_core::schema::{Frame, Provider, SCHEMAS};
use ostinato_core::validate::{Canonical, capture};
use ostinato_core::{Code, Item, Limits};
use proptest::prelude::*;

pub fn captured(provider: &Provider, item: &Json) -> Canonical {
    capture(&item, provider, None, &Limits::default()).unwrap_or_else(|error| panic!("{error}: {item:?}")).0
}

fn read<'a>(text: &'a str) -> Envelope<'a> {
    parse(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

proptest! {
    /// Rule E1: what is stored is what was captured, and is stored again in the same bytes.
    #[test]
    fn round_trip((provider, spec, item) in provider_item(), origin in prop::option::of(origin())) {
        let canonical = captured(provider, &item);
        prop_assert_eq!(&canonical.json, &item.compact());
        let captured = Item::new(&canonical.json, &canonical.view);
        let stored = serialize(captured, origin.as_ref()).unwrap();
        let envelope = read(&stored);
        let again = Item::new(&envelope.text, &envelope.view);
        prop_assert_eq!(again.json(), captured.json());
        let added = stored.len() - captured.json().len();
        prop_assert!(added == frame_bytes(envelope.schema) || origin.is_some(), "golden size of the frame");
        prop_assert_eq!((again.spec().wire, again.spec().kind), (spec.wire, spec.kind));
        prop_assert_eq!(&envelope.origin, &origin);
        prop_assert_eq!(serialize(again, origin.as_ref()).unwrap(), stored.clone());
        prop_assert_eq!(again.opaque(), captured.opaque());
        prop_assert_eq!(again.id(), captured.id());
        prop_assert_eq!(again.meter(), captured.meter());
        prop_assert_eq!(again.state_digest(), captured.state_digest());
    }

    /// Rule E2: a stored text in any other spelling is read as the same item, and is written in the one spelling.
    #[test]
    fn every_spelling_is_read(
        (provider, _, item) in provider_item(), origin in prop::option::of(origin()), mut noise in noise(),
    ) {
        let canonical = captured(provider, &item);
        let stored = serialize(Item::new(&canonical.json, &canonical.view), origin.as_ref()).unwrap();
        let value = Json::of(&Tree::parse(&stored, 128).unwrap()).unwrap();
        let other = value.spelled(&mut noise);
        let envelope = read(&other);
        let again = Item::new(&envelope.text, &envelope.view);
        prop_assert_eq!(serialize(again, envelope.origin.as_ref()).unwrap(), stored);
        let decoded = from_node(&&value, &Limits::default()).unwrap();
        prop_assert_eq!(Item::new(&decoded.text, &decoded.view).json(), again.json());
        prop_assert_eq!(decoded.origin, envelope.origin);
    }

    /// Every row of the schemas holds every item of its table, whether or not it is the row we write.
    #[test]
    fn every_row_is_read((index, item) in (0..SCHEMAS.len()).prop_flat_map(|i| (Just(i), item(SCHEMAS[i].item)))) {
        let schema = &SCHEMAS[index];
        let mut entries = vec![
            ("schema".to_owned(), Json::text(schema.name)),
            ("version".to_owned(), Json::Number("1".into())),
            ("item".to_owned(), item.clone()),
        ];
        if schema.frame == Frame::Sealed {
            let digest = ostinato_core::opaque::sha256_hex(item.compact().as_bytes());
            entries.push(("digest".to_owned(), Json::Text(digest)));
        }
        let stored = Json::Object(entries).compact();
        let envelope = read(&stored);
        prop_assert_eq!(envelope.schema.name, schema.name);
        prop_assert_eq!(Item::new(&envelope.text, &envelope.view).json(), item.compact());
        // Of two rows that hold an item the first is written; this one was read all the same.
        let written = schema_for(Item::new(&envelope.text, &envelope.view), false);
        prop_assert_eq!((written.item.wire, written.item.kind), (schema.item.wire, schema.item.kind));
    }

    /// Rule E4: a route, which is any text, is read and stored again; an envelope without a place for it has none.
    #[test]
    fn routes((provider, _, item) in provider_item(), route in text(0..12)) {
        let canonical = captured(provider, &item);
        let item = Item::new(&canonical.json, &canonical.view);
        let stored = serialize_routed(item, &route).unwrap();
        let envelope = read(&stored);
        prop_assert_eq!(Item::new(&envelope.text, &envelope.view).json(), item.json());
        let expected = (envelope.schema.frame == Frame::Route).then_some(route);
        prop_assert_eq!(envelope.route, expected);
    }

    /// Any text gives an item or an error that holds nothing of the text.
    #[test]
    fn any_text_is_read_or_refused(text in hostile_text()) {
        if let Err(error) = parse(&text, &Limits::default()) {
            prop_assert!(!format!("{error} {error:?}").contains("MARKER"), "{}", error);
            prop_assert!(error.offset().is_none_or(|offset| offset <= text.len()));
        }
    }

    /// Any decoded value gives an item or an error that holds nothing of it.
    #[test]
    fn any_value_is_read_or_refused(value in json()) {
        if let Err(error) = from_node(&&value, &Limits::default()) {
            prop_assert!(!format!("{error} {error:?}").contains("MARKER"), "{}", error);
        }
        let text = value.compact();
        let by_text = general(&text, &Limits::default()).map(|e| e.text.into_owned()).map_err(|e| (e.code(), e.path()));
        let by_node =
            from_node(&&value, &Limits::default()).map(|e| e.text.into_owned()).map_err(|e| (e.code(), e.path()));
        prop_assert_eq!(by_text, by_node);
    }

    /// Damage to a stored text: it is refused, or what is read is an item of its table; both roads agree.
    #[test]
    fn damaged_text((provider, _, item) in provider_item(), place in any::<prop::sample::Index>(), other in text(0..4)) {
        let canonical = captured(provider, &item);
        let mut stored = serialize(Item::new(&canonical.json, &canonical.view), None).unwrap();
        let at = (0..=place.index(stored.len())).rev().find(|at| stored.is_char_boundary(*at)).unwrap();
        stored.truncate(at);
        let error = parse(&stored, &Limits::default()).err().expect("cut text");
        prop_assert_eq!(error.code(), Code::Truncated, "{}", stored);
        stored.push_str(&other);
        let _ = parse(&stored, &Limits::default());
    }

    /// The canonical spelling of any value is a fixed point.
    #[test]
    fn compact_is_a_fixed_point(value in json(), mut noise in noise()) {
        let spelled = value.spelled(&mut noise);
        let once = compact(&Tree::parse(&spelled, 128).unwrap()).unwrap();
        prop_assert_eq!(&once, &value.compact());
        prop_assert_eq!(compact(&Tree::parse(&once, 128).unwrap()).unwrap(), once);
    }

    /// Limits hold: what fits is read by them, and no text makes the reader exceed them.
    #[test]
    fn limits_hold((provider, _, item) in provider_item(), bytes in 0usize..400, depth in 0usize..8, parts in 0usize..4) {
        let canonical_item = captured(provider, &item);
        let stored = serialize(Item::new(&canonical_item.json, &canonical_item.view), None).unwrap();
        let limits = Limits { max_depth: depth, max_item_bytes: bytes, max_parts: parts };
        let limited = [Code::TooLarge, Code::TooDeep, Code::TooManyParts];
        match parse(&stored, &limits) {
            Ok(envelope) => prop_assert!(Item::new(&envelope.text, &envelope.view).json().len() <= bytes),
            Err(error) => prop_assert!(limited.contains(&error.code()), "{}", error),
        }
        let fast = canonical(&stored, &limits);
        prop_assert!(fast.is_none() || general(&stored, &limits).is_ok());
        match capture(&&item, provider, None, &limits) {
            Ok((small, _)) => {
                prop_assert!(small.json.len() <= bytes);
                let stored = serialize(Item::new(&small.json, &small.view), None).unwrap();
                prop_assert!(parse(&stored, &limits).is_ok(), "captured within limits, so readable within them");
            }
            Err(error) => prop_assert!(limited.contains(&error.code()), "{}", error),
        }
    }
}

/// Rule L2: an item as large as the limit, with an origin as long as one may be, is stored and read within the limit.
#[test]
fn the_longest_frame_has_room() {
    let long = "\0".repeat(1024); // each is six bytes when it is escaped
    let slot = || Some(long.clone());
    let origin = Origin { provider: slot(), endpoint: slot(), account: Some("0".repeat(64)), model: slot() };
    for schema in SCHEMAS.iter().filter(|schema| schema.item.kind == "thinking") {
        let item = r#"{"type":"thinking","thinking":"","signature":"x"}"#;
        let limits = Limits { max_item_bytes: item.len(), ..Limits::default() };
        let tree = Tree::parse(item, 8).unwrap();
        let canonical = ostinato_core::validate::replay(&&tree, schema.item, &limits).unwrap();
        let stored = serialize(Item::new(&canonical.json, &canonical.view), Some(&origin)).unwrap();
        assert!(stored.len() > 18 << 10);
        assert_eq!(parse(&stored, &limits).unwrap().origin, Some(origin.clone()));
    }
}

/// Texts near JSON, near envelopes, and any other.
fn hostile_text() -> impl Strategy<Value = String> {
    let pieces: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "d800",
        "\\ud83d\\ude00",
        "true",
        "null",
        "NaN",
        "-",
        "1",
        "1.0",
        "1e999",
        "\"schema\"",
        "\"fast-agent.openai-responses.reasoning-replay\"",
        "\"ostinato.openai-chat.reasoning\"",
        "\"version\"",
        "\"item\"",
        "\"type\"",
        "\"reasoning\"",
        "\"id\"",
        "\"summary\"",
        "\"encrypted_content\"",
        "\"MARKER secret\"",
        "\"content\"",
        "\"text\"",
        "\"digest\"",
        "\"origin\"",
        " ",
        "\n",
        "\u{feff}",
        "\0",
        "{\"type\":",
        "\"version\":1,",
        "\"schema\":\"fast-agent.openai-responses.reasoning-replay\",\"version\":1,\"item\":{",
    ];
    let piece = prop_oneof![6 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => text(0..4)];
    prop_oneof![prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat()), text(0..60),]
}
