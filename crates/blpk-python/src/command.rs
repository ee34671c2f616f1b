//! The command line `blpk`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, and returns its exit code. Called once, at the start of a process.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    py.detach(|| blpk_cli::run(&argv))
}
