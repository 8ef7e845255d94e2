//! Any file is measured or named: figures that hold together, the same however it is cut, and nothing of it in them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ostinato_core::scan::{Options, Progress, scan};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A name of the input may be shown up to this length.
const LONGEST_NAME: usize = 64;

/// More than an input has; to make room for more takes most of the time.
const ROOM: usize = 1 << 16;

/// The file that is measured: one for each process, written anew for each input.
static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("ostinato-fuzz-{}", std::process::id())));

fuzz_target!(|data: &[u8]| {
    let Some((cut, data)) = data.split_first() else { return };
    std::fs::write(&*FILE, data).expect("a folder for temporary files");
    let whole = measure(&FILE, Options { chunk_bytes: ROOM, whole_bytes: ROOM, ..Options::default() });
    let chunk_bytes = usize::from(*cut) + 1;
    let cut = measure(&FILE, Options { chunk_bytes, whole_bytes: 0, ..Options::default() });
    let one = |found: &Value| ["files", "skipped", "errors"].map(|key| found[key].as_array().map_or(0, Vec::len));
    assert!(one(&whole)[..2].iter().sum::<usize>() <= 1 && one(&whole).iter().sum::<usize>() >= 1, "one outcome");
    let Some(file) = whole["files"].get(0) else { return };
    let count = |path: &str| file.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    assert!(count("/opaque/unique") <= count("/opaque/values"));
    assert!(count("/state/unique_bytes") <= count("/state/bytes"));
    assert!(count("/unreadable_bytes") <= count("/bytes"));
    // Of a document that is damaged, the pieces say more than the whole.
    if file["problems"].as_object().is_some_and(|problems| problems.is_empty()) {
        assert_eq!(whole, cut, "cuts change nothing");
    }
    for text in [whole.to_string(), cut.to_string()] {
        for run in data.split(|byte| !byte.is_ascii_alphanumeric()).filter(|run| run.len() > LONGEST_NAME) {
            assert!(memchr::memmem::find(text.as_bytes(), run).is_none(), "nothing of the file is shown");
        }
    }
});

fn measure(file: &Path, options: Options) -> Value {
    scan(&[file.to_path_buf()], &Options { threads: 1, timing: false, ..options }, &Progress::default()).to_json()
}
