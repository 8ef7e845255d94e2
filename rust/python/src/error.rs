//! Core errors as Python exceptions. The classes are written in Python; only code, path and offset cross over.

use ostinato_core::{Code, Error};
use pyo3::prelude::*;

mod classes {
    // The macro's class has no documentation of its own.
    #![allow(missing_docs)]
    pyo3::import_exception!(ostinato.errors, ReplayError);
}
pub use classes::ReplayError;

/// A core error as a `ReplayError`.
#[cold]
pub fn raise(error: &Error) -> PyErr {
    ReplayError::new_err((error.code().slug(), error.path(), error.offset()))
}

/// Every error code with its sentence, in the order of the documentation.
#[pyfunction]
pub fn error_codes() -> Vec<(&'static str, &'static str)> {
    Code::ALL.iter().map(|code| (code.slug(), code.sentence())).collect()
}
