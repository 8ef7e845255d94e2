//! What is remembered of a text to know it again: 16 bytes, from which the text cannot be had back.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use xxhash_rust::xxh3::xxh3_128;

/// 96 bits of XXH3 and the length in bytes. Two texts of one length that share it are one in 2^96, unless somebody made
/// them to: a measurement is not where that would pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finger([u32; 4]);

impl Finger {
    /// The fingerprint of a text.
    #[allow(clippy::cast_possible_truncation)] // the hash is cut on purpose; records are shorter than 4 GiB
    pub fn of(text: &str) -> Self {
        let hash = xxh3_128(text.as_bytes());
        Finger([hash as u32, (hash >> 32) as u32, (hash >> 64) as u32, text.len() as u32])
    }

    /// The length of the text in bytes.
    pub fn bytes(self) -> u64 {
        u64::from(self.0[3])
    }
}

impl std::hash::Hash for Finger {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.0[0]) | u64::from(self.0[1]) << 32);
    }
}

/// A fingerprint is a hash already.
#[derive(Default)]
pub struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Fingerprints with a value each.
pub type FingerMap<T> = HashMap<Finger, T, BuildHasherDefault<AsIs>>;
/// Fingerprints.
pub type FingerSet = HashSet<Finger, BuildHasherDefault<AsIs>>;
