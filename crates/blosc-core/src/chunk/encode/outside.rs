//! Encodes data that is not in this program's memory.

use core::ops::Range;

use super::body::{Blocks, Written};
use super::buffers::Buffers;
use super::output::Output;
use super::{Encoder, limit, restart};
use crate::cancel;
use crate::codec::noise;
use crate::error::EncodeError;
use crate::filter::Filter;
use crate::header::Header;
use crate::memory::{self, OutOfMemory};

/// Data that a function copies, block by block.
struct Copied<'a, R> {
    block: &'a mut Vec<u8>,
    read: R,
}

impl<R: FnMut(usize, &mut [u8])> Blocks for Copied<'_, R> {
    fn block(&mut self, range: Range<usize>) -> Result<&[u8], OutOfMemory> {
        let block = memory::at_least(self.block, range.len())?;
        (self.read)(range.start, block);
        Ok(block)
    }
}

impl Encoder {
    /// Compresses `nbytes` bytes that are not in this program's memory, such as JavaScript's in WebAssembly, into the
    /// start of `dst`. Returns the chunk's size. The chunk is that of [`Encoder::compress_into`].
    ///
    /// `read` fills a slice with the data at an offset. Normally it is called for one block after the other, and a block
    /// is compressed while it is in the CPU's cache. The test for incompressible data first reads 64 items. Data that
    /// turns out to be incompressible is read again, into `dst`. A prefilter, the filter delta, a dictionary, threads, and
    /// data that looks incompressible need a copy of all data.
    ///
    /// If the data changes between two calls of `read`, the chunk has a mixture of the old and the new data.
    ///
    /// ```
    /// use blosc_core::{CParams, Encoder, max_cbytes};
    /// let data: Vec<u8> = (0..=255).cycle().take(5_000_000).collect();
    /// let mut encoder = Encoder::new(CParams::new())?;
    /// let mut chunk = vec![0; max_cbytes(data.len())];
    /// let read = |offset: usize, into: &mut [u8]| into.copy_from_slice(&data[offset..][..into.len()]);
    /// let cbytes = encoder.compress_from(data.len(), read, &mut chunk)?;
    /// assert_eq!(chunk[..cbytes], encoder.compress(&data)?);
    /// # Ok::<(), blosc_core::EncodeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::compress_into`].
    pub fn compress_from(
        &mut self,
        nbytes: usize,
        mut read: impl FnMut(usize, &mut [u8]),
        dst: &mut [u8],
    ) -> Result<usize, EncodeError> {
        cancel::check(self.cancel.as_ref())?;
        let max = self.params.format.max_nbytes();
        if nbytes > max {
            return Err(EncodeError::TooLarge { nbytes, max });
        }
        let header = self.header_for(nbytes);
        let tried = self.may_shrink(&header);
        if self.needs_all(&header) || (tried && self.may_be_noise(nbytes, &mut read)) {
            let mut src = memory::zeroed(nbytes)?;
            read(0, &mut src);
            return self.compress_into(&src, dst);
        }
        let mut out = Output::to_slice(dst);
        let room = limit(&mut out, &header);
        let written = if tried { self.compress_by_block(&header, &mut read, &mut out)? } else { None };
        let header = match written {
            Some(written) => written.header(header),
            None => {
                let stored = restart(&mut out, room, header, tried)?;
                out.skip(nbytes);
                read(0, &mut out.written()[header.len()..]);
                stored
            }
        };
        header.write(out.written());
        Ok(header.cbytes())
    }

    /// Returns whether all data is needed before the first block is compressed, or by several threads.
    fn needs_all(&self, header: &Header) -> bool {
        self.prefilter.is_some()
            || self.params.dictionary
            || self.params.filters.contains(Filter::Delta)
            || self.parallelism.applies(header.nbytes(), header.nblocks())
    }

    fn may_be_noise(&self, nbytes: usize, read: impl FnMut(usize, &mut [u8])) -> bool {
        self.may_give_up().is_some() && noise::may_be_noise(nbytes, self.params.machine_typesize(), read)
    }

    /// Compresses block by block. Returns `None` if the blocks do not fit.
    fn compress_by_block(
        &mut self,
        header: &Header,
        read: impl FnMut(usize, &mut [u8]),
        out: &mut Output<'_>,
    ) -> Result<Option<Written>, EncodeError> {
        let (plan, Buffers { encoder, block, .. }) = self.plan(header)?;
        plan.write_from(encoder, header.nbytes(), &mut Copied { block, read }, out)
    }
}
