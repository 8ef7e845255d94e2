//! Measuring a folder of histories on one thread, beside typed serde_json over the same files.

mod samples;
mod typed;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ostinato_core::scan::{Options, Progress, scan};
use samples::Source;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;

const FILES: usize = 8;
const MESSAGES: usize = 150;

/// A message as fast-agent writes it, with one envelope as a string in a string.
fn message(source: &mut Source) -> Result<String, serde_json::Error> {
    let length = [600, 1508, 1508, 2500, 8000][source.below(5)];
    let ascii = source.below(5) < 2;
    let envelope = serde_json::to_string(&source.envelope(length, 2, 300, ascii))?;
    let answer = source.text(300, ascii);
    Ok(format!(
        "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{answer}\"}}],\"channels\":{{\
         \"reasoning\":[{{\"type\":\"text\",\"text\":\"{answer}\"}}],\
         \"openai-reasoning-encrypted\":[{{\"type\":\"text\",\"text\":{envelope}}}],\
         \"fast-agent-timing\":[{{\"type\":\"text\",\"text\":\"{{\\\"start_time\\\": 980.3, \\\"duration_ms\\\": 679.68}}\"}}]}},\
         \"stop_reason\":\"endTurn\",\"is_template\":false,\"timestamp\":\"2026-11-30T07:40:18.771830Z\"}}"
    ))
}

fn write(folder: &Path) -> Result<(u64, u64), Box<dyn Error>> {
    let mut source = Source::new(20_261_130);
    let mut bytes = 0;
    for number in 0..FILES {
        let messages = (0..MESSAGES).map(|_| message(&mut source)).collect::<Result<Vec<_>, _>>()?;
        let text = format!("{{\"messages\":[{}]}}", messages.join(","));
        bytes += text.len() as u64;
        fs::write(folder.join(format!("history_{number}.json")), text)?;
    }
    Ok(((FILES * MESSAGES) as u64, bytes))
}

/// Valid envelopes under a folder, as serde_json finds them.
fn typed_count(folder: &Path) -> Result<usize, Box<dyn Error>> {
    let mut found = 0;
    for entry in fs::read_dir(folder)? {
        found += typed::count(&fs::read(entry?.path())?).ok_or("a history that serde_json cannot read")?;
    }
    Ok(found)
}

fn folder(criterion: &mut Criterion) {
    let prepared = tempfile::tempdir().map_err(Into::into).and_then(|folder| Ok((write(folder.path())?, folder)));
    let Ok(((elements, bytes), folder)) = prepared.map_err(|error: Box<dyn Error>| eprintln!("{error}")) else {
        return;
    };
    let paths = [folder.path().to_path_buf()];
    let options = Options { threads: 1, timing: false, ..Options::default() };
    assert_eq!(scan(&paths, &options, &Progress::default()).files.len(), FILES);
    assert_eq!(typed_count(folder.path()).ok(), Some(FILES * MESSAGES));

    let mut group = criterion.benchmark_group("scan");
    group.throughput(Throughput::ElementsAndBytes { elements, bytes });
    group.bench_function("measure", |bencher| {
        bencher.iter(|| black_box(scan(&paths, &options, &Progress::default()).files.len()));
    });
    group.bench_function("serde_json", |bencher| {
        bencher.iter(|| black_box(typed_count(folder.path()).is_ok()));
    });
    group.finish();
}

criterion_group!(benches, folder);
criterion_main!(benches);
