//! What must hold of every row of the tables.

use ostinato_core::dedupe::POLICIES;
use ostinato_core::schema::{Frame, PROVIDERS, SCHEMAS, items, provider};
use ostinato_core::spec::{FieldSpec, ItemSpec, Kind, MAX_FIELDS, ObjectSpec, Presence, Rule};
use std::collections::HashSet;

fn every_item() -> impl Iterator<Item = &'static ItemSpec> {
    SCHEMAS.iter().map(|schema| schema.item).chain(PROVIDERS.iter().flat_map(|row| row.items.iter().copied()))
}

fn objects(spec: &'static ObjectSpec, all: &mut Vec<&'static ObjectSpec>) {
    all.push(spec);
    for field in spec.fields {
        if let Kind::Object(deeper) = field.kind {
            objects(deeper, all);
        }
    }
}

fn sealed(item: &ItemSpec) -> &'static ItemSpec {
    let same = |spec: &&ItemSpec| spec.wire == item.wire && spec.kind == item.kind;
    let found: Vec<_> = items().filter(same).collect();
    assert_eq!(found.len(), 1, "{}", item.schema());
    found[0]
}

/// Every item of every provider has one sealed envelope, whose name says wire and kind.
#[test]
fn every_item_has_a_sealed_row() {
    for item in every_item() {
        let row = sealed(item);
        let schema = SCHEMAS.iter().find(|schema| schema.name == item.schema()).expect("a row of this name");
        assert!(std::ptr::eq(schema.item, row));
        assert_eq!(schema.frame, Frame::Sealed);
    }
}

/// The sealed table of an item takes whatever a provider's table lets through, in the same order.
#[test]
fn the_sealed_table_is_the_widest() {
    for item in every_item() {
        let widest = sealed(item).body.fields;
        let names: Vec<_> = widest.iter().map(|field| field.name).filter(|n| item.body.field(n).is_some()).collect();
        let own: Vec<_> = item.body.fields.iter().map(|field| field.name).collect();
        assert_eq!(names, own, "{}: order", item.schema());
        for field in widest {
            match item.body.field(field.name) {
                None => assert_ne!(field.presence, Presence::Required, "{} {}", item.schema(), field.name),
                Some((_, own)) => {
                    let wider = own.presence == Presence::Required || field.presence == own.presence;
                    assert!(wider, "{} {}", item.schema(), field.name);
                    assert_eq!(
                        format!("{:?}", own.kind),
                        format!("{:?}", field.kind),
                        "{} {}",
                        item.schema(),
                        own.name
                    );
                }
            }
        }
    }
}

/// Names are unique, fit a view, and every rule names rows.
#[test]
fn objects_are_sound() {
    let mut all = Vec::new();
    every_item().for_each(|item| objects(&item.body, &mut all));
    for object in all {
        assert!(object.fields.len() <= MAX_FIELDS);
        let mut names = HashSet::new();
        for FieldSpec { name, aliases, .. } in object.fields {
            for spelling in aliases.iter().chain([name]) {
                assert!(names.insert(*spelling), "{spelling}");
                assert!(
                    spelling.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'),
                    "needs no escape: {spelling}"
                );
            }
        }
        for rule in object.rules {
            let (Rule::AnyOf(named) | Rule::OneOf(named)) = rule;
            for name in *named {
                let (_, field) = object.field(name).expect("a row");
                assert_ne!(field.presence, Presence::Required, "{name}: a rule of no effect");
            }
        }
    }
}

/// A tag is the first row and is required; ignored fields are no rows; parts have distinct tags.
#[test]
fn items_are_sound() {
    for item in every_item() {
        for (index, field) in item.body.fields.iter().enumerate() {
            match field.kind {
                Kind::Tag(tag) => {
                    assert_eq!((index, field.name, field.presence), (0, "type", Presence::Required));
                    assert_eq!(item.tag(), Some(tag));
                }
                Kind::Parts(parts) => {
                    let tags: HashSet<_> = parts.iter().map(|part| part.tag).collect();
                    assert_eq!(tags.len(), parts.len());
                    for field in parts.iter().flat_map(|part| part.fields) {
                        assert!(matches!(field.kind, Kind::Text | Kind::Label), "{}: no text", field.name);
                        assert!(field.aliases.is_empty() && field.name != "type");
                    }
                }
                _ => {}
            }
            let identity =
                matches!(field.kind, Kind::Opaque(_)) || matches!(field.kind, Kind::Id) && field.name == "id";
            assert_eq!(field.identity, identity, "{} {}", item.schema(), field.name);
        }
        assert!(item.ignored.iter().all(|name| item.body.row(name).is_none()));
        assert_eq!(item.lifecycle, item.ignored.contains(&"status") && item.kind == "reasoning");
    }
}

/// Schema names with their versions, and providers with their wires, are unique; lookups find each.
#[test]
fn rows_are_unique() {
    let schemas: HashSet<_> = SCHEMAS.iter().map(|schema| (schema.name, schema.version)).collect();
    assert_eq!(schemas.len(), SCHEMAS.len());
    let rows: HashSet<_> = PROVIDERS.iter().map(|row| (row.name, row.wire)).collect();
    assert_eq!(rows.len(), PROVIDERS.len());
    for row in PROVIDERS {
        let found = provider(row.wire, Some(row.name)).unwrap();
        assert!(std::ptr::eq(found, row));
        assert!(row.items.iter().all(|item| item.wire == row.wire));
        assert!(POLICIES.iter().any(|policy| policy.name == row.policy.name));
    }
    let names: HashSet<_> = POLICIES.iter().map(|policy| policy.name).collect();
    assert_eq!(names.len(), POLICIES.len());
}

/// The items of a provider are told apart: by distinct tags, with at most one untagged item, which is the last.
#[test]
fn items_of_a_provider_are_told_apart() {
    for row in PROVIDERS {
        let tags: Vec<_> = row.items.iter().map(|item| item.tag()).collect();
        assert_eq!(tags.iter().collect::<HashSet<_>>().len(), tags.len(), "{}", row.name);
        assert!(tags.iter().rev().skip(1).all(Option::is_some), "{}", row.name);
    }
}

/// The default provider of a wire is its first row.
#[test]
fn defaults() {
    for row in PROVIDERS {
        let first = PROVIDERS.iter().find(|other| other.wire == row.wire).unwrap();
        assert_eq!(provider(row.wire, None).unwrap().name, first.name);
    }
    assert_eq!(provider("openai-responses", None).unwrap().name, "openai");
}
