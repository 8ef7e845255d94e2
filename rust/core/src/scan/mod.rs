//! Measuring files: found, unpacked, told apart by their content, cut into chunks that are counted in parallel.
//! Nothing here knows a format.

mod chunks;
mod count;
mod cut;
mod files;
mod one;
mod report;
mod source;

pub use files::{Found, Unreadable, mode};
pub use one::{FileMeasure, Outcome, Problem};
pub use report::{SCHEMA, VERSION};
pub use source::Packing;

use crate::measure::Tally;
use crate::payload::{self, Timing};
use one::Reading;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The most threads that are begun: more would be slower, and a system can run out of them.
pub const MOST_THREADS: usize = 256;

/// How to measure.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Threads; 0 for one per core, and no more than [`MOST_THREADS`].
    pub threads: usize,
    /// Bytes after which a file is cut into chunks.
    pub chunk_bytes: usize,
    /// Documents up to this size are read whole; files larger than this are counted on all threads.
    pub whole_bytes: usize,
    /// Larger records are counted as `too_large` and not looked into.
    pub max_record_bytes: usize,
    /// Whether to time the forms of the payload comparison.
    pub timing: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { threads: 0, chunk_bytes: 1 << 20, whole_bytes: 8 << 20, max_record_bytes: 64 << 20, timing: true }
    }
}

/// How far a scan is, and the wish to stop it. Shared with whoever watches.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Progress {
    pub files: AtomicU64,
    pub files_done: AtomicU64,
    /// Bytes on disk.
    pub bytes: AtomicU64,
    pub bytes_done: AtomicU64,
    stop: AtomicBool,
}

impl Progress {
    /// Asks the scan to stop. It does so within a chunk.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A folder that others may enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// Its permission bits.
    pub mode: u32,
}

/// What was measured.
#[derive(Debug, Default)]
pub struct Measurement {
    /// Files of a known format, in the order of their paths.
    pub files: Vec<FileMeasure>,
    /// Files of no known format, and what they look like.
    pub skipped: Vec<(PathBuf, &'static str)>,
    /// What could not be read, or not to its end.
    pub errors: Vec<Unreadable>,
    /// Folders of measured files with their permission bits.
    pub folders: Vec<Folder>,
    /// All files together.
    pub total: Tally,
    /// Time to write and read a sample of items in each form.
    pub timing: Vec<Timing>,
    /// Whether it was stopped before all was measured.
    pub stopped: bool,
}

/// Measures the files under these paths.
pub fn scan(paths: &[PathBuf], options: &Options, progress: &Progress) -> Measurement {
    let found = files::find(paths);
    let mut measurement = Measurement { errors: found.errors, ..Measurement::default() };
    progress.files.store(found.files.len() as u64, Ordering::Relaxed);
    progress.bytes.store(found.files.iter().map(|file| file.bytes).sum(), Ordering::Relaxed);

    let gathered = Mutex::new(Gathered::default());
    let measure = |index: usize, wide: bool| {
        if progress.stopped() {
            return;
        }
        let file = &found.files[index];
        let outcome = Reading { file, options, progress, wide }.outcome();
        progress.files_done.fetch_add(1, Ordering::Relaxed);
        // A panic in another thread ends the scan anyway; what was gathered before is whole.
        gathered.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(index, outcome);
    };
    in_pool(options.threads, || {
        // Large files one by one, each on all threads; small ones side by side, the larger ones first.
        let mut order: Vec<usize> = (0..found.files.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(found.files[*index].bytes));
        let large = order.partition_point(|index| found.files[*index].bytes > options.whole_bytes as u64);
        order[..large].iter().for_each(|index| measure(*index, true));
        order[large..].par_iter().with_max_len(1).for_each(|index| measure(*index, false));
    });
    let gathered = gathered.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    measurement.stopped = progress.stopped();
    gathered.finish(&found.files, options, &mut measurement);
    measurement
}

fn in_pool(threads: usize, work: impl FnOnce() + Send) {
    match rayon::ThreadPoolBuilder::new().num_threads(threads.min(MOST_THREADS)).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(), // without threads of its own the work is done on the global ones
    }
}

#[derive(Default)]
struct Gathered {
    outcomes: BTreeMap<usize, Outcome>,
    total: Tally,
    samples: Vec<payload::Sample>,
}

impl Gathered {
    fn add(&mut self, index: usize, mut outcome: Outcome) {
        if let Outcome::Measured(file) = &mut outcome {
            let mut tally = file.tally.share();
            let room = payload::SAMPLES.saturating_sub(self.samples.len());
            self.samples.extend(tally.payload.take_samples().into_iter().take(room));
            self.total.merge(tally);
        }
        self.outcomes.insert(index, outcome);
    }

    fn finish(self, files: &[Found], options: &Options, measurement: &mut Measurement) {
        let mut folders = BTreeMap::new();
        for (index, outcome) in self.outcomes {
            let path = &files[index].path;
            match outcome {
                Outcome::Measured(file) => {
                    measurement.errors.extend(file.incomplete.map(|reason| Unreadable { path: path.clone(), reason }));
                    if let Some(folder) = folder(path) {
                        folders.entry(folder.clone()).or_insert_with(|| mode_of(&folder));
                    }
                    measurement.files.push(*file);
                }
                Outcome::Skipped(looks_like) => measurement.skipped.push((path.clone(), looks_like)),
                Outcome::Failed(reason) => measurement.errors.push(Unreadable { path: path.clone(), reason }),
                Outcome::Stopped => {}
            }
        }
        measurement.folders =
            folders.into_iter().filter_map(|(path, mode)| mode.map(|mode| Folder { path, mode })).collect();
        measurement.total = self.total;
        if options.timing && !measurement.stopped {
            measurement.timing = payload::time(&self.samples);
        }
    }
}

/// The folder of a file.
pub fn folder(path: &Path) -> Option<PathBuf> {
    let parent = path.parent()?;
    Some(if parent.as_os_str().is_empty() { PathBuf::from(".") } else { parent.to_path_buf() })
}

fn mode_of(path: &Path) -> Option<u32> {
    mode(&std::fs::metadata(path).ok()?)
}
