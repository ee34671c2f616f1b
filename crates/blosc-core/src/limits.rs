//! Bounds on the resources that decoding untrusted input may use.

use core::fmt;

/// Bounds for reading untrusted input: chunks, and all containers of chunks.
///
/// The defaults accept everything the reference libraries write, while bounding what a tiny hostile file can allocate:
/// memory that few compressed bytes expand to is bounded by [`max_unearned`](Self::max_unearned). Set the other limits
/// if the expected sizes are known. An HDF5 filter or a Zarr codec knows the size of a chunk, a server knows its budget
/// for a request, and a viewer knows what fits on the screen.
///
/// ```
/// use blosc_core::Limits;
/// // A server whose chunks have 16 MiB at most, and that answers with 64 MiB at most, out of 256 MiB for all of it.
/// let limits = Limits::new().max_chunk(16 << 20).max_nbytes(64 << 20).max_memory(256 << 20);
/// # let _ = limits;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum plain bytes that one call returns: a chunk from a [`Decoder`](crate::Decoder), or the data that a
    /// container assembles in memory. Also the maximum of a block of which a call returns a part, as for
    /// [`Decoder::items`](crate::Decoder::items), because the whole block is decoded. Does not bound outputs that
    /// are written to a stream. Default: the largest possible allocation, because an array may have any size. On 32-bit
    /// machines that is 2 GiB − 1.
    pub max_nbytes: usize,
    /// Maximum plain bytes of a chunk, or of a block where only some blocks are decoded. Default: the maximum of the
    /// format, 2 GiB − 1.
    pub max_chunk: usize,
    /// Maximum plain bytes in memory beyond [`Limits::EARNED`] per compressed byte (the expansion limit). Default: 1
    /// GiB, so that a file of less than 256 KiB never costs 2 GiB. Does not bound what is decoded into the caller's
    /// buffer, nor what is written to a stream: a frame of a terabyte of zeros opens, and every range of it can be
    /// read.
    pub max_unearned: usize,
    /// Maximum bytes held at once besides the output: chunks in flight, blocks that pass through filters, metadata, the
    /// index of a frame. If more chunks would not fit, fewer are processed at once. A single chunk that does not fit is
    /// refused. The tables of the codecs, below 1 MiB per thread, are not counted. Default: 8 GiB, which fits the
    /// largest possible chunk: 2 GiB uncompressed, 2 GiB compressed, and six blocks of 512 MiB. On 32-bit machines the
    /// default is 2 GiB − 1.
    pub max_memory: usize,
    /// Maximum bytes of one piece of metadata after decompression. Attributes and interrupted changes are stored
    /// uncompressed and may have 4 and 16 times this size. Parsed values take up to 36 times the memory, so metadata is
    /// also limited to 1/36 of `max_memory`. Default: 16 MiB, because metadata describes data and holds none.
    pub max_metadata: usize,
    /// Maximum chunks of an index that is stored compressed, with 8 bytes for each chunk's offset. An index that
    /// repeats one entry is kept as that entry and is not bounded. Default: 2²⁵, an index of 256 MiB.
    pub max_chunks: u64,
}

impl Limits {
    /// Plain bytes per compressed byte that are free of the expansion limit. LZ4 expands a byte to at most 255 bytes,
    /// zlib to 1032. Ratios over 4096 come only from repeated bytes in large blocks. Legitimate data has those, too, so
    /// [`max_unearned`](Self::max_unearned) leaves room beyond this ratio.
    pub const EARNED: usize = 4096;

    /// Returns the default limits.
    pub const fn new() -> Self {
        Limits {
            max_nbytes: ADDRESSABLE,
            max_chunk: i32::MAX as usize,
            max_unearned: 1 << 30,
            max_memory: match 1_usize.checked_shl(33) {
                Some(max) => max,
                None => ADDRESSABLE,
            },
            max_metadata: 16 << 20,
            max_chunks: 1 << 25,
        }
    }

    /// Refuses to assemble more than `max_nbytes` plain bytes in memory.
    pub const fn max_nbytes(mut self, max_nbytes: usize) -> Self {
        self.max_nbytes = max_nbytes;
        self
    }

    /// Refuses chunks with more than `max_chunk` plain bytes.
    pub const fn max_chunk(mut self, max_chunk: usize) -> Self {
        self.max_chunk = max_chunk;
        self
    }

    /// Refuses more than `max_unearned` plain bytes in memory beyond [`Limits::EARNED`] per compressed byte.
    pub const fn max_unearned(mut self, max_unearned: usize) -> Self {
        self.max_unearned = max_unearned;
        self
    }

    /// Holds no more than `max_memory` bytes besides the output.
    pub const fn max_memory(mut self, max_memory: usize) -> Self {
        self.max_memory = max_memory;
        self
    }

    /// Refuses metadata of more than `max_metadata` bytes.
    pub const fn max_metadata(mut self, max_metadata: usize) -> Self {
        self.max_metadata = max_metadata;
        self
    }

    /// Refuses an index of more than `max_chunks` chunks.
    pub const fn max_chunks(mut self, max_chunks: u64) -> Self {
        self.max_chunks = max_chunks;
        self
    }

    /// Returns the memory that decoding a chunk may hold: its plain bytes, its compressed bytes, and blocks in the
    /// filters.
    #[doc(hidden)]
    pub fn chunk_memory(nbytes: u64, cbytes: u64) -> u64 {
        nbytes.saturating_add(cbytes).saturating_add(scratch(nbytes))
    }

    /// Returns how many of `nbytes` plain bytes exceed [`Limits::EARNED`] per byte of `cbytes` compressed bytes.
    #[doc(hidden)]
    pub fn unearned(nbytes: u64, cbytes: u64) -> u64 {
        nbytes.saturating_sub(cbytes.saturating_mul(Limits::EARNED as u64))
    }

    /// Refuses a chunk of `nbytes` plain bytes if they exceed the limit.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_chunk`].
    #[doc(hidden)]
    pub fn check_chunk(&self, nbytes: u64) -> Result<(), OverLimit> {
        check("the plain bytes of a chunk", nbytes, self.max_chunk, "max_chunk")
    }

    /// Refuses `nbytes` plain bytes in memory if `cbytes` compressed bytes expand to too many.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_unearned`].
    #[doc(hidden)]
    pub fn check_unearned(&self, nbytes: u64, cbytes: u64) -> Result<(), OverLimit> {
        let unearned = Limits::unearned(nbytes, cbytes);
        check("plain bytes beyond 4096 for each compressed byte", unearned, self.max_unearned, "max_unearned")
    }

    /// Refuses an output of `nbytes` plain bytes in memory that come from `cbytes` compressed bytes, if it exceeds a
    /// limit.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_nbytes`] or [`Limits::max_unearned`].
    #[doc(hidden)]
    pub fn check_output(&self, nbytes: u64, cbytes: u64) -> Result<(), OverLimit> {
        check("the plain bytes in memory", nbytes, self.max_nbytes, "max_nbytes")?;
        self.check_unearned(nbytes, cbytes)
    }

    /// Refuses to decode a chunk of `nbytes` plain bytes into memory of the caller, if they exceed a limit.
    pub(crate) fn check_nbytes(&self, nbytes: u64) -> Result<(), OverLimit> {
        self.check_chunk(nbytes)?;
        check("the plain bytes in memory", nbytes, self.max_nbytes, "max_nbytes")
    }

    /// Refuses to hold `nbytes` bytes at once if they exceed the limit.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_memory`].
    #[doc(hidden)]
    pub fn check_memory(&self, what: &'static str, nbytes: u64) -> Result<(), OverLimit> {
        check(what, nbytes, self.max_memory, "max_memory")
    }

    /// Refuses a piece of metadata of `nbytes` bytes if it exceeds `times` the limit.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_metadata`] or [`Limits::max_memory`].
    #[doc(hidden)]
    pub fn check_metadata(&self, nbytes: u64, times: usize) -> Result<(), OverLimit> {
        check("metadata", nbytes, self.max_metadata.saturating_mul(times), "max_metadata")?;
        let values = nbytes.saturating_mul(METADATA_MEMORY as u64);
        // Metadata stored uncompressed is no larger than the input, so `max_metadata` alone bounds it.
        if times == 1 { self.check_memory("metadata as values", values) } else { Ok(()) }
    }

    /// Returns the maximum bytes of metadata that [`Limits::check_metadata`] accepts.
    #[doc(hidden)]
    pub fn metadata_room(&self) -> u64 {
        self.max_metadata.min(self.max_memory / METADATA_MEMORY) as u64
    }

    /// Refuses an index of `nchunks` chunks if it exceeds a limit.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_chunks`] or [`Limits::max_memory`].
    #[doc(hidden)]
    pub fn check_chunks(&self, nchunks: u64) -> Result<(), OverLimit> {
        if nchunks > self.max_chunks {
            let (what, limit) = ("the chunks of an index", self.max_chunks);
            return Err(OverLimit { what, needed: nchunks, limit, raise: "max_chunks" });
        }
        self.check_memory("the index", nchunks.saturating_mul(INDEX_MEMORY))
    }
}

/// Maximum bytes of one allocation.
const ADDRESSABLE: usize = isize::MAX as usize;

/// Memory that one chunk of an index may take: its entry in a growing list, the end of its plain bytes in another list,
/// and whether it was verified.
const INDEX_MEMORY: u64 = 64;

/// Memory that one byte of metadata may take as a parsed value: one value of 36 bytes per byte, see `Json`.
const METADATA_MEMORY: usize = 36;

/// Maximum number of blocks that a decoder holds: two decoded at once, one on each side of a filter, the first block
/// for delta, and a block of which ranges are wanted.
const SCRATCH_BLOCKS: u64 = 6;

/// Returns the scratch memory for decoding blocks of at most `blocksize` bytes.
pub(crate) fn scratch(blocksize: u64) -> u64 {
    SCRATCH_BLOCKS * blocksize.min(crate::format::MAX_BLOCKSIZE as u64)
}

fn check(what: &'static str, needed: u64, limit: usize, raise: &'static str) -> Result<(), OverLimit> {
    let limit = limit as u64;
    if needed <= limit { Ok(()) } else { Err(OverLimit { what, needed, limit, raise }) }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::new()
    }
}

/// A size over one of the [`Limits`]: the limit, the size, and the field to raise if the size is intended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverLimit {
    /// The quantity that exceeds the limit.
    pub what: &'static str,
    /// Its value.
    pub needed: u64,
    /// The limit.
    pub limit: u64,
    /// The field of [`Limits`] that holds it.
    pub raise: &'static str,
}

impl OverLimit {
    /// Advice for the author of a program. `Display` leaves it out.
    pub fn advice(&self) -> String {
        format!("raise Limits::{} if that is intended", self.raise)
    }
}

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OverLimit { what, needed, limit, .. } = self;
        write!(f, "{what}: {needed}, the limit is {limit}")
    }
}

impl std::error::Error for OverLimit {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_to_raise() {
        let error = Limits::new().max_chunk(100).check_chunk(101).unwrap_err();
        let says = "the plain bytes of a chunk: 101, the limit is 100; raise Limits::max_chunk if that is intended";
        assert_eq!(format!("{error}; {}", error.advice()), says);
    }

    /// The arithmetic of the defaults.
    #[test]
    fn defaults() {
        let limits = Limits::new();
        let largest = i32::MAX as u64;
        assert!(limits.check_chunk(largest).is_ok());
        // A 32-bit machine refuses what it cannot address.
        let is_64_bit = usize::BITS == 64;
        assert!([limits.max_nbytes, limits.max_memory].iter().all(|max| isize::try_from(*max).is_ok()));
        let chunk = Limits::chunk_memory(largest, largest);
        assert_eq!(limits.check_memory("a chunk", chunk).is_ok(), is_64_bit);
        assert_eq!(limits.check_output(u64::MAX >> 1, u64::MAX >> 13).is_ok(), is_64_bit);
        assert!(limits.check_output(2 << 30, (256 << 10) - 1).is_err());
        assert!(limits.check_metadata(16 << 20, 1).is_ok() && limits.check_metadata((16 << 20) + 1, 1).is_err());
        assert_eq!(limits.metadata_room(), 16 << 20);
        // On 32-bit machines, an index of 2²⁵ chunks takes one byte more than `max_memory`.
        let most = (1 << 25) - u64::from(!is_64_bit);
        assert!(limits.check_chunks(most).is_ok() && limits.check_chunks(most + 1).is_err());
    }
}
