//! Tests of the public interface, in one binary. The test that needs its own process is beside this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod bcolz;
mod damage;
mod frame_damage;
mod frame_edits;
mod frame_laws;
mod frames;
mod golden;
mod laws;
mod python;

#[global_allocator]
static ALLOC: testdata::CountingAlloc = testdata::CountingAlloc;
mod zarr;
