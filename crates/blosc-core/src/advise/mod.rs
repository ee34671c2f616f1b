//! Chooses compression parameters by looking at the data.
//!
//! ```text
//! buffer ─► look ─► like the one before? ── yes ──► the same parameters
//!             │ no
//!             ▼
//!          periods ─► arrangements ─► trials on a sample ─► efforts on the best ─► parameters
//!       (typesize)    (filter, split)                      (codec, level)
//! ```
//!
//! | file | content |
//! |---|---|
//! | `goal` | the aim of a choice, and the score of a candidate |
//! | `candidate` | parameters with the result of a trial |
//! | `auto` | the request: a goal, and the parameters that the caller has set |
//! | `advisor` | keeps the parameters in force, and decides when to search for new ones |
//! | `look` | a fingerprint of a buffer, to detect that the data has changed |
//! | `period` | detects the size of an element |
//! | `elements` | the sizes that an element may have, and the arrangements to compare for them |
//! | `arrangement` | filters and splitting: how bytes are ordered before the codec |
//! | `effort` | codecs and levels, with their nominal speeds |
//! | `ladder` | the efforts that each goal tries |
//! | `sample` | cuts the sample out of a buffer |
//! | `trial` | compresses the sample with a candidate |
//! | `search` | the rounds of a search |
//! | `ranking` | the candidates of a round by their scores |
//! | `patience` | decides whether a slow level is worth a trial |
//! | `task` | what a search may try, and what it looks for |
//!
//! Nothing here measures time: the same bytes give the same parameters on every machine. Speeds are nominal
//! ([`effort`]). docs/decisions/023-automatic-choice.md has the design and the measurements.

mod advisor;
mod arrangement;
mod auto;
mod candidate;
mod effort;
mod elements;
mod goal;
mod ladder;
mod look;
mod patience;
mod period;
mod ranking;
mod sample;
mod search;
mod task;
#[cfg(test)]
mod tests;
mod trial;

pub use advisor::{Advice, Advisor};
pub use auto::Auto;
pub use candidate::Candidate;
pub use goal::Goal;
