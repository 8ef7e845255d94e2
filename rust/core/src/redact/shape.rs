//! What state looks like, where no name tells: tokens, long runs of base64, and what is only mistaken for them.

use std::ops::Range;

/// How OpenAI's ciphertexts begin: a Fernet token, base64url.
pub const TOKEN: &[u8] = b"gAAAA";
/// Shortest piece of such a token that is one: a log line may end inside it.
pub const SHORTEST_TOKEN: usize = 10;
/// Shortest run of base64 that is taken for state under a name such as `data`.
pub const LONG: usize = 64;
/// Shortest run of base64 that is taken for state whatever stands around it.
pub const VERY_LONG: usize = 80;
/// Shortest run that is the rest of a value when a text begins or ends with it, or a line holds nothing else.
pub const REST: usize = 40;

/// How media files begin in base64: PNG, JPEG, GIF, RIFF (WebP, WAV), PDF, ZIP, MP3 (two forms), gzip, SVG, ISO media.
const MEDIA: &[&[u8]] = &[
    b"iVBORw0KGgo",
    b"/9j/",
    b"R0lGOD",
    b"UklGR",
    b"JVBERi0",
    b"UEsDB",
    b"SUQz",
    b"//uQ",
    b"H4sI",
    b"PHN2Zy",
    b"AAAAIGZ0eXA",
    b"AAAAHGZ0eXA",
    b"AAAAGGZ0eXA",
];
/// What stands before or begins a run that is no state: data URIs, checksums of package files.
const NOT_BEFORE: &[&[u8]] = &[b";base64,", b"sha256-", b"sha384-", b"sha512-"];

/// Whether a byte belongs to base64, in either alphabet.
pub fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The length of the run of base64 that begins here, padding included.
pub fn run(rest: &[u8]) -> usize {
    let length = rest.iter().take_while(|byte| is_base64(**byte)).count();
    length + rest[length..].iter().take(2).take_while(|byte| **byte == b'=').count()
}

/// Whether a whole value is one run of base64 of at least this length.
pub fn is_run(value: &[u8], shortest: usize) -> bool {
    value.len() >= shortest && run(value) == value.len()
}

/// Whether a run is as mixed as bytes in base64 are; paths, names and hex digits are not.
pub fn is_mixed(run: &[u8]) -> bool {
    let [upper, lower, digits] = mixture(run);
    upper * 6 >= run.len() && lower * 8 >= run.len() && digits * 64 >= run.len()
}

/// Whether a run has something of what base64 has: enough where its place tells the rest.
pub fn is_varied(run: &[u8]) -> bool {
    let [upper, lower, digits] = mixture(run);
    upper >= 2 && lower >= 2 && (digits > 0 || run.contains(&b'+') || run.ends_with(b"="))
}

/// How many capitals, small letters and digits are in it.
fn mixture(run: &[u8]) -> [usize; 3] {
    let mut counts = [0; 3];
    for byte in run {
        match byte {
            b'A'..=b'Z' => counts[0] += 1,
            b'a'..=b'z' => counts[1] += 1,
            b'0'..=b'9' => counts[2] += 1,
            _ => {}
        }
    }
    counts
}

/// Whether a value is a media file in base64.
pub fn is_media(value: &[u8]) -> bool {
    value.starts_with(b"data:") || MEDIA.iter().any(|magic| value.starts_with(magic))
}

/// Whether a run begins like JSON in base64.
pub fn spells_json(run: &[u8]) -> bool {
    [&b"eyJ"[..], b"W3si", b"ewog"].iter().any(|start| run.starts_with(start))
}

/// Whether a value may be the bytes of a picture, a sound or a document.
pub fn is_data(value: &[u8]) -> bool {
    is_run(value, 1) && !value.starts_with(TOKEN) && !spells_json(value)
}

/// Whether a value looks like state by itself.
pub fn is_state(value: &[u8]) -> bool {
    value.starts_with(TOKEN) && value.len() >= SHORTEST_TOKEN && is_run(value, SHORTEST_TOKEN)
        || is_run(value, LONG) && is_mixed(value) && !is_media(value)
}

/// Whether a value of a `signature` may be one: code signatures have spaces or brackets.
pub fn is_word(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'(' | b')' | b'<' | b'>' | b'{' | b'}'))
}

/// Whether a value reads like a text rather than like a name or a setting.
pub fn is_prose(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_whitespace) || value.len() > 100 || !value.is_ascii()
}

/// The next run of at least so many bytes of base64 after an offset, of which two may be padding. Looks at one byte in
/// so many.
pub fn next_run(text: &[u8], from: usize, shortest: usize) -> Option<Range<usize>> {
    let step = shortest - 2;
    let mut at = from + step - 1;
    while let Some(byte) = text.get(at) {
        if is_base64(*byte) {
            let start = at - text[from..at].iter().rev().take_while(|byte| is_base64(**byte)).count();
            let length = run(&text[start..]);
            if length >= shortest {
                return Some(start..start + length);
            }
            at = start + length;
        }
        at += step;
    }
    None
}

/// Whether a run is no state: a media file, or what stands before it or at its beginning says so.
pub fn is_excused(before: &[u8], run: &[u8]) -> bool {
    is_media(run) || NOT_BEFORE.iter().any(|mark| before.ends_with(mark) || run.starts_with(mark))
}
