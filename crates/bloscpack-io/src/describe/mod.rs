//! The metadata of files as text, as `blpk info` prints it. For programs of this project; the texts may change.
//!
//! | file | content |
//! |---|---|
//! | `text` | titles with fields, attributes, headers in Python's spelling |
//! | `size`, `pprint` | sizes, and Python's layout of metadata |
//! | `contents` | the blocks and streams of a chunk |
//! | `bloscpack`, `chunk`, `frame`, `npy`, `bcolz`, `zarr` | one kind of file |
//!
//! A text is a line or several.

mod bcolz;
mod bloscpack;
mod chunk;
mod contents;
mod frame;
mod npy;
mod pprint;
mod size;
mod text;
pub mod zarr;

pub use self::bcolz::{bcolz, ctable};
pub use self::bloscpack::bloscpack;
pub use self::chunk::chunk;
pub use self::contents::{Block, Contents, Counts, codec_name};
pub use self::frame::{frame, frame_filters, layer_names};
pub use self::npy::npy;
pub use self::pprint::{is_space, pformat};
pub use self::size::{double_pretty_size, pretty_size};
pub use self::text::{block, boolean, header_block, header_repr, list, metadata_header_block};
