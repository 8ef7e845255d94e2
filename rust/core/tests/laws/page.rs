//! `docs/format.md` says what the code does: every table of the page is made here from the code, and must stand in it.

use ostinato_core::Code;
use ostinato_core::dedupe::{Action, Class, POLICIES};
use ostinato_core::envelope;
use ostinato_core::limits::{DEEPEST, FRAME_ROOM, LARGEST, Limits, ORIGIN_BYTES};
use ostinato_core::schema::{FAST_AGENT_REASONING, Frame, PROVIDERS, SCHEMAS, Schema};
use ostinato_core::spec::{Encoding, FieldSpec, ItemSpec, Kind, ObjectSpec, PartSpec, Presence, Rule};

fn page() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    std::fs::read_to_string(path).expect("docs/format.md")
}

fn stands(rows: &[String]) {
    let page = page();
    let missing: Vec<_> = rows.iter().filter(|row| !page.contains(row.as_str())).cloned().collect();
    assert!(missing.is_empty(), "docs/format.md lacks:\n{}", missing.join("\n"));
}

fn names(fields: &[&str]) -> String {
    fields.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The table of codes.
#[test]
fn codes() {
    stands(&Code::ALL.iter().map(|code| format!("| `{}` | {} |", code.slug(), code.sentence())).collect::<Vec<_>>());
}

/// Bytes that a frame without origin adds to its item.
pub fn frame_bytes(schema: &Schema) -> usize {
    let seal = if schema.frame == Frame::Sealed { ",\"digest\":\"\"".len() + 64 } else { 0 };
    envelope::frame_bytes() - FAST_AGENT_REASONING.len() + schema.name.len() + seal
}

/// The table of envelopes, with the golden size of each frame.
#[test]
fn envelopes() {
    let frame = |frame: Frame| match frame {
        Frame::Bare => "bare",
        Frame::Route => "route",
        Frame::Sealed => "sealed",
    };
    let row = |schema: &Schema| {
        let Schema { name, version, item, .. } = schema;
        let bytes = frame_bytes(schema);
        format!("| `{name}` | {version} | {} | `{}` | `{}` | {bytes} |", frame(schema.frame), item.wire, item.kind)
    };
    stands(&SCHEMAS.iter().map(row).collect::<Vec<_>>());
}

/// The golden size of envelope 1: what fast-agent 0.10.48 adds to an item.
#[test]
fn golden_size() {
    assert_eq!(frame_bytes(&SCHEMAS[0]), 77);
}

fn kind(field: &FieldSpec) -> String {
    match field.kind {
        Kind::Tag(tag) => format!("tag `{tag}`"),
        Kind::Id => "id".into(),
        Kind::Label => "label".into(),
        Kind::Text => "text".into(),
        Kind::Opaque(Encoding::Text) => "opaque text".into(),
        Kind::Opaque(Encoding::Base64) => "opaque base64".into(),
        Kind::Opaque(Encoding::Blob) => "opaque base64, bytes in Python".into(),
        Kind::Parts(parts) => {
            let names =
                |part: &PartSpec| part.fields.iter().map(|field| format!("`{}`", field.name)).collect::<Vec<_>>();
            let one = |part: &PartSpec| format!("`{}` with {}", part.tag, names(part).join(", "));
            format!("parts: {}", parts.iter().map(one).collect::<Vec<_>>().join("; "))
        }
        Kind::Object(_) => "object".into(),
        Kind::Integer => "integer".into(),
        Kind::Flag => "flag".into(),
        Kind::Json => "any JSON".into(),
    }
}

fn fields(path: &str, object: &ObjectSpec, rows: &mut Vec<String>) {
    for field in object.fields {
        let presence = match field.presence {
            Presence::Required => "required",
            Presence::Optional => "optional",
            Presence::OmitIfEmpty => "omitted if empty",
        };
        let name = format!("{path}{}", field.name);
        rows.push(format!("| `{name}` | {} | {presence} |", kind(field)));
        if let Kind::Object(deeper) = field.kind {
            fields(&format!("{name}/"), deeper, rows);
        }
    }
    for rule in object.rules {
        rows.push(match rule {
            Rule::AnyOf(named) => format!("at least one of {}", names(named)),
            Rule::OneOf(named) => format!("exactly one of {}", names(named)),
        });
    }
}

/// The tables of fields.
#[test]
fn items() {
    let mut rows = Vec::new();
    for item in ostinato_core::schema::items() {
        rows.push(format!("**`{}` / `{}`**", item.wire, item.kind));
        fields("", &item.body, &mut rows);
    }
    stands(&rows);
}

/// The table of providers: what each requires, and how its repeats are judged.
#[test]
fn providers() {
    let item = |item: &&ItemSpec| {
        let required = item.body.fields.iter().filter(|f| f.presence == Presence::Required && f.name != "type");
        let required: Vec<_> = required.map(|field| field.name).collect();
        if required.is_empty() { item.kind.to_owned() } else { format!("{} ({})", item.kind, required.join(", ")) }
    };
    let row = |row: &ostinato_core::schema::Provider| {
        let items: Vec<_> = row.items.iter().map(item).collect();
        format!("| `{}` | `{}` | {} | `{}` |", row.wire, row.name, items.join("; "), row.policy.name)
    };
    stands(&PROVIDERS.iter().map(row).collect::<Vec<_>>());
}

/// The table of dedupe policies.
#[test]
fn policies() {
    let word = |action: Action| if action == Action::Keep { "keep" } else { "drop" };
    let row = |policy: &&ostinato_core::dedupe::Policy| {
        let actions: Vec<_> = Class::ALL[1..].iter().map(|class| word(policy.action(*class))).collect();
        let classed = if policy.re_encrypts { actions } else { vec![actions[0], "-", actions[2], actions[3]] };
        format!("| `{}` | {} |", policy.name, classed.join(" | "))
    };
    let classes: Vec<_> = Class::ALL[1..].iter().map(|class| format!("`{}`", class.slug())).collect();
    let mut rows: Vec<_> = POLICIES.iter().map(row).collect();
    rows.push(format!("| policy | {} |", classes.join(" | ")));
    stands(&rows);
}

/// The table of limits.
#[test]
fn limits() {
    let Limits { max_depth, max_item_bytes, max_parts } = Limits::default();
    stands(&[
        format!("| `max_depth` | {max_depth} | {DEEPEST} |"),
        format!("| `max_item_bytes` | {max_item_bytes} | {LARGEST} |"),
        format!("| `max_parts` | {max_parts} | none |"),
        format!("{FRAME_ROOM} bytes"),
        format!("{ORIGIN_BYTES} bytes"),
    ]);
}

/// Every rule that a source file or a vector cites is a rule of the page.
#[test]
fn cited_rules_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = page();
    let mut cited = std::collections::BTreeSet::new();
    for folder in ["rust/core/src", "rust/core/tests", "rust/python/src", "python/ostinato", "tests/vectors"] {
        cite(&root.join(folder), &mut cited);
    }
    assert!(cited.len() > 10, "{cited:?}");
    let unknown: Vec<_> = cited.iter().filter(|rule| !page.contains(&format!("**{rule}.**"))).collect();
    assert!(unknown.is_empty(), "no such rules: {unknown:?}");
}

/// Collects the rules named after the words "rule" or "rules" in the files of a folder.
fn cite(folder: &std::path::Path, cited: &mut std::collections::BTreeSet<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            cite(&path, cited);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let after = text.match_indices("rule").map(|(at, _)| &text[at + 4..]);
            for rest in after {
                let words = rest
                    .trim_start_matches('s')
                    .split([' ', ',', '(', ')', '.', ':', '"', ';'])
                    .filter(|w| !w.is_empty());
                let is_rule = |word: &&str| {
                    let mut letters = word.chars();
                    letters.next().is_some_and(|c| "FECVDLRX".contains(c))
                        && letters.clone().count() > 0
                        && letters.all(|c| c.is_ascii_digit())
                };
                cited.extend(
                    words
                        .take_while(|word| is_rule(word) || *word == "to" || *word == "and")
                        .filter(is_rule)
                        .map(str::to_owned),
                );
            }
        }
    }
}
