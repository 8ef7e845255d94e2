//! Any provider item, by any contract, gives an item or an error; what is captured is stored and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ostinato_core::dedupe::Seen;
use ostinato_core::envelope::{parse, serialize};
use ostinato_core::schema::PROVIDERS;
use ostinato_core::validate::capture_text;
use ostinato_core::{Item, Limits, json};

fuzz_target!(|data: &[u8]| {
    let Some((choice, rest)) = data.split_first() else { return };
    let Ok(text) = json::text(rest) else { return };
    let provider = &PROVIDERS[usize::from(*choice) % PROVIDERS.len()];
    let limits = Limits { max_depth: 16, ..Limits::default() };
    let Ok((canonical, _)) = capture_text(text, provider, None, &limits) else { return };
    let item = Item::new(&canonical.json, &canonical.view);
    let stored = serialize(item, None).expect("what was captured can be stored");
    let envelope = parse(&stored, &limits).expect("what was stored can be read");
    let read = Item::new(&envelope.text, &envelope.view);
    assert_eq!(read.json(), item.json());
    let (again, _) = capture_text(read.json(), provider, None, &limits).expect("an item is captured as itself");
    assert_eq!(again.json, canonical.json);
    assert!(again.dropped.is_empty());
    let mut seen = Seen::default();
    let (first, _) = seen.class(item, provider.policy);
    let (second, _) = seen.class(read, provider.policy);
    assert_eq!((first.slug(), second.slug()), ("new", "exact_duplicate"));
});
