//! The two generations of the chunk format, and the limits that both share.

/// The generation of the chunk format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ChunkFormat {
    /// Version 2, with a 16-byte header. Blosc 1.x reads and writes it, Blosc2 reads it. Used by bloscpack and bcolz
    /// files, Zarr version 2 and HDF5.
    #[default]
    Blosc1,
    /// Versions 3 to 6, usually with a 32-byte header. Blosc2 writes them, and Blosc 1.x cannot read them. They add up
    /// to six filters, dictionaries, special values, and blocks of variable length.
    Blosc2,
}

/// `BLOSC2_MAXBLOCKSIZE` of C-Blosc2: four buffers of a block fit into 31 bits.
pub(crate) const MAX_BLOCKSIZE: usize = 536_866_816;
