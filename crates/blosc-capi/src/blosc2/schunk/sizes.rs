//! The sizes of a super-chunk, which programs read, and how changes of chunks change them.

use crate::blosc2::codes::{CHUNK_APPEND, CHUNK_INSERT, CHUNK_UPDATE, DATA, trace};
use crate::blosc2::header::Info;

const VL_BLOCKS: u8 = 1;

/// The sizes of a super-chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) nchunks: i64,
    pub(crate) nbytes: i64,
    pub(crate) cbytes: i64,
    /// Uncompressed bytes of each chunk but the last; 0 if they differ, -1 if there was no chunk yet.
    pub(crate) chunksize: i32,
    /// The flags of the blocks of the first chunk.
    pub(crate) flags: u8,
}

impl Sizes {
    /// The sizes of a super-chunk without chunks.
    pub(crate) const EMPTY: Sizes = Sizes { nchunks: 0, nbytes: 0, cbytes: 0, chunksize: -1, flags: 0 };

    /// Returns the sizes after a chunk was inserted before number `at`. `last` are the uncompressed bytes of the last
    /// chunk.
    ///
    /// # Errors
    /// The code of a chunk that does not fit the others.
    pub(super) fn inserted(self, at: i64, chunk: Info, last: Option<i32>) -> Result<Self, i32> {
        let code = if at == self.nchunks { CHUNK_APPEND } else { CHUNK_INSERT };
        self.check_kind(chunk, self.nchunks > 0, code)?;
        let mut sizes = self.first(chunk);
        let nbytes = chunk.nbytes();
        if sizes.chunksize > 0
            && let Some(last) = last
            && (last < sizes.chunksize || nbytes > sizes.chunksize || (at != self.nchunks && nbytes != sizes.chunksize))
        {
            sizes.chunksize = 0;
        }
        sizes.check_length(nbytes, code)?;
        let nbytes = sizes.nbytes.saturating_add(nbytes.into());
        let cbytes = sizes.cbytes.saturating_add(chunk.cbytes().into());
        Ok(Sizes { nchunks: self.nchunks.saturating_add(1), nbytes, cbytes, ..sizes })
    }

    /// Returns the sizes after chunk `at` was replaced.
    ///
    /// # Errors
    /// As [`Sizes::inserted`].
    pub(super) fn updated(self, at: i64, old: Info, chunk: Info) -> Result<Self, i32> {
        self.check_kind(chunk, self.nchunks > 1, CHUNK_UPDATE)?;
        let mut sizes = self.first(chunk);
        let nbytes = chunk.nbytes();
        if self.nchunks == 1 {
            sizes.flags = chunk.block_flags();
        }
        if sizes.chunksize > 0 && (nbytes > sizes.chunksize || (at != self.nchunks - 1 && nbytes != sizes.chunksize)) {
            sizes.chunksize = 0;
        }
        sizes.nbytes = sizes.nbytes.saturating_add(i64::from(nbytes) - i64::from(old.nbytes()));
        sizes.cbytes = sizes.cbytes.saturating_add(i64::from(chunk.cbytes()) - i64::from(old.cbytes()));
        Ok(sizes)
    }

    /// Returns the sizes after a chunk was removed.
    pub(super) fn deleted(self, old: Info) -> Self {
        Sizes {
            nchunks: self.nchunks.saturating_sub(1),
            nbytes: self.nbytes.saturating_sub(old.nbytes().into()),
            cbytes: self.cbytes.saturating_sub(old.cbytes().into()),
            flags: if self.nchunks == 1 { 0 } else { self.flags },
            ..self
        }
    }

    /// Returns the sizes with those that the first chunk decides.
    fn first(self, chunk: Info) -> Self {
        Sizes {
            chunksize: if self.chunksize == -1 { chunk.nbytes() } else { self.chunksize },
            flags: if self.nchunks == 0 { chunk.block_flags() } else { self.flags },
            ..self
        }
    }

    /// Refuses blocks of another kind than those of the other chunks.
    pub(super) fn check_kind(self, chunk: Info, has_others: bool, code: i32) -> Result<(), i32> {
        if has_others && (self.flags ^ chunk.block_flags()) & VL_BLOCKS != 0 {
            return Err(trace(
                code,
                format_args!("the blocks of the chunk are of another kind than those of the others"),
            ));
        }
        Ok(())
    }

    /// Refuses to remove a chunk of a frame whose total is wrong: if no bytes would be left for the other chunks, or bytes
    /// without a chunk. Such a frame cannot be read.
    pub(super) fn check_total(self, old: Info) -> Result<(), i32> {
        let (total, nbytes) = (self.nbytes, i64::from(old.nbytes()));
        let is_possible = if self.nchunks > 1 { total > nbytes } else { total == nbytes };
        if !is_possible {
            let others = self.nchunks.saturating_sub(1);
            return Err(trace(
                DATA,
                format_args!(
                    "the frame has {total} bytes, but the chunk to remove {nbytes}, and there are {others} others"
                ),
            ));
        }
        Ok(())
    }

    fn check_length(self, nbytes: i32, code: i32) -> Result<(), i32> {
        if self.chunksize > 0 && nbytes > self.chunksize {
            let size = self.chunksize;
            return Err(trace(code, format_args!("the chunk has {nbytes} bytes, expected at most {size}")));
        }
        Ok(())
    }
}
