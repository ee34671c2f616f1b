//! Headers of the formats as text. The texts are in bloscpack-io, for other programs that show them.

pub(crate) use bloscpack_io::describe::{block, boolean, header_block, header_repr, list, metadata_header_block};
