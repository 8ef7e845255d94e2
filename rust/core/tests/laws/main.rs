//! Laws that hold for every input, checked with random ones. `docs/format.md` numbers the rules.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)] // tests say what they expect

mod capture;
mod codes;
mod dedupe;
mod envelopes;
mod fast_road;
mod json;
mod page;
mod strategies;
mod tables;
mod value;
