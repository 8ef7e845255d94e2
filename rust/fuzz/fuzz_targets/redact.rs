//! Any bytes are redacted, once and for all; JSON stays JSON; the state of a stored item is gone, however it is cut and
//! however the stream that it comes in is cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ostinato_core::envelope::parse;
use ostinato_core::redact::{Options, Stream, bytes};
use ostinato_core::{Item, Limits};
use serde::de::IgnoredAny;

/// State of fewer bytes than this may occur in a text by chance.
const TELLING: usize = 24;

fuzz_target!(|data: &[u8]| {
    let Some((choice, data)) = data.split_first() else { return };
    let options = Options { reasoning_text: choice & 1 == 0, length_only: choice & 2 == 0 };
    let redacted = bytes(data, options).text;
    assert_eq!(bytes(&redacted, options).text, redacted, "a fixed point");
    if serde_json::from_slice::<IgnoredAny>(data).is_ok() {
        assert!(serde_json::from_slice::<IgnoredAny>(&redacted).is_ok(), "JSON stays JSON");
    }
    let streamed = [1, 7, 1 << 16].map(|size| stream(data, size, options));
    assert!(streamed.windows(2).all(|pair| pair[0] == pair[1]), "the cuts of a stream change nothing");
    for state in states(data) {
        for text in [&redacted, &streamed[0]] {
            assert!(!text.windows(state.len()).any(|window| window == state), "state is gone");
        }
    }
});

fn stream(data: &[u8], size: usize, options: Options) -> Vec<u8> {
    let mut stream = Stream::new(options);
    let mut out = Vec::new();
    data.chunks(size).for_each(|chunk| stream.feed(chunk, &mut out));
    stream.finish(&mut out);
    out
}

/// The opaque values of a stored item, where the text is one.
fn states(data: &[u8]) -> Vec<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(data) else { return Vec::new() };
    let Ok(envelope) = parse(text, &Limits::default()) else { return Vec::new() };
    let item = Item::new(&envelope.text, &envelope.view);
    let telling = item.opaque().into_iter().filter(|(value, _)| value.len() >= TELLING);
    telling.map(|(value, _)| value.into_owned().into_bytes()).collect()
}
