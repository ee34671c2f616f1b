//! Zarr arrays and groups, versions 2 and 3: in a directory, in a zip archive, or in any other [`ReadDirectory`](crate::ReadDirectory).
//!
//! | to | |
//! |---|---|
//! | read an array | [`Archive::open`](crate::Archive::open), [`Array::open`](crate::Array::open) |
//! | read the metadata of an array | [`Archive::zarr`](crate::Archive::zarr) |
//! | list the arrays of a group, and read one | [`Group`], with [`open_store`] for a path |
//! | read a zip archive as a directory | [`ZipDirectory`] |
//!
//! | file | content |
//! |---|---|
//! | `node` | reads the metadata of what is at a path |
//! | `group` | the arrays and groups in a group |
//! | `array` | an open array |
//! | `container` | an array as a container |
//! | `geometry` | chunks and blocks of an array; which shard holds which chunk |
//! | `chunk` | the stored bytes of a chunk, and its items |
//! | `codecs` | undoes the codecs of a chunk |
//! | `transpose` | undoes a permutation of axes |
//! | `shards` | the indexes of shards, read once |
//! | `stored` | lists the chunks that are stored |
//! | `local` | arrays and groups on the file system |
//! | `zip` | zip archives as directories |
//! | `write` | writes new arrays and groups |
//!
//! [`bloscpack_format::zarr`] defines the content of the files. Reading an array never lists a directory, because not
//! every store can.

mod array;
mod chunk;
mod codecs;
mod container;
mod geometry;
mod group;
mod local;
mod node;
mod shards;
mod stored;
mod transpose;
#[cfg(feature = "write")]
pub(crate) mod write;
mod zip;

pub(crate) use self::array::OpenZarr;
pub use self::group::Group;
pub(crate) use self::local::LocalZarr;
pub use self::local::open_store;
pub use self::node::{Node, NodeKind, node_at};
pub(crate) use self::node::{format_of, refined};
pub use self::zip::ZipDirectory;
pub(crate) use self::zip::is_zip;
