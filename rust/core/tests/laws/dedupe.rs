//! The dedupe of a sequence beside the most obvious one: compare each item with all before it.

use crate::value::Json;
use ostinato_core::dedupe::{Class, Identity, POLICIES, Policy, Seen, fernet_time, policy};
use ostinato_core::schema::provider;
use ostinato_core::validate::capture;
use ostinato_core::{Code, Item, Limits};
use proptest::prelude::*;
use proptest::sample::select;

/// A token of OpenAI: version, time, IV and text of a length, checksum.
fn token(time: u64, blocks: usize, fill: u8) -> String {
    let mut bytes = vec![0x80];
    bytes.extend(time.to_be_bytes());
    bytes.extend(vec![fill; 16 + 16 * blocks + 32]);
    ostinato_core::item::encode_base64(&bytes).replace('+', "-").replace('/', "_")
}

fn reasoning(id: Option<&str>, state: &str) -> Json {
    let mut entries = vec![("type".to_owned(), Json::text("reasoning")), ("summary".to_owned(), Json::List(vec![]))];
    entries.extend(id.map(|id| ("id".to_owned(), Json::text(id))));
    entries.push(("encrypted_content".to_owned(), Json::text(state)));
    Json::Object(entries)
}

fn classes(items: &[(Option<&'static str>, String)], policy: &Policy) -> Vec<Class> {
    let codex = provider("openai-responses", Some("codex")).unwrap();
    let mut seen = Seen::default();
    let class = |(id, state): &(Option<&'static str>, String)| {
        let (canonical, _) = capture(&&reasoning(*id, state), codex, None, &Limits::default()).unwrap();
        seen.class(Item::new(&canonical.json, &canonical.view), policy).0
    };
    items.iter().map(class).collect()
}

/// Rules D2 and D3 in words: look at every item before this one.
fn obvious(items: &[(Option<&'static str>, String)], policy: &Policy) -> Vec<Class> {
    let class = |(index, (id, state)): (usize, &(Option<&'static str>, String))| {
        let before = &items[..index];
        let near = |other: &str| {
            let times = fernet_time(state).zip(fernet_time(other));
            other.len() == state.len() && times.is_some_and(|(a, b)| a.abs_diff(b) <= 600)
        };
        if before.iter().any(|(other, text)| other == id && text == state) {
            Class::ExactDuplicate
        } else if id.is_some() && before.iter().any(|(other, _)| other == id) {
            let again = policy.re_encrypts && before.iter().any(|(other, text)| other == id && near(text));
            if again { Class::ReEncrypted } else { Class::Conflict }
        } else if before.iter().any(|(_, text)| text == state) {
            Class::SharedState
        } else {
            Class::New
        }
    };
    items.iter().enumerate().map(class).collect()
}

proptest! {
    /// Rules D2, D3: every item is classed as comparing it with all before it would.
    #[test]
    fn classes_of_a_sequence(
        items in prop::collection::vec(
            (
                select(vec![None, Some("rs_1"), Some("rs_2")]),
                prop_oneof![
                    (select(vec![1000, 1070, 1600, 1601, 9999]), 1usize..3, 0u8..2).prop_map(|(t, n, f)| token(t, n, f)),
                    "[ab]",
                ],
            ),
            0..12,
        ),
        policy in select(POLICIES.to_vec()),
    ) {
        prop_assert_eq!(classes(&items, policy), obvious(&items, policy));
    }

    /// The time in a token is read, and nothing else is taken for a token.
    #[test]
    fn times(time in any::<u64>(), blocks in 1usize..5, fill in any::<u8>(), cut in 1usize..40) {
        let token = token(time, blocks, fill);
        // gAAAA is the beginning of every token until the year 2242.
        let expected = (time >> 36 == 0).then_some(time);
        prop_assert_eq!(fernet_time(&token), expected);
        prop_assert_eq!(fernet_time(&token[..token.len() - cut.min(token.len())]), None);
        let _ = fernet_time(&format!("gAAAA{}", "é".repeat(cut)));
    }
}

/// Rule D1: state that is bytes is compared as bytes, whichever alphabet spells it.
#[test]
fn base64_alphabets_are_one_identity() {
    let gemini = provider("gemini-generate-content", None).unwrap();
    let identity = |signature: &str| {
        let part = Json::Object(vec![("thoughtSignature".into(), Json::text(signature))]);
        let (canonical, _) = capture(&&part, gemini, None, &Limits::default()).unwrap();
        Identity::of(Item::new(&canonical.json, &canonical.view))
    };
    assert_eq!(identity("+/+/+w=="), identity("-_-_-w"));
    assert_ne!(identity("+/+/+w=="), identity("+/+/+g=="));
    assert_eq!(identity("QQ"), identity("QR==")); // bits beyond the last byte are no part of it
    // Texts are compared as texts: the same letters in another alphabet are another state.
    let thinking = |signature: &str| ostinato_core::opaque::sha256_hex(signature.as_bytes());
    assert_ne!(thinking("+/"), thinking("-_"));
}

/// Every policy is found by its name, and an unknown name is refused.
#[test]
fn policies() {
    for row in POLICIES {
        assert!(std::ptr::eq(policy(row.name).unwrap(), *row));
        assert_eq!(row.action(Class::New), ostinato_core::dedupe::Action::Keep);
    }
    assert_eq!(policy("none").err().map(|error| error.code()), Some(Code::UnknownPolicy));
}

/// A hundred thousand items with one id, or with one state, are classed in linear time.
#[test]
fn many_repeats() {
    let conflicts: Vec<_> = (0..20_000).map(|n| (Some("rs_1"), token(n * 1000, 1, 0))).collect();
    assert_eq!(classes(&conflicts, POLICIES[0]).iter().filter(|class| **class == Class::Conflict).count(), 19_999);
}
