//! Counts by name.

use crate::error::field_name;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// More names than this in one place are counted together: a hostile file must not fill the memory with names.
const MAX_NAMES: usize = 256;
/// Where they are counted.
const OTHER: &str = "<other>";

/// How often each name was met, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<Cow<'static, str>, u64>);

impl Counts {
    /// Counts a name of our own.
    pub fn add(&mut self, name: &'static str, count: u64) {
        *self.0.entry(Cow::Borrowed(name)).or_default() += count;
    }

    /// Counts a name that an input gave. It is shown as it is only if it looks like the name of a field.
    pub fn add_found(&mut self, name: &str, count: u64) {
        // The name may be one of ours, so it is looked up before it is made safe, which takes longer.
        if let Some(known) = self.0.get_mut(name) {
            *known += count;
            return;
        }
        let name = if self.0.len() < MAX_NAMES { Cow::Owned(field_name(name)) } else { Cow::Borrowed(OTHER) };
        *self.0.entry(name).or_default() += count;
    }

    /// Adds the counts of another place.
    pub fn merge(&mut self, other: Counts) {
        if self.0.is_empty() {
            *self = other;
            return;
        }
        for (name, count) in other.0 {
            let known = self.0.contains_key(&name) || self.0.len() < MAX_NAMES;
            *self.0.entry(if known { name } else { Cow::Borrowed(OTHER) }).or_default() += count;
        }
    }

    /// How often a name was met.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// How often any name was met.
    pub fn sum(&self) -> u64 {
        self.0.values().sum()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, count)| (name.as_ref(), *count))
    }
}
