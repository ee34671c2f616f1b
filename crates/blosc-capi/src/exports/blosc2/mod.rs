//! The functions of `blosc2.h`, which `include/blosc2.h` documents for C.
//!
//! | file | content |
//! |---|---|
//! | `abi`, `schunk_abi` | the structures of the header |
//! | `process` | settings of the process |
//! | `source` | chunks of C programs as headers and slices |
//! | `chunks` | compress, decompress and read items with these settings |
//! | `context` | contexts and their parameters |
//! | `context_chunks` | compress, decompress and read items with a context |
//! | `vlblocks`, `special` | chunks of blocks of variable length, and chunks without blocks |
//! | `callbacks`, `block_functions` | codecs and filters, prefilters and postfilters of the program, as those of the engine |
//! | `user` | the parameters that these get |
//! | `functions` | the functions of the program |
//! | `tids`, `tuner` | thread numbers for callbacks, and calls of tuners |
//! | `schunk` | super-chunks |
//! | `nd` | arrays, the functions of `b2nd.h` |
//! | `stdio`, `stdio_mmap` | input and output of files, and of files mapped into memory |
//! | `registration` | codecs, filters, tuners and inputs of the program |
//! | `threads` | threads of the program |
//! | `headers`, `names`, `defaults`, `tools` | facts in headers, names, default parameters, shuffles and clocks |
//! | `layout` | the layout of the structures, for tests |

mod abi;
mod block_functions;
mod callbacks;
mod chunks;
mod context;
mod context_chunks;
mod defaults;
mod functions;
mod headers;
#[cfg(feature = "testing")]
mod layout;
mod names;
mod nd;
mod process;
mod registration;
mod schunk;
mod schunk_abi;
mod source;
mod special;
mod stdio;
mod stdio_mmap;
#[cfg(test)]
mod tests;
mod threads;
mod tids;
mod tools;
mod tuner;
mod user;
mod vlblocks;

pub use abi::{
    CodecRecord, Cparams, Dparams, FilterRecord, Io, IoCallbacks, PostfilterParams, PrefilterParams, StdioMmap,
    StdioParams, Storage, TunerRecord,
};
pub use chunks::*;
pub use context::*;
pub use context_chunks::*;
pub use defaults::*;
pub use headers::*;
#[cfg(feature = "testing")]
pub use layout::*;
pub use names::*;
pub use nd::*;
pub use process::*;
pub use registration::*;
pub use schunk::*;
pub use schunk_abi::{Metalayer, Schunk};
pub use special::*;
pub use stdio::*;
pub use stdio_mmap::*;
pub use threads::*;
pub use tools::*;
pub use vlblocks::*;
