//! The fast road: a text that is already canonical is recognised in one pass and nothing is copied.
//!
//! Whatever this file does not recognise goes the general way through `validate`, and both must agree (property tests).

use crate::item::{Span, View, is_base64};
use crate::json::has_control;
use crate::limits::Limits;
use crate::spec::{Encoding, FieldSpec, ItemSpec, Kind, MAX_FIELDS, PartSpec, Presence};
use memchr::memchr2;

/// A position in a canonical text.
pub struct Scanner<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Scanner<'a> {
    /// Starts a text, which must be free of control characters: canonical text has none.
    pub fn new(text: &'a str) -> Option<Self> {
        (!has_control(text.as_bytes())).then_some(Scanner { text, pos: 0 })
    }

    /// Takes this text if it is next.
    pub fn take(&mut self, expected: &str) -> Option<()> {
        let found = self.text.as_bytes().get(self.pos..)?.starts_with(expected.as_bytes());
        found.then(|| self.pos += expected.len())
    }

    /// Takes the text up to a quote, if no escape is in it.
    pub fn plain(&mut self) -> Option<&'a str> {
        let rest = self.text.as_bytes().get(self.pos..)?;
        let end = memchr2(b'"', b'\\', rest)?;
        let start = self.pos;
        self.pos += end + 1;
        (rest[end] == b'"').then(|| &self.text[start..start + end])
    }

    /// Whether nothing is left.
    pub fn done(&self) -> bool {
        self.pos == self.text.len()
    }

    /// Steps over a canonically escaped string whose quote is next; returns the length of its text.
    fn string(&mut self) -> Option<usize> {
        self.take("\"")?;
        let start = self.pos;
        loop {
            let rest = self.text.as_bytes().get(self.pos..)?;
            let found = memchr2(b'"', b'\\', rest)?;
            self.pos += found + 1;
            if rest[found] == b'"' {
                return Some(self.pos - 1 - start);
            }
            self.pos += canonical_escape(rest.get(found + 1..)?)?;
        }
    }

    /// Reads an item of this table and tells where its fields are.
    pub fn item(&mut self, spec: &'static ItemSpec, limits: &Limits) -> Option<View> {
        let start = self.pos;
        let mut fields = [Span::default(); MAX_FIELDS];
        self.take("{")?;
        let mut first = true;
        for (index, field) in spec.body.fields.iter().enumerate() {
            let before = self.pos;
            if !first {
                match self.take(",") {
                    Some(()) => {}
                    None if field.presence != Presence::Required => continue,
                    None => return None,
                }
            }
            if self.key(field).is_none() {
                if field.presence == Presence::Required {
                    return None;
                }
                self.pos = before;
                continue;
            }
            first = false;
            let value = self.pos;
            self.value(field, limits)?;
            fields[index] = Span::new(value, self.pos);
        }
        self.take("}")?;
        let view = View { spec, item: Span::new(start, self.pos), fields };
        let present = |name: &str| spec.body.field(name).is_some_and(|(index, _)| !fields[index].is_empty());
        let sound = spec.body.rules.iter().all(|rule| rule.check(present).is_ok());
        (sound && self.pos - start <= limits.max_item_bytes).then_some(view)
    }

    fn key(&mut self, field: &FieldSpec) -> Option<()> {
        self.take("\"")?;
        self.take(field.name)?;
        self.take("\":")
    }

    fn value(&mut self, field: &FieldSpec, limits: &Limits) -> Option<()> {
        match field.kind {
            Kind::Tag(tag) => {
                self.take("\"")?;
                self.take(tag)?;
                self.take("\"")
            }
            Kind::Opaque(Encoding::Base64) => {
                self.take("\"")?;
                is_base64(self.plain()?).then_some(())
            }
            Kind::Id | Kind::Label | Kind::Opaque(_) => (self.string()? > 0).then_some(()),
            Kind::Text => self.string().map(drop),
            Kind::Parts(specs) => {
                let count = self.parts(specs, limits)?;
                (count > 0 || field.presence == Presence::Required).then_some(())
            }
            // Values of other kinds are rare and are read the general way.
            Kind::Object(_) | Kind::Integer | Kind::Flag | Kind::Json => None,
        }
    }

    fn parts(&mut self, specs: &[PartSpec], limits: &Limits) -> Option<usize> {
        self.take("[")?;
        let mut count = 0;
        if self.take("]").is_some() {
            return Some(count);
        }
        loop {
            count += 1;
            self.take("{\"type\":\"")?;
            let tag = self.plain()?;
            let spec = specs.iter().find(|spec| spec.tag == tag)?;
            // Parts that are more than one text are rare and are read the general way.
            let [FieldSpec { kind: Kind::Text, presence: Presence::Required, .. }] = spec.fields else { return None };
            self.take(",")?;
            self.key(&spec.fields[0])?;
            self.string()?;
            self.take("}")?;
            if self.take("]").is_some() {
                return (count <= limits.max_parts).then_some(count);
            }
            self.take(",")?;
        }
    }
}

/// The length of a canonical escape after its backslash; none for any other spelling.
pub(crate) fn canonical_escape(rest: &[u8]) -> Option<usize> {
    match rest.first()? {
        b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => Some(1),
        b'u' => {
            let digits = rest.get(1..5)?;
            let short = matches!(digits, b"0008" | b"0009" | b"000a" | b"000c" | b"000d");
            let lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            let control = digits[..2] == *b"00" && matches!(digits[2], b'0' | b'1') && lower_hex(digits[3]);
            (control && !short).then_some(5)
        }
        _ => None,
    }
}
