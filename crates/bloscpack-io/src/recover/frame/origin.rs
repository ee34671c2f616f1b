//! The origin of a chunk of the new frame.

use blosc_core::Special;

/// Maximum number of chunks that an index or an array may claim without their having been found. An index that does not
/// repeat itself can have this number of entries: they take 256 MiB.
pub(super) const MAX_UNSEEN: u64 = 1 << 25;

/// The origin of a chunk of the new frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum ChunkOrigin {
    /// A chunk of a frame that opens.
    Numbered(u64),
    /// An offset from the end of the header, and a number of bytes.
    At(u64, u64),
    /// A chunk file.
    File(u32),
    Special(Special, u32),
    Lost,
}
