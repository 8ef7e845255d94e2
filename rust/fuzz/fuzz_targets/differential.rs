//! Two ways to read a text agree: the fast road and the general one, our scanner and serde_json.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ostinato_core::envelope::{canonical, general};
use ostinato_core::json::{Lexer, Tree, compact};
use ostinato_core::{Code, Item, Limits};
use ostinato_fuzz::resealed;
use serde::de::IgnoredAny;

/// What serde_json bounds recursion by.
const DEPTH: usize = 128;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    roads(text);
    resealed(text).iter().for_each(|text| roads(text));
    scanners(text);
});

fn roads(text: &str) {
    let limits = Limits::default();
    let Some(fast) = canonical(text, &limits) else { return };
    let slow = general(text, &limits).expect("the general road reads what the fast one does");
    let (fast_item, slow_item) = (Item::new(&fast.text, &fast.view), Item::new(&slow.text, &slow.view));
    assert_eq!(fast_item.json(), slow_item.json());
    assert_eq!((fast.schema.name, fast.origin, fast.route), (slow.schema.name, slow.origin, slow.route));
    for field in fast_item.spec().body.fields {
        assert_eq!(fast_item.raw(field.name), slow_item.raw(field.name));
    }
}

fn scanners(text: &str) {
    let tree = Tree::parse(text, DEPTH);
    let theirs = serde_json::from_str::<IgnoredAny>(text).is_ok();
    assert_eq!(tree.is_ok(), theirs, "{:?}", tree.err());
    let mut lexer = Lexer::new(text);
    let skipped = lexer.skip(DEPTH).map(drop).and_then(|()| lexer.end());
    match tree {
        Ok(tree) => {
            assert!(skipped.is_ok());
            same_value(&tree, text);
        }
        Err(error) if error.code() == Code::ByteOrderMark => {}
        Err(error) => assert_eq!(skipped.map_err(|e| e.code()), Err(error.code())),
    }
}

/// Named differences: numbers that overflow a double, halves of surrogate pairs.
fn same_value(tree: &Tree<'_>, text: &str) {
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    match (compact(tree), theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(serde_json::from_str::<serde_json::Value>(&ours).ok(), Some(theirs));
            let again = Tree::parse(&ours, DEPTH).expect("canonical text is JSON");
            assert_eq!(compact(&again).ok(), Some(ours), "a fixed point");
        }
        (Ok(_), Err(error)) => assert!(error.to_string().contains("number out of range"), "{error}"),
        (Err(error), theirs) => {
            assert_eq!(error.code(), Code::LoneSurrogate);
            assert!(theirs.is_err());
        }
    }
}
