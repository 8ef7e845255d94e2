//! The payload comparison: the same reasoning items stored and sent in three forms.
//!
//! | form | stored | sent |
//! |---|---|---|
//! | raw snapshot | what fast-agent 0.10.11 wrote: the SDK's dump, Python's default separators, ASCII escapes | all of it, `content` included when it is null or empty |
//! | canonical envelope | the envelope of this library | the canonical item |
//! | legacy fallback | what fast-agent 0.10.4 wrote: `type`, `encrypted_content`, `id` | the same, with every text shown in the message as the summary of each of its items |
//!
//! Sizes are computed without writing the forms; [`time`] writes them, for a sample.

use crate::envelope;
use crate::measure::{Class, Group};
use crate::schema::FAST_AGENT_REASONING;
use multiversion::multiversion;
use std::borrow::Cow;
use std::fmt;

mod timing;

#[cfg(test)]
pub(crate) use timing::push_envelope;
pub use timing::{Timing, time};

/// Items kept of one file to time the forms with.
const SAMPLES_OF_A_FILE: usize = 16;
/// Items kept in all.
pub const SAMPLES: usize = 2048;
/// Larger items are not kept.
const LARGEST_SAMPLE: usize = 64 << 10;

/// A reasoning item of OpenAI Responses, its texts decoded.
#[derive(Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Parts<'a> {
    pub id: Option<Cow<'a, str>>,
    pub summary: Vec<Cow<'a, str>>,
    pub content: Vec<Cow<'a, str>>,
    /// Whether `content` is there as an empty list. Where it is missing, an SDK's dump says null.
    pub content_is_empty_list: bool,
    pub state: Cow<'a, str>,
}

/// Counts only: texts and state are never printed.
impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<item of {} and {} parts, {} bytes of state>",
            self.summary.len(),
            self.content.len(),
            self.state.len()
        )
    }
}

/// Bytes stored in each form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Stored {
    pub snapshot: u64,
    pub canonical: u64,
    pub legacy: u64,
}

/// The items of the comparison.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Payload {
    pub items: u64,
    /// Reasoning items that cannot be written in all three forms: no summary of their own, no state, odd parts.
    pub left_out: u64,
    pub stored: Stored,
    samples: Vec<Sample>,
}

/// The canonical text of an item, in memory only.
#[derive(Clone)]
pub struct Sample(Box<str>);

impl fmt::Debug for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<item of {} bytes>", self.0.len())
    }
}

impl Payload {
    /// Takes an item and gives what it weighs in a request. State of the class [`Class::Value`] holds nothing to escape.
    pub fn item(&mut self, parts: &Parts<'_>, state: Option<Class>) -> Group {
        let (stored, group) = sizes(parts, state == Some(Class::Value));
        self.items += 1;
        self.stored.add(stored);
        if self.samples.len() < SAMPLES_OF_A_FILE && group.canonical <= LARGEST_SAMPLE as u64 {
            self.samples.push(Sample(canonical(parts).into_boxed_str()));
        }
        group
    }

    /// Adds the items of another place. Samples are the first ones of a file; of many files, those of the first.
    pub fn merge(&mut self, other: Payload) {
        self.items += other.items;
        self.left_out += other.left_out;
        self.stored.add(other.stored);
        let room = SAMPLES_OF_A_FILE.saturating_sub(self.samples.len());
        self.samples.extend(other.samples.into_iter().take(room));
    }

    /// Gives the samples away.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.samples)
    }
}

impl Stored {
    fn add(&mut self, other: Stored) {
        self.snapshot += other.snapshot;
        self.canonical += other.canonical;
        self.legacy += other.legacy;
    }
}

/// How JSON is spelled.
#[derive(Clone, Copy)]
struct Spelling {
    comma: usize,
    colon: usize,
    /// Which of the two lengths of a text counts.
    bytes: fn(Length) -> usize,
}

/// Python's `json.dumps` as it is.
const PYTHON: Spelling = Spelling { comma: 2, colon: 2, bytes: |length| length.ascii };
/// No spaces, raw UTF-8: what travels to a provider.
const COMPACT: Spelling = Spelling { comma: 1, colon: 1, bytes: |length| length.raw };

impl Spelling {
    fn object(self, fields: &[(&str, usize)]) -> usize {
        let bytes: usize = fields.iter().map(|(name, value)| name.len() + 2 + self.colon + value).sum();
        2 + bytes + self.comma * fields.len().saturating_sub(1)
    }

    fn parts(self, tag: &str, texts: Length, count: usize) -> usize {
        let part = self.object(&[("type", tag.len() + 2), ("text", 2)]);
        2 + count * part + (self.bytes)(texts) + self.comma * count.saturating_sub(1)
    }

    fn string(self, text: Length) -> usize {
        2 + (self.bytes)(text)
    }
}

/// The bytes of a text inside a JSON string: as raw UTF-8, and with everything but ASCII escaped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Length {
    raw: usize,
    ascii: usize,
}

impl Length {
    fn plain(text: &str) -> Self {
        Length { raw: text.len(), ascii: text.len() }
    }

    fn of(text: &str) -> Self {
        if is_plain(text.as_bytes()) {
            return Length::plain(text);
        }
        let (raw, ascii) = more_bytes(text.as_bytes());
        Length { raw: text.len() + raw, ascii: text.len() + ascii }
    }

    fn of_all(texts: &[Cow<'_, str>]) -> Self {
        texts.iter().map(|text| Length::of(text)).fold(Length::default(), |sum, length| Length {
            raw: sum.raw + length.raw,
            ascii: sum.ascii + length.ascii,
        })
    }
}

/// How many bytes more a text takes in a JSON string: as raw UTF-8, and with everything but ASCII escaped.
/// Sums of bytes in rows of a fixed length and without branches, so that the compiler uses vector instructions.
#[multiversion(targets("x86_64+avx2"))]
fn more_bytes(bytes: &[u8]) -> (usize, usize) {
    const ROW: usize = 32;
    /// Rows that can be added up without going beyond a byte: 8 is the most that one adds.
    const ROWS: usize = 30;
    let mut sums = (0, 0);
    for part in bytes.chunks(ROW * ROWS) {
        let (mut raw, mut ascii) = ([0u8; ROW], [0u8; ROW]);
        let (rows, rest) = part.as_chunks::<ROW>();
        for row in rows {
            for column in 0..ROW {
                raw[column] += more_raw(row[column]);
                ascii[column] += more_ascii(row[column]);
            }
        }
        // What does not fill a row is filled up with spaces, which add nothing.
        let mut row = [b' '; ROW];
        row[..rest.len()].copy_from_slice(rest);
        for column in 0..ROW {
            raw[column] += more_raw(row[column]);
            ascii[column] += more_ascii(row[column]);
        }
        let sum = |row: [u8; ROW]| row.iter().map(|byte| usize::from(*byte)).sum::<usize>();
        sums = (sums.0 + sum(raw), sums.1 + sum(ascii));
    }
    (sums.0, sums.0 + sums.1)
}

/// `if` as a number: the compiler makes a mask of it.
#[inline(always)]
const fn when(yes: bool, number: u8) -> u8 {
    if yes { number } else { 0 }
}

#[inline(always)]
const fn more_raw(byte: u8) -> u8 {
    // \b, \t, \n, \f, \r are the control characters with a short form.
    let short = (byte == 8) | (byte == 9) | (byte == 10) | (byte == 12) | (byte == 13);
    when(byte < 0x20, 5) - when(short, 4) + when((byte == b'"') | (byte == b'\\'), 1)
}

/// \uXXXX, twice beyond the first plane, in the place of a character's one to four bytes: told by the first of them.
#[inline(always)]
const fn more_ascii(byte: u8) -> u8 {
    when(byte == 0x7f, 5) + when(byte >= 0xc0, 4) - when(byte >= 0xe0, 1) + when(byte >= 0xf0, 5)
}

/// Whether a text is written as it is in either spelling. In blocks, so that the compiler uses vector instructions.
#[multiversion(targets("x86_64+avx2"))]
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |byte: u8| (byte.wrapping_sub(0x20) < 0x5f) & (byte != b'"') & (byte != b'\\');
    let (blocks, rest) = bytes.as_chunks::<64>();
    let block_is = |block: &[u8; 64]| block.iter().fold(true, |all, byte| all & plain(*byte));
    blocks.iter().all(block_is) && rest.iter().all(|byte| plain(*byte))
}

/// The texts that a program shows of an item: those of its summary or else of its content, without the blank ones.
fn shown<'p>(parts: &'p Parts<'_>) -> impl Iterator<Item = &'p str> {
    let texts = |texts: &'p [Cow<'_, str>]| texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let summary = texts(&parts.summary).next().is_some();
    texts(if summary { &parts.summary } else { &parts.content })
}

/// What stands between two of them.
const JOINT: &str = "\n\n";

/// What a program shows of an item as one text.
pub fn display<'p>(parts: &'p Parts<'_>) -> Cow<'p, str> {
    let mut texts = shown(parts);
    match (texts.next(), texts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(only),
        _ => Cow::Owned(shown(parts).collect::<Vec<&str>>().join(JOINT)),
    }
}

/// How many texts are shown, and the bytes of them and their joints in a JSON string.
fn shown_length(parts: &Parts<'_>, summary: Length) -> (u64, usize) {
    let untouched =
        |texts: &[Cow<'_, str>]| texts.iter().all(|text| text.trim().len() == text.len() && !text.is_empty());
    let bytes = if !parts.summary.is_empty() && untouched(&parts.summary) {
        summary.raw
    } else {
        shown(parts).map(|text| Length::of(text).raw).sum()
    };
    let count = shown(parts).count();
    (u64::from(count > 0), bytes + Length::of(JOINT).raw * count.saturating_sub(1))
}

/// What an item weighs in a request.
pub fn weigh(parts: &Parts<'_>) -> Group {
    sizes(parts, false).1
}

fn sizes(parts: &Parts<'_>, state_is_plain: bool) -> (Stored, Group) {
    let id = parts.id.as_ref().map(|id| Length::of(id));
    let state = if state_is_plain { Length::plain(&parts.state) } else { Length::of(&parts.state) };
    let (summary, content) = (Length::of_all(&parts.summary), Length::of_all(&parts.content));
    let nothing = if parts.content_is_empty_list { "[]".len() } else { "null".len() };
    let snapshot = |style: Spelling| {
        let content = match parts.content.len() {
            0 => nothing,
            count => style.parts("reasoning_text", content, count),
        };
        let fields = [
            ("summary", style.parts("summary_text", summary, parts.summary.len())),
            ("type", "\"reasoning\"".len()),
            ("content", content),
            ("encrypted_content", style.string(state)),
        ];
        with_id(style, id, &fields)
    };
    let legacy = |style: Spelling, summary: &[(&str, usize)]| {
        let fields = [("type", "\"reasoning\"".len()), ("encrypted_content", style.string(state))];
        with_id(style, id, &fields)
            + summary.iter().map(|(name, value)| ",\"\":".len() + name.len() + value).sum::<usize>()
    };
    let sent = snapshot(COMPACT);
    // The canonical item has no field for content that is not there.
    let canonical = if parts.content.is_empty() { sent - "\"content\":,".len() - nothing } else { sent };
    let (shown, shown_bytes) = shown_length(parts, summary);
    let stored = Stored {
        snapshot: snapshot(PYTHON) as u64,
        canonical: (canonical + frame(parts)) as u64,
        legacy: legacy(PYTHON, &[]) as u64,
    };
    let group = Group {
        outputs: 1,
        state: parts.state.len() as u64,
        snapshot: sent as u64,
        canonical: canonical as u64,
        items: 1,
        legacy: legacy(COMPACT, &[("summary", "[]".len())]) as u64,
        shown,
        shown_bytes: shown_bytes as u64,
    };
    (stored, group)
}

/// The bytes of an object of these fields, and an id if there is one.
fn with_id(style: Spelling, id: Option<Length>, fields: &[(&str, usize)]) -> usize {
    style.object(fields) + id.map_or(0, |id| style.comma + "\"id\"".len() + style.colon + style.string(id))
}

/// Bytes of the envelope around an item: that of fast-agent, which needs an id, or our own with a digest.
fn frame(parts: &Parts<'_>) -> usize {
    const SEALED: &str = "ostinato.openai-responses.reasoning";
    const DIGEST: usize = ",\"digest\":\"\"".len() + 64;
    match parts.id {
        Some(_) => envelope::frame_bytes(),
        None => envelope::frame_bytes() - FAST_AGENT_REASONING.len() + SEALED.len() + DIGEST,
    }
}

/// The canonical text of an item.
fn canonical(parts: &Parts<'_>) -> String {
    let mut out = String::new();
    timing::push_item(&mut out, parts);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(push: fn(&mut String, &Parts<'_>), parts: &Parts<'_>) -> u64 {
        let mut out = String::new();
        push(&mut out, parts);
        out.len() as u64
    }

    fn texts() -> impl Strategy<Value = Vec<Cow<'static, str>>> {
        let text = prop_oneof![Just(String::new()), any::<String>(), "[ -~\\u{0}-\\u{1f}\\u{7f}é漢😀]{0,30}"];
        prop::collection::vec(text.prop_map(Cow::Owned), 0..4)
    }

    fn parts() -> impl Strategy<Value = Parts<'static>> {
        let id = prop::option::of("rs_[a-z0-9\"é]{1,20}".prop_map(Cow::Owned));
        (id, texts(), texts(), any::<bool>(), "[A-Za-z0-9_-]{1,80}").prop_map(|(id, summary, content, empty, state)| {
            let content_is_empty_list = empty && content.is_empty();
            Parts { id, summary, content, content_is_empty_list, state: Cow::Owned(state) }
        })
    }

    proptest! {
        /// Sizes are computed without writing, and are those of what is written.
        #[test]
        fn sizes_are_those_of_the_written_texts(parts in parts()) {
            let (stored, group) = sizes(&parts, false);
            prop_assert_eq!(stored.snapshot, written(timing::push_snapshot, &parts));
            prop_assert_eq!(stored.canonical, written(timing::push_envelope, &parts));
            prop_assert_eq!(stored.legacy, written(timing::push_legacy, &parts));
            prop_assert_eq!(group.canonical, written(timing::push_item, &parts));
            prop_assert_eq!((stored, group), sizes(&parts, true)); // the state is made of letters here
        }

        /// What is written as our envelope is an envelope.
        #[test]
        fn the_canonical_form_is_read_again(parts in parts()) {
            let mut text = String::new();
            timing::push_envelope(&mut text, &parts);
            prop_assert!(crate::envelope::parse(&text, &crate::Limits::default()).is_ok());
        }
    }
}
