//! How text is spelled inside a string, in JSON and in Python: undoing escapes, and putting replacements back.

use std::borrow::Cow;
use std::ops::Range;

/// What stands for half a surrogate pair, which is no character.
const REPLACEMENT: char = '\u{fffd}';

/// The text of a string's content. Total: what is no escape stays as it is.
pub fn unescape(content: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'\\', content) else { return Cow::Borrowed(content) };
    let mut out = Vec::with_capacity(content.len());
    out.extend_from_slice(&content[..first]);
    let mut at = first;
    while at < content.len() {
        let used = step(&content[at..], &mut out);
        at += used;
    }
    Cow::Owned(out)
}

/// Reads one escape, or the run of plain bytes before the next one; returns how many bytes were read.
fn step(rest: &[u8], out: &mut Vec<u8>) -> usize {
    if rest[0] != b'\\' {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        return plain;
    }
    let (character, used) = match rest.get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'0') => ('\0', 2),
        Some(byte @ (b'"' | b'\'' | b'\\' | b'/')) => (char::from(*byte), 2),
        Some(b'\n') => return 2, // a line that goes on
        Some(b'u') => unicode(rest),
        Some(b'U') => hex(rest, 2, 8).map_or(('\\', 1), |code| (char::from_u32(code).unwrap_or(REPLACEMENT), 10)),
        Some(b'x') => hex(rest, 2, 2).map_or(('\\', 1), |code| (char::from_u32(code).unwrap_or(REPLACEMENT), 4)),
        _ => ('\\', 1),
    };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    used
}

fn unicode(rest: &[u8]) -> (char, usize) {
    let Some(unit) = hex(rest, 2, 4) else { return ('\\', 1) };
    if let Some(character) = char::from_u32(unit) {
        return (character, 6);
    }
    let low = rest.get(6..8).filter(|pair| *pair == b"\\u").and_then(|_| hex(rest, 8, 4));
    match low {
        Some(low) if unit < 0xdc00 && (0xdc00..0xe000).contains(&low) => {
            let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            (char::from_u32(code).unwrap_or(REPLACEMENT), 12)
        }
        _ => (REPLACEMENT, 6),
    }
}

fn hex(rest: &[u8], from: usize, digits: usize) -> Option<u32> {
    let text = std::str::from_utf8(rest.get(from..from + digits)?).ok()?;
    text.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

/// Turns ranges of the unescaped text into ranges of the content as spelled. The ranges are in order, do not overlap
/// and are not empty; an escape of which a part is inside is taken whole.
pub fn respell(content: &[u8], ranges: &mut [Range<usize>]) {
    let (mut at, mut done) = (0, 0); // where we are in the content, and in its unescaped text
    let mut out = Vec::new();
    // Borders in order: start, end, start, end …
    let mut border = 0;
    while at < content.len() && border < 2 * ranges.len() {
        out.clear();
        let used = step(&content[at..], &mut out);
        let same = used == out.len(); // plain bytes
        while let Some(range) = ranges.get_mut(border / 2) {
            let ends = border % 2 == 1;
            let target = if ends { range.end } else { range.start };
            if target > done + out.len() || (target == done + out.len() && !ends) {
                break;
            }
            let inside = target.saturating_sub(done);
            let found = if same { at + inside } else { at + if ends && inside > 0 { used } else { 0 } };
            *(if ends { &mut range.end } else { &mut range.start }) = found;
            border += 1;
        }
        done += out.len();
        at += used;
    }
    while let Some(range) = ranges.get_mut(border / 2) {
        *(if border % 2 == 1 { &mut range.end } else { &mut range.start }) = content.len();
        border += 1;
    }
}

/// A text as it is spelled in a string with this quote. Marks hold no control characters.
pub fn escape(text: &str, quote: u8) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if character == '\\' || character == char::from(quote) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
