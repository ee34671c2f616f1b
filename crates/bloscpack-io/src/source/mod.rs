//! Where bytes are read from.
//!
//! | file | content |
//! |---|---|
//! | `read_at` | [`ReadAt`]: a file, memory or anything else that can be read at any offset |
//! | `tail` | the bytes after an offset |
//! | `sequential` | a source from front to back |
//! | `counted` | a reader that knows its position |

pub(crate) mod counted;
mod read_at;
mod sequential;
mod tail;

pub use self::read_at::{ChunkFiles, ReadAt};
pub(crate) use self::sequential::{Sequential, parse_start};
pub use self::tail::Tail;
