//! Looking for single bytes in a text, many at a time.

use memchr::memchr;
use multiversion::multiversion;
use wide::u8x16;

/// Strings up to this length are read a few bytes at a time, longer ones by what is fastest for long texts.
pub(super) const SHORT: usize = 64;

/// How many bytes are looked at together.
pub(crate) const STEP: usize = 16;

/// A bit for each byte that is a quote, a backslash or a control character.
pub(super) fn specials_in(bytes: &[u8; STEP]) -> u32 {
    let bytes = u8x16::new(*bytes);
    let control = bytes.min(u8x16::splat(0x1f)).cmp_eq(bytes);
    let special = control | bytes.cmp_eq(u8x16::splat(b'"')) | bytes.cmp_eq(u8x16::splat(b'\\'));
    special.move_mask().cast_unsigned()
}

/// A bit for each byte that is a bracket or a quote.
pub(crate) fn brackets_in(bytes: &[u8; STEP]) -> u32 {
    let bytes = u8x16::new(*bytes);
    // One bit apart: `[` and `{`, `]` and `}`.
    let folded = bytes | u8x16::splat(0x20);
    let bracket = folded.cmp_eq(u8x16::splat(b'{')) | folded.cmp_eq(u8x16::splat(b'}'));
    (bracket | bytes.cmp_eq(u8x16::splat(b'"'))).move_mask().cast_unsigned()
}

/// A bit for each byte that is this one.
pub(crate) fn equal_in(bytes: &[u8; STEP], byte: u8) -> u32 {
    u8x16::new(*bytes).cmp_eq(u8x16::splat(byte)).move_mask().cast_unsigned()
}

/// A bit for each byte that is a backslash.
fn backslashes_in(bytes: &[u8; STEP]) -> u32 {
    equal_in(bytes, b'\\')
}

/// Whether a backslash and this byte are a whole escape.
pub(super) const fn is_simple_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
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
    for _ in 0..SHORT / STEP {
        let Some(step) = bytes.get(from..)?.first_chunk() else { break };
        let hits = backslashes_in(step);
        if hits != 0 {
            return Some(from + hits.trailing_zeros() as usize);
        }
        from += STEP;
    }
    memchr(b'\\', bytes.get(from..)?).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Each bit says of its own byte, whatever stands beside it.
        #[test]
        fn every_special_byte_is_found(bytes in prop::array::uniform16(prop_oneof![any::<u8>(), prop::sample::select(&b"\"\\[]{}"[..])])) {
            let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
            let bits = |test: &dyn Fn(&u8) -> bool| (0..STEP).map(|at| u32::from(test(&bytes[at])) << at).sum::<u32>();
            prop_assert_eq!(specials_in(&bytes), bits(&special));
            prop_assert_eq!(backslashes_in(&bytes), bits(&|byte| *byte == b'\\'));
            prop_assert_eq!(brackets_in(&bytes), bits(&|byte| b"[]{}\"".contains(byte)));
        }
    }
}
