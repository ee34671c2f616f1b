//! The functions as a C program calls them.

#![allow(clippy::unwrap_used, reason = "tests")]
