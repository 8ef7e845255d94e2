//! Opaque values seen so far: how many, how many different ones, which ids they came under. No value is kept.

use super::finger::{Finger, FingerMap};
use crate::dedupe::{RE_ENCRYPTED_WITHIN, fernet_time};
use multiversion::multiversion;

/// What the text of a state field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// State that a provider could have made.
    Value,
    /// Some other text in its place.
    Placeholder,
    /// No text.
    Empty,
}

impl Class {
    /// Its name in a histogram.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Value => "value",
            Class::Placeholder => "placeholder",
            Class::Empty => "empty",
        }
    }
}

/// Shortest text that is taken for state. Real values begin at 68 characters; ids and placeholders that look like base64
/// were seen up to 38.
const SHORTEST_STATE: usize = 40;
/// Shortest Fernet token: 73 bytes.
const SHORTEST_TOKEN: usize = 100;

/// What a text in a state field is: written in either alphabet of base64 and long enough, or a placeholder. Whether it
/// decodes is not asked: made-up state in tests often does not, and counts as what it stands for.
pub fn class(text: &str) -> Class {
    if text.is_empty() {
        return Class::Empty;
    }
    let shortest = if text.starts_with("gAAAA") { SHORTEST_TOKEN } else { SHORTEST_STATE };
    let body = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    if text.len() >= shortest && is_base64(body.as_bytes()) { Class::Value } else { Class::Placeholder }
}

/// Whether every byte is of one of the alphabets. In blocks, so that the compiler uses vector instructions.
#[multiversion(targets("x86_64+avx2"))]
fn is_base64(bytes: &[u8]) -> bool {
    let of_alphabet = |byte: u8| {
        let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let digit_or_slash = byte.wrapping_sub(b'/') < 11;
        letter | digit_or_slash | (byte == b'+') | (byte == b'-') | (byte == b'_')
    };
    let (blocks, rest) = bytes.as_chunks::<64>();
    let block_is = |block: &[u8; 64]| block.iter().fold(true, |all, byte| all & of_alphabet(*byte));
    blocks.iter().all(block_is) && rest.iter().all(|byte| of_alphabet(*byte))
}

/// Where a value was met.
const IN_ITEM: u8 = 1;
const WITHOUT_ID: u8 = 2;

/// Every value once, by fingerprint.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// Texts of state fields anywhere, placeholders included, with where they were met.
    texts: FingerMap<u8>,
    /// The values that came under each id.
    ids: FingerMap<Vec<Token>>,
    /// Values in items, and their bytes.
    pub values: u64,
    /// Bytes of those.
    pub chars: u64,
    /// Texts in items that are no state.
    pub placeholders: u64,
    /// Empty texts in items.
    pub empty: u64,
    /// Items with an id.
    pub with_id: u64,
}

/// A value under an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    finger: Finger,
    /// When it was encrypted, in unix seconds; 0 if it does not say.
    time: u64,
}

/// What the values of one file (or of all files) add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Unique {
    pub values: u64,
    pub chars: u64,
    /// Texts of state fields anywhere, placeholders and nested places included.
    pub texts: u64,
    pub bytes: u64,
}

/// Ids, and what repeats under them. Counted without regard to order, so that it can be counted in parallel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Ids {
    pub with_id: u64,
    pub distinct: u64,
    pub with_several_values: u64,
    /// The same value again, under the same id or again without one.
    pub exact_duplicates: u64,
    /// The same value under another id.
    pub shared: u64,
    /// Another value under the same id, of the same length and encrypted within minutes: one state encrypted anew.
    pub re_encrypted: u64,
    /// Another value under the same id, which is none of these.
    pub conflicts: u64,
}

impl States {
    /// Takes the state of an item.
    pub fn item(&mut self, id: Option<&str>, text: Option<&str>) -> Option<Class> {
        let known = id.map(|id| {
            self.with_id += 1;
            self.ids.entry(Finger::of(id)).or_default()
        });
        let text = text?;
        let class = class(text);
        match class {
            Class::Empty => self.empty += 1,
            Class::Placeholder => {
                self.placeholders += 1;
                self.texts.entry(Finger::of(text)).or_default();
            }
            Class::Value => {
                self.values += 1;
                self.chars += text.len() as u64;
                let finger = Finger::of(text);
                let place = self.texts.entry(finger).or_default();
                *place |= IN_ITEM;
                match known {
                    None => *place |= WITHOUT_ID,
                    Some(tokens) => push(tokens, Token { finger, time: fernet_time(text).unwrap_or_default() }),
                }
            }
        }
        Some(class)
    }

    /// Takes state met elsewhere: in a history inside a record, in an event.
    pub fn nested(&mut self, text: &str) {
        if !text.is_empty() {
            self.texts.entry(Finger::of(text)).or_default();
        }
    }

    /// Adds the values of another place.
    pub fn merge(&mut self, other: States) {
        self.values += other.values;
        self.chars += other.chars;
        self.placeholders += other.placeholders;
        self.empty += other.empty;
        self.with_id += other.with_id;
        if self.texts.is_empty() {
            self.texts = other.texts;
        } else {
            for (finger, place) in other.texts {
                *self.texts.entry(finger).or_default() |= place;
            }
        }
        for (id, tokens) in other.ids {
            let known = self.ids.entry(id).or_default();
            tokens.into_iter().for_each(|token| push(known, token));
        }
    }

    /// Gives away which texts were met; how many there were stays.
    pub(super) fn take_texts(&mut self) -> FingerMap<u8> {
        std::mem::take(&mut self.texts)
    }

    /// Takes what [`States::take_texts`] gave.
    pub(super) fn put_texts(&mut self, texts: FingerMap<u8>) {
        self.texts = texts;
    }

    /// How many different ones there are.
    pub fn unique(&self) -> Unique {
        let mut unique = Unique::default();
        for (finger, place) in &self.texts {
            unique.texts += 1;
            unique.bytes += finger.bytes();
            if place & IN_ITEM != 0 {
                unique.values += 1;
                unique.chars += finger.bytes();
            }
        }
        unique
    }

    /// What came under which id; forgets the ids, which mean nothing outside of their file.
    pub fn close_ids(&mut self) -> Ids {
        let without_id = self.texts.values().filter(|place| **place & WITHOUT_ID != 0).count() as u64;
        let mut ids = Ids { with_id: self.with_id, distinct: self.ids.len() as u64, ..Ids::default() };
        let mut pairs = without_id;
        for (_, mut tokens) in std::mem::take(&mut self.ids) {
            sort(&mut tokens);
            let values = tokens.len() as u64;
            pairs += values;
            let anew = tokens.windows(2).filter(|pair| pair[1].encrypted_anew(pair[0])).count() as u64;
            ids.with_several_values += u64::from(values > 1);
            ids.re_encrypted += anew;
            ids.conflicts += values.saturating_sub(1 + anew);
        }
        let different = self.texts.values().filter(|place| **place & IN_ITEM != 0).count() as u64;
        ids.exact_duplicates = self.values - pairs;
        ids.shared = pairs - different;
        ids
    }
}

/// Adds a value; repeats are thrown out whenever the list is full, so it stays short and never costs a search.
fn push(tokens: &mut Vec<Token>, token: Token) {
    if tokens.len() == tokens.capacity() {
        sort(tokens);
        tokens.reserve_exact(tokens.len().max(1));
    }
    tokens.push(token);
}

fn sort(tokens: &mut Vec<Token>) {
    tokens.sort_unstable_by_key(|token| (token.finger.bytes(), token.time, token.finger));
    tokens.dedup();
}

impl Token {
    fn encrypted_anew(self, earlier: Token) -> bool {
        let same_length = self.finger.bytes() == earlier.finger.bytes();
        same_length && earlier.time > 0 && self.time.abs_diff(earlier.time) <= RE_ENCRYPTED_WITHIN
    }
}
