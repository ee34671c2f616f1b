//! Tables and buffers of an encoder that are kept between chunks.

use core::ops::Range;
use std::cell::Cell;
use std::thread::LocalKey;

use crate::block::BlockEncoder;
use crate::error::EncodeError;
use crate::lease::{MAX_BYTES, Reusable};
use crate::parallel;
use crate::params::CParams;
use crate::registry::Registry;
use crate::stream::StreamEncoder;

/// The parts of an encoder that writing a chunk changes.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The worker of the calling thread, which also does serial work.
    pub(super) own: Worker,
    /// Workers for other threads, which encode blocks at the same time.
    pub(super) others: Vec<Worker>,
    /// An encoded block for a vector or a function, see [`Output`](super::output::Output).
    pub(super) block: Vec<u8>,
    /// A block of data from [outside](super::outside).
    pub(super) plain: Vec<u8>,
}

/// The tables and buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Worker {
    pub(super) encoder: BlockEncoder,
    /// Encoded blocks of a chunk with several workers, one after another.
    pub(super) out: Vec<u8>,
    /// The numbers of the blocks, and their ranges in `out`.
    pub(super) written: Vec<(usize, Range<usize>)>,
}

impl Buffers {
    /// Prepares for chunks with these parameters. Keeps the tables if they serve the same codec and level. Returns whether
    /// that holds until the parameters change: it does not for a plug-in, which has no tables.
    pub(super) fn prepare(&mut self, params: &CParams, registry: &Registry) -> Result<bool, EncodeError> {
        let encoder = &mut self.own.encoder;
        if encoder.compressor().is_for(params) {
            return Ok(true);
        }
        self.others.retain_mut(|worker| worker.encoder.compressor_mut().adapt(params));
        if !encoder.compressor_mut().adapt(params) {
            encoder.set_compressor(StreamEncoder::new(params, registry)?);
        }
        Ok(encoder.compressor().is_for(params))
    }
}

impl Reusable for Buffers {
    fn spare() -> &'static LocalKey<Cell<Option<Box<Self>>>> {
        thread_local!(static SPARE: Cell<Option<Box<Buffers>>> = const { Cell::new(None) });
        &SPARE
    }

    fn registered() -> &'static LocalKey<Cell<bool>> {
        thread_local!(static REGISTERED: Cell<bool> = const { Cell::new(false) });
        &REGISTERED
    }

    fn retire(&mut self) -> usize {
        if self.own.encoder.compressor().is_plugin() {
            self.others.clear();
            self.own.encoder.set_compressor(StreamEncoder::default());
        }
        parallel::thin_out(&mut self.others, Worker::held);
        if self.own.held() > MAX_BYTES {
            // The blocks of a large chunk. The tables may fit without them.
            self.own.out = Vec::new();
        }
        self.own.held() + self.block.capacity() + self.plain.capacity()
    }
}

impl Worker {
    pub(super) fn new(encoder: BlockEncoder) -> Self {
        Worker { encoder, ..Worker::default() }
    }

    /// Returns the bytes that it holds.
    fn held(&self) -> usize {
        let written = self.written.capacity() * size_of::<(usize, Range<usize>)>();
        self.encoder.held() + self.out.capacity() + written
    }
}
