//! The engine: a value and a table in, a canonical item or a named refusal out.
//!
//! **Capture** reads what a provider sent: fields that the table does not name are dropped and reported.
//! **Replay** reads what was stored: they are refused.

use crate::error::{Code, Error, Result};
use crate::json::Tree;
use crate::limits::Limits;
use crate::node::{Node, Shape};
use crate::reader::{Mode, find, read};
use crate::schema::Provider;
use crate::spec::{ItemSpec, STATUS, TYPE};

pub use crate::reader::Canonical;

/// Which rule let an item pass as complete (rule C3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The item says `completed`.
    ItemStatus,
    /// The item says nothing and its response completed.
    ResponseStatus,
    /// Neither says anything: real items of a done event carry no status.
    NotStated,
}

impl Completion {
    /// Every rule.
    pub const ALL: [Completion; 3] = [Completion::ItemStatus, Completion::ResponseStatus, Completion::NotStated];

    /// Its public name.
    pub const fn slug(self) -> &'static str {
        match self {
            Completion::ItemStatus => "item_status",
            Completion::ResponseStatus => "response_status",
            Completion::NotStated => "not_stated",
        }
    }
}

/// The words of an item's status, and of a response's.
const ITEM_STATUS: &[&str] = &["in_progress", "incomplete", "failed", "cancelled", "queued", "searching"];
const RESPONSE_STATUS: &[&str] = &["in_progress", "incomplete", "failed", "cancelled", "queued"];

/// Canonical form of an item that a provider has completed.
pub fn capture<'n, N: Node<'n>>(
    node: &N,
    provider: &Provider,
    response_status: Option<&str>,
    limits: &Limits,
) -> Result<(Canonical, Completion)> {
    let spec = choose(node, provider.items)?;
    let completion = completion(node, spec, response_status)?;
    Ok((read(node, spec, Mode::Capture, limits)?, completion))
}

/// The same for the JSON text of an item.
pub fn capture_text(
    text: &str,
    provider: &Provider,
    response_status: Option<&str>,
    limits: &Limits,
) -> Result<(Canonical, Completion)> {
    if text.len() > limits.bounded().max_item_bytes {
        return Err(Error::new(Code::TooLarge));
    }
    let tree = Tree::parse(text, limits.max_depth)?;
    tree.check_keys()?;
    capture(&&tree, provider, response_status, limits)
}

/// Canonical form of a stored item. Nothing is dropped: what the table does not name is refused.
pub fn replay<'n, N: Node<'n>>(node: &N, spec: &'static ItemSpec, limits: &Limits) -> Result<Canonical> {
    if spec.tag().is_some() {
        choose(node, &[spec])?;
    }
    read(node, spec, Mode::Replay, limits)
}

/// The table of an object: by its `type`, else the wire's untagged item.
fn choose<'n, N: Node<'n>>(node: &N, items: &[&'static ItemSpec]) -> Result<&'static ItemSpec> {
    let tag = find(node, TYPE)?;
    for spec in items.iter().copied() {
        match spec.tag() {
            None => return Ok(spec),
            Some(name) => {
                let same = |value: &N| value.shape() == Shape::Text && value.text().is_ok_and(|text| text == name);
                if tag.as_ref().is_some_and(same) {
                    return Ok(spec);
                }
            }
        }
    }
    let code = if tag.as_ref().is_none_or(|value| value.shape() == Shape::Null) {
        Code::MissingField
    } else {
        Code::UnknownItemType
    };
    Err(Error::new(code).or_offset(tag.and_then(|value| value.offset())).within("type"))
}

/// Whether the item may be taken as complete, and by which rule.
fn completion<'n, N: Node<'n>>(node: &N, spec: &ItemSpec, response: Option<&str>) -> Result<Completion> {
    let status = if spec.lifecycle { find(node, STATUS)? } else { None };
    if let Some(status) = status.filter(|value| value.shape() != Shape::Null) {
        let refuse = |code| Err(Error::new(code).or_offset(status.offset()).within("status"));
        if status.shape() != Shape::Text {
            return refuse(Code::StatusInvalid);
        }
        let word = status.text().map_err(|error| error.within("status"))?;
        return match word.as_ref() {
            "completed" => Ok(Completion::ItemStatus),
            word if ITEM_STATUS.contains(&word) => refuse(Code::NotCompleted),
            _ => refuse(Code::StatusInvalid),
        };
    }
    match response {
        None => Ok(Completion::NotStated),
        Some("completed") => Ok(Completion::ResponseStatus),
        Some(word) if RESPONSE_STATUS.contains(&word) => Err(Error::new(Code::ResponseIncomplete)),
        Some(_) => Err(Error::new(Code::StatusInvalid).within("response_status")),
    }
}
