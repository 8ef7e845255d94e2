//! What the fuzz targets share.

use ostinato_core::opaque::sha256_hex;

/// The text with the digest that its item would need: a fuzzer cannot guess one, and without it would never get past
/// the seal of an edited item.
pub fn resealed(text: &str) -> Option<String> {
    let start = text.find(",\"item\":")? + ",\"item\":".len();
    let end = text.rfind(",\"digest\":\"")?;
    let item = text.get(start..end)?;
    Some(format!("{},\"digest\":\"{}\"}}", &text[..end], sha256_hex(item.as_bytes())))
}
