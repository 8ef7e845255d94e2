//! Python objects as the engine sees them: `Node` over dicts, mappings, SDK models and attribute views.
//!
//! Reading foreign objects runs foreign code. Whatever it raises becomes `unreadable_object`; only what is no
//! `Exception` (an interrupt, an exit) is kept aside and raised as it is.

use crate::names::interned;
use ostinato_core::error::{Code, Error, Result};
use ostinato_core::item::encode_base64;
use ostinato_core::json::push_string;
use ostinato_core::limits::Limits;
use ostinato_core::node::{Node, Shape};
use pyo3::exceptions::{PyException, PyTypeError, PyUnicodeEncodeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyIterator, PyList, PyMapping, PyMemoryView, PyString,
    PyTuple, PyType,
};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

/// What one reading of an object shares: its limits, and an interrupt that must not be swallowed.
pub struct Reading {
    limits: Limits,
    interrupt: RefCell<Option<PyErr>>,
}

impl Reading {
    /// A reading under these limits.
    pub fn new(limits: Limits) -> Self {
        Reading { limits, interrupt: RefCell::new(None) }
    }

    /// Raises the interrupt that came while foreign code ran, if one did.
    pub fn finish(self) -> PyResult<()> {
        self.interrupt.into_inner().map_or(Ok(()), Err)
    }

    #[cold]
    fn unreadable(&self, py: Python<'_>, raised: PyErr) -> Error {
        if !raised.is_instance_of::<PyException>(py) {
            *self.interrupt.borrow_mut() = Some(raised);
        }
        Error::new(Code::UnreadableObject)
    }
}

/// A Python value, sorted once.
#[derive(Clone)]
pub struct PyNode<'py, 'r> {
    found: Found<'py>,
    reading: &'r Reading,
}

#[derive(Clone)]
enum Found<'py> {
    Null,
    Bool(bool),
    Integer(Bound<'py, PyAny>),
    Float(Bound<'py, PyAny>),
    Text(Bound<'py, PyString>),
    Bytes(Bound<'py, PyAny>),
    List(Bound<'py, PyAny>),
    Dict(Bound<'py, PyDict>),
    Unreadable(Error),
    Other,
}

impl<'py, 'r> PyNode<'py, 'r> {
    /// Sorts a value. SDK objects are dumped here, once.
    pub fn new(value: &Bound<'py, PyAny>, reading: &'r Reading) -> Self {
        PyNode { found: sort(value, reading), reading }
    }

    fn child(&self, value: &Bound<'py, PyAny>) -> Self {
        PyNode::new(value, self.reading)
    }

    /// Writes element by element: an iterator may be endless, the limit of bytes is not.
    fn push_list(&self, list: &Bound<'py, PyAny>, out: &mut String, deeper: usize) -> Result<()> {
        let unreadable = |raised| self.reading.unreadable(list.py(), raised);
        out.push('[');
        for (index, element) in PyIterator::from_object(list).map_err(unreadable)?.enumerate() {
            if index > 0 {
                out.push(',');
            }
            let element = self.child(&element.map_err(unreadable)?);
            element.push_json(out, deeper).map_err(|error| error.within_index(index))?;
        }
        out.push(']');
        Ok(())
    }

    /// Writes a dict as it is. A key that is no text has no spelling in JSON that would not be another key.
    fn push_dict(&self, out: &mut String, deeper: usize) -> Result<()> {
        let pairs: Vec<_> = self.dict()?.iter().collect();
        out.push('{');
        for (index, (key, value)) in pairs.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            let name = key_of(key, self.reading)?;
            if key.cast::<PyString>().is_err() {
                return Err(Error::new(Code::TypeMismatch).within_key(&name));
            }
            push_string(out, &name);
            out.push(':');
            self.child(value).push_json(out, deeper).map_err(|error| error.within_key(&name))?;
        }
        out.push('}');
        Ok(())
    }

    fn dict(&self) -> Result<&Bound<'py, PyDict>> {
        match &self.found {
            Found::Dict(dict) => Ok(dict),
            Found::Unreadable(error) => Err(error.clone()),
            _ => Err(Error::new(Code::TypeMismatch)),
        }
    }
}

fn sort<'py>(value: &Bound<'py, PyAny>, reading: &Reading) -> Found<'py> {
    if let Ok(text) = value.cast::<PyString>() {
        return Found::Text(text.clone());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return Found::Dict(dict.clone());
    }
    if value.is_none() {
        return Found::Null;
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return Found::List(value.clone());
    }
    if let Ok(yes) = value.cast::<PyBool>() {
        return Found::Bool(yes.is_true());
    }
    if value.is_instance_of::<PyInt>() {
        return Found::Integer(value.clone());
    }
    if value.is_instance_of::<PyFloat>() {
        return Found::Float(value.clone());
    }
    if value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
    {
        return Found::Bytes(value.clone());
    }
    match foreign(value) {
        Ok(found) => found,
        Err(raised) => Found::Unreadable(reading.unreadable(value.py(), raised)),
    }
}

/// An SDK model, a mapping, an iterable or an object with attributes; in this order.
fn foreign<'py>(value: &Bound<'py, PyAny>) -> PyResult<Found<'py>> {
    let py = value.py();
    if value.is_instance_of::<PyType>() || value.is_callable() {
        return Ok(Found::Other);
    }
    if let Some(dump) = value.getattr_opt(intern!(py, "model_dump"))? {
        // Never a bare dump: it adds nulls that the provider did not send and spells `async` as `async_` (openai 3.57.0).
        // Without `warnings=False` pydantic quotes a value of an odd type on the standard error (pydantic 2.14).
        let options = PyDict::new(py);
        options.set_item(intern!(py, "by_alias"), true)?;
        options.set_item(intern!(py, "exclude_unset"), true)?;
        options.set_item(intern!(py, "warnings"), false)?;
        let dumped = match dump.call((), Some(&options)) {
            // An object that is no pydantic model, with a dump of its own.
            Err(raised) if raised.is_instance_of::<PyTypeError>(py) => dump.call0()?,
            dumped => dumped?,
        };
        return Ok(dumped.cast_into::<PyDict>().map_or(Found::Other, Found::Dict));
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let dict = PyDict::new(py);
        for entry in mapping.items()?.iter() {
            let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = entry.extract()?;
            dict.set_item(key, value)?;
        }
        return Ok(Found::Dict(dict));
    }
    if value.hasattr(intern!(py, "__iter__"))? {
        return Ok(Found::List(value.clone()));
    }
    match value.getattr_opt(intern!(py, "__dict__"))? {
        Some(attributes) => Ok(attributes.cast_into::<PyDict>().map_or(Found::Other, Found::Dict)),
        None => Ok(Found::Other),
    }
}

impl<'py> Node<'py> for PyNode<'py, '_> {
    fn shape(&self) -> Shape {
        match &self.found {
            Found::Null => Shape::Null,
            Found::Bool(yes) => Shape::Bool(*yes),
            Found::Integer(_) => Shape::Integer,
            Found::Float(_) => Shape::Float,
            Found::Text(_) => Shape::Text,
            Found::Bytes(_) => Shape::Bytes,
            Found::List(_) => Shape::List,
            // Reading its entries tells why it cannot be read.
            Found::Dict(_) | Found::Unreadable(_) => Shape::Object,
            Found::Other => Shape::Other,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>> {
        match &self.found {
            Found::Text(text) => text_of(text, self.reading.limits.max_item_bytes).map(Cow::Borrowed),
            _ => Err(Error::new(Code::TypeMismatch)),
        }
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        match &self.found {
            Found::Bytes(value) => bytes_of(value).map_err(|raised| self.reading.unreadable(value.py(), raised)),
            _ => Err(Error::new(Code::TypeMismatch)),
        }
    }

    fn get(&self, name: &'static str) -> Result<Option<Self>> {
        let dict = self.dict()?;
        // Comparing keys may run the code of a foreign key.
        let found = dict.get_item(interned(dict.py(), name));
        Ok(found.map_err(|raised| self.reading.unreadable(dict.py(), raised))?.map(|value| self.child(&value)))
    }

    fn size(&self) -> Result<usize> {
        Ok(self.dict()?.len())
    }

    fn integer(&self) -> Result<Cow<'_, str>> {
        match &self.found {
            Found::Integer(value) => number_text(value, "int", self.reading).map(Cow::Owned),
            _ => Err(Error::new(Code::TypeMismatch)),
        }
    }

    fn entries(&self) -> Result<Vec<(Cow<'py, str>, Self)>> {
        // Sorting a value may run foreign code, which may change the dict: its entries are taken before.
        let pairs: Vec<_> = self.dict()?.iter().collect();
        let entry = |(key, value): &(_, _)| Ok((key_of(key, self.reading)?, self.child(value)));
        pairs.iter().map(entry).collect()
    }

    fn elements(&self, max: usize) -> Result<Vec<Self>> {
        let Found::List(list) = &self.found else { return Err(Error::new(Code::TypeMismatch)) };
        let unreadable = |raised| self.reading.unreadable(list.py(), raised);
        let mut elements = Vec::new();
        for element in PyIterator::from_object(list).map_err(unreadable)? {
            if elements.len() >= max {
                return Err(Error::new(Code::TooManyParts));
            }
            elements.push(self.child(&element.map_err(unreadable)?));
        }
        Ok(elements)
    }

    fn push_json(&self, out: &mut String, max_depth: usize) -> Result<()> {
        if out.len() > self.reading.limits.max_item_bytes {
            return Err(Error::new(Code::TooLarge));
        }
        let deeper = max_depth.checked_sub(1).ok_or_else(|| Error::new(Code::TooDeep));
        match &self.found {
            Found::Null => out.push_str("null"),
            Found::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
            Found::Integer(_) => out.push_str(&self.integer()?),
            Found::Float(value) => out.push_str(&number_text(value, "float", self.reading)?),
            Found::Text(_) => push_string(out, &self.text()?),
            Found::Bytes(_) => push_string(out, &encode_base64(&self.bytes()?)),
            Found::List(list) => self.push_list(list, out, deeper?)?,
            Found::Dict(_) | Found::Unreadable(_) => self.push_dict(out, deeper?)?,
            Found::Other => return Err(Error::new(Code::TypeMismatch)),
        }
        Ok(())
    }

    fn check_depth(&self, max_depth: usize) -> Result<()> {
        let root = match &self.found {
            Found::Dict(dict) => dict.as_any(),
            Found::List(list) => list,
            _ => return Ok(()),
        };
        if height(root, max_depth, &mut HashMap::new()) > max_depth { Err(Error::new(Code::TooDeep)) } else { Ok(()) }
    }

    fn offset(&self) -> Option<usize> {
        None
    }
}

/// Levels of nested dicts, lists and tuples, at most one more than `max`. Each container is measured once, so a
/// structure that shares its parts costs no more than it holds; one that contains itself is endless.
fn height(value: &Bound<'_, PyAny>, max: usize, known: &mut HashMap<usize, usize>) -> usize {
    let dict = value.cast_exact::<PyDict>();
    let list = value.cast_exact::<PyList>();
    let tuple = value.cast_exact::<PyTuple>();
    if dict.is_err() && list.is_err() && tuple.is_err() {
        return 0;
    }
    let identity = value.as_ptr() as usize;
    if let Some(levels) = known.get(&identity) {
        return *levels;
    }
    if max == 0 {
        return 1;
    }
    known.insert(identity, usize::MAX / 2); // endless, until it is known not to be
    let mut inner = 0;
    let mut see = |child: &Bound<'_, PyAny>| inner = inner.max(height(child, max - 1, known));
    if let Ok(dict) = dict {
        dict.iter().for_each(|(_, child)| see(&child));
    } else if let Ok(list) = list {
        list.iter().for_each(|child| see(&child));
    } else if let Ok(tuple) = tuple {
        tuple.iter().for_each(|child| see(&child));
    }
    known.insert(identity, inner + 1);
    inner + 1
}

/// The text of a `str`, or where its first lone surrogate is.
pub fn text_of<'a>(text: &'a Bound<'_, PyString>, max_bytes: usize) -> Result<&'a str> {
    if text.len().is_ok_and(|characters| characters > max_bytes) {
        return Err(Error::new(Code::TooLarge));
    }
    text.to_str().map_err(|raised| {
        let start = raised.is_instance_of::<PyUnicodeEncodeError>(text.py()).then(|| {
            raised.value(text.py()).getattr(intern!(text.py(), "start")).and_then(|start| start.extract()).ok()
        });
        Error::new(Code::LoneSurrogate).or_offset(start.flatten())
    })
}

/// A copy of the bytes of a `bytes`, `bytearray` or `memoryview`.
pub fn bytes_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let copy = value.py().get_type::<PyBytes>().call1((value,))?;
    Ok(copy.cast_into::<PyBytes>()?.as_bytes().to_vec())
}

/// A key as text. Keys of another type are no field of any item; a report shows their type.
fn key_of<'py>(key: &Bound<'py, PyAny>, reading: &Reading) -> Result<Cow<'py, str>> {
    match key.cast::<PyString>() {
        Ok(text) => Ok(Cow::Owned(text_of(text, reading.limits.max_item_bytes)?.to_owned())),
        Err(_) => {
            Ok(Cow::Owned(format!("key:{}", key.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string()))))
        }
    }
}

/// The text that Python writes for a number: of the plain type, whatever a subclass would say.
fn number_text(value: &Bound<'_, PyAny>, base: &str, reading: &Reading) -> Result<String> {
    let py = value.py();
    let repr = || -> PyResult<String> {
        let plain = if base == "int" { py.get_type::<PyInt>() } else { py.get_type::<PyFloat>() };
        plain.getattr(intern!(py, "__repr__"))?.call1((value,))?.extract()
    };
    match repr() {
        Ok(text) if text.contains(['n', 'i']) => Err(Error::new(Code::NotFinite)), // nan, inf
        Ok(text) => Ok(text),
        // Python writes no integers of more than 4,300 digits.
        Err(raised) if base == "int" && raised.is_instance_of::<pyo3::exceptions::PyValueError>(py) => {
            Err(Error::new(Code::TooLarge))
        }
        Err(raised) => Err(reading.unreadable(py, raised)),
    }
}
