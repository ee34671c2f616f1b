//! What a decoder may spend on input that somebody else wrote.

use core::fmt;

/// Bounds for reading what comes from untrusted sources: chunks, and all containers of them.
///
/// Who sets nothing opens all that the reference libraries write, and yet a tiny file cannot cost gigabytes: memory for
/// which few bytes are there is bounded ([`max_unearned`](Self::max_unearned)). The others are for those who know what they
/// expect: a filter of HDF5 or a codec of Zarr knows the size of a chunk, a server what a request may cost, a viewer what
/// fits on the screen.
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
    /// Plain bytes of what one call returns: of a [`Decoder`](crate::Decoder) a chunk, of a container what is put together
    /// in memory. Outputs that are written to a stream are not bounded by it. Default: what a place in memory can have, as
    /// an array may be as large as it is: on machines of 32 bits 2 GiB − 1.
    pub max_nbytes: usize,
    /// Plain bytes of a chunk; of a block, where only some are decoded. Default: what the format can express, 2 GiB − 1.
    pub max_chunk: usize,
    /// Plain bytes that are put in memory beyond [`Limits::EARNED`] for each compressed byte that is there. Default: 1 GiB,
    /// so that a file of less than 256 KiB never costs 2 GiB. Does not bound what is decoded into a place of the caller's,
    /// nor what is written to a stream: a frame of a terabyte of zeros opens, and every range of it can be read.
    pub max_unearned: usize,
    /// Bytes that are held at once besides the output: chunks in flight, blocks on their way through filters, metadata, the
    /// index of a frame. Fewer chunks are worked on at once where more would not fit; one alone that does not fit is
    /// refused. The tables of the codecs, below 1 MiB for each thread, come on top. Default: 8 GiB, in which the largest
    /// chunk that there can be fits: 2 GiB plain, as much compressed, six blocks of 512 MiB. On machines of 32 bits
    /// 2 GiB − 1.
    pub max_memory: usize,
    /// Bytes of a piece of metadata, decompressed; those of attributes and of interrupted changes, which are stored as they
    /// are, may have 4 and 16 times as many. As values they take up to 36 times as much memory, so that no more than the
    /// 36th part of `max_memory` is believed either. Default: 16 MiB, as metadata is a description and no data.
    pub max_metadata: usize,
    /// Chunks of which an index that is stored compressed says where each is, 8 bytes for each. An index that repeats one
    /// entry is kept as that one and not bounded. Default: 2²⁵, an index of 256 MiB.
    pub max_chunks: u64,
}

impl Limits {
    /// Plain bytes that a compressed byte has earned. LZ4 makes 255 bytes of one, zlib 1032; more than 4096 come only from
    /// repeated bytes in large blocks, of which honest data is full, too: hence room beyond it.
    pub const EARNED: usize = 4096;

    /// The defaults.
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

    /// Refuses to put more than `max_nbytes` plain bytes together in memory.
    pub const fn max_nbytes(mut self, max_nbytes: usize) -> Self {
        self.max_nbytes = max_nbytes;
        self
    }

    /// Refuses chunks with more than `max_chunk` plain bytes.
    pub const fn max_chunk(mut self, max_chunk: usize) -> Self {
        self.max_chunk = max_chunk;
        self
    }

    /// Refuses plain bytes in memory that the compressed ones have not earned, beyond so many.
    pub const fn max_unearned(mut self, max_unearned: usize) -> Self {
        self.max_unearned = max_unearned;
        self
    }

    /// Holds no more than so many bytes besides the output.
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

    /// What decoding a chunk may hold: its plain bytes, its compressed ones, and blocks on their way.
    #[doc(hidden)]
    pub fn chunk_memory(nbytes: u64, cbytes: u64) -> u64 {
        nbytes.saturating_add(cbytes).saturating_add(scratch(nbytes))
    }

    /// How many of `nbytes` plain bytes are not earned by `cbytes` compressed ones.
    #[doc(hidden)]
    pub fn unearned(nbytes: u64, cbytes: u64) -> u64 {
        nbytes.saturating_sub(cbytes.saturating_mul(Limits::EARNED as u64))
    }

    /// Refuses a chunk of so many plain bytes.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_chunk`].
    #[doc(hidden)]
    pub fn check_chunk(&self, nbytes: u64) -> Result<(), OverLimit> {
        check("the plain bytes of a chunk", nbytes, self.max_chunk, "max_chunk")
    }

    /// Refuses `nbytes` plain bytes in memory that come from `cbytes` compressed ones, if these have not earned them.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_unearned`].
    #[doc(hidden)]
    pub fn check_unearned(&self, nbytes: u64, cbytes: u64) -> Result<(), OverLimit> {
        let unearned = Limits::unearned(nbytes, cbytes);
        check("plain bytes that the compressed ones have not earned", unearned, self.max_unearned, "max_unearned")
    }

    /// Refuses an output of so many plain bytes in memory that come from `cbytes` compressed ones.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_nbytes`] or [`Limits::max_unearned`].
    #[doc(hidden)]
    pub fn check_output(&self, nbytes: u64, cbytes: u64) -> Result<(), OverLimit> {
        check("the plain bytes in memory", nbytes, self.max_nbytes, "max_nbytes")?;
        self.check_unearned(nbytes, cbytes)
    }

    /// Refuses to hold so many bytes at once.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_memory`].
    #[doc(hidden)]
    pub fn check_memory(&self, what: &'static str, nbytes: u64) -> Result<(), OverLimit> {
        check(what, nbytes, self.max_memory, "max_memory")
    }

    /// Refuses a piece of metadata of so many bytes, which may be `times` as large as others.
    ///
    /// # Errors
    /// [`OverLimit`] for [`Limits::max_metadata`] or [`Limits::max_memory`].
    #[doc(hidden)]
    pub fn check_metadata(&self, nbytes: u64, times: usize) -> Result<(), OverLimit> {
        check("metadata", nbytes, self.max_metadata.saturating_mul(times), "max_metadata")?;
        let values = nbytes.saturating_mul(METADATA_MEMORY as u64);
        // What is stored as it is has at least been sent; only the smallest of limits bound it.
        if times == 1 { self.check_memory("metadata as values", values) } else { Ok(()) }
    }

    /// The most bytes of metadata that [`Limits::check_metadata`] lets through.
    #[doc(hidden)]
    pub fn metadata_room(&self) -> u64 {
        self.max_metadata.min(self.max_memory / METADATA_MEMORY) as u64
    }

    /// Refuses an index of so many chunks.
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

/// The most bytes that a place in memory can have.
const ADDRESSABLE: usize = isize::MAX as usize;

/// Memory that a chunk in an index may take: its entry in a list that grows, where it ends in the plain bytes in another
/// one, and whether it was verified already.
const INDEX_MEMORY: u64 = 64;

/// Memory that a byte of metadata may take as a value: one of 36 bytes for each, see `Json`.
const METADATA_MEMORY: usize = 36;

/// Blocks that a decoder holds at most: two decoded at once, one on each side of a filter, the first one for delta, and one
/// of which ranges are wanted.
const SCRATCH_BLOCKS: u64 = 6;

/// What the blocks of a chunk of `blocksize`, or no larger than that, take on their way.
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

/// More than one of the [`Limits`] allows: which, how much it would be, and what to raise if that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverLimit {
    /// What would be too much.
    pub what: &'static str,
    /// How much it would be.
    pub needed: u64,
    /// How much is allowed.
    pub limit: u64,
    /// The field of [`Limits`] that says so.
    pub raise: &'static str,
}

impl OverLimit {
    /// Advice for the author of a program. `Display` leaves it out.
    pub fn advice(&self) -> String {
        format!("raise Limits::{} if that is meant", self.raise)
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
        let says = "the plain bytes of a chunk: 101, the limit is 100; raise Limits::max_chunk if that is meant";
        assert_eq!(format!("{error}; {}", error.advice()), says);
    }

    /// The arithmetic behind the defaults.
    #[test]
    fn defaults() {
        let limits = Limits::new();
        let largest = i32::MAX as u64;
        assert!(limits.check_chunk(largest).is_ok());
        // What a machine of 32 bits cannot address is refused there.
        let is_64_bit = usize::BITS == 64;
        assert!([limits.max_nbytes, limits.max_memory].iter().all(|max| isize::try_from(*max).is_ok()));
        let chunk = Limits::chunk_memory(largest, largest);
        assert_eq!(limits.check_memory("a chunk", chunk).is_ok(), is_64_bit);
        assert_eq!(limits.check_output(u64::MAX >> 1, u64::MAX >> 13).is_ok(), is_64_bit);
        assert!(limits.check_output(2 << 30, (256 << 10) - 1).is_err());
        assert!(limits.check_metadata(16 << 20, 1).is_ok() && limits.check_metadata((16 << 20) + 1, 1).is_err());
        assert_eq!(limits.metadata_room(), 16 << 20);
        // The index of so many is one byte more than 32 bits can address.
        let most = (1 << 25) - u64::from(!is_64_bit);
        assert!(limits.check_chunks(most).is_ok() && limits.check_chunks(most + 1).is_err());
    }
}
