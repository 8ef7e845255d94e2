//! Opaque state as a type: what prints it prints a length and a digest, never the value.

use sha2::{Digest, Sha256};
use std::fmt;

/// A piece of opaque state, borrowed. There is no way to print it by accident.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Opaque<'a>(&'a str);

impl<'a> Opaque<'a> {
    /// Wraps decoded text.
    pub const fn new(value: &'a str) -> Self {
        Opaque(value)
    }

    /// The value itself, for storage and provider input only.
    pub const fn reveal(self) -> &'a str {
        self.0
    }

    /// Length in UTF-8 bytes.
    pub const fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// SHA-256 of the text, in lower-case hex.
    pub fn sha256(self) -> String {
        sha256_hex(self.0.as_bytes())
    }
}

impl fmt::Display for Opaque<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest = self.sha256();
        write!(f, "<{} bytes, sha256 {}>", self.len(), digest.get(..12).unwrap_or(&digest))
    }
}

impl fmt::Debug for Opaque<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// SHA-256 in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut hex = [0u8; 64];
    for (pair, byte) in hex.as_chunks_mut::<2>().0.iter_mut().zip(Sha256::digest(bytes).iter()) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
    str::from_utf8(&hex).map(str::to_owned).unwrap_or_default() // hex digits are UTF-8
}
