//! What can be wrong with an input: a closed list of codes, a path and an offset.
//!
//! An error never holds the text it complains about: ciphertext in a log line is an incident.

use std::fmt;

/// Result of everything in this crate that can refuse an input.
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $slug:literal, $sentence:literal;)+) => {
        /// Why an input was refused. Slugs are public and are never renamed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // the sentence beside each slug is its documentation
        pub enum Code { $($variant),+ }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// The stable name of the code.
            pub const fn slug(self) -> &'static str {
                match self { $(Code::$variant => $slug),+ }
            }

            /// One sentence: what was expected, or what to do next.
            pub const fn sentence(self) -> &'static str {
                match self { $(Code::$variant => $sentence),+ }
            }
        }
    };
}

codes! {
    NotUtf8 = "not_utf8", "the bytes are not UTF-8 text";
    ByteOrderMark = "byte_order_mark", "the text begins with a byte order mark; JSON text has none";
    NotJson = "not_json", "the text is not JSON (RFC 8259)";
    Truncated = "truncated", "the text ends inside a JSON value";
    TrailingText = "trailing_text", "text follows the JSON value; one value was expected";
    DuplicateKey = "duplicate_key", "an object has the same key twice";
    LoneSurrogate = "lone_surrogate", "half of a surrogate pair cannot be stored or sent as UTF-8";
    NotFinite = "not_finite", "NaN and infinities are not JSON numbers";
    TooDeep = "too_deep", "nested deeper than the limit max_depth, or the object contains itself";
    TooLarge = "too_large", "larger than the limit max_item_bytes";
    TooManyParts = "too_many_parts", "more parts than the limit max_parts";
    TypeMismatch = "type_mismatch", "a value of another type was expected here";
    Redacted = "redacted", "redaction took this value out; what is left cannot be stored or replayed";
    UnreadableObject = "unreadable_object", "reading the object raised an exception";
    UnknownItemType = "unknown_item_type", "no replay item of this wire has this type";
    MissingField = "missing_field", "a required field is missing or null";
    EmptyValue = "empty_value", "a value that must not be empty is empty";
    UnknownField = "unknown_field", "a stored item may hold only the fields of its schema";
    UnknownPartType = "unknown_part_type", "this item has no part of this type";
    SignatureNotBase64 = "signature_not_base64", "a thought signature is base64, of one alphabet, whole";
    StateMissing = "state_missing", "the item carries no state to replay";
    FieldsConflict = "fields_conflict", "two fields of which only one may be present";
    NotCompleted = "not_completed", "the status of the item is not completed; capture it from its done event";
    StatusInvalid = "status_invalid", "a status must be one of the provider's words";
    ResponseIncomplete = "response_incomplete", "the response did not complete and the item does not say that it did";
    NotAnEnvelope = "not_an_envelope", "the JSON value is no replay envelope";
    LegacyMinimal = "legacy_minimal", "a minimal record of fast-agent 0.10.4, which has no summary of its own; it is not replayed";
    LegacySnapshot = "legacy_snapshot", "an unversioned SDK snapshot of fast-agent 0.10.6 to 0.10.11; it is not replayed";
    SchemaUnknown = "schema_unknown", "no schema of this name is known to this version";
    VersionNotInteger = "version_not_integer", "the version must be a JSON integer";
    VersionUnknown = "version_unknown", "this version of the schema is not known; a newer ostinato may read it";
    DigestMismatch = "digest_mismatch", "the item is not the one that was stored; its digest differs";
    OriginInvalid = "origin_invalid", "the origin names provider, endpoint, account (a SHA-256 in hex) and model, each a text";
    UnknownWire = "unknown_wire", "no wire of this name is known";
    UnknownProvider = "unknown_provider", "no provider of this name is known for this wire";
    UnknownPolicy = "unknown_policy", "no dedupe policy of this name is known";
}

/// A step on the way to the place that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Name(&'static str),
    Index(usize),
    /// A key of the input, made safe by [`field_name`].
    Key(String),
}

/// A refused input: which rule, where. Small, and free of input text.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    code: Code,
    offset: Option<usize>,
    /// Innermost step first: steps are added while the error travels outwards.
    steps: Vec<Step>,
}

impl Error {
    /// An error at a place not yet known; callers add the path with `within_*`.
    #[cold]
    pub fn new(code: Code) -> Self {
        Error(Box::new(Inner { code, offset: None, steps: Vec::new() }))
    }

    /// An error at a byte offset of the text.
    #[cold]
    pub fn at(code: Code, offset: usize) -> Self {
        Error(Box::new(Inner { code, offset: Some(offset), steps: Vec::new() }))
    }

    /// The same error with its offset, if it has none yet.
    #[cold]
    pub fn or_offset(mut self, offset: Option<usize>) -> Self {
        self.0.offset = self.0.offset.or(offset);
        self
    }

    /// The same error, `name` being one step further out.
    #[cold]
    pub fn within(mut self, name: &'static str) -> Self {
        self.0.steps.push(Step::Name(name));
        self
    }

    /// The same error, one list element further out.
    #[cold]
    pub fn within_index(mut self, index: usize) -> Self {
        self.0.steps.push(Step::Index(index));
        self
    }

    /// The same error, a key of the input further out. The key is made safe first.
    #[cold]
    pub fn within_key(mut self, key: &str) -> Self {
        self.0.steps.push(Step::Key(field_name(key)));
        self
    }

    /// Which rule refused the input.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Byte offset in a text; for a Python `str` inside an object, the index of the character.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Where: `item/summary/0/text`. Empty for the input as a whole.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in self.0.steps.iter().rev() {
            if !path.is_empty() {
                path.push('/');
            }
            match step {
                Step::Name(name) => path.push_str(name),
                Step::Index(index) => path.push_str(&index.to_string()),
                Step::Key(key) => path.push_str(key),
            }
        }
        path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code().slug())?;
        let path = self.path();
        if !path.is_empty() {
            write!(f, " at {path}")?;
        }
        if let Some(offset) = self.offset() {
            write!(f, " (offset {offset})")?;
        }
        write!(f, ": {}", self.code().sentence())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}

/// Longest key of an input that may be repeated in a report. Real field names are shorter; state is longer.
pub const MAX_FIELD_NAME: usize = 64;

/// A key of the input as a report may show it: itself when it looks like a field name, else its length.
pub fn field_name(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | ':');
    if !key.is_empty() && key.len() <= MAX_FIELD_NAME && key.chars().all(plain) {
        key.to_owned()
    } else {
        format!("<key of {} bytes>", key.len())
    }
}
