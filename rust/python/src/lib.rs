//! Python bindings of `ostinato-core`: conversion between Python objects and the core, and nothing else.
//! This file is a table of contents.

mod convert;
mod dedupe;
mod error;
mod item;
mod names;
mod objects;
mod redact;
mod replay;
mod scan;

use pyo3::prelude::*;

/// The compiled core of ostinato.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::dedupe::{dedupe, policies};
    #[pymodule_export]
    use super::error::error_codes;
    #[pymodule_export]
    use super::item::{ReasoningItem, restore_item};
    #[pymodule_export]
    use super::redact::{RedactionStream, json_schema_text, redact_text, schema_names, view};
    #[pymodule_export]
    use super::replay::{
        canonicalize_completed_reasoning_output_item, canonicalize_completed_reasoning_output_items, meter,
        parse_decoded_envelope, parse_reasoning_replay_envelope, parse_reasoning_replay_envelopes, providers,
        reasoning_replay_dedupe_key, reasoning_replay_dedupe_keys, reasoning_replay_item_to_provider_input,
        reasoning_replay_items_to_provider_input, serialize_reasoning_replay_envelope,
        serialize_reasoning_replay_envelopes, signature_bytes,
    };

    #[pymodule_export]
    use super::scan::measure;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("BUILD_PROFILE", if cfg!(debug_assertions) { "debug" } else { "release" })
    }
}
