//! Tests of the public interface, in one binary. Tests that need their own process, or another set of features,
//! are beside this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agreement;
mod append;
mod arguments;
mod arrays;
mod auto;
mod bcolz;
mod bcolz_damage;
mod bcolz_journal;
#[cfg(unix)]
mod bcolz_kill;
mod bcolz_recover;
mod bcolz_writer;
mod common;
mod convert;
mod convert_copied;
mod convert_zarr;
mod damage;
mod facts;
mod faults;
#[cfg(unix)]
mod faults_leftovers;
mod frame_arrays;
mod frame_damage;
#[cfg(unix)]
mod frame_kill;
#[cfg(unix)]
mod frame_links;
mod frame_panics;
mod frame_recover;
mod frame_sequence;
mod frame_writer;
mod frames;
mod golden;
mod interface;
mod limits;
mod limits_defaults;
mod limits_frames;
mod limits_stream;
mod pools;
mod push_and_pull;
mod read_back;
mod recover;
mod recover_formats;
mod reference;
mod round_trip;
mod selections;
mod zarr;
mod zarr_damage;

#[global_allocator]
static ALLOC: testdata::CountingAlloc = testdata::CountingAlloc;
