//! Redaction of text, streams and items, and the JSON Schemas of the envelopes.

use crate::convert::to_python;
use crate::item::item_arg;
use crate::names::interned;
use ostinato_core::item::parse_raw;
use ostinato_core::json_schema;
use ostinato_core::redact::{self, Fields, Options, Redacted, Shown};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::sync::{Mutex, PoisonError};

/// Less than this is redacted faster than the interpreter can be let go.
const WORTH_DETACHING: usize = 4096;

/// Redacts bytes; returns the new bytes and the report as JSON text.
#[pyfunction]
#[pyo3(signature = (text, *, reasoning_text = true, length_only = false))]
pub fn redact_text<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyBytes>,
    reasoning_text: bool,
    length_only: bool,
) -> (Bound<'py, PyBytes>, String) {
    let (bytes, options) = (text.as_bytes(), Options { reasoning_text, length_only });
    let run = || redact::bytes(bytes, options);
    let Redacted { text, report } = if bytes.len() < WORTH_DETACHING { run() } else { py.detach(run) };
    (PyBytes::new(py, &text), report.to_json())
}

/// The fields of an item by their class: words, lengths, digests and counts.
#[pyfunction]
#[pyo3(signature = (item, *, length_only = false))]
pub fn view<'py>(item: &Bound<'py, PyAny>, length_only: bool) -> PyResult<Bound<'py, PyDict>> {
    let py = item.py();
    let options = Options { length_only, ..Options::default() };
    item_arg(item)?.get().with(py, |item| {
        let view = PyDict::new(py);
        view.set_item(intern!(py, "wire"), interned(py, item.spec().wire))?;
        view.set_item(intern!(py, "kind"), interned(py, item.spec().kind))?;
        view.set_item(intern!(py, "fields"), fields(py, &redact::view(item, options))?)?;
        Ok(view)
    })?
}

fn fields<'py>(py: Python<'py>, fields: &Fields<'_>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, shown) in fields {
        dict.set_item(interned(py, name), value(py, shown)?)?;
    }
    Ok(dict)
}

/// The same that redaction puts in place of a value, as Python has it.
fn value<'py>(py: Python<'py>, shown: &Shown<'_>) -> PyResult<Bound<'py, PyAny>> {
    let mark = PyDict::new(py);
    let bytes = match shown {
        Shown::Word(word) => return Ok(PyString::new(py, word).into_any()),
        Shown::Plain(raw) => {
            let tree = parse_raw(raw).map_err(|error| crate::error::raise(&error))?;
            return to_python(py, &tree);
        }
        Shown::Fields(inner) => return Ok(fields(py, inner)?.into_any()),
        Shown::Text(bytes) | Shown::State(bytes, _) => {
            mark.set_item(intern!(py, "redacted"), true)?;
            bytes
        }
        Shown::Parts(parts, bytes) => {
            mark.set_item(intern!(py, "parts"), parts)?;
            bytes
        }
        Shown::Data(bytes) => bytes,
    };
    mark.set_item(intern!(py, "bytes"), bytes)?;
    if let Shown::State(_, Some(digest)) = shown {
        mark.set_item(intern!(py, "sha256"), digest)?;
    }
    Ok(mark.into_any())
}

/// A redaction that is fed piece by piece.
#[pyclass(frozen, module = "ostinato._core")]
pub struct RedactionStream(Mutex<redact::Stream>);

impl RedactionStream {
    /// Runs with the stream. A panic in another thread would leave it in the middle of a piece, which is still safe:
    /// what was not looked at has not been written.
    fn with(&self, py: Python<'_>, call: impl FnOnce(&mut redact::Stream, &mut Vec<u8>) + Send) -> Py<PyBytes> {
        let out = py.detach(|| {
            let mut out = Vec::new();
            call(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), &mut out);
            out
        });
        PyBytes::new(py, &out).unbind()
    }
}

#[pymethods]
impl RedactionStream {
    #[new]
    #[pyo3(signature = (*, reasoning_text = true, length_only = false))]
    fn new(reasoning_text: bool, length_only: bool) -> Self {
        RedactionStream(Mutex::new(redact::Stream::new(Options { reasoning_text, length_only })))
    }

    /// Takes bytes; returns what can be written of them and of those before.
    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> Py<PyBytes> {
        self.with(py, |stream, out| stream.feed(chunk, out))
    }

    /// Ends the stream; returns what was left.
    fn finish(&self, py: Python<'_>) -> Py<PyBytes> {
        self.with(py, redact::Stream::finish)
    }

    /// What has been replaced so far, as JSON text.
    fn report(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).report().to_json()
    }
}

/// The JSON Schema of an envelope as text; none if there is no envelope of this name.
#[pyfunction]
pub fn json_schema_text(name: &str) -> Option<String> {
    json_schema::json_schema(name)
}

/// The names of all envelopes.
#[pyfunction]
pub fn schema_names() -> Vec<&'static str> {
    json_schema::names()
}
