//! The scanner and the writer beside serde_json, which is their oracle.
//!
//! Named differences: we refuse objects with a key twice, halves of surrogate pairs, and depth beyond the limit; we
//! accept numbers of any size, which serde_json refuses once they overflow a double.

use crate::strategies::{json, noise, text};
use ostinato_core::envelope::parse;
use ostinato_core::json::{Lexer, Tree, compact, push_string};
use ostinato_core::schema::provider;
use ostinato_core::validate::capture_text;
use ostinato_core::{Code, Limits};
use proptest::prelude::*;
use proptest::sample::select;

/// Whether serde_json takes a text for one JSON value, whatever its numbers and halves of surrogate pairs are worth.
fn well_formed(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn compare(text: &str) {
    let tree = Tree::parse(text, 128);
    let mut lexer = Lexer::new(text);
    let skipped = lexer.skip(128).and_then(|_| lexer.end()).map_err(|error| error.code());
    assert_eq!(tree.is_ok(), well_formed(text), "{text:?}: {:?}", tree.err());
    match tree {
        Ok(tree) => {
            assert_eq!(skipped, Ok(()), "{text:?}");
            same_value(&tree, text);
        }
        Err(error) if error.code() == Code::ByteOrderMark => {}
        Err(error) => assert_eq!(skipped, Err(error.code()), "{text:?}"),
    }
}

/// Where both accept a text they mean the same value by it.
fn same_value(tree: &Tree<'_>, text: &str) {
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    match (compact(tree), &theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(serde_json::from_str::<serde_json::Value>(&ours).unwrap(), *theirs),
        (Ok(_), Err(error)) => assert!(error.to_string().contains("number out of range"), "{error}: {text:?}"),
        (Err(error), theirs) => {
            assert_eq!(error.code(), Code::LoneSurrogate);
            assert!(theirs.is_err(), "{text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    /// Valid texts in any spelling are read as serde_json reads them.
    #[test]
    fn valid_texts(value in json(), mut noise in noise()) {
        compare(&value.spelled(&mut noise));
    }

    /// Texts near JSON are accepted by both or by neither.
    #[test]
    fn texts_near_json(pieces in prop::collection::vec(piece(), 0..12)) {
        compare(&pieces.concat());
    }

    /// A valid text with one character changed.
    #[test]
    fn changed_texts(value in json(), mut noise in noise(), at in any::<prop::sample::Index>(), new in piece()) {
        let spelled = value.spelled(&mut noise);
        let mut characters: Vec<char> = spelled.chars().collect();
        let at = at.index(characters.len());
        characters.splice(at..=at, new.chars());
        compare(&characters.into_iter().collect::<String>());
    }

    /// Rule F2: strings are written as serde_json writes them, and read back as they were.
    #[test]
    fn strings(text in text(0..40)) {
        let mut ours = String::new();
        push_string(&mut ours, &text);
        prop_assert_eq!(&ours, &serde_json::to_string(&text).unwrap());
        let back = Lexer::new(&ours).string().unwrap().decode().unwrap().into_owned();
        prop_assert_eq!(back, text);
    }

    /// Duplicate keys are found wherever they are, whatever their spelling.
    #[test]
    fn duplicate_keys(key in text(0..4), mut one in noise(), mut other in noise()) {
        let key = crate::value::Json::Text(key);
        let text = format!("[{{{}:1,{}:2}}]", key.spelled(&mut one), key.spelled(&mut other));
        let error = Tree::parse(&text, 8).unwrap().check_keys().expect_err("twice");
        prop_assert_eq!(error.code(), Code::DuplicateKey);
    }
}

fn piece() -> impl Strategy<Value = String> {
    let pieces: &[&str] = &[
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\\"", "\\u00", "\\ud800", "\\udc00", "\\u0041", "\\x", "a", "0",
        "1", "-", "+", ".", "e", "E", "e5", "01", "1.", ".5", "1e", "-0", "1e999", "true", "false", "null", "tru",
        "NaN", "Infinity", "'", "//", " ", "\t", "\n", "\r", "\u{b}", "\u{a0}", "\u{feff}", "\u{2028}", "\0", "\u{1f}",
        "\u{7f}", "é", "\"\"", "\"a\":", "\"a\":1", "[]", "{}",
    ];
    select(pieces.to_vec()).prop_map(str::to_owned)
}

/// Every escape of one byte, and every control character, as serde_json has it.
#[test]
fn every_single_escape() {
    for byte in 0..=127u8 {
        let character = char::from(byte);
        compare(&format!("\"\\{character}\""));
        compare(&format!("\"{character}\""));
        compare(&format!("{character}"));
        compare(&format!("1{character}"));
        compare(&format!("1.{character}"));
        compare(&format!("1e{character}"));
        compare(&format!("[1{character}]"));
    }
}

/// A pair of halves is one character; any other use of a half is refused when it is decoded.
#[test]
fn surrogate_pairs() {
    let decode =
        |text: &str| Lexer::new(text).string().unwrap().decode().map(String::from).map_err(|error| error.code());
    assert_eq!(decode("\"\\ud83d\\ude00\"").as_deref(), Ok("😀"));
    assert_eq!(decode("\"\\uD83D\\uDE00\"").as_deref(), Ok("😀"));
    let halves = [
        "\\ud83d",
        "\\ude00",
        "\\ude00\\ud83d",
        "\\ud83d\\ud83d",
        "\\ud83dx",
        "\\ud83d\\n",
        "\\ud83d\\u0041",
        "a\\udbff",
    ];
    for half in halves {
        assert_eq!(decode(&format!("\"{half}\"")), Err(Code::LoneSurrogate), "{half}");
    }
}

/// Depth is counted in brackets: a limit of n takes n of them and refuses one more, without recursion beyond it.
#[test]
fn depth() {
    for limit in [1, 2, 128, 512] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = |n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
            assert!(Tree::parse(&nested(limit), limit).is_ok());
            assert!(Lexer::new(&nested(limit)).skip(limit).is_ok());
            assert_eq!(Tree::parse(&nested(limit + 1), limit).err().map(|e| e.code()), Some(Code::TooDeep));
            assert_eq!(Lexer::new(&nested(limit + 1)).skip(limit).err().map(|e| e.code()), Some(Code::TooDeep));
            assert_eq!(Tree::parse(&nested(200_000), limit).err().map(|e| e.code()), Some(Code::TooDeep));
        }
    }
}

/// No limit that is asked for makes the reader recurse beyond what it can bear.
#[test]
fn depth_is_bounded_whatever_is_asked_for() {
    let nested = "[".repeat(200_000);
    assert_eq!(Tree::parse(&nested, usize::MAX).err().map(|e| e.code()), Some(Code::TooDeep));
    let limits = Limits { max_depth: usize::MAX, max_item_bytes: usize::MAX, max_parts: usize::MAX };
    assert_eq!(parse(&nested, &limits).err().map(|e| e.code()), Some(Code::TooDeep));
    let gemini = provider("gemini-generate-content", None).unwrap();
    assert_eq!(capture_text(&nested, gemini, None, &limits).err().map(|e| e.code()), Some(Code::TooDeep));
}
