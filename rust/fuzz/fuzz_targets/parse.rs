//! Any bytes give an item or an error that holds none of them; an item that was read is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ostinato_core::envelope::{parse, serialize, serialize_routed};
use ostinato_core::{Item, Limits, json};
use ostinato_fuzz::resealed;

fuzz_target!(|data: &[u8]| {
    read(data);
    if let Some(text) = std::str::from_utf8(data).ok().and_then(resealed) {
        read(text.as_bytes());
    }
});

fn read(data: &[u8]) {
    let limits = Limits { max_depth: 16, ..Limits::default() };
    let outcome = json::text(data).and_then(|text| parse(text, &limits));
    let envelope = match outcome {
        Ok(envelope) => envelope,
        Err(error) => {
            assert!(error.offset().is_none_or(|offset| offset <= data.len()));
            assert!(error.to_string().len() < 4096, "an error is short");
            return;
        }
    };
    let item = Item::new(&envelope.text, &envelope.view);
    let write = |item: Item<'_>| match &envelope.route {
        Some(route) => serialize_routed(item, route),
        None => serialize(item, envelope.origin.as_ref()),
    };
    let written = write(item).expect("what was read can be written");
    let again = parse(&written, &limits).expect("what was written can be read");
    let same = Item::new(&again.text, &again.view);
    assert_eq!(same.json(), item.json());
    assert_eq!((&again.origin, &again.route), (&envelope.origin, &envelope.route));
    assert_eq!(write(same).expect("written twice"), written);
    // What is decoded on demand never fails on an item that was accepted.
    assert_eq!(same.state_digest(), item.state_digest());
    assert_eq!(same.meter(), item.meter());
}
