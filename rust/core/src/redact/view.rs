//! The structural view of one item: what a log may hold of it.

use super::Options;
use super::mark::{self, Mark};
use crate::item::Item;
use crate::json::{Tree, Value, push_string};
use crate::limits::DEEPEST;
use crate::spec::{FieldSpec, Kind, ObjectSpec};

/// The fields of an item by their class, as one line of JSON: words and ids are shown; of text there is the length, of
/// state the length and the digest, of parts the count and the length, of data the length of its JSON text.
pub fn view(item: Item<'_>, options: Options) -> String {
    let spec = item.spec();
    let mut out = String::from("{\"wire\":");
    push_string(&mut out, spec.wire);
    out.push_str(",\"kind\":");
    push_string(&mut out, spec.kind);
    out.push_str(",\"fields\":");
    // A canonical item is JSON of a bounded depth, so this never fails.
    match Tree::parse(item.json(), DEEPEST) {
        Ok(tree) => object(&mut out, &tree, &spec.body, options),
        Err(_) => out.push_str("{}"),
    }
    out.push('}');
    out
}

fn object(out: &mut String, tree: &Tree<'_>, spec: &'static ObjectSpec, options: Options) {
    out.push('{');
    let mut separator = "";
    for field in spec.fields {
        if let Some(value) = tree.get(field.name) {
            out.push_str(separator);
            push_string(out, field.name);
            out.push(':');
            push(out, value, field, options);
            separator = ",";
        }
    }
    out.push('}');
}

fn push(out: &mut String, value: &Tree<'_>, field: &'static FieldSpec, options: Options) {
    let text = value.as_str().unwrap_or_default();
    match (field.kind, &value.value) {
        (Kind::Tag(tag), _) => push_string(out, tag),
        // A signature can hide in an id.
        (Kind::Id | Kind::Label, _) => push_string(out, &super::text(&text, options).text),
        (Kind::Opaque(encoding), _) => out.push_str(&Mark::state(text.as_bytes(), encoding, options).json()),
        (Kind::Text, _) => out.push_str(&Mark::length(text.len()).json()),
        (Kind::Parts(specs), _) => {
            let texts = value.elements().iter().flat_map(|part| specs.iter().filter_map(|spec| part.get(spec.text)));
            let bytes = texts.filter_map(Tree::as_str).map(|text| text.len()).sum();
            out.push_str(&mark::parts(value.elements().len(), bytes));
        }
        (Kind::Object(spec), _) => object(out, value, spec, options),
        (Kind::Integer, Value::Number(digits)) => out.push_str(digits),
        (Kind::Flag, Value::Bool(yes)) => out.push_str(if *yes { "true" } else { "false" }),
        _ => {
            let bytes = crate::json::compact(value).map_or(0, |json| json.len());
            out.push_str(&format!("{{\"bytes\":{bytes}}}"));
        }
    }
}
