//! Tests of the public interface, in one binary. Tests that need their own process are beside this folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod callers;
mod damage;
mod damage_blosc2;
mod golden;
mod kernels;
mod limits;
mod lossy_filters;
mod only_block;
mod outside;
mod round_trip;
mod round_trip_blosc2;
mod safety_history;
mod special;
mod vlblocks;
mod ways;

#[global_allocator]
static ALLOC: testdata::CountingAlloc = testdata::CountingAlloc;
