//! References to the chunks of containers, as JSON text.

use std::path::PathBuf;

use bloscpack_io::{Cancel, Error, Limits, LocalSource, ReferenceInput, ReferenceOptions, References, reference_url};
use pyo3::prelude::*;

use crate::error::OrRaise;
use crate::run::detached;
use crate::settings::{in_range, limits};

/// Work of unknown size, which Ctrl-C must be able to end.
const UNKNOWN: usize = usize::MAX;

/// Returns references to the arrays at `paths`, joined to one, as the JSON text of kerchunk.
#[pyfunction(signature = (paths, axis, new_axis, name, dims, base, limits=Limits::new()))]
#[allow(clippy::too_many_arguments, reason = "keywords in Python")]
pub(crate) fn reference(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    #[pyo3(from_py_with = in_range)] axis: usize,
    new_axis: bool,
    name: Option<String>,
    dims: Vec<String>,
    base: Option<String>,
    #[pyo3(from_py_with = limits)] limits: Limits,
) -> PyResult<String> {
    let cancel = Cancel::new();
    let options = ReferenceOptions::new().axis(axis).new_axis(new_axis).name(name).dims(dims);
    let options = options.limits(limits).cancel(cancel.clone());
    let made = detached(py, UNKNOWN, &cancel, || {
        let open = |path: &PathBuf| {
            let (source, url) = (LocalSource::open(path)?.into(), reference_url(path, base.as_deref())?);
            Ok(ReferenceInput { source, url })
        };
        let inputs = paths.iter().map(open).collect::<Result<Vec<_>, Error>>()?;
        References::of(inputs, &options)?.to_json()
    });
    made?.or_raise(py)
}
