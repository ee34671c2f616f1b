//! Threads, and the number of chunks in flight.
//!
//! | file | content |
//! |---|---|
//! | `threads` | the threads that do the work |
//! | `memory_left` | the memory that the limits of the process leave |
//! | `chunk_buffer` | buffers for compressed chunks |
//! | `pipeline` | reader, workers and writer: bounded and in order |

pub(crate) mod chunk_buffer;
pub(crate) mod memory_left;
pub(crate) mod pipeline;
pub(crate) mod threads;
