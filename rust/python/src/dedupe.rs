//! Dedupe over a sequence of items of one provider.

use crate::error::raise;
use crate::item::item_arg;
use ostinato_core::dedupe::{self as core, Action, Class, Policy, Seen};
use ostinato_core::error::{Code, Error};
use ostinato_core::schema;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// One item as dedupe saw it: class, whether it stays, id, SHA-256 of its state.
type Judged = (&'static str, bool, Option<String>, String);

/// Judges every item of a list in order. The policy is the provider's own unless one is named.
#[pyfunction]
#[pyo3(signature = (items, *, provider, policy = None))]
pub fn dedupe(
    py: Python<'_>,
    items: &Bound<'_, PyList>,
    provider: &str,
    policy: Option<&str>,
) -> PyResult<Vec<Judged>> {
    // A wrong name is a mistake even where there is nothing to judge.
    let named = policy.map(core::policy).transpose().map_err(|error| raise(&error))?;
    if named.is_none() && !schema::PROVIDERS.iter().any(|row| row.name == provider) {
        return Err(raise(&Error::new(Code::UnknownProvider)));
    }
    let mut seen = Seen::default();
    let mut judged = Vec::with_capacity(items.len());
    for item in items.iter() {
        let item = item_arg(&item)?.get();
        let verdict = item.with(py, |item| {
            let policy = choose(item.spec().wire, provider, named)?;
            let (class, identity) = seen.class(item, policy);
            let kept = policy.action(class) == Action::Keep;
            Ok((class.slug(), kept, identity.id, identity.sha256))
        })?;
        judged.push(verdict.map_err(|error: Error| raise(&error))?);
    }
    Ok(judged)
}

fn choose(wire: &str, provider: &str, named: Option<&'static Policy>) -> Result<&'static Policy, Error> {
    let own = || schema::provider(wire, Some(provider)).map(|row| row.policy);
    named.map_or_else(own, Ok).map_err(|_| Error::new(Code::UnknownProvider))
}

/// Every policy: (name, what it does with each class).
#[pyfunction]
pub fn policies() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let word = |action| if action == Action::Keep { "keep" } else { "drop" };
    let actions =
        |policy: &Policy| Class::ALL.iter().map(|class| (class.slug(), word(policy.action(*class)))).collect();
    core::POLICIES.iter().map(|policy| (policy.name, actions(policy))).collect()
}
