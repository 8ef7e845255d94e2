//! The codec core of ostinato: schema tables, validation, envelopes, dedupe, redaction and measuring.
//!
//! Nothing here knows Python. Every function is total: any input gives a result or an [`Error`] with a code and a
//! path, and no error holds input text. `docs/format.md` numbers the rules that the modules cite.

pub mod canonical;
pub mod corpus;
pub mod dedupe;
pub mod envelope;
pub mod error;
pub mod item;
pub mod json;
pub mod json_schema;
pub mod limits;
pub mod measure;
pub mod node;
pub mod opaque;
pub mod payload;
mod reader;
pub mod redact;
pub mod scan;
pub mod schema;
pub mod spec;
pub mod validate;

pub use error::{Code, Error, Result};
pub use item::{Item, Meter, View};
pub use limits::Limits;
pub use opaque::Opaque;
