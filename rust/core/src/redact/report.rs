//! What was replaced: counts and bytes, by class and by name. No content and no name of the input.

use std::collections::BTreeMap;

/// Why something was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is state that only a provider can read.
    Opaque,
    /// A model wrote it while reasoning.
    ReasoningText,
    /// It could not be looked at: nested too deep, or too large.
    Unread,
}

impl Why {
    /// Its name in a report.
    pub const fn slug(self) -> &'static str {
        match self {
            Why::Opaque => "opaque",
            Why::ReasoningText => "reasoning_text",
            Why::Unread => "unread",
        }
    }
}

/// How many values, and how many UTF-8 bytes of decoded text they had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Values that were replaced. A list of parts is one.
    pub values: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.values += other.values;
        self.bytes += other.bytes;
    }
}

/// What a redaction replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    rows: BTreeMap<(Why, &'static str), Count>,
}

impl Report {
    /// Counts one value.
    pub fn count(&mut self, why: Why, label: &'static str, bytes: usize) {
        self.rows.entry((why, label)).or_default().add(Count { values: 1, bytes: bytes as u64 });
    }

    /// Adds what another part of the same text had.
    pub fn merge(&mut self, other: &Report) {
        for (row, count) in &other.rows {
            self.rows.entry(*row).or_default().add(*count);
        }
    }

    /// Each class and name with its count, in order.
    pub fn rows(&self) -> impl Iterator<Item = (Why, &'static str, Count)> + '_ {
        self.rows.iter().map(|((why, label), count)| (*why, *label, *count))
    }

    /// All together.
    pub fn total(&self) -> Count {
        self.sum(|_| true)
    }

    /// All of one class.
    pub fn of(&self, why: Why) -> Count {
        self.sum(|found| found == why)
    }

    fn sum(&self, wanted: impl Fn(Why) -> bool) -> Count {
        let mut sum = Count::default();
        self.rows.iter().filter(|((why, _), _)| wanted(*why)).for_each(|(_, count)| sum.add(*count));
        sum
    }

    /// One line of JSON: totals, then per class the totals and the count of each name.
    pub fn to_json(&self) -> String {
        let pair = |count: Count| format!("\"values\":{},\"bytes\":{}", count.values, count.bytes);
        let classes: Vec<String> = [Why::Opaque, Why::ReasoningText, Why::Unread]
            .into_iter()
            .map(|class| {
                let names = self.rows().filter(|(why, ..)| *why == class);
                let names: Vec<_> = names.map(|(_, label, count)| format!("\"{label}\":{{{}}}", pair(count))).collect();
                format!("\"{}\":{{{},\"fields\":{{{}}}}}", class.slug(), pair(self.of(class)), names.join(","))
            })
            .collect();
        format!("{{{},{}}}", pair(self.total()), classes.join(","))
    }
}
