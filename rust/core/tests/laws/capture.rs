//! What holds between what a provider sends and what is kept of it.

use crate::envelopes::captured;
use crate::strategies::{as_sent, json, noise, provider_item, text};
use crate::value::Json;
use ostinato_core::item::{decode_base64, is_base64};
use ostinato_core::json::Tree;
use ostinato_core::schema::{PROVIDERS, provider};
use ostinato_core::validate::{Completion, capture, capture_text, replay};
use ostinato_core::{Code, Item, Limits};
use proptest::prelude::*;

proptest! {
    /// Rule C1: a canonical item is captured as itself, with nothing dropped, and read again as itself.
    #[test]
    fn idempotent((provider, spec, item) in provider_item()) {
        let once = captured(provider, &item);
        prop_assert!(once.dropped.is_empty());
        let tree = Tree::parse(&once.json, 128).unwrap();
        let (twice, completion) = capture(&&tree, provider, Some("completed"), &Limits::default()).unwrap();
        prop_assert_eq!(&twice.json, &once.json);
        prop_assert_eq!(completion, Completion::ResponseStatus);
        prop_assert_eq!(replay(&&tree, spec, &Limits::default()).unwrap().json, once.json);
    }

    /// Rules C1, C2: order, nulls, empty values, status and unknown fields leave no trace but the names of the unknown.
    #[test]
    fn what_is_kept(
        (item, (sent, unknown), provider) in provider_item()
            .prop_flat_map(|(row, spec, item)| (Just(item.clone()), as_sent(spec, item), Just(row))),
        mut noise in noise(),
    ) {
        let limits = Limits::default();
        let text = sent.spelled(&mut noise);
        let tree = Tree::parse(&text, 128).unwrap();
        let (by_text, _) = capture(&&tree, provider, None, &limits).unwrap();
        let (by_value, _) = capture(&&sent, provider, None, &limits).unwrap();
        prop_assert_eq!(&by_text.json, &item.compact());
        prop_assert_eq!(&by_value.json, &by_text.json);
        let sorted = |mut names: Vec<String>| { names.sort(); names };
        prop_assert_eq!(sorted(by_text.dropped), sorted(unknown.clone()));
        prop_assert_eq!(sorted(by_value.dropped), sorted(unknown));
    }

    /// The fields of an item are where its view says.
    #[test]
    fn views_point_at_fields((provider, spec, item) in provider_item()) {
        let canonical = captured(provider, &item);
        let read = Item::new(&canonical.json, &canonical.view);
        for field in spec.body.fields {
            let expected = item.get(field.name).map(Json::compact);
            prop_assert_eq!(read.raw(field.name), expected.as_deref(), "{}", field.name);
            if let Some(Json::Text(text)) = item.get(field.name) {
                let decoded = read.text(field.name);
                prop_assert_eq!(decoded.as_deref(), Some(text.as_str()));
            }
        }
        let id = item.get("id").map(|id| match id { Json::Text(text) => text.clone(), _ => String::new() });
        prop_assert_eq!(read.id().map(String::from), id);
    }

    /// Any value gives an item or an error, the same over text and over decoded values.
    #[test]
    fn any_value(value in json(), row in prop::sample::select(PROVIDERS.iter().collect::<Vec<_>>())) {
        let text = value.compact();
        let tree = Tree::parse(&text, 128).unwrap();
        let limits = Limits::default();
        let by_text = capture(&&tree, row, None, &limits).map(|(c, _)| c.json).map_err(|e| (e.code(), e.path()));
        let by_value = capture(&&value, row, None, &limits).map(|(c, _)| c.json).map_err(|e| (e.code(), e.path()));
        prop_assert_eq!(by_text, by_value);
    }

    /// One field replaced by any value: an item or an error, the same over text and over decoded values.
    #[test]
    fn any_field(
        (provider, _, mut item) in provider_item(), place in any::<prop::sample::Index>(), value in json(),
    ) {
        let entries = item.entries_mut();
        let place = place.index(entries.len());
        entries[place].1 = value;
        let text = item.compact();
        let tree = Tree::parse(&text, 128).unwrap();
        let limits = Limits::default();
        let by_text = capture(&&tree, provider, None, &limits).map(|(c, _)| c.json).map_err(|e| (e.code(), e.path()));
        let by_value = capture(&&item, provider, None, &limits).map(|(c, _)| c.json).map_err(|e| (e.code(), e.path()));
        prop_assert_eq!(by_text, by_value);
    }
}

/// Rule C2: of a value that is dropped, only the depth is looked at, in a text and decoded alike.
#[test]
fn depth_of_dropped_values() {
    let anthropic = provider("anthropic-messages", None).unwrap();
    for (name, levels) in [("x", 7), ("x", 8), ("cache_control", 7), ("cache_control", 8)] {
        let nested = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let text = format!(r#"{{"{name}":{nested},"type":"redacted_thinking","data":"d"}}"#);
        let tree = Tree::parse(&text, 64).unwrap();
        let value = Json::of(&tree).unwrap();
        let limits = Limits { max_depth: 8, ..Limits::default() };
        let by_value = capture(&&value, anthropic, None, &limits).map(|(c, _)| c.dropped).map_err(|e| e.code());
        let by_text = capture_text(&text, anthropic, None, &limits).map(|(c, _)| c.dropped).map_err(|e| e.code());
        let dropped = if name == "x" { vec!["x".to_owned()] } else { Vec::new() };
        let expected = if levels == 7 { Ok(dropped) } else { Err(Code::TooDeep) };
        assert_eq!((&by_value, &by_text), (&expected, &expected));
    }
}

/// What the definition of base64 takes, one letter at a time (RFC 4648, sections 4 and 5, padding optional).
fn obvious_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let letters = |others: &str| body.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c));
    let needed = [Some(0), None, Some(2), Some(1)][body.len() % 4];
    !body.is_empty()
        && (letters("+/") || letters("-_"))
        && needed.is_some_and(|needed| padding == 0 || padding == needed)
}

proptest! {
    /// Rule V5: a signature is taken as it is spelled if it is base64, and then stands for bytes; else it is named.
    #[test]
    fn signatures_are_base64(text in prop_oneof!["[ABab01+/=_-]{1,9}", "[A-Za-z0-9+/]{0,9}={0,3}", "[A-Z_-]{0,9}={0,3}", text(1..6)]) {
        let sound = obvious_base64(&text);
        prop_assert_eq!(is_base64(&text), sound);
        prop_assert!(!sound || decode_base64(&text).is_some());
        for (wire, field) in [("gemini-generate-content", "thoughtSignature"), ("gemini-interactions", "signature")] {
            let tag = ("type".to_owned(), Json::text("thought"));
            let mut entries: Vec<_> = Some(tag).filter(|_| field == "signature").into_iter().collect();
            entries.push((field.to_owned(), Json::text(&text)));
            let outcome = capture(&&Json::Object(entries), provider(wire, None).unwrap(), None, &Limits::default());
            match outcome {
                Ok((canonical, _)) => {
                    let kept = Item::new(&canonical.json, &canonical.view).text(field).map(String::from);
                    prop_assert_eq!(kept, Some(text.clone()).filter(|_| sound));
                }
                Err(error) if text.is_empty() => prop_assert_eq!(error.code(), Code::EmptyValue),
                Err(error) => {
                    prop_assert_eq!(error.code(), Code::SignatureNotBase64);
                    prop_assert!(!sound);
                    prop_assert_eq!(error.path(), field);
                }
            }
        }
    }
}
