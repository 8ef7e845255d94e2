//! From Python arguments to the core, and from canonical text to Python values.

use crate::objects::{bytes_of, text_of};
use ostinato_core::error::{Code, Error, Result};
use ostinato_core::json::{self, RawStr, Tree, Value};
use ostinato_core::limits::Limits;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyList, PyMemoryView, PyString};

/// Text given by a caller. It keeps what it borrows from alive.
pub enum Text<'py> {
    /// A `str`.
    Str(Bound<'py, PyString>),
    /// A `bytes`.
    Bytes(Bound<'py, PyBytes>),
    /// A copy of another buffer.
    Owned(Vec<u8>),
}

impl<'py> Text<'py> {
    /// The text in an argument; none if it is neither `str` nor a buffer of bytes.
    pub fn of(value: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Some(Text::Str(text.clone())));
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Some(Text::Bytes(bytes.clone())));
        }
        // By type, not by asking for a buffer: to be refused one costs more than to read an item.
        if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
            return Ok(Some(Text::Owned(bytes_of(value)?)));
        }
        Ok(None)
    }

    /// The characters, if they are text and not more than this.
    pub fn as_str(&self, max_bytes: usize) -> Result<&str> {
        let bytes = match self {
            Text::Str(text) => return text_of(text, max_bytes),
            Text::Bytes(bytes) => bytes.as_bytes(),
            Text::Owned(bytes) => bytes,
        };
        if bytes.len() > max_bytes {
            return Err(Error::new(Code::TooLarge));
        }
        json::text(bytes)
    }
}

/// Limits given by a caller: any object with the three attributes, or none for the defaults.
pub fn limits(given: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let Some(given) = given else { return Ok(Limits::default()) };
    let py = given.py();
    Ok(Limits {
        max_depth: given.getattr(intern!(py, "max_depth"))?.extract()?,
        max_item_bytes: given.getattr(intern!(py, "max_item_bytes"))?.extract()?,
        max_parts: given.getattr(intern!(py, "max_parts"))?.extract()?,
    }
    .bounded())
}

/// What a batch does with an element that is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// It raises.
    Raise,
    /// Its `ReplayError` stands in the list in its place.
    Return,
}

impl OnError {
    /// From the argument `errors`.
    pub fn of(word: &str) -> PyResult<Self> {
        match word {
            "raise" => Ok(OnError::Raise),
            "return" => Ok(OnError::Return),
            _ => Err(PyTypeError::new_err("errors must be \"raise\" or \"return\"")),
        }
    }
}

/// Applies a function to every element of a list.
pub fn batch<'py>(
    elements: &Bound<'py, PyList>,
    errors: &str,
    mut each: impl FnMut(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let py = elements.py();
    let on_error = OnError::of(errors)?;
    let mut results = Vec::with_capacity(elements.len());
    for element in elements.iter() {
        match each(&element) {
            Ok(result) => results.push(result),
            Err(raised) if on_error == OnError::Return && raised.is_instance_of::<crate::error::ReplayError>(py) => {
                results.push(raised.into_value(py).into_bound(py).into_any());
            }
            Err(raised) => return Err(raised),
        }
    }
    PyList::new(py, results)
}

/// A JSON value as a Python value. Numbers become `int` or `float` as Python's own reader makes them.
pub fn to_python<'py>(py: Python<'py>, tree: &Tree<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match &tree.value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(yes) => yes.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(text) => number(py, text)?,
        Value::String(string) => string_to_python(py, *string)?.into_any(),
        Value::Array(elements) => {
            let list = PyList::empty(py);
            for element in elements {
                list.append(to_python(py, element)?)?;
            }
            list.into_any()
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(string_to_python(py, key.text)?, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

fn number<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if text.contains(['.', 'e', 'E']) {
        return Ok(text.parse::<f64>().unwrap_or(f64::NAN).into_pyobject(py)?.into_any());
    }
    match text.parse::<i64>() {
        Ok(small) => Ok(small.into_pyobject(py)?.into_any()),
        // Longer than any machine integer: Python reads it, up to its own limit of 4,300 digits.
        Err(_) => match py.get_type::<PyInt>().call1((text,)) {
            Ok(large) => Ok(large),
            Err(_) => Err(crate::error::raise(&Error::new(Code::TooLarge))),
        },
    }
}

/// A scanned string as a `str`.
pub fn string_to_python<'py>(py: Python<'py>, string: RawStr<'_>) -> PyResult<Bound<'py, PyString>> {
    string.decode().map(|text| PyString::new(py, &text)).map_err(|error| crate::error::raise(&error))
}
