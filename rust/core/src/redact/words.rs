//! Words and strings of structured text: where they end.

use memchr::{memchr2, memchr3};

/// Whether a bare word is a value of JSON or Python.
pub fn is_literal(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] =
        [b"null", b"true", b"false", b"None", b"True", b"False", b"NaN", b"Infinity", b"-Infinity"];
    WORDS.contains(&word)
        || word.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E'))
}

/// The padding of a bare base64 token: `=` signs after which nothing of a value can follow.
pub fn padding(rest: &[u8], before: usize) -> usize {
    let signs = rest.iter().take_while(|byte| **byte == b'=').count();
    let ends = rest.get(signs).is_none_or(|byte| {
        matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b';' | b')' | b']' | b'}' | b'\\' | b'"')
    });
    if before >= 6 && (1..=2).contains(&signs) && ends { signs } else { 0 }
}

/// The length of the terminal's colour sequence that a text begins with: programs colour the JSON that they print.
pub fn colour(text: &[u8]) -> usize {
    let Some(rest) = text.strip_prefix(b"\x1b[") else { return 0 };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    if rest.get(digits) == Some(&b'm') { digits + 3 } else { 0 }
}

/// Where a line ends.
pub fn line_end(text: &[u8], from: usize) -> usize {
    memchr2(b'\n', b'\r', &text[from..]).map_or(text.len(), |at| from + at)
}

/// Where the content of a string ends and how long its closing quote is, backslashes included. None when the line ends
/// first: neither JSON nor Python breaks a line inside such a string, so the string was cut off.
pub fn end_of_string(text: &[u8], content: usize, quote: u8, backslashes: usize) -> Option<(usize, usize)> {
    let mut at = content;
    if backslashes == 0 {
        loop {
            at += memchr3(quote, b'\\', b'\n', &text[at..])?;
            match text[at] {
                b'\\' => at += 2,
                b'\n' => return None,
                _ => return Some((at, 1)),
            }
            if at > text.len() {
                return None;
            }
        }
    }
    // Inside a string that is itself escaped `level` times, a quote ends the string when it carries exactly the
    // backslashes that the opening one has, after pairs of them that are escaped backslashes.
    let step = backslashes + 1;
    loop {
        at += memchr2(quote, b'\n', &text[at..])?;
        if text[at] == b'\n' {
            return None;
        }
        let run = text[content..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if run % step != backslashes {
            return Some((at - run, 0)); // a quote of an outer string: everything inside ends here
        }
        if (run / step).is_multiple_of(2) {
            return Some((at - backslashes, backslashes + 1));
        }
        at += 1;
    }
}
