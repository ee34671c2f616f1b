//! The program `blpk`. Everything is in the library, which the Python package also runs.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let argv: Vec<OsString> = std::env::args_os().collect();
    ExitCode::from(blpk_cli::run(&argv))
}
