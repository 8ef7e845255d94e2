//! JSON text: a strict scanner, a value that keeps what others drop, and the canonical writer.
//!
//! The scanner is our own because a refusal must name its code and offset (duplicate keys, lone surrogates, depth),
//! which no JSON crate reports, and because it only records where things are. `serde_json` is its oracle in the tests.

mod bytes;
mod lexer;
mod raw_str;
mod tree;
mod write;

pub(crate) use bytes::{STEP, brackets_in, equal_in, has_control};
pub use lexer::{Lexer, Sort};
pub use raw_str::RawStr;
pub use tree::{Key, Tree, Value};
pub use write::{compact, push_string, push_tree};

use crate::error::{Code, Error, Result};

/// The text of a buffer of bytes, or `not_utf8` with the offset of the first bad byte.
pub fn text(bytes: &[u8]) -> Result<&str> {
    simdutf8::compat::from_utf8(bytes).map_err(|error| Error::at(Code::NotUtf8, error.valid_up_to()))
}
