//! Inputs and outputs: files, devices, pipes, stdin and stdout.
//!
//! | file | contents |
//! |---|---|
//! | `input` | inputs that are read front to back |
//! | `source` | inputs for random access |
//! | `output` | outputs that are written front to back |
//! | `same_file` | outputs that are their own inputs |
//! | `standard` | stdin and stdout as files |

mod input;
mod output;
mod same_file;
mod source;
mod standard;

pub(crate) use input::{Input, Interrupted, sized};
pub(crate) use output::{Output, StdoutClosed};
pub(crate) use same_file::refuse_same_file;
pub(crate) use source::{open_seekable, open_source};
