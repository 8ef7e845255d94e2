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
use crate::measure::Group;
use crate::schema::FAST_AGENT_REASONING;
use std::borrow::Cow;
use std::fmt;

mod timing;

pub use timing::{Timing, time};

/// Items kept of one file to time the forms with.
const SAMPLES_OF_A_FILE: usize = 64;
/// Items kept in all.
pub const SAMPLES: usize = 2048;
/// Larger items are not kept.
const LARGEST_SAMPLE: usize = 64 << 10;

/// A reasoning item of OpenAI Responses, its texts decoded.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Parts<'a> {
    pub id: Option<Cow<'a, str>>,
    pub summary: Vec<Cow<'a, str>>,
    pub content: Vec<Cow<'a, str>>,
    /// Whether `content` is there as an empty list. Where it is missing, an SDK's dump says null.
    pub content_is_empty_list: bool,
    pub state: Cow<'a, str>,
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
    /// Takes an item and gives what it weighs in a request.
    pub fn item(&mut self, parts: &Parts<'_>) -> Group {
        let (stored, group) = sizes(parts);
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
    ascii: bool,
}

/// Python's `json.dumps` as it is.
const PYTHON: Spelling = Spelling { comma: 2, colon: 2, ascii: true };
/// No spaces, raw UTF-8: what travels to a provider.
const COMPACT: Spelling = Spelling { comma: 1, colon: 1, ascii: false };

impl Spelling {
    fn object(self, fields: &[(&str, usize)]) -> usize {
        let bytes: usize = fields.iter().map(|(name, value)| name.len() + 2 + self.colon + value).sum();
        2 + bytes + self.comma * fields.len().saturating_sub(1)
    }

    fn parts(self, tag: &str, texts: &[Cow<'_, str>]) -> usize {
        let part = |text: &Cow<'_, str>| self.object(&[("type", tag.len() + 2), ("text", self.string(text))]);
        2 + texts.iter().map(part).sum::<usize>() + self.comma * texts.len().saturating_sub(1)
    }

    fn string(self, text: &str) -> usize {
        2 + escaped(text, self.ascii)
    }
}

/// The bytes of a text inside a JSON string.
fn escaped(text: &str, ascii: bool) -> usize {
    let more = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..0x20 => 5,
        0x7f if ascii => 5,
        _ => 0,
    };
    let escapes: usize = text.bytes().map(more).sum();
    let wide = if ascii && !text.is_ascii() {
        // \uXXXX, twice for characters beyond the first plane, in the place of two to four bytes.
        text.chars().filter(|c| !c.is_ascii()).map(|c| 6 * c.len_utf16() - c.len_utf8()).sum()
    } else {
        0
    };
    text.len() + escapes + wide
}

/// What a program shows of an item: the texts of its summary or else of its content, without those that are blank.
pub fn display(parts: &Parts<'_>) -> String {
    let join = |texts: &[Cow<'_, str>]| {
        let texts: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        texts.join("\n\n")
    };
    let summary = join(&parts.summary);
    if summary.is_empty() { join(&parts.content) } else { summary }
}

/// What an item weighs in a request.
pub fn weigh(parts: &Parts<'_>) -> Group {
    sizes(parts).1
}

fn sizes(parts: &Parts<'_>) -> (Stored, Group) {
    let snapshot = |style: Spelling| {
        let content = if parts.content.is_empty() {
            if parts.content_is_empty_list { "[]".len() } else { "null".len() }
        } else {
            style.parts("reasoning_text", &parts.content)
        };
        let mut fields = [("", 0); 5];
        let mut count = 0;
        let mut field = |name, bytes| {
            fields[count] = (name, bytes);
            count += 1;
        };
        if let Some(id) = &parts.id {
            field("id", style.string(id));
        }
        field("summary", style.parts("summary_text", &parts.summary));
        field("type", "\"reasoning\"".len());
        field("content", content);
        field("encrypted_content", style.string(&parts.state));
        style.object(&fields[..count])
    };
    let sent = snapshot(COMPACT);
    let content_field = if parts.content.is_empty() {
        // The canonical item has no field for it.
        "\"content\":,".len() + if parts.content_is_empty_list { "[]".len() } else { "null".len() }
    } else {
        0
    };
    let canonical = sent - content_field;
    let legacy = |style: Spelling, with_summary: bool| {
        let id = parts.id.as_ref().map(|id| ("id", style.string(id)));
        let summary = with_summary.then_some(("summary", "[]".len()));
        let state = [("type", "\"reasoning\"".len()), ("encrypted_content", style.string(&parts.state))];
        let fields: Vec<(&str, usize)> = state.into_iter().chain(id).chain(summary).collect();
        style.object(&fields)
    };
    let shown = display(parts);
    let stored = Stored {
        snapshot: snapshot(PYTHON) as u64,
        canonical: (canonical + frame(parts)) as u64,
        legacy: legacy(PYTHON, false) as u64,
    };
    let group = Group {
        outputs: 1,
        state: parts.state.len() as u64,
        snapshot: sent as u64,
        canonical: canonical as u64,
        items: 1,
        legacy: legacy(COMPACT, true) as u64,
        shown: u64::from(!shown.is_empty()),
        shown_bytes: escaped(&shown, false) as u64,
    };
    (stored, group)
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
            let (stored, group) = sizes(&parts);
            prop_assert_eq!(stored.snapshot, written(timing::push_snapshot, &parts));
            prop_assert_eq!(stored.canonical, written(timing::push_envelope, &parts));
            prop_assert_eq!(stored.legacy, written(timing::push_legacy, &parts));
            prop_assert_eq!(group.canonical, written(timing::push_item, &parts));
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
