//! Copies and measures matches. Shared by all codecs that have matches.
//!
//! | file | does |
//! |---|---|
//! | `copy` | copies a match within the buffer that it is decoded into |
//! | `repeat` | builds the words for matches with offsets below 16 |
//! | `match_length` | finds how far two positions of a buffer agree |

pub(super) mod copy;
pub(super) mod match_length;
mod repeat;
