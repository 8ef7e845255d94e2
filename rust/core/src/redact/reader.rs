//! A reader of anything that looks like structured text: JSON, JSON that was cut off, Python reprs, SDK object reprs.
//!
//! It never fails. What it cannot make sense of becomes prose between values, and every value says where it stands, so
//! that redaction can replace a range and leave every other byte as it was. Reading is one loop without recursion, and a
//! node is 16 bytes, so memory stays a small multiple of the text.

use super::words::{colour, end_of_string, is_literal, line_end, padding};
use memchr::memchr;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The name of the value that follows it.
    Key,
    /// The class name of an SDK object, the first child of its container.
    Name,
    /// A quoted string.
    Str,
    /// Anything unquoted: a number, a word, a bare token.
    Atom,
    /// An object, a mapping, an SDK object: entries with names.
    Map,
    /// A list or a tuple.
    List,
    /// A container nested deeper than is read.
    Deep,
}

/// One value. Children of a container follow it directly and end before `next`.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// For strings: `DOUBLE`, `OPEN_ENDED`, `ESCAPED`, `INNER`.
    flags: u8,
    /// Bytes before and after the content of a string: prefix, backslashes, quote.
    edge: (u8, u8),
    start: u32,
    end: u32,
    next: u32,
}

const DOUBLE: u8 = 1;
const OPEN_ENDED: u8 = 2;
const ESCAPED: u8 = 4;
const INNER: u8 = 8;

impl Node {
    fn new(kind: Kind, start: usize, end: usize) -> Self {
        Node { kind, flags: 0, edge: (0, 0), start: place(start), end: place(end), next: 0 }
    }

    /// The whole value, quotes and brackets included.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// What stands between the quotes; the whole of any other value.
    pub fn content(&self) -> std::ops::Range<usize> {
        self.start as usize + usize::from(self.edge.0)..self.end as usize - usize::from(self.edge.1)
    }

    /// Whether it is a double-quoted string with its end, not inside another string: a JSON value may replace it.
    pub fn is_json_string(&self) -> bool {
        self.kind == Kind::Str && self.flags & DOUBLE != 0 && self.flags & OPEN_ENDED == 0 && self.edge == (1, 1)
    }

    /// How many strings its escapes must be undone for: none without a backslash, one for a string of its own, one more
    /// for each string that its quotes stand in.
    pub fn escapes(&self) -> u32 {
        match self.flags & (ESCAPED | INNER) {
            0 => 0,
            ESCAPED => 1,
            _ => 1 + u32::from(self.edge.0).ilog2(),
        }
    }

    /// Whether its quotes are escaped: it stands in the text of another string.
    pub fn is_inner(&self) -> bool {
        self.flags & INNER != 0
    }

    /// The quote around it.
    pub fn quote(&self) -> u8 {
        if self.flags & DOUBLE != 0 { b'"' } else { b'\'' }
    }
}

/// A container and all that is in it.
pub struct Reading {
    /// The container first, then its children in the order of the text.
    pub nodes: Vec<Node>,
    /// Where the container ends.
    pub end: usize,
    /// Whether it is all structure: every bracket and quote has its partner, and no bare word stands in it.
    pub clean: bool,
    /// Whether quotes in it are escaped: it is read inside a string.
    pub inner: bool,
}

impl Reading {
    /// The index after a node and its children.
    pub fn after(&self, index: usize) -> usize {
        match self.nodes[index].kind {
            Kind::Map | Kind::List => self.nodes[index].next as usize,
            _ => index + 1,
        }
    }
}

/// Offsets are kept in 32 bits; callers hand over at most that much text.
#[allow(clippy::cast_possible_truncation)]
fn place(offset: usize) -> u32 {
    offset as u32
}

struct Open {
    node: usize,
    closer: u8,
}

struct Reader<'t> {
    text: &'t [u8],
    pos: usize,
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// Closers of what is nested too deep to be kept, and where that began.
    deep: Vec<u8>,
    deep_start: usize,
    /// The last node, while it may still turn out to be a key: it has none itself and no comma followed.
    loose: Option<usize>,
    /// Whether a key waits for its value.
    keyed: bool,
    clean: bool,
    inner: bool,
    max_depth: usize,
}

/// Reads the container whose bracket (or whose class name, for SDK objects) begins at an offset.
pub fn read(text: &[u8], start: usize, max_depth: usize) -> Reading {
    let mut reader = Reader {
        text,
        pos: start,
        nodes: Vec::new(),
        open: Vec::new(),
        deep: Vec::new(),
        deep_start: start,
        loose: None,
        keyed: false,
        clean: true,
        inner: false,
        max_depth,
    };
    reader.run();
    Reading { nodes: reader.nodes, end: reader.pos, clean: reader.clean, inner: reader.inner }
}

impl Reader<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    fn run(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.pos += 1,
                b',' | b';' => {
                    self.forget();
                    self.keyed = false;
                    self.pos += 1;
                }
                b':' | b'=' => self.separator(),
                b'{' | b'[' | b'(' => self.enter(byte),
                b'}' | b']' | b')' => {
                    self.pos += 1;
                    if self.leave(byte) {
                        return;
                    }
                }
                b'"' | b'\'' => self.string(self.pos, 0),
                b'\\' => self.backslashes(),
                0x1b => self.pos += colour(&self.text[self.pos..]).max(1),
                _ => self.atom(),
            }
        }
        self.clean = false;
        self.forget();
        if !self.deep.is_empty() {
            self.deep.clear();
            self.push_deep();
        }
        while let Some(open) = self.open.pop() {
            self.close(open.node);
        }
    }

    /// Drops a bare word that turned out to be neither key nor value of a key: prose.
    fn forget(&mut self) {
        let last = self.loose.take().filter(|index| index + 1 == self.nodes.len());
        if last.is_some_and(|index| self.nodes[index].kind == Kind::Atom) {
            self.nodes.pop();
        }
    }

    fn separator(&mut self) {
        self.pos += 1;
        if self.byte() == Some(b'>') {
            self.pos += 1; // a => b
        }
        if let Some(index) = self.loose.take() {
            self.nodes[index].kind = Kind::Key;
            self.keyed = true;
        }
    }

    /// Adds a string or a bare word.
    fn leaf(&mut self, node: Node) {
        if !self.deep.is_empty() {
            return;
        }
        self.forget();
        self.nodes.push(node);
        self.loose = if self.keyed { None } else { Some(self.nodes.len() - 1) };
        self.keyed = false;
    }

    fn enter(&mut self, byte: u8) {
        let closer = match byte {
            b'{' => b'}',
            b'[' => b']',
            _ => b')',
        };
        let start = self.pos;
        self.pos += 1;
        if self.open.len() >= self.max_depth || !self.deep.is_empty() {
            if self.deep.is_empty() {
                self.forget();
                self.deep_start = start;
            }
            self.deep.push(closer);
            return;
        }
        // A word right before a parenthesis is the class of an SDK object.
        let last = self.nodes.last().copied();
        let class = last.filter(|node| byte == b'(' && node.kind == Kind::Atom && node.end as usize == start);
        if class.is_some() {
            self.nodes.pop();
        } else {
            self.forget();
        }
        let kind = if byte == b'{' || class.is_some() { Kind::Map } else { Kind::List };
        self.open.push(Open { node: self.nodes.len(), closer });
        self.nodes.push(Node::new(kind, class.map_or(start, |name| name.start as usize), start));
        self.nodes.extend(class.map(|name| Node { kind: Kind::Name, ..name }));
        self.loose = None;
        self.keyed = false;
    }

    /// Closes the innermost container with this closer; tells whether the outermost one was closed.
    fn leave(&mut self, closer: u8) -> bool {
        if let Some(at) = self.deep.iter().rposition(|open| *open == closer) {
            self.clean &= at + 1 == self.deep.len();
            self.deep.truncate(at);
            if self.deep.is_empty() {
                self.push_deep();
            }
            return self.deep.is_empty() && self.open.is_empty();
        }
        let Some(at) = self.open.iter().rposition(|open| open.closer == closer) else {
            self.clean = false;
            return false;
        };
        if !self.deep.is_empty() {
            self.deep.clear();
            self.push_deep();
        }
        self.forget();
        self.clean &= at + 1 == self.open.len();
        while self.open.len() > at {
            if let Some(open) = self.open.pop() {
                self.close(open.node);
            }
        }
        self.keyed = false;
        self.loose = None;
        self.open.is_empty()
    }

    fn push_deep(&mut self) {
        self.clean = false;
        self.nodes.push(Node::new(Kind::Deep, self.deep_start, self.pos));
        self.keyed = false;
        self.loose = None;
    }

    fn close(&mut self, index: usize) {
        let next = place(self.nodes.len());
        self.nodes[index].next = next;
        self.nodes[index].end = place(self.pos);
    }

    /// Backslashes outside a string: the text itself stands in a string. `\"` is a quote, `\n` is a space.
    fn backslashes(&mut self) {
        let start = self.pos;
        while self.byte() == Some(b'\\') {
            self.pos += 1;
        }
        match self.byte() {
            Some(b'"' | b'\'') => self.string(start, self.pos - start),
            Some(b'n' | b't' | b'r') => self.pos += 1,
            _ => self.clean = false,
        }
    }

    /// Reads a string whose quote is here; `start` is where its prefix or its backslashes begin.
    fn string(&mut self, start: usize, backslashes: usize) {
        let quote = self.text[self.pos];
        self.pos += 1;
        let content = self.pos;
        let (end, close) = match end_of_string(self.text, content, quote, backslashes) {
            Some(found) => found,
            None => (line_end(self.text, content), 0),
        };
        self.pos = end + close;
        self.clean &= close > 0;
        self.inner |= backslashes > 0;
        let mut flags = if quote == b'"' { DOUBLE } else { 0 };
        flags |= if close == 0 { OPEN_ENDED } else { 0 };
        flags |= if memchr(b'\\', &self.text[content..end]).is_some() { ESCAPED } else { 0 };
        flags |= if backslashes > 0 { INNER } else { 0 };
        let mut node = Node { flags, ..Node::new(Kind::Str, start, self.pos) };
        node.edge = (narrow(content - start), narrow(close));
        self.leaf(node);
    }

    fn atom(&mut self) {
        let start = self.pos;
        let rest = &self.text[start..];
        let stop = |byte: &u8| b" \t\r\n\x1b,;:=\"\\{}[]()".contains(byte);
        let mut length = rest.iter().position(stop).unwrap_or(rest.len());
        let word = &rest[..length];
        // b'…', rb"…": the letters before a quote are part of the string.
        let letters = word.iter().take_while(|byte| b"bBrRuUfF".contains(byte)).count();
        if (1..=2).contains(&letters) && matches!(rest.get(letters), Some(b'\'' | b'"')) {
            self.pos += letters;
            self.string(start, 0);
            return;
        }
        length += padding(&rest[length..], length);
        self.pos += length;
        // Bare words may hide anything; numbers and the words of JSON and Python cannot.
        let word = &rest[..length];
        let class = self.text.get(self.pos) == Some(&b'(');
        self.clean &= class || is_literal(word) || (self.text.get(self.pos) == Some(&b'=') && !self.keyed);
        self.leaf(Node::new(Kind::Atom, start, self.pos));
    }
}

#[allow(clippy::cast_possible_truncation)]
fn narrow(length: usize) -> u8 {
    length.min(255) as u8
}
