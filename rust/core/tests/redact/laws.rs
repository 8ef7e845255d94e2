//! Laws of redaction, with random input.

use super::carriers::carriers;
use super::writing::{STYLES, Style, with, write};
use ostinato_core::item::encode_base64;
use ostinato_core::redact::{Options, bytes, text};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Pieces of text in which redaction could lose its way.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "\\",
    "\\\"",
    ":",
    ",",
    "=",
    "\n",
    " ",
    "\"type\":",
    "\"thinking\"",
    "'type': 'reasoning'",
    "\"signature\":",
    "signature=",
    "encrypted_content",
    "\"encrypted_content\": \"",
    "thinking: ",
    "ThinkingBlock(",
    "<think>",
    "</think>",
    "gAAAAABn4rRG0000abcd",
    "[redacted 5 bytes]",
    "{\"redacted\":true,\"bytes\":5}",
    "{\"parts\":1,\"bytes\":2}",
    "summary",
    "\"text\"",
    "\"reasoning\":",
    "\\u0022",
    "\\n",
    "null",
    "12",
    "words of a text",
    "__thought__",
    "é",
    "\u{1F600}",
    "data:",
    "&quot;",
    "EqsVCkYIChgCKkDGfTwaxz7Wq0pLm3Rt5Ty8Uu1Io2Pa4Sd6Fg9HjKlZxCvBnM2QwErTyUiOpAsDfGh4JkLzXcVb6==",
    "eyJ0eXBlIjoidGhpbmtpbmciLCJ0aGlua2luZyI6ImEgYiJ9",
];

pub fn odd_text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// Any value, of names that mean nothing here.
fn plain() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z \"\\\\\n{}:é]{0,12}".prop_map(Value::from),
    ];
    let nested = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-f_]{1,6}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    nested.boxed()
}

/// State as providers make it, a canary in it.
fn state() -> impl Strategy<Value = String> {
    let canary = |head: &'static str| move |(a, b): (String, String)| format!("{head}{a}CANARY{b}");
    prop_oneof![
        ("[A-Za-z0-9_-]{40,200}", "[A-Za-z0-9_-]{40,200}").prop_map(canary("gAAAAA")),
        ("[A-Za-z0-9+/]{40,200}", "[A-Za-z0-9+/]{40,200}").prop_map(canary("Eq")),
        ("[a-z]{0,4}", "[a-z0-9]{1,6}").prop_map(canary("sig-")),
    ]
}

/// A carrier somewhere in other values, perhaps as text in a string, as some program writes it.
pub fn carried() -> impl Strategy<Value = String> {
    let reasoning = "([a-z' ]{0,8})CANARY([a-z\"\\\\\n ]{0,8})";
    let place =
        (select(carriers()), state(), reasoning).prop_map(|(carrier, state, text)| with(&carrier, &state, &text));
    let around = place.prop_flat_map(|carrier| (Just(carrier), prop::collection::vec((plain(), any::<bool>()), 0..4)));
    let nested = around.prop_map(|(carrier, layers)| {
        layers.into_iter().fold(carrier, |inner, (other, list)| {
            if list { json!([other, inner, other]) } else { json!({"a": other, "body": inner, "z": other}) }
        })
    });
    let styles = prop::collection::vec((select(STYLES.to_vec()), any::<bool>()), 1..4);
    (nested, styles).prop_map(|(value, styles)| {
        let (first, rest) = styles.split_first().unwrap();
        let written = write(&value, first.0, first.1);
        rest.iter().fold(written, |text, (style, _)| write(&json!({ "n": 1, "body": text }), *style, false))
    })
}

fn holds_canary(text: &str) -> bool {
    let mut text = text.to_owned();
    for _ in 0..5 {
        if text.contains("CANARY") {
            return true;
        }
        // However often it was escaped.
        text = text.replace("\\\\", "\\");
        for byte in b"CANARY" {
            text = text.replace(&format!("\\u{byte:04x}"), &char::from(*byte).to_string());
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn state_and_reasoning_are_gone_from_any_place_of_any_wire(given in carried(), before in "[a-z :=]{0,12}", after in "[a-z ,.]{0,8}") {
        let line = format!("{before}{given}{after}");
        let redacted = text(&line, Options::default());
        prop_assert!(!holds_canary(&redacted.text), "{}\n{}", line, redacted.text);
        prop_assert!(!redacted.report.to_json().contains("CANARY"));
        prop_assert_eq!(&text(&redacted.text, Options::default()).text, &redacted.text);
    }

    #[test]
    fn json_stays_json(value in plain(), carrier in select(carriers()), state in state(), backwards in any::<bool>()) {
        let value = json!([value, with(&carrier, &state, "so it is"), value]);
        for style in [Style::Compact, Style::Pretty, Style::Ascii, Style::Escaped] {
            let redacted = text(&write(&value, style, backwards), Options::default());
            let found: Result<Value, _> = serde_json::from_str(&redacted.text);
            prop_assert!(found.is_ok(), "{}", redacted.text);
            let found = found.unwrap();
            // What stands beside it is untouched.
            prop_assert_eq!(&found[0], &value[0]);
            prop_assert_eq!(&found[2], &value[2]);
        }
    }

    #[test]
    fn a_cut_shows_no_piece_of_state(carrier in select(carriers()), bytes in prop::collection::vec(any::<u8>(), 120..200).no_shrink(), at in any::<prop::sample::Index>(), style in select(vec![Style::Compact, Style::Spaced, Style::Ascii, Style::Python])) {
        let state = format!("gAAAAAB{}", encode_base64(&bytes));
        let whole = write(&with(&carrier, &state, "t"), style, false);
        // A text may begin or end anywhere.
        let cut = at.index(whole.len());
        for part in [&whole[..cut], &whole[cut..]] {
            let found = text(part, Options::default()).text;
            for piece in state.as_bytes().windows(60) {
                prop_assert!(!found.contains(std::str::from_utf8(piece).unwrap()), "{}\n{}", part, found);
            }
        }
        let found = text(&whole[..cut], Options::default()).text;
        for piece in state.as_bytes().windows(12) {
            prop_assert!(!found.contains(std::str::from_utf8(piece).unwrap()), "{}\n{}", &whole[..cut], found);
        }
    }

    #[test]
    fn any_bytes_are_redacted_once_and_for_all(given in prop::collection::vec(any::<u8>(), 0..200)) {
        let redacted = bytes(&given, Options::default()).text;
        prop_assert_eq!(&bytes(&redacted, Options::default()).text, &redacted);
    }

    #[test]
    fn odd_texts_are_redacted_once_and_for_all(given in odd_text(), reasoning_text in any::<bool>(), length_only in any::<bool>()) {
        let options = Options { reasoning_text, length_only };
        let redacted = text(&given, options);
        prop_assert_eq!(&text(&redacted.text, options).text, &redacted.text);
        prop_assert_eq!(redacted.report.total().values > 0, redacted.text != given);
    }

    #[test]
    fn what_means_nothing_here_stays(value in plain(), style in select(STYLES.to_vec())) {
        let given = write(&value, style, false);
        prop_assert_eq!(&text(&given, Options::default()).text, &given);
    }
}
