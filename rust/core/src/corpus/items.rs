//! Items of any wire in canonical form, as envelopes hold them and capture gives them.

use super::anthropic::Block;
use super::openai::{At, Fields, Place, state_of};
use crate::envelope::{self, Envelope};
use crate::item::Item;
use crate::limits::Limits;
use crate::measure::{Group, Tally};
use crate::schema::{SCHEMAS, provider};
use crate::validate::capture_text;

/// Counts the item of a stored envelope, or why it is not read.
pub fn stored(text: &str, record: &str, tally: &mut Tally) -> Group {
    match envelope::parse(text, &Limits::default()) {
        Ok(Envelope { text, view, .. }) => count(Item::new(&text, &view), record, tally),
        Err(error) => {
            tally.refused.add(error.code().slug(), 1);
            Group::default()
        }
    }
}

/// Counts an item in its provider's own form, or why it is not captured.
pub fn native(wire: &str, raw: &str, record: &str, tally: &mut Tally) -> Group {
    let captured = provider(wire, None).and_then(|row| capture_text(raw, row, None, &Limits::default()));
    match captured {
        Ok((canonical, _)) => {
            let item = Item::new(&canonical.json, &canonical.view);
            canonical.dropped.iter().for_each(|field| tally.unknown_field(kind(item), field));
            count(item, record, tally)
        }
        Err(error) => {
            tally.refused.add(error.code().slug(), 1);
            Group::default()
        }
    }
}

/// Wire and kind of an item, as reports name them.
fn kind(item: Item<'_>) -> &'static str {
    let schema =
        SCHEMAS.iter().rfind(|schema| (schema.item.wire, schema.item.kind) == (item.spec().wire, item.spec().kind));
    schema.and_then(|schema| schema.name.strip_prefix("ostinato.")).unwrap_or(item.spec().kind)
}

fn count(item: Item<'_>, record: &str, tally: &mut Tally) -> Group {
    let at = At { place: Place::Item, record };
    match item.spec().wire {
        "openai-responses" => Fields::of_item(item).count(at, tally),
        "anthropic-messages" => {
            let state = Block::of_item(item).count(record, tally);
            Group { outputs: 1, state, ..Group::default() }
        }
        _ => {
            let kind = kind(item);
            tally.items.add(kind, 1);
            let states = item.opaque();
            let state = states.first().map(|(text, _)| text.as_ref());
            state_of(kind, item.id().as_deref(), state, at, tally);
            let meter = item.meter();
            tally.text.summary_parts += meter.summary_parts as u64;
            tally.text.summary_bytes += meter.summary_bytes as u64;
            tally.text.content_parts += meter.content_parts as u64;
            tally.text.content_bytes += meter.content_bytes as u64;
            Group { outputs: 1, state: state.map_or(0, |text| text.len() as u64), ..Group::default() }
        }
    }
}
