//! What stands where something was: its length and, for state, its digest.

use super::Options;
use super::reader::{Kind, Reading};
use crate::item::decode_base64;
use crate::opaque::sha256_hex;
use crate::spec::Encoding;

/// The lengths and digest of a value.
pub struct Mark {
    bytes: usize,
    sha256: Option<String>,
}

impl Mark {
    /// A text, or anything of which only the length may be told.
    pub fn length(bytes: usize) -> Self {
        Mark::of(bytes, None)
    }

    /// State. Its digest is the one that dedupe uses: of the bytes, where the field holds bytes in base64.
    pub fn state(value: &[u8], encoding: Encoding, options: Options) -> Self {
        let sha256 = (!options.length_only).then(|| {
            let text = std::str::from_utf8(value).ok().filter(|_| encoding != Encoding::Text);
            text.and_then(decode_base64).map_or_else(|| sha256_hex(value), |bytes| sha256_hex(&bytes))
        });
        Mark { bytes: value.len(), sha256 }
    }

    /// From what was measured elsewhere.
    pub fn of(bytes: usize, sha256: Option<String>) -> Self {
        Mark { bytes, sha256 }
    }

    /// The length and, where there is one, the digest.
    pub fn into_parts(self) -> (usize, Option<String>) {
        (self.bytes, self.sha256)
    }

    /// As a JSON value.
    pub fn json(&self) -> String {
        match &self.sha256 {
            Some(digest) => format!("{{\"redacted\":true,\"bytes\":{},\"sha256\":\"{digest}\"}}", self.bytes),
            None => format!("{{\"redacted\":true,\"bytes\":{}}}", self.bytes),
        }
    }

    /// As a piece of text, free of quotes and backslashes: it may stand in any string.
    pub fn text(&self) -> String {
        match &self.sha256 {
            Some(digest) => format!("[redacted {} bytes, sha256 {digest}]", self.bytes),
            None => format!("[redacted {} bytes]", self.bytes),
        }
    }
}

/// A list of parts as a JSON value.
pub fn parts(parts: usize, bytes: usize) -> String {
    format!("{{\"parts\":{parts},\"bytes\":{bytes}}}")
}

/// The length of the textual mark that a text begins with; zero where it begins with none.
pub fn text_length(text: &[u8]) -> usize {
    let Some(rest) = text.strip_prefix(b"[redacted ") else { return 0 };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let Some(rest) = rest[digits..].strip_prefix(b" bytes").filter(|_| (1..=20).contains(&digits)) else { return 0 };
    let rest = match rest.strip_prefix(b", sha256 ") {
        Some(hex) if hex.len() >= 64 && is_digest(&hex[..64]) => &hex[64..],
        Some(_) => return 0,
        None => rest,
    };
    if rest.first() == Some(&b']') { text.len() - rest.len() + 1 } else { 0 }
}

/// Whether a text is a textual mark and nothing else.
pub fn is_text(text: &[u8]) -> bool {
    !text.is_empty() && text_length(text) == text.len()
}

fn is_digest(text: &[u8]) -> bool {
    text.len() == 64 && text.iter().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte))
}

/// Whether a container is a mark: exactly the fields of one, with exactly such values.
pub fn is_json(text: &[u8], reading: &Reading, index: usize) -> bool {
    let node = &reading.nodes[index];
    if node.kind != Kind::Map || text[node.span()].first() != Some(&b'{') {
        return is_text(&text[node.span()]);
    }
    let children = &reading.nodes[index + 1..reading.after(index)];
    if children.len() > 6 || children.len() % 2 == 1 {
        return false;
    }
    let number = |value: &[u8]| (1..=20).contains(&value.len()) && value.iter().all(u8::is_ascii_digit);
    let shape: Vec<&str> = children
        .chunks(2)
        .map(|pair| {
            let (key, value) = (&text[pair[0].content()], &text[pair[1].content()]);
            match (key, pair[1].kind) {
                _ if pair[0].kind != Kind::Key => "",
                (b"redacted", Kind::Atom) if value == b"true" => "redacted",
                (b"bytes", Kind::Atom) if number(value) => "bytes",
                (b"parts", Kind::Atom) if number(value) => "parts",
                (b"sha256", Kind::Str) if is_digest(value) => "sha256",
                (b"type", Kind::Str) if is_class(value) => "type",
                _ => "",
            }
        })
        .collect();
    matches!(
        shape.as_slice(),
        ["redacted", "bytes"] | ["redacted", "bytes", "sha256"] | ["redacted", "type"] | ["parts", "bytes"]
    )
}

/// Whether a value may be the class name of an object that JSON cannot say.
fn is_class(value: &[u8]) -> bool {
    value.len() <= 64 && value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
