//! The WebAssembly module of the JavaScript package `blpk`.
//!
//! | file | content |
//! |---|---|
//! | `exports` | the functions and classes that JavaScript calls |
//! | `imports` | the functions of JavaScript that are called here |
//! | `params` | compression parameters by their names |
//! | `source` | files and directories whose bytes JavaScript holds |
//! | `opened` | an open file or directory: an array, a table or a group |
//! | `describe` | an open file as JSON |
//! | `info` | the facts that `blpk info` prints |
//! | `kind` | the names of the kinds of errors |
//! | `items` | items for JavaScript's typed arrays |
//! | `text` | items as lines of comma-separated values |
//! | `rest` | the intact parts of a damaged array |
//!
//! JavaScript reads files asynchronously, and this module reads them synchronously. A read of bytes that have not arrived
//! fails, and JavaScript repeats the call when they have: `docs/decisions/030-browser.md`.
//!
//! All decisions about formats are made in the libraries. This crate converts values.
#![deny(unsafe_code)]

#[cfg(feature = "containers")]
mod describe;
// The macros of wasm-bindgen expand to unsafe code, and take public items only.
#[allow(unreachable_pub)]
#[allow(unsafe_code)]
mod exports;
#[cfg(feature = "containers")]
#[allow(unreachable_pub)]
#[allow(unsafe_code)]
mod imports;
#[cfg(feature = "info")]
mod info;
#[cfg(feature = "containers")]
mod items;
mod kind;
#[cfg(feature = "containers")]
mod opened;
#[cfg(feature = "compress")]
mod params;
#[cfg(feature = "containers")]
mod rest;
#[cfg(feature = "containers")]
mod source;
#[cfg(feature = "containers")]
mod text;
