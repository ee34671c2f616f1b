//! Threads, and the number of chunks in flight.
//!
//! | file | content |
//! |---|---|
//! | `threads` | the threads that do the work |
//! | `pipeline` | reader, workers and writer: bounded and in order |

pub(crate) mod pipeline;
pub(crate) mod threads;
