//! Tests of the binary `blpk`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod advice;
mod advise;
mod agreement;
mod append;
mod arrays;
mod atomic;
mod auto;
mod bcolz;
mod bcolz_convert;
mod bench;
mod chunks;
mod common;
#[cfg(unix)]
mod digests;
mod extras;
mod frames;
mod golden;
#[cfg(unix)]
mod hint;
#[cfg(unix)]
mod kill;
mod list;
mod many;
#[cfg(target_os = "linux")]
mod memory;
mod meta;
mod options;
mod overwrite;
mod pages;
#[cfg(unix)]
mod pipes;
mod prefixes;
#[cfg(unix)]
mod privacy;
#[cfg(unix)]
mod progress;
#[cfg(unix)]
mod readme;
mod reference;
#[cfg(feature = "remote")]
mod remote;
#[cfg(target_os = "linux")]
mod signals;
mod texts;
mod zarr;
