//! Reading and writing one envelope, beside typed serde_json in the same run.

mod samples;
mod typed;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ostinato_core::{Item, Limits, envelope};
use samples::{SIZES, envelopes};
use std::hint::black_box;
use typed::Frame;

/// One function over all samples of a size; the time is that of the whole pass, `elem/s` that of one envelope.
fn rows(criterion: &mut Criterion, name: &str, run: impl Fn(&str)) {
    let mut group = criterion.benchmark_group(name);
    for size in SIZES {
        for (charset, ascii) in [("ascii", true), ("non_ascii", false)] {
            let texts = envelopes(size, ascii);
            assert!(texts.iter().all(|text| envelope::canonical(text, &Limits::default()).is_some()));
            let bytes = texts.iter().map(String::len).sum::<usize>() as u64;
            group.throughput(Throughput::ElementsAndBytes { elements: texts.len() as u64, bytes });
            group.bench_function(format!("{}/{charset}", size.0), |bencher| {
                bencher.iter(|| texts.iter().for_each(|text| run(black_box(text))));
            });
        }
    }
    group.finish();
}

fn item_of<T>(text: &str, use_item: impl Fn(Item<'_>) -> T) {
    let limits = Limits::default();
    if let Ok(found) = envelope::parse(text, &limits) {
        black_box(use_item(Item::new(&found.text, &found.view)));
    }
}

fn codec(criterion: &mut Criterion) {
    let limits = Limits::default();
    rows(criterion, "parse_canonical", |text| {
        black_box(envelope::parse(text, &limits).is_ok());
    });
    rows(criterion, "parse_general", |text| {
        black_box(envelope::general(text, &limits).is_ok());
    });
    rows(criterion, "parse_serde_json", |text| {
        black_box(serde_json::from_str::<Frame<'_>>(text).is_ok());
    });
    rows(criterion, "serialize", |text| item_of(text, |item| envelope::serialize(item, None)));
    rows(criterion, "key", |text| item_of(text, |item| item.state_digest()));
    rows(criterion, "meter", |text| item_of(text, |item| item.meter()));
}

criterion_group!(benches, codec);
criterion_main!(benches);
