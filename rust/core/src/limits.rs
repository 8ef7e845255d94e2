//! What is too much. Every limit is configurable and documented in `docs/format.md`.

/// Bounds on one item. Larger input is refused by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Levels of nesting in an item. A stored text has one more: its frame.
    pub max_depth: usize,
    /// Bytes of an item in canonical form, and of the text it is read from. A stored text may have [`FRAME_ROOM`] more.
    pub max_item_bytes: usize,
    /// Parts in one list.
    pub max_parts: usize,
}

/// The largest `max_depth` that can be asked for: recursion over nested values is bounded by it.
pub const DEEPEST: usize = 512;
/// The largest `max_item_bytes` that can be asked for: places in an item are kept in 32 bits.
pub const LARGEST: usize = 1 << 31;
/// The longest text of an origin, in bytes.
pub const ORIGIN_BYTES: usize = 1024;
/// What a stored text may hold beside its item, so that what was captured within the limits is read within them. An
/// origin of four texts, each character escaped, fits.
pub const FRAME_ROOM: usize = 32 << 10;

impl Default for Limits {
    fn default() -> Self {
        Limits { max_depth: 128, max_item_bytes: 64 << 20, max_parts: 10_000 }
    }
}

impl Limits {
    /// The same limits, none beyond what this library can hold.
    pub fn bounded(self) -> Self {
        Limits {
            max_depth: self.max_depth.min(DEEPEST),
            max_item_bytes: self.max_item_bytes.min(LARGEST),
            max_parts: self.max_parts,
        }
    }
}
