//! Decodes chunks of a container in parallel and returns them in order.

use std::ops::Range;

use blosc_core::{Decoder, Limits, Parallelism};

use super::Archive;
use super::ahead::fetch_ahead;
pub(super) use super::jobs::{DecodeJob, Ranges};
use crate::container::{Plain, Worker};
use crate::run::pipeline;
use crate::{Cancel, Error, Event, UnpackOptions};

/// An archive and the options for reading it.
#[derive(Clone, Copy)]
pub(super) struct Decoding<'a> {
    archive: &'a Archive<'a>,
    options: &'a UnpackOptions,
}

impl<'a> Decoding<'a> {
    pub(super) fn new(archive: &'a Archive<'a>, options: &'a UnpackOptions) -> Self {
        Decoding { archive, options }
    }

    pub(super) fn archive(&self) -> &'a Archive<'a> {
        self.archive
    }

    pub(super) fn options(&self) -> &'a UnpackOptions {
        self.options
    }

    /// Decodes all chunks that `next` returns and passes each to `write`, in order. `nchunks` is their maximum number.
    /// If there are few chunks, several threads decode each of them.
    pub(super) fn each<T: Send>(
        &self,
        nchunks: u64,
        mut next: impl FnMut() -> Result<Option<DecodeJob<T>>, Error>,
        mut write: impl FnMut(DecodeJob<T>, Plain) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.archive.container().is_distant() {
            return fetch_ahead(self.archive, &self.options.limits, &mut next, |next| {
                self.run(nchunks, next, &mut write)
            });
        }
        self.run(nchunks, next, write)
    }

    fn run<T: Send>(
        &self,
        nchunks: u64,
        next: impl FnMut() -> Result<Option<DecodeJob<T>>, Error>,
        mut write: impl FnMut(DecodeJob<T>, Plain) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let options = self.options;
        let weight = |wanted: &DecodeJob<T>| self.archive.container().weight(wanted.chunk, options);
        pipeline::run_within(
            (&options.limits, &weight),
            &options.threads,
            &options.cancel,
            || Ok(self.worker(nchunks)),
            next,
            |worker: &mut Worker, wanted: DecodeJob<T>| {
                let before = worker.decoder.decoded();
                let plain = decode(self.archive, worker, wanted.chunk, wanted.ranges.as_slice())?;
                options
                    .observer
                    .tell(Event::Decoded { chunk: wanted.chunk, nbytes: worker.decoder.decoded() - before });
                Ok((wanted, plain))
            },
            |(wanted, plain): (DecodeJob<T>, Plain)| write(wanted, plain),
        )
    }

    /// Returns a worker for an operation on `nchunks` chunks.
    pub(super) fn worker(&self, nchunks: u64) -> Worker {
        let UnpackOptions { limits, threads, cancel, .. } = self.options;
        worker(self.archive, *limits, threads.for_blocks(Some(nchunks)), cancel)
    }
}

/// Returns a worker that decodes chunks of an archive.
pub(super) fn worker(archive: &Archive<'_>, limits: Limits, parallelism: Parallelism, cancel: &Cancel) -> Worker {
    let limits = limits.max_nbytes(usize::MAX);
    let decoder = Decoder::new().limits(limits).parallelism(parallelism).cancel(cancel.clone());
    Worker { decoder: archive.container().decoder(decoder), limits }
}

/// Decodes chunk `number`, or ranges of its plain bytes, concatenated.
pub(super) fn decode(
    archive: &Archive<'_>,
    worker: &mut Worker,
    number: u64,
    ranges: Option<&[Range<usize>]>,
) -> Result<Plain, Error> {
    archive.expect_chunk(number)?;
    archive.container().decode(worker, number, ranges)
}
