//! The two generations of the chunk format, and what both are bounded by.

/// The generation of the chunk format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ChunkFormat {
    /// Version 2, 16-byte header: what all of Blosc 1.x reads and writes, and Blosc2 reads. In bloscpack and bcolz
    /// files, in Zarr version 2 and HDF5.
    #[default]
    Blosc1,
    /// Versions 3 to 6, mostly with a 32-byte header: what Blosc2 writes, and Blosc 1.x does not read. Up to six filters,
    /// dictionaries, special values, blocks of variable length.
    Blosc2,
}

/// `BLOSC2_MAXBLOCKSIZE` of C-Blosc2: four buffers of a block fit into 31 bits.
pub(crate) const MAX_BLOCKSIZE: usize = 536_866_816;
