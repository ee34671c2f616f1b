//! Golden data.
