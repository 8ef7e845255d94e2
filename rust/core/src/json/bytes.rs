//! Looking for single bytes in a text, many at a time.

use memchr::memchr;
use multiversion::multiversion;

/// Strings up to this length are read eight bytes at a time.
pub(super) const SHORT: usize = 64;

const ONES: u64 = u64::MAX / 255;
const HIGH: u64 = ONES * 0x80;

/// The high bit of each of eight bytes that is below a limit. A byte that is borrows from the one after it, so only the
/// first hit counts; bytes beyond ASCII have the bit already and are no hit.
const fn below_in(eight: u64, limit: u8) -> u64 {
    eight.wrapping_sub(ONES * limit as u64) & !eight & HIGH
}

/// The same for bytes that are this one.
const fn equal_in(eight: u64, byte: u8) -> u64 {
    below_in(eight ^ (ONES * byte as u64), 1)
}

/// The place of the first quote, backslash or control character among eight bytes.
pub(super) fn special_in(eight: u64) -> Option<usize> {
    let hits = below_in(eight, 0x20) | equal_in(eight, b'"') | equal_in(eight, b'\\');
    (hits != 0).then(|| (hits.trailing_zeros() / 8) as usize)
}

/// Whether a byte below 0x20 is in it. Written in blocks so that the compiler uses vector instructions, the widest ones
/// that the machine has.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn has_control(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<64>();
    let block_has = |block: &[u8; 64]| block.iter().fold(0u8, |acc, byte| acc | u8::from(*byte < 0x20)) != 0;
    blocks.iter().any(block_has) || rest.iter().any(|byte| *byte < 0x20)
}

/// The place of the next backslash.
pub(super) fn backslash(bytes: &[u8], mut from: usize) -> Option<usize> {
    // Escapes stand close together, so the first bytes are looked at without further ado.
    for _ in 0..SHORT / 8 {
        let Some(eight) = bytes.get(from..)?.first_chunk() else { break };
        let hits = equal_in(u64::from_le_bytes(*eight), b'\\');
        if hits != 0 {
            return Some(from + (hits.trailing_zeros() / 8) as usize);
        }
        from += 8;
    }
    memchr(b'\\', bytes.get(from..)?).map(|at| from + at)
}
