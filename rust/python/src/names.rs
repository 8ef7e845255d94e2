//! Names of fields as Python strings, made once.

use ostinato_core::schema;
use ostinato_core::spec::{Kind, ObjectSpec, STATUS, TYPE};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// A name and the address of its text: names come from tables that never move, so an address tells them apart.
type Named = (usize, Py<PyString>);

/// The Python string of a name in the tables.
pub fn interned<'py>(py: Python<'py>, name: &'static str) -> Bound<'py, PyString> {
    static NAMES: PyOnceLock<Vec<Named>> = PyOnceLock::new();
    let names = NAMES.get_or_init(py, || table(py));
    match names.binary_search_by_key(&(name.as_ptr() as usize), |(address, _)| *address) {
        Ok(found) => names[found].1.bind(py).clone(),
        Err(_) => PyString::intern(py, name),
    }
}

fn table(py: Python<'_>) -> Vec<Named> {
    let mut names = vec![TYPE, STATUS];
    let items = schema::SCHEMAS.iter().map(|schema| schema.item);
    for item in items.chain(schema::PROVIDERS.iter().flat_map(|provider| provider.items.iter().copied())) {
        names.extend(item.ignored);
        collect(&item.body, &mut names);
    }
    let mut table: Vec<Named> =
        names.into_iter().map(|name| (name.as_ptr() as usize, PyString::intern(py, name).unbind())).collect();
    table.sort_by_key(|(address, _)| *address);
    table.dedup_by_key(|(address, _)| *address);
    table
}

fn collect(spec: &ObjectSpec, names: &mut Vec<&'static str>) {
    for field in spec.fields {
        names.push(field.name);
        names.extend(field.aliases);
        match field.kind {
            Kind::Tag(tag) => names.push(tag),
            Kind::Parts(parts) => {
                names.extend(parts.iter().map(|part| part.tag));
                names.extend(parts.iter().flat_map(|part| part.fields).map(|field| field.name));
            }
            Kind::Object(deeper) => collect(deeper, names),
            _ => {}
        }
    }
}
