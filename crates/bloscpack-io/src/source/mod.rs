//! Sources of bytes.
//!
//! | file | content |
//! |---|---|
//! | `read_at` | [`ReadAt`]: a file, memory or anything else that can be read at any offset |
//! | `directory` | [`ReadDirectory`]: a directory of files |
//! | `chunk_files` | [`ChunkFiles`]: the chunk files of a sparse frame |
//! | `input` | [`Input`]: the bytes or directory that a container is opened from |
//! | `tail` | the bytes after an offset |
//! | `sequential` | a source read from start to end |
//! | `gather` | the runs of a strided copy |
//! | `percent` | percent-encoding of names in URLs |
//! | `counting` | a reader that counts the bytes read |

mod chunk_files;
pub(crate) mod counting;
mod directory;
mod gather;
mod input;
pub(crate) mod percent;
mod read_at;
mod sequential;
mod tail;

pub use self::chunk_files::ChunkFiles;
pub(crate) use self::chunk_files::Named;
pub(crate) use self::directory::shown;
pub use self::directory::{AnyDirectory, ReadDirectory};
pub(crate) use self::gather::gather;
pub use self::input::Input;
pub(crate) use self::input::InputKind;
pub use self::read_at::ReadAt;
pub(crate) use self::sequential::{Sequential, parse_start};
pub use self::tail::Tail;
