//! The canonical writer: compact separators, raw UTF-8, the shortest escapes (format rule F2).

use super::bytes::has_control;
use super::raw_str::RawStr;
use super::tree::{Tree, Value};
use crate::error::{Error, Result};
use memchr::memchr2;

/// Appends a JSON string. Quote and backslash are escaped, control characters take their short form or
/// `\u00xx` in lower-case hex, everything else is raw.
pub fn push_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    if !has_control(text.as_bytes()) && memchr2(b'"', b'\\', text.as_bytes()).is_none() {
        out.push('"');
        out.push_str(text);
        out.push('"');
        return;
    }
    // serde_json writes exactly these escapes. To a text it cannot fail; Display is the way that says so.
    match serde_json::to_string(text) {
        Ok(quoted) => out.push_str(&quoted),
        Err(_) => out.push_str(&serde_json::Value::from(text).to_string()),
    }
}

/// Appends a scanned string in canonical spelling.
pub fn push_raw(out: &mut String, string: RawStr<'_>) -> Result<()> {
    if string.escaped {
        push_string(out, &string.decode()?);
    } else {
        out.push('"');
        out.push_str(string.raw);
        out.push('"');
    }
    Ok(())
}

/// Appends a value in canonical spelling: no space, key order and number text as they were.
pub fn push_tree(out: &mut String, tree: &Tree<'_>) -> Result<()> {
    match &tree.value {
        Value::Null => out.push_str("null"),
        Value::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
        Value::Number(text) => out.push_str(text),
        Value::String(string) => push_raw(out, *string).map_err(|error| offset_in(error, tree.start))?,
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_tree(out, element).map_err(|error| error.within_index(index))?;
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_raw(out, key.text).map_err(|error| offset_in(error, key.start))?;
                out.push(':');
                push_tree(out, value).map_err(|error| error.within_key(key.text.raw))?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// The canonical spelling of a value.
pub fn compact(tree: &Tree<'_>) -> Result<String> {
    let mut out = String::new();
    push_tree(&mut out, tree)?;
    Ok(out)
}

/// An error of a string, whose offset counts from its first character, as an offset of the whole text.
pub(crate) fn offset_in(error: Error, start: usize) -> Error {
    Error::at(error.code(), start + 1 + error.offset().unwrap_or_default())
}
