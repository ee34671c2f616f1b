//! Writes the JavaScript that calls a WebAssembly module: `blpk-web-bindgen MODULE OUTPUT-FOLDER NAME`.
//!
//! `wasm-bindgen-cli` does the same. This program has fewer dependencies, and `Cargo.lock` keeps its version equal to
//! that of the crate `wasm-bindgen`, which it must match.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = arguments.as_slice() else {
        eprintln!("usage: blpk-web-bindgen MODULE OUTPUT-FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(name).typescript(true).omit_default_module_path(true);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let written = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("blpk-web-bindgen: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
