//! The content of a new bloscpack file: uncompressed bytes, or chunks that another module provides.

use std::io::{Read, Write};

use bloscpack_format::checksum::{Checksum, Digest};

use super::chunk_run::{ChunkRun, Packed};
use crate::read_back::{self, Digesting};
use crate::{Error, PackOptions};

/// The content of a new file, which writes its own chunks.
pub(crate) trait Content {
    /// Returns the number of uncompressed bytes, if it is known.
    fn size(&self) -> Option<u64>;

    /// Writes all chunks, each with its digest. Returns their positions, and the digest of the uncompressed bytes if
    /// the options ask for it.
    fn write_chunks(
        self,
        chunk_size: u32,
        output: &mut impl Write,
        options: &PackOptions,
    ) -> Result<(Packed, Digest), Error>;
}

/// Uncompressed bytes, which are compressed as the options say.
pub(crate) struct PlainBytes<R> {
    pub(crate) input: R,
    pub(crate) size: Option<u64>,
}

impl<R: Read> Content for PlainBytes<R> {
    fn size(&self) -> Option<u64> {
        self.size
    }

    fn write_chunks(
        self,
        chunk_size: u32,
        output: &mut impl Write,
        options: &PackOptions,
    ) -> Result<(Packed, Digest), Error> {
        let mut input = Digesting::new(self.input, plain_checksum(options));
        let packed = chunk_run(options, chunk_size, self.size).run(&mut input, output)?;
        Ok((packed, input.finish()))
    }
}

/// Returns the checksum to compute of all plain bytes.
pub(crate) fn plain_checksum(options: &PackOptions) -> Checksum {
    match options.plain_checksum {
        Checksum::None if options.verify => read_back::CHECKSUM,
        checksum => checksum,
    }
}

/// Returns the run for these options. `size` is the number of input bytes, if it is known.
pub(crate) fn chunk_run(options: &PackOptions, chunk_size: u32, size: Option<u64>) -> ChunkRun<'_> {
    ChunkRun {
        params: options.params,
        auto: options.auto,
        checksum: options.checksum,
        // The chunk size for an empty input is 0.
        chunk_size: chunk_size.max(1),
        size,
        threads: &options.threads,
        cancel: &options.cancel,
        observer: &options.observer,
    }
}
