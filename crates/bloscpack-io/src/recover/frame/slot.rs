//! Where a chunk of the new frame comes from.

use blosc_core::Special;

/// The most chunks that an index says there are, or an array, without having shown them: as many as an index may have that
/// does not repeat itself, 256 MiB of it.
pub(super) const MAX_UNSEEN: u64 = 1 << 25;

/// The origin of a chunk of the new frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    /// A chunk of a frame that opens.
    Numbered(u64),
    /// So many bytes from a place on, counted from the end of the header.
    At(u64, u64),
    /// A chunk file.
    File(u32),
    Special(Special, u32),
    Lost,
}
