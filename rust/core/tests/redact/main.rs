//! Redaction: the cases of the field, examples of every carrier, and laws that hold for any input.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)] // tests say what they expect

mod carriers;
mod cases;
mod examples;
mod laws;
mod stream;
mod writing;
