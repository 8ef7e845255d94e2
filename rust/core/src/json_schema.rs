//! The JSON Schema (draft 2020-12) of every envelope, made from the tables. It describes what is written; a reader also
//! takes null and an empty value for a field that may be missing.

use crate::envelope::ORIGIN_FIELDS;
use crate::json::push_string;
use crate::limits::ORIGIN_BYTES;
use crate::schema::{Frame, SCHEMAS, Schema};
use crate::spec::{Encoding, FieldSpec, Kind, ObjectSpec, PART_TEXT, PartSpec, Presence, Rule};

/// The names of all envelopes, in the order of the tables.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = SCHEMAS.iter().map(|schema| schema.name).collect();
    names.dedup();
    names
}

/// The JSON Schema of an envelope, indented; none if there is no envelope of this name.
pub fn json_schema(name: &str) -> Option<String> {
    let versions: Vec<&Schema> = SCHEMAS.iter().filter(|schema| schema.name == name).collect();
    let mut rows = vec![row("$schema", text("https://json-schema.org/draft/2020-12/schema")), row("title", text(name))];
    match versions.as_slice() {
        [] => return None,
        [only] => rows.extend(envelope(only)),
        several => {
            let versions = several.iter().map(|schema| Json::Object(envelope(schema)));
            rows.push(row("oneOf", Json::List(versions.collect())));
        }
    }
    let mut out = String::new();
    Json::Object(rows).push(&mut out, 0);
    out.push('\n');
    Some(out)
}

/// What a schema is made of.
enum Json {
    Text(String),
    Number(i64),
    No,
    List(Vec<Json>),
    Object(Rows),
}

type Rows = Vec<(&'static str, Json)>;

impl Json {
    /// Appends it with two spaces per level.
    fn push(&self, out: &mut String, depth: usize) {
        let line = |out: &mut String, depth: usize| {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        };
        match self {
            Json::Text(text) => push_string(out, text),
            Json::Number(number) => out.push_str(&number.to_string()),
            Json::No => out.push_str("false"),
            Json::List(elements) if elements.is_empty() => out.push_str("[]"),
            Json::List(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    out.push(if index == 0 { '[' } else { ',' });
                    line(out, depth + 1);
                    element.push(out, depth + 1);
                }
                line(out, depth);
                out.push(']');
            }
            Json::Object(rows) if rows.is_empty() => out.push_str("{}"),
            Json::Object(rows) => {
                for (index, (name, value)) in rows.iter().enumerate() {
                    out.push(if index == 0 { '{' } else { ',' });
                    line(out, depth + 1);
                    push_string(out, name);
                    out.push_str(": ");
                    value.push(out, depth + 1);
                }
                line(out, depth);
                out.push('}');
            }
        }
    }
}

fn row(name: &'static str, value: Json) -> (&'static str, Json) {
    (name, value)
}

fn text(value: &str) -> Json {
    Json::Text(value.to_owned())
}

fn constant(value: &str) -> Json {
    Json::Object(vec![row("const", text(value))])
}

fn of_type(name: &str) -> Json {
    Json::Object(vec![row("type", text(name))])
}

fn string(about: &str, shortest: Option<i64>) -> Json {
    string_that(about, shortest.map(|length| row("minLength", Json::Number(length))))
}

fn digest(about: &str) -> Json {
    string_that(about, [row("pattern", text("^[0-9a-f]{64}$"))])
}

fn string_that(about: &str, rows: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object([row("type", text("string")), row("description", text(about))].into_iter().chain(rows).collect())
}

fn envelope(schema: &Schema) -> Rows {
    let version = Json::Object(vec![row("type", text("integer")), row("const", Json::Number(schema.version))]);
    let mut properties = vec![
        row("schema", constant(schema.name)),
        row("version", version),
        row("item", Json::Object(body(&schema.item.body))),
    ];
    let mut required = vec!["schema", "version", "item"];
    match schema.frame {
        Frame::Bare => {}
        Frame::Route => {
            properties.push(row("origin", string("The route that made it; missing for OpenAI's own.", None)))
        }
        Frame::Sealed => {
            properties.push(row("origin", origin()));
            properties.push(row("digest", digest("SHA-256 of the canonical item, in hex.")));
            required.push("digest");
        }
    }
    let about = format!("A stored {} item of the wire {}.", schema.item.kind, schema.item.wire);
    let mut rows = vec![row("description", text(&about))];
    rows.extend(closed(properties, &required, &[]));
    rows
}

// The limit fits any integer.
#[allow(clippy::cast_possible_wrap)]
fn origin() -> Json {
    // Its length is counted in bytes, of which a character has at least one.
    let lengths = || [row("minLength", Json::Number(1)), row("maxLength", Json::Number(ORIGIN_BYTES as i64))];
    let field = |name: &'static str| match name {
        "account" => row(name, digest("The account: a salted SHA-256 in hex, never the account itself.")),
        _ => row(name, string_that("Where the state was made.", lengths())),
    };
    let mut rows = closed(ORIGIN_FIELDS.map(field).into(), &[], &[]);
    rows.push(row("minProperties", Json::Number(1)));
    Json::Object(rows)
}

/// An object that holds the fields of its table and nothing else.
fn body(spec: &ObjectSpec) -> Rows {
    let properties = spec.fields.iter().map(|field| row(field.name, value(field))).collect();
    let required = spec.fields.iter().filter(|field| field.presence == Presence::Required);
    closed(properties, &required.map(|field| field.name).collect::<Vec<_>>(), spec.rules)
}

fn closed(properties: Rows, required: &[&str], rules: &[Rule]) -> Rows {
    let mut rows = vec![
        row("type", text("object")),
        row("properties", Json::Object(properties)),
        row("required", Json::List(required.iter().map(|name| text(name)).collect())),
        row("additionalProperties", Json::No),
    ];
    if !rules.is_empty() {
        rows.push(row("allOf", Json::List(rules.iter().map(|rule| presence(*rule)).collect())));
    }
    rows
}

fn presence(rule: Rule) -> Json {
    let (word, names) = match rule {
        Rule::AnyOf(names) => ("anyOf", names),
        Rule::OneOf(names) => ("oneOf", names),
    };
    let each = |name: &&str| Json::Object(vec![row("required", Json::List(vec![text(name)]))]);
    Json::Object(vec![row(word, Json::List(names.iter().map(each).collect()))])
}

fn value(field: &FieldSpec) -> Json {
    let filled = (field.presence == Presence::OmitIfEmpty).then_some(1);
    match field.kind {
        Kind::Tag(tag) => constant(tag),
        Kind::Id => string("The provider's name of the item. Never made up.", Some(1)),
        Kind::Label => string("A short word of the provider.", Some(1)),
        Kind::Text => string("Reasoning that a model wrote.", filled),
        Kind::Opaque(Encoding::Text) => string("State that only its provider can read. A secret.", Some(1)),
        Kind::Opaque(Encoding::Blob) => string(BYTES, Some(1)),
        Kind::Opaque(Encoding::Base64) => string_that(BYTES, [row("pattern", text(&base64_pattern()))]),
        Kind::Parts(parts) => {
            let mut rows = vec![
                row("type", text("array")),
                row("description", text("Parts, in the order in which the model made them.")),
                row("items", element(parts)),
            ];
            rows.extend(filled.map(|count| row("minItems", Json::Number(count))));
            Json::Object(rows)
        }
        Kind::Object(spec) => Json::Object(body(spec)),
        Kind::Integer => of_type("integer"),
        Kind::Flag => of_type("boolean"),
        Kind::Json => Json::Object(vec![
            row("description", text("Any value but null, kept as it is.")),
            row("not", of_type("null")),
        ]),
    }
}

const BYTES: &str = "State that only its provider can read: bytes in either alphabet of base64. A secret.";

/// What [`crate::item::is_base64`] takes, as a regular expression of ECMA-262.
fn base64_pattern() -> String {
    let of = |letter: &str| format!("({letter}{{4}})*({letter}{{4}}|{letter}{{3}}=?|{letter}{{2}}(==)?)");
    format!("^({}|{})$", of("[A-Za-z0-9+/]"), of("[A-Za-z0-9_-]"))
}

fn element(parts: &[PartSpec]) -> Json {
    let part = |part: &PartSpec| {
        let fields = part.fields.iter().map(|field| match field.name {
            PART_TEXT => row(field.name, string("Its text.", None)),
            name => row(name, string("A field of a picture.", Some(1))),
        });
        let required = part.fields.iter().filter(|field| field.presence == Presence::Required);
        let required: Vec<_> = ["type"].into_iter().chain(required.map(|field| field.name)).collect();
        Json::Object(closed([row("type", constant(part.tag))].into_iter().chain(fields).collect(), &required, &[]))
    };
    match parts {
        [only] => part(only),
        several => Json::Object(vec![row("oneOf", Json::List(several.iter().map(part).collect()))]),
    }
}

#[cfg(test)]
mod tests {
    use super::{json_schema, names};
    use crate::schema::SCHEMAS;

    #[test]
    fn every_envelope_has_a_schema_that_names_all_its_fields() {
        for schema in SCHEMAS {
            let written = json_schema(schema.name).expect("a schema");
            let json: serde_json::Value = serde_json::from_str(&written).expect("JSON");
            let item = &json["properties"]["item"]["properties"];
            for field in schema.item.body.fields {
                assert!(item.get(field.name).is_some(), "{} {}", schema.name, field.name);
            }
            assert_eq!(json["properties"]["version"]["const"], schema.version);
        }
        assert!(names().contains(&crate::schema::FAST_AGENT_REASONING));
        assert_eq!(json_schema("unknown"), None);
    }
}
