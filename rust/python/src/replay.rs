//! The six functions of the codec and their batch forms.

use crate::convert::{Text, batch, limits};
use crate::error::raise;
use crate::item::{Captured, ReasoningItem, item_arg};
use crate::objects::{PyNode, Reading, text_of};
use ostinato_core::envelope::{self, ORIGIN_FIELDS, Origin};
use ostinato_core::error::{Code, Error, Result};
use ostinato_core::item::{decode_base64, is_base64};
use ostinato_core::limits::{FRAME_ROOM, Limits};
use ostinato_core::schema::{self, Provider};
use ostinato_core::validate::{self, Canonical, Completion};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyMapping, PyString, PyTuple, PyType};

/// What `canonicalize` was asked for.
struct Contract<'a> {
    provider: &'static Provider,
    response_status: Option<&'a str>,
    limits: Limits,
}

impl<'a> Contract<'a> {
    fn new(
        wire: &str,
        provider: Option<&str>,
        response_status: Option<&'a str>,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let provider = schema::provider(wire, provider).map_err(|error| raise(&error))?;
        Ok(Contract { provider, response_status, limits: limits(given)? })
    }

    fn capture(&self, item: &Bound<'_, PyAny>) -> PyResult<ReasoningItem> {
        let outcome = match Text::of(item)? {
            Some(text) => self.capture_text(&text),
            None => {
                let reading = Reading::new(self.limits);
                let node = PyNode::new(item, &reading);
                let outcome = validate::capture(&node, self.provider, self.response_status, &self.limits);
                drop(node);
                reading.finish()?;
                outcome
            }
        };
        let (Canonical { json, view, dropped }, completion) = outcome.map_err(|error| raise(&error))?;
        let captured = Captured { provider: self.provider.name, dropped, completion: completion.slug() };
        Ok(ReasoningItem::captured(json, view, captured))
    }

    fn capture_text(&self, text: &Text<'_>) -> Result<(Canonical, Completion)> {
        let text = text.as_str(self.limits.max_item_bytes)?;
        validate::capture_text(text, self.provider, self.response_status, &self.limits)
    }
}

/// Canonical form of an item that a provider has completed (rules C1 to C6, V1 to V9 of docs/format.md).
///
/// Args:
///     item: an SDK object, a mapping, an object with attributes, or JSON text (`str`, `bytes`).
///     wire: the wire it came over.
///     provider: whose contract to apply; the wire's first provider if None.
///     response_status: the status of the response it came in, where known. An item of a response that did not
///         complete is refused unless its own status says that it completed; `ReasoningItem.completion` tells which
///         rule applied.
///     limits: a `Limits`; the defaults if None.
///
/// Returns:
///     A `ReasoningItem` with the fields of the table and no others; `dropped_fields` names what was left behind.
///
/// Raises:
///     ReplayError: with a code and a path.
#[pyfunction]
#[pyo3(signature = (item, *, wire = "openai-responses", provider = None, response_status = None, limits = None))]
pub fn canonicalize_completed_reasoning_output_item(
    item: &Bound<'_, PyAny>,
    wire: &str,
    provider: Option<&str>,
    response_status: Option<&str>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<ReasoningItem> {
    Contract::new(wire, provider, response_status, limits)?.capture(item)
}

/// The same over a list. With `errors="return"` a refused element is a `ReplayError` in its place.
#[pyfunction]
#[pyo3(signature = (
    items, *, wire = "openai-responses", provider = None, response_status = None, limits = None, errors = "raise"
))]
pub fn canonicalize_completed_reasoning_output_items<'py>(
    py: Python<'py>,
    items: &Bound<'py, PyList>,
    wire: &str,
    provider: Option<&str>,
    response_status: Option<&str>,
    limits: Option<&Bound<'py, PyAny>>,
    errors: &str,
) -> PyResult<Bound<'py, PyList>> {
    let contract = Contract::new(wire, provider, response_status, limits)?;
    batch(items, errors, |item| Ok(Bound::new(py, contract.capture(item)?)?.into_any()))
}

fn origin_arg(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Origin>> {
    let Some(given) = given else { return Ok(None) };
    if let Ok(mapping) = given.cast::<PyMapping>() {
        for key in mapping.keys()?.iter() {
            let key = key.str()?.to_string_lossy().into_owned();
            if !ORIGIN_FIELDS.contains(&key.as_str()) {
                return Err(raise(&Error::new(Code::UnknownField).within_key(&key).within("origin")));
            }
        }
    }
    let field = |name: &'static str| -> PyResult<Option<String>> {
        let value = match given.cast::<PyMapping>() {
            Ok(mapping) if !mapping.contains(name)? => return Ok(None),
            Ok(mapping) => mapping.get_item(name)?,
            Err(_) => given.getattr(name)?,
        };
        if value.is_none() {
            return Ok(None);
        }
        let text = value.cast::<PyString>().map_err(|_| raise(&Error::new(Code::OriginInvalid).within("origin")))?;
        let text = text_of(text, usize::MAX).map_err(|error| raise(&error.within(name).within("origin")))?;
        Ok(Some(text.to_owned()))
    };
    let [provider, endpoint, account, model] = ORIGIN_FIELDS.map(field);
    Ok(Some(Origin { provider: provider?, endpoint: endpoint?, account: account?, model: model? }))
}

fn serialize<'py>(py: Python<'py>, item: &ReasoningItem, origin: Option<&Origin>) -> PyResult<Bound<'py, PyString>> {
    let origin = origin.or(item.origin());
    if origin.is_none()
        && let Some(text) = item.stored_str(py)
    {
        return Ok(text);
    }
    let text = item.with(py, |canonical| match (origin, item.route()) {
        (None, Some(route)) => envelope::serialize_routed(canonical, route),
        _ => envelope::serialize(canonical, origin),
    })?;
    text.map(|text| PyString::new(py, &text)).map_err(|error| raise(&error))
}

/// The stored JSON text of an item: its envelope in canonical form (rules E1, E6 to E8).
///
/// Args:
///     item: a `ReasoningItem`.
///     origin: where the state was made, an `Origin`; kept in the envelope where given. An origin that the item was
///         read with is kept as it was.
///
/// Raises:
///     ReplayError: `origin_invalid`.
#[pyfunction]
#[pyo3(signature = (item, *, origin = None))]
pub fn serialize_reasoning_replay_envelope<'py>(
    py: Python<'py>,
    item: &Bound<'py, PyAny>,
    origin: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    let origin = origin_arg(origin)?;
    serialize(py, item_arg(item)?.get(), origin.as_ref())
}

/// The same over a list of items.
#[pyfunction]
#[pyo3(signature = (items, *, origin = None, errors = "raise"))]
pub fn serialize_reasoning_replay_envelopes<'py>(
    py: Python<'py>,
    items: &Bound<'py, PyList>,
    origin: Option<&Bound<'py, PyAny>>,
    errors: &str,
) -> PyResult<Bound<'py, PyList>> {
    let origin = origin_arg(origin)?;
    batch(items, errors, |item| Ok(serialize(py, item_arg(item)?.get(), origin.as_ref())?.into_any()))
}

fn parse(text: &Bound<'_, PyAny>, limits: &Limits) -> PyResult<ReasoningItem> {
    let text =
        Text::of(text)?.ok_or_else(|| crate::error::ReplayError::new_err(("type_mismatch", "", None::<usize>)))?;
    let longest = limits.max_item_bytes + FRAME_ROOM;
    let parsed = text.as_str(longest).and_then(|characters| envelope::parse(characters, limits));
    match parsed {
        Ok(envelope) => Ok(ReasoningItem::stored(envelope, Some(&text))),
        Err(error) => Err(raise(&error)),
    }
}

/// The item in a stored JSON text (rules E1 to E7). Any text gives an item or a named refusal.
///
/// Args:
///     text: `str` or UTF-8 `bytes`. Bytes are the fast way in.
///     limits: a `Limits`; the defaults if None.
///
/// Raises:
///     ReplayError: with a code and a path. Records of fast-agent 0.10.4 to 0.10.11 are `legacy_minimal` and
///         `legacy_snapshot`; they are never replayed.
#[pyfunction]
#[pyo3(signature = (text, *, limits = None))]
pub fn parse_reasoning_replay_envelope(
    text: &Bound<'_, PyAny>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<ReasoningItem> {
    parse(text, &crate::convert::limits(limits)?)
}

/// The same over a list of texts.
#[pyfunction]
#[pyo3(signature = (texts, *, limits = None, errors = "raise"))]
pub fn parse_reasoning_replay_envelopes<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyList>,
    limits: Option<&Bound<'py, PyAny>>,
    errors: &str,
) -> PyResult<Bound<'py, PyList>> {
    let limits = crate::convert::limits(limits)?;
    batch(texts, errors, |text| Ok(Bound::new(py, parse(text, &limits)?)?.into_any()))
}

/// The item of a record that has already been decoded: a mapping in place of JSON text, by the same rules.
/// What decoding hides (duplicate keys, which the last one wins) cannot be seen here.
#[pyfunction]
#[pyo3(signature = (record, *, limits = None))]
pub fn parse_decoded_envelope(record: &Bound<'_, PyAny>, limits: Option<&Bound<'_, PyAny>>) -> PyResult<ReasoningItem> {
    let limits = crate::convert::limits(limits)?;
    let reading = Reading::new(limits);
    let node = PyNode::new(record, &reading);
    let parsed = envelope::from_node(&node, &limits);
    drop(node);
    reading.finish()?;
    parsed.map(|envelope| ReasoningItem::stored(envelope, None)).map_err(|error| raise(&error))
}

/// The provider's input item: a fresh dict, or its JSON text as bytes (`as_json=True`), spliced without decoding.
///
/// Only the fields of the table, in canonical order; schema, version, origin and digest stay behind (rule E8).
#[pyfunction]
#[pyo3(signature = (item, *, as_json = false))]
pub fn reasoning_replay_item_to_provider_input<'py>(
    py: Python<'py>,
    item: &Bound<'py, PyAny>,
    as_json: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let item = item_arg(item)?.get();
    if as_json {
        return item.with(py, |item| PyBytes::new(py, item.json().as_bytes()).into_any());
    }
    Ok(item.to_dict(py)?.into_any())
}

/// The provider's input items: a list of fresh dicts, or one JSON array as bytes (`as_json=True`).
#[pyfunction]
#[pyo3(signature = (items, *, as_json = false))]
pub fn reasoning_replay_items_to_provider_input<'py>(
    py: Python<'py>,
    items: &Bound<'py, PyList>,
    as_json: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if !as_json {
        let each = |item: &Bound<'py, PyAny>| Ok(item_arg(item)?.get().to_dict(py)?.into_any());
        return Ok(batch(items, "raise", each)?.into_any());
    }
    let mut json = Vec::with_capacity(items.len() * 2048 + 2);
    json.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            json.push(b',');
        }
        item_arg(&item)?.get().with(py, |item| json.extend_from_slice(item.json().as_bytes()))?;
    }
    json.push(b']');
    Ok(PyBytes::new(py, &json).into_any())
}

/// A `DedupeKey`, built as the tuple it is: its own constructor is Python code and would cost as much as the digest.
fn dedupe_key<'py>(
    py: Python<'py>,
    item: &ReasoningItem,
    provider: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "ostinato.replay", "DedupeKey")?;
    let new = NEW.get_or_try_init(py, || py.get_type::<PyTuple>().getattr("__new__").map(Bound::unbind))?;
    let (id, sha256) =
        item.with(py, |item| (item.id().map(|id| PyString::new(py, &id)), PyString::new(py, &item.state_digest())))?;
    new.bind(py).call1((class, (provider, id, sha256)))
}

/// What tells one state from another: provider, id (None where there is none) and SHA-256 of the decoded state (rule D1).
#[pyfunction]
#[pyo3(signature = (item, *, provider = "openai"))]
pub fn reasoning_replay_dedupe_key<'py>(
    py: Python<'py>,
    item: &Bound<'py, PyAny>,
    provider: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let provider = PyString::intern(py, provider);
    dedupe_key(py, item_arg(item)?.get(), &provider)
}

/// The same over a list of items.
#[pyfunction]
#[pyo3(signature = (items, *, provider = "openai"))]
pub fn reasoning_replay_dedupe_keys<'py>(
    py: Python<'py>,
    items: &Bound<'py, PyList>,
    provider: &str,
) -> PyResult<Bound<'py, PyList>> {
    let provider = PyString::intern(py, provider);
    batch(items, "raise", |item| dedupe_key(py, item_arg(item)?.get(), &provider))
}

/// What telemetry counts of a list of items: opaque bytes, summary parts and bytes, content parts and bytes.
#[pyfunction]
pub fn meter(py: Python<'_>, items: &Bound<'_, PyList>) -> PyResult<(usize, usize, usize, usize, usize)> {
    let mut sum = (0, 0, 0, 0, 0);
    for item in items.iter() {
        let one = item_arg(&item)?.get().with(py, |item| item.meter())?;
        sum.0 += one.opaque_bytes;
        sum.1 += one.summary_parts;
        sum.2 += one.summary_bytes;
        sum.3 += one.content_parts;
        sum.4 += one.content_bytes;
    }
    Ok(sum)
}

/// The bytes of a thought signature as it is spelled; None where it is no whole base64 of one alphabet (rule V5).
#[pyfunction]
pub fn signature_bytes<'py>(py: Python<'py>, signature: &Bound<'py, PyString>) -> Option<Bound<'py, PyBytes>> {
    // Half of a surrogate pair is no letter of base64 either.
    let text = signature.to_cow().ok()?;
    let bytes = is_base64(&text).then(|| decode_base64(&text)).flatten()?;
    Some(PyBytes::new(py, &bytes))
}

/// Every known contract: (provider, wire, dedupe policy).
#[pyfunction]
pub fn providers() -> Vec<(&'static str, &'static str, &'static str)> {
    schema::PROVIDERS.iter().map(|row| (row.name, row.wire, row.policy.name)).collect()
}
