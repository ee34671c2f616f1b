//! Threads, and the number of chunks in flight.
//!
//! | file | content |
//! |---|---|
//! | `threads` | the threads that do the work |
//! | `chunk_buffer` | buffers for compressed chunks |
//! | `pipeline` | reader, workers and writer: bounded and in order |

pub(crate) mod chunk_buffer;
pub(crate) mod pipeline;
pub(crate) mod threads;
