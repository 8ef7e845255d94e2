//! Measuring files: the work runs on threads of its own while the interpreter is free; the calling thread only watches.

use ostinato_core::scan::{Options, Progress, scan};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often the calling thread looks for signals and reports progress.
const GLANCE: Duration = Duration::from_millis(50);

/// Measures files and folders; returns the measurement as JSON text. `progress`, if given, is called now and then with
/// (files done, files, bytes done, bytes). A signal that raises, such as Ctrl-C, stops the work within a chunk.
#[pyfunction]
#[pyo3(signature = (paths, *, threads = 0, timing = true, max_record_bytes = None, progress = None))]
pub fn measure(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    threads: usize,
    timing: bool,
    max_record_bytes: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let defaults = Options::default();
    let max_record_bytes = max_record_bytes.unwrap_or(defaults.max_record_bytes);
    let options = Options { threads, timing, max_record_bytes, ..defaults };
    let state = Progress::default();
    thread::scope(|scope| {
        let (done, finished) = channel();
        // A receiver is not shared between threads, so it is locked by whoever waits without the interpreter.
        let finished = Mutex::new(finished);
        let state = &state;
        scope.spawn(move || {
            let text = scan(&paths, &options, state).to_json().to_string();
            // Nobody waits any more if a signal has come.
            drop(done.send(text));
        });
        loop {
            let received = py.detach(|| match finished.lock() {
                Ok(finished) => finished.recv_timeout(GLANCE),
                Err(_) => Err(RecvTimeoutError::Disconnected),
            });
            match received {
                Ok(text) => return Ok(text),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(pyo3::exceptions::PyRuntimeError::new_err("measuring ended without a result"));
                }
            }
            let glance = py.check_signals().and_then(|()| match &progress {
                Some(progress) => report(py, progress, state),
                None => Ok(()),
            });
            if let Err(error) = glance {
                state.stop();
                return Err(error);
            }
        }
    })
}

fn report(py: Python<'_>, progress: &Py<PyAny>, state: &Progress) -> PyResult<()> {
    let read = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
    let figures = (read(&state.files_done), read(&state.files), read(&state.bytes_done), read(&state.bytes));
    progress.call1(py, figures).map(drop)
}
