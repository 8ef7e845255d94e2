//! Identity of opaque state, and what to do with a repeat: policy as data, never silent.

use crate::error::{Code, Error, Result};
use crate::item::{Item, decode_base64};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What an item is, compared with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Not seen before.
    New,
    /// The same provider, id and state as an item before.
    ExactDuplicate,
    /// The same id and the same state, encrypted anew: OpenAI's done and completed events differ in this way.
    ReEncrypted,
    /// The same id with another state.
    Conflict,
    /// The same state under another id.
    SharedState,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 5] =
        [Class::New, Class::ExactDuplicate, Class::ReEncrypted, Class::Conflict, Class::SharedState];

    /// Its public name, a code of the report.
    pub const fn slug(self) -> &'static str {
        match self {
            Class::New => "new",
            Class::ExactDuplicate => "exact_duplicate",
            Class::ReEncrypted => "re_encrypted",
            Class::Conflict => "id_ciphertext_conflict",
            Class::SharedState => "ciphertext_shared",
        }
    }
}

/// What is done with an item of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It stays.
    Keep,
    /// It is left out.
    Drop,
}

/// How the repeats of one provider are judged.
#[derive(Debug)]
pub struct Policy {
    /// Its name.
    pub name: &'static str,
    /// Whether the provider sends one state encrypted several times.
    pub re_encrypts: bool,
    /// For an exact repeat.
    pub exact_duplicate: Action,
    /// For the same state encrypted anew.
    pub re_encrypted: Action,
    /// For another state under the same id.
    pub conflict: Action,
    /// For the same state under another id.
    pub shared_state: Action,
}

/// OpenAI and its twins: one item arrives in a done and a completed event with one id and two ciphertexts, and the API
/// refuses two items with one id, so the first is kept (29 of 33 recorded captures differ in this way).
pub static RE_ENCRYPTS: Policy = Policy {
    name: "re-encrypts",
    re_encrypts: true,
    exact_duplicate: Action::Drop,
    re_encrypted: Action::Drop,
    conflict: Action::Keep,
    shared_state: Action::Keep,
};

/// xAI: the same id with another ciphertext is another item (seen in its traffic); only exact repeats go.
pub static EXACT: Policy = Policy { name: "exact", re_encrypts: false, ..RE_ENCRYPTS };

/// Wires on which an item belongs to its place in a turn: nothing is left out, repeats are reported.
pub static POSITIONAL: Policy = Policy { name: "positional", exact_duplicate: Action::Keep, ..EXACT };

/// Measuring: every state once, whatever its id.
pub static UNIQUE_STATE: Policy = Policy {
    name: "unique-state",
    re_encrypts: true,
    exact_duplicate: Action::Drop,
    re_encrypted: Action::Drop,
    conflict: Action::Keep,
    shared_state: Action::Drop,
};

/// Every policy, by name.
pub static POLICIES: &[&Policy] = &[&RE_ENCRYPTS, &EXACT, &POSITIONAL, &UNIQUE_STATE];

/// The policy of a name.
pub fn policy(name: &str) -> Result<&'static Policy> {
    let found = POLICIES.iter().find(|policy| policy.name == name).copied();
    found.ok_or_else(|| Error::new(Code::UnknownPolicy))
}

impl Policy {
    /// What is done with an item of a class.
    pub const fn action(&self, class: Class) -> Action {
        match class {
            Class::New => Action::Keep,
            Class::ExactDuplicate => self.exact_duplicate,
            Class::ReEncrypted => self.re_encrypted,
            Class::Conflict => self.conflict,
            Class::SharedState => self.shared_state,
        }
    }
}

/// What tells one state from another: id (if any) and SHA-256 of the decoded state (rule D1). The provider is the
/// caller's: states of different providers are never compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The provider's name of the item.
    pub id: Option<String>,
    /// SHA-256 in hex.
    pub sha256: String,
}

impl Identity {
    /// The identity of an item.
    pub fn of(item: Item<'_>) -> Self {
        Identity { id: item.id().map(Into::into), sha256: item.state_digest() }
    }
}

/// The states seen so far in one sequence of one provider.
#[derive(Default)]
pub struct Seen {
    /// Under which ids a state was seen.
    by_state: HashMap<String, HashSet<Option<String>>>,
    /// The ciphertexts of an id: the times of those of one length.
    by_id: HashMap<String, HashMap<usize, BTreeSet<u64>>>,
}

/// What is remembered of a ciphertext to recognise it when it is encrypted anew: never the value.
#[derive(Clone, Copy)]
struct Token {
    bytes: usize,
    time: Option<u64>,
}

impl Seen {
    /// Classes an item and remembers it.
    pub fn class(&mut self, item: Item<'_>, policy: &Policy) -> (Class, Identity) {
        let identity = Identity::of(item);
        let token = item.opaque().first().map(|(value, _)| token(value));
        let class = self.judge(&identity, token, policy);
        self.by_state.entry(identity.sha256.clone()).or_default().insert(identity.id.clone());
        if let (Some(id), Some(token)) = (&identity.id, token) {
            self.by_id.entry(id.clone()).or_default().entry(token.bytes).or_default().extend(token.time);
        }
        (class, identity)
    }

    fn judge(&self, identity: &Identity, token: Option<Token>, policy: &Policy) -> Class {
        let same_state = self.by_state.get(&identity.sha256);
        if same_state.is_some_and(|ids| ids.contains(&identity.id)) {
            return Class::ExactDuplicate;
        }
        let earlier = identity.id.as_ref().and_then(|id| self.by_id.get(id));
        if let (Some(earlier), Some(token)) = (earlier, token) {
            let again = policy.re_encrypts && earlier.get(&token.bytes).is_some_and(|times| token.is_near(times));
            return if again { Class::ReEncrypted } else { Class::Conflict };
        }
        if same_state.is_some() { Class::SharedState } else { Class::New }
    }
}

/// Longest time between two encryptions of one state. 0 to 70 seconds were recorded.
pub const RE_ENCRYPTED_WITHIN: u64 = 600;

impl Token {
    fn is_near(self, times: &BTreeSet<u64>) -> bool {
        self.time.is_some_and(|time| {
            let earliest = time.saturating_sub(RE_ENCRYPTED_WITHIN);
            times.range(earliest..=time.saturating_add(RE_ENCRYPTED_WITHIN)).next().is_some()
        })
    }
}

fn token(value: &str) -> Token {
    Token { bytes: value.len(), time: fernet_time(value) }
}

/// The time in an OpenAI token (unix seconds); none if the text is no whole token. A token is base64url of 0x80, eight
/// bytes of time, 16 of IV, blocks of 16, and 32 of checksum: 57 + 16k bytes.
pub fn fernet_time(value: &str) -> Option<u64> {
    if !value.starts_with("gAAAA") || !value.len().is_multiple_of(4) {
        return None;
    }
    let padding = value.bytes().rev().take_while(|byte| *byte == b'=').count();
    let bytes = value.len() / 4 * 3 - padding.min(2);
    if bytes < 73 || !(bytes - 57).is_multiple_of(16) {
        return None;
    }
    let head = decode_base64(value.get(..12)?)?;
    let time: [u8; 8] = head.get(1..9)?.try_into().ok()?;
    Some(u64::from_be_bytes(time))
}
