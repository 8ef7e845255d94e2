//! `ReasoningItem`: a canonical item in Python. It keeps the text it was read from; fields are decoded when asked for.

use crate::convert::{Text, string_to_python, to_python};
use crate::error::raise;
use crate::names::interned;
use ostinato_core::envelope::{self, Envelope, Origin};
use ostinato_core::item::{Item, View, decode_base64, parse_raw};
use ostinato_core::json::{Lexer, RawStr, Tree};
use ostinato_core::limits::Limits;
use ostinato_core::opaque::Opaque;
use ostinato_core::schema::{self, Frame};
use ostinato_core::spec::{Encoding, Kind, ObjectSpec, PartSpec, TYPE};
use ostinato_core::validate::Completion;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The text that a view points into.
pub enum Source {
    /// The caller's own `str`.
    Str(Py<PyString>),
    /// The caller's own `bytes`, known to be UTF-8.
    Bytes(Py<PyBytes>),
    /// Text of our own.
    Owned(Box<str>),
}

/// What capture noticed, beside the item itself.
pub struct Captured {
    /// Whose contract it was read by.
    pub provider: &'static str,
    /// Unknown fields that were dropped.
    pub dropped: Vec<String>,
    /// The rule that let it pass as complete.
    pub completion: &'static str,
}

/// One canonical replay item: immutable, comparable, hashable, picklable.
///
/// Its `repr` shows lengths and digests only. Two items are equal when their wire, kind and canonical text are.
#[pyclass(frozen, module = "ostinato._core")]
pub struct ReasoningItem {
    source: Source,
    view: View,
    /// Whether the source is a bare envelope in canonical form, to be stored again as it is.
    framed: bool,
    origin: Option<Box<Origin>>,
    route: Option<Box<str>>,
    captured: Option<Box<Captured>>,
}

impl ReasoningItem {
    /// An item that was captured.
    pub fn captured(json: String, view: View, captured: Captured) -> Self {
        ReasoningItem {
            source: Source::Owned(json.into()),
            view,
            framed: false,
            origin: None,
            route: None,
            captured: Some(Box::new(captured)),
        }
    }

    /// An item that was read from an envelope. The text is kept instead of copied where the envelope points into it.
    pub fn stored(envelope: Envelope<'_>, text: Option<&Text<'_>>) -> Self {
        let Envelope { schema, text: held, view, origin, route } = envelope;
        let in_place = matches!(held, std::borrow::Cow::Borrowed(_));
        let source = match text {
            Some(Text::Str(text)) if in_place => Source::Str(text.clone().unbind()),
            Some(Text::Bytes(bytes)) if in_place => Source::Bytes(bytes.clone().unbind()),
            _ => Source::Owned(held.into()),
        };
        let framed = in_place && schema.frame != Frame::Sealed;
        ReasoningItem {
            source,
            view,
            framed,
            origin: origin.map(Box::new),
            route: route.map(Into::into),
            captured: None,
        }
    }

    /// Calls a function with the item. The source is borrowed, never copied.
    pub fn with<R>(&self, py: Python<'_>, call: impl FnOnce(Item<'_>) -> R) -> PyResult<R> {
        let text = match &self.source {
            Source::Str(text) => text.bind(py).to_str()?,
            Source::Bytes(bytes) => {
                ostinato_core::json::text(bytes.bind(py).as_bytes()).map_err(|error| raise(&error))?
            }
            Source::Owned(text) => text,
        };
        Ok(call(Item::new(text, &self.view)))
    }

    /// The route that a compaction envelope named.
    pub fn route(&self) -> Option<&str> {
        self.route.as_deref()
    }

    /// The origin that the envelope named.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_deref()
    }

    /// The stored text, where the source is just that.
    pub fn stored_str<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        match &self.source {
            Source::Str(text) if self.framed && text.bind(py).is_exact_instance_of::<PyString>() => {
                Some(text.bind(py).clone())
            }
            _ => None,
        }
    }

    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.with(py, |item| item.raw(name).map(|raw| raw_to_python(py, raw)))?;
        value.unwrap_or_else(|| Ok(py.None().into_bound(py)))
    }

    fn texts<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyTuple>> {
        self.with(py, |item| PyTuple::new(py, item.parts(name)))?
    }

    fn same(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let kinds = self.view.spec.wire == other.view.spec.wire && self.view.spec.kind == other.view.spec.kind;
        Ok(kinds && self.with(py, |a| other.with(py, |b| a.json() == b.json()))??)
    }
}

/// The value of a canonical field as a Python value.
fn raw_to_python<'py>(py: Python<'py>, raw: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Some(string) = RawStr::quoted(raw) {
        return Ok(string_to_python(py, string)?.into_any());
    }
    to_python(py, &parse_raw(raw).map_err(|error| raise(&error))?)
}

#[pymethods]
impl ReasoningItem {
    /// The wire it travels on, such as `openai-responses`.
    #[getter]
    fn wire(&self) -> &'static str {
        self.view.spec.wire
    }

    /// Its name within the wire, such as `reasoning` or `redacted_thinking`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.view.spec.kind
    }

    /// Whose contract it was captured by; None for a stored item.
    #[getter]
    fn provider(&self) -> Option<&'static str> {
        self.captured.as_ref().map(|captured| captured.provider)
    }

    /// Paths of the unknown fields that capture dropped.
    #[getter]
    fn dropped_fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.captured.as_ref().map_or(&[][..], |captured| &captured.dropped))
    }

    /// The rule that let capture take it as complete: `item_status`, `response_status` or `not_stated`.
    #[getter]
    fn completion(&self) -> Option<&'static str> {
        self.captured.as_ref().map(|captured| captured.completion)
    }

    /// Where it was made, if its envelope says so: a dict of provider, endpoint, account and model.
    #[getter]
    #[pyo3(name = "origin")]
    fn origin_dict<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(origin) = &self.origin else { return Ok(None) };
        let dict = PyDict::new(py);
        let values = [&origin.provider, &origin.endpoint, &origin.account, &origin.model];
        for (name, value) in envelope::ORIGIN_FIELDS.iter().zip(values) {
            if let Some(value) = value {
                dict.set_item(name, value)?;
            }
        }
        Ok(Some(dict))
    }

    /// The route named by a compaction envelope of fast-agent, if it names one. It is stored again with the item.
    #[getter]
    #[pyo3(name = "route")]
    fn route_name(&self) -> Option<&str> {
        self.route()
    }

    /// The item's `type`, where its wire has one.
    #[getter]
    fn r#type(&self) -> Option<&'static str> {
        self.view.spec.tag()
    }

    /// The provider's name of the item, if it has one.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, "id")
    }

    /// The ciphertext, if the item has that field.
    #[getter]
    fn encrypted_content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, "encrypted_content")
    }

    /// The texts of its summary parts, in order.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.texts(py, "summary")
    }

    /// The texts of its content parts, in order.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.texts(py, "content")
    }

    /// The value of any field by name; None where it is missing.
    fn get<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        self.field(py, field)
    }

    /// The item as a fresh dict, in canonical field order: what the provider takes as input.
    pub fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with(py, |item| item_to_dict(py, item))?
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<ReasoningItem>() {
            Ok(other) => self.same(other.py(), other.get()),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |item| {
            let mut hasher = DefaultHasher::new();
            (item.spec().wire, item.spec().kind, item.json()).hash(&mut hasher);
            hasher.finish()
        })
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State)> {
        let text = self.with(py, |item| envelope::serialize(item, self.origin()))?;
        let text = text.map_err(|error| raise(&error))?;
        let captured =
            self.captured.as_ref().map(|it| (it.provider.to_owned(), it.dropped.clone(), it.completion.to_owned()));
        let restore = py.import("ostinato._core")?.getattr("_restore_item")?;
        Ok((restore, (text, self.route.clone().map(String::from), captured)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |item| {
            let spec = item.spec();
            let mut shown = vec![spec.wire.to_owned(), spec.kind.to_owned()];
            if let Some(id) = item.id() {
                shown.push(format!("id={}", ostinato_core::error::field_name(&id)));
            }
            for (value, _) in item.opaque() {
                shown.push(format!("state={}", Opaque::new(&value)));
            }
            let meter = item.meter();
            for (name, parts, bytes) in [
                ("summary", meter.summary_parts, meter.summary_bytes),
                ("content", meter.content_parts, meter.content_bytes),
            ] {
                if parts > 0 {
                    shown.push(format!("{name}=<{parts} parts, {bytes} bytes>"));
                }
            }
            format!("<ReasoningItem {}>", shown.join(" "))
        })
    }
}

/// What a pickle holds: the stored text, the route, and what capture noticed.
type State = (String, Option<String>, Option<(String, Vec<String>, String)>);

/// The item of a pickle. What was let in once is let in again, whatever limits it was read with.
#[pyfunction]
#[pyo3(name = "_restore_item")]
pub fn restore_item(
    text: &str,
    route: Option<String>,
    captured: Option<(String, Vec<String>, String)>,
) -> PyResult<ReasoningItem> {
    let widest = Limits { max_depth: usize::MAX, max_item_bytes: usize::MAX, max_parts: usize::MAX };
    let envelope = envelope::parse(text, &widest).map_err(|error| raise(&error))?;
    let wire = envelope.schema.item.wire;
    let mut item = ReasoningItem::stored(envelope, None);
    item.route = route.map(Into::into);
    if let Some((provider, dropped, completion)) = captured {
        let provider = schema::provider(wire, Some(&provider)).map_err(|error| raise(&error))?.name;
        let completion = Completion::ALL.iter().map(|rule| rule.slug()).find(|slug| *slug == completion);
        item.captured = completion.map(|completion| Box::new(Captured { provider, dropped, completion }));
    }
    Ok(item)
}

/// The argument as an item, or a `ReplayError` that says what it must be.
pub fn item_arg<'a, 'py>(value: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, ReasoningItem>> {
    value.cast::<ReasoningItem>().map_err(|_| {
        let hint = "a ReasoningItem is expected: canonicalize or parse first";
        PyTypeError::new_err(format!(
            "{hint}, not {}",
            value.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string())
        ))
    })
}

fn item_to_dict<'py>(py: Python<'py>, item: Item<'_>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (field, raw) in item.fields() {
        let value = match field.kind {
            Kind::Tag(tag) => interned(py, tag).into_any(),
            Kind::Parts(specs) => parts_to_list(py, raw, specs)?.into_any(),
            Kind::Object(spec) => object_to_dict(py, &parse_raw(raw).map_err(|error| raise(&error))?, spec)?.into_any(),
            _ => raw_to_python(py, raw)?,
        };
        dict.set_item(interned(py, field.name), value)?;
    }
    Ok(dict)
}

/// An object inside an item. Blobs become `bytes`, as the provider's SDK takes them.
fn object_to_dict<'py>(py: Python<'py>, tree: &Tree<'_>, spec: &'static ObjectSpec) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for field in spec.fields {
        let Some(value) = tree.get(field.name) else { continue };
        let blob = || value.as_str().and_then(|text| decode_base64(&text));
        let value = match field.kind {
            Kind::Object(deeper) => object_to_dict(py, value, deeper)?.into_any(),
            Kind::Opaque(Encoding::Blob) => match blob() {
                Some(bytes) => PyBytes::new(py, &bytes).into_any(),
                None => to_python(py, value)?,
            },
            _ => to_python(py, value)?,
        };
        dict.set_item(interned(py, field.name), value)?;
    }
    Ok(dict)
}

fn parts_to_list<'py>(py: Python<'py>, raw: &str, specs: &'static [PartSpec]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    let mut lexer = Lexer::new(raw);
    let failed = |error| raise(&error);
    // Canonical: [{"type":tag,"text":text},…]. All values are texts.
    while (lexer.take(b'[') || lexer.take(b',')) && lexer.take(b'{') {
        lexer.key().map_err(failed)?;
        let tag = lexer.string().map_err(failed)?;
        let part = PyDict::new(py);
        let spec = specs.iter().find(|spec| spec.tag == tag.raw);
        part.set_item(
            interned(py, TYPE),
            spec.map_or_else(|| string_to_python(py, tag), |spec| Ok(interned(py, spec.tag)))?,
        )?;
        while lexer.take(b',') {
            let key = lexer.key().map_err(failed)?;
            let value = string_to_python(py, lexer.string().map_err(failed)?)?;
            if let Some(field) = spec.and_then(|spec| spec.fields.iter().find(|field| field.name == key.raw)) {
                part.set_item(interned(py, field.name), value)?;
            }
        }
        lexer.expect(b'}').map_err(failed)?;
        list.append(part)?;
    }
    Ok(list)
}
