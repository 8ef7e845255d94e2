//! Envelopes of fixed sizes, the same bytes on every run. Sizes and mixture follow `benches/synthetic.py`.

#![allow(missing_docs, dead_code)] // shared by several benches, each using a part

/// Letters of the base64url alphabet.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const PLAIN: &[&str] = &[
    "The parser falls back to the slow path when the first key is not the expected one.",
    "I should check whether both branches of the cache handle an empty list.",
    "The option is called \\\"strict\\\" in one module and \\\"exact\\\" in the other.",
    "That leaves three files to edit, then the changelog and the type stubs.",
];
const TYPOGRAPHIC: &[&str] = &[
    "It’s the second branch that matters — the first one can’t be reached.",
    "Two ways: keep the index… or rebuild it on every call — slower, but simpler.",
];

/// Name, characters of ciphertext, summary parts, characters of a part.
pub const SIZES: &[(&str, usize, usize, usize)] =
    &[("500B", 248, 1, 50), ("2KB", 1508, 1, 240), ("8KB", 6600, 3, 400), ("50KB", 47_000, 5, 500)];

/// A small generator (xorshift), so that the benches need no crate for it.
pub struct Source(u64);

impl Source {
    pub fn new(seed: u64) -> Self {
        Source(seed | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    /// A token that begins as ciphertexts do.
    pub fn ciphertext(&mut self, length: usize) -> String {
        let mut text = String::from("gAAAAAB");
        while text.len() < length {
            text.push(ALPHABET[self.below(64)] as char);
        }
        text
    }

    /// JSON-escaped sentences of about this length.
    pub fn text(&mut self, length: usize, ascii: bool) -> String {
        let mut text = String::new();
        while text.len() < length {
            let pool = if ascii || self.below(2) == 0 && !text.is_empty() { PLAIN } else { TYPOGRAPHIC };
            text.push_str(pool[self.below(pool.len())]);
            text.push(' ');
        }
        text
    }

    /// A canonical envelope with this much in it.
    pub fn envelope(&mut self, ciphertext: usize, parts: usize, part: usize, ascii: bool) -> String {
        let summary: Vec<String> = (0..parts)
            .map(|_| format!("{{\"type\":\"summary_text\",\"text\":\"{}\"}}", self.text(part, ascii)))
            .collect();
        format!(
            "{{\"schema\":\"fast-agent.openai-responses.reasoning-replay\",\"version\":1,\"item\":{{\"type\":\"reasoning\",\
             \"id\":\"rs_{:048x}\",\"summary\":[{}],\"encrypted_content\":\"{}\"}}}}",
            self.below(usize::MAX),
            summary.join(","),
            self.ciphertext(ciphertext),
        )
    }
}

/// Envelopes of one size, at most 256 KB of them, so that they stay in the cache.
pub fn envelopes(size: &(&str, usize, usize, usize), ascii: bool) -> Vec<String> {
    let mut source = Source::new(20_261_130);
    let mut texts = Vec::new();
    let mut bytes = 0;
    while texts.len() < 128 && bytes < 256 * 1024 {
        let text = source.envelope(size.1, size.2, size.3, ascii);
        bytes += text.len();
        texts.push(text);
    }
    texts
}
