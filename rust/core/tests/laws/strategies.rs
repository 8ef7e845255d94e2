//! Random values and items, made from the tables: a new row is tested without a new line here.

use crate::value::{Json, Noise};
use ostinato_core::envelope::Origin;
use ostinato_core::item::encode_base64;
use ostinato_core::schema::{PROVIDERS, Provider};
use ostinato_core::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec, PartSpec, Presence, Rule};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Characters at the borders of the rules, then any.
pub fn character() -> impl Strategy<Value = char> {
    let borders = "\0\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \"\\/a<\u{7f}\u{80}\u{2028}\u{2029}\u{d7ff}\u{e000}\u{feff}\u{ffff}\u{10000}\u{10ffff}😀";
    prop_oneof![3 => any::<char>(), 2 => select(borders.chars().collect::<Vec<_>>()), 3 => prop::char::range('a', 'z')]
}

/// Any text.
pub fn text(range: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(character(), range).prop_map(|characters| characters.into_iter().collect())
}

/// The text of a number, as JSON spells one.
pub fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        "-?(0|[1-9][0-9]{0,30})",
        "-?(0|[1-9][0-9]{0,5})(\\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?",
    ]
}

/// Any value, not deep.
pub fn json() -> BoxedStrategy<Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number().prop_map(Json::Number),
        text(0..8).prop_map(Json::Text),
    ];
    let nested = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
            prop::collection::vec((text(0..5), inner), 0..4).prop_map(|entries| Json::Object(distinct(entries))),
        ]
    });
    nested.boxed()
}

fn distinct(entries: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let mut seen = std::collections::HashSet::new();
    entries.into_iter().filter(|(key, _)| seen.insert(key.clone())).collect()
}

/// Bytes in one of the spellings of base64.
pub fn base64() -> impl Strategy<Value = String> {
    (prop::collection::vec(any::<u8>(), 1..20), any::<[bool; 2]>()).prop_map(|(bytes, [url_safe, bare])| {
        let standard = encode_base64(&bytes);
        let text = if url_safe { standard.replace('+', "-").replace('/', "_") } else { standard };
        if bare { text.trim_end_matches('=').to_owned() } else { text }
    })
}

fn value(field: &'static FieldSpec) -> BoxedStrategy<Json> {
    let least = usize::from(field.presence == Presence::OmitIfEmpty);
    match field.kind {
        Kind::Tag(tag) => Just(Json::text(tag)).boxed(),
        Kind::Opaque(Encoding::Base64) => base64().prop_map(Json::Text).boxed(),
        Kind::Id | Kind::Label | Kind::Opaque(_) => text(1..20).prop_map(Json::Text).boxed(),
        Kind::Text => text(least..20).prop_map(Json::Text).boxed(),
        Kind::Parts(specs) => {
            let part = |spec: &'static PartSpec| {
                let values: Vec<_> = spec.fields.iter().map(value).collect();
                let flags = prop::collection::vec(any::<bool>(), spec.fields.len());
                (values, flags).prop_map(|(values, present)| {
                    let rows = spec.fields.iter().zip(values).zip(present);
                    let kept = rows.filter(|((field, _), present)| *present || field.presence == Presence::Required);
                    let tag = ("type".to_owned(), Json::text(spec.tag));
                    let fields = kept.map(|((field, value), _)| (field.name.to_owned(), value));
                    Json::Object([tag].into_iter().chain(fields).collect())
                })
            };
            let part = select(specs.iter().collect::<Vec<_>>()).prop_flat_map(part);
            prop::collection::vec(part, least..4).prop_map(Json::List).boxed()
        }
        Kind::Object(spec) => object(spec),
        Kind::Integer => any::<i64>().prop_map(|n| Json::Number(n.to_string())).boxed(),
        Kind::Flag => any::<bool>().prop_map(Json::Bool).boxed(),
        // null is the same as a missing field.
        Kind::Json => json().prop_filter("null", |value| *value != Json::Null).boxed(),
    }
}

fn object(spec: &'static ObjectSpec) -> BoxedStrategy<Json> {
    let values: Vec<_> = spec.fields.iter().map(value).collect();
    let flags = prop::collection::vec(any::<bool>(), spec.fields.len());
    (values, flags, any::<Index>())
        .prop_map(|(values, mut present, pick)| {
            for rule in spec.rules {
                let (Rule::AnyOf(names) | Rule::OneOf(names)) = rule;
                let chosen = names[pick.index(names.len())];
                for (index, field) in spec.fields.iter().enumerate().filter(|(_, f)| names.contains(&f.name)) {
                    let other = matches!(rule, Rule::AnyOf(_)) && present[index];
                    present[index] = field.name == chosen || other;
                }
            }
            let rows = spec.fields.iter().zip(values).zip(present);
            let kept = rows.filter(|((field, _), present)| *present || field.presence == Presence::Required);
            Json::Object(kept.map(|((field, value), _)| (field.name.to_owned(), value)).collect())
        })
        .boxed()
}

/// An item in canonical form.
pub fn item(spec: &'static ItemSpec) -> BoxedStrategy<Json> {
    object(&spec.body)
}

/// A provider with one of its items in canonical form.
pub fn provider_item() -> BoxedStrategy<(&'static Provider, &'static ItemSpec, Json)> {
    let pairs: Vec<_> = PROVIDERS.iter().flat_map(|row| row.items.iter().map(move |spec| (row, *spec))).collect();
    select(pairs).prop_flat_map(|(row, spec)| item(spec).prop_map(move |item| (row, spec, item))).boxed()
}

/// Where state may have been made.
pub fn origin() -> BoxedStrategy<Origin> {
    let slot = || prop::option::of(text(1..12));
    (slot(), slot(), prop::option::of("[0-9a-f]{64}"), slot())
        .prop_map(|(provider, endpoint, account, model)| Origin { provider, endpoint, account, model })
        .prop_filter("an origin says something", |origin| origin.check().is_ok())
        .boxed()
}

/// Choices for a spelling.
pub fn noise() -> impl Strategy<Value = Noise> {
    prop::collection::vec(any::<u8>(), 1..64).prop_map(Noise::new)
}

/// What a provider may send for a canonical item: fields in any order, nulls and empty values for what is missing, and
/// fields of its own, whose names are returned.
pub fn as_sent(spec: &'static ItemSpec, item: Json) -> BoxedStrategy<(Json, Vec<String>)> {
    let unknown = prop::collection::vec(("x_[a-z]{1,6}", json()), 0..3).prop_map(distinct);
    let empties = prop::collection::vec(any::<bool>(), spec.body.fields.len());
    let status = select(vec![None, Some(Json::Null), Some(Json::text("completed"))]);
    (unknown, empties, status, any::<u64>())
        .prop_flat_map(move |(unknown, empties, status, _)| {
            let mut entries = item.clone().entries_mut().clone();
            for (field, empty) in spec.body.fields.iter().zip(empties) {
                let missing = !entries.iter().any(|(key, _)| key == field.name);
                if missing && field.presence != Presence::Required {
                    entries.push((field.name.to_owned(), if empty { nothing(field) } else { Json::Null }));
                }
            }
            if spec.lifecycle {
                entries.extend(status.map(|status| ("status".to_owned(), status)));
            }
            let names: Vec<_> = unknown.iter().map(|(name, _)| name.clone()).collect();
            entries.extend(unknown);
            (Just(entries).prop_shuffle().prop_map(Json::Object), Just(names))
        })
        .boxed()
}

/// A value that means the same as a missing field.
fn nothing(field: &FieldSpec) -> Json {
    match (field.presence, field.kind) {
        (Presence::OmitIfEmpty, Kind::Parts(_)) => Json::List(Vec::new()),
        (Presence::OmitIfEmpty, _) => Json::text(""),
        _ => Json::Null,
    }
}
