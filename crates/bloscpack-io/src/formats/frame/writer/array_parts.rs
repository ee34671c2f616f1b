//! Chunks of an array that get new items: the old chunks are read one after another, decompressed, changed and compressed
//! in parallel, and written in order.

use std::cell::RefCell;

use blosc_core::{CParams, memory};
use bloscpack_format::frame::{ChunkPart, Grid, Region};

use super::FrameWriter;
use super::current::FetchedChunk;
use crate::choice::Choice;
use crate::formats::frame::store::FrameStore;
use crate::run::chunk_buffer::ChunkBuffer;
use crate::run::pipeline::{self, Weight};
use crate::{Cancel, Error, Threads};

/// New items of an array.
pub(super) trait NewItems: Sync {
    /// Writes the items of a part to the uncompressed bytes of its chunk.
    fn write(&self, part: &ChunkPart, plain: &mut [u8]) -> Result<(), Error>;

    /// Returns the memory in bytes that [`write`](Self::write) needs besides the chunk.
    fn held(&self, part: &ChunkPart) -> u64;
}

/// A chunk in the pipeline.
struct Item {
    part: ChunkPart,
    params: CParams,
    before: Before,
    chunk: ChunkBuffer,
}

/// The uncompressed bytes of a chunk before it is compressed.
enum Before {
    /// All of its items are new.
    Nothing,
    /// Some of its items stay.
    Old(FetchedChunk),
    /// They have the new items already, because parameters were chosen for them.
    Assembled(Vec<u8>),
}

impl<S: FrameStore> FrameWriter<S> {
    /// Writes new items to a region of the array that `grid` divides.
    pub(super) fn write_parts(
        &mut self,
        grid: &Grid,
        region: &Region,
        items: &impl NewItems,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        let (mut parts, coders, limits) = (grid.parts(region)?, self.compression.coders()?, self.limits);
        let weigh = |item: &Item| {
            let held = items.held(&item.part).saturating_add(item.before.held());
            Weight::of_new_chunk(grid.chunk_nbytes() as u64, held, threads, &limits)
        };
        let assemble = |part: &ChunkPart, before: Before, decoder: &mut _| -> Result<Vec<u8>, Error> {
            let mut plain = match before {
                Before::Nothing => memory::zeroed(grid.chunk_nbytes())?,
                Before::Old(chunk) => chunk.plain(decoder, coders.typesize(), &limits)?,
                Before::Assembled(plain) => return Ok(plain),
            };
            items.write(part, &mut plain)?;
            Ok(plain)
        };
        let (mut choice, observer) = (self.take_choice()?, self.observer.clone());
        let (spare, mut decoder) = (RefCell::new(Vec::new()), coders.decoder(limits));
        self.all_or_none(|this| {
            // The thread that reads also writes.
            let this = RefCell::new(this);
            pipeline::run_within(
                (&limits, &weigh),
                threads,
                cancel,
                || Ok((coders.encoder(cancel)?, coders.decoder(limits))),
                || {
                    let Some(part) = parts.next() else { return Ok(None) };
                    let chunk: ChunkBuffer = spare.borrow_mut().pop().unwrap_or_default();
                    let before = match grid.is_whole(&part) {
                        true => Before::Nothing,
                        false => Before::Old(this.borrow().transaction.chunks()?.fetch(part.nchunk)?),
                    };
                    if !choice.is_due(part.nchunk) {
                        return Ok(Some(Item { part, params: choice.params(), before, chunk }));
                    }
                    let plain = assemble(&part, before, &mut decoder)?;
                    let params = choice.next(part.nchunk, &plain, (&observer, cancel))?;
                    Ok(Some(Item { part, params, before: Before::Assembled(plain), chunk }))
                },
                |(encoder, decoder), Item { part, params, before, mut chunk }| {
                    chunk.compress(encoder, params, &assemble(&part, before, decoder)?)?;
                    Ok((part.nchunk, chunk))
                },
                |(number, chunk)| {
                    this.borrow_mut().update_chunk(number, chunk.chunk())?;
                    spare.borrow_mut().push(chunk);
                    Ok(())
                },
            )
        })?;
        self.choice = Some(choice).filter(Choice::is_auto);
        Ok(())
    }
}

impl Before {
    /// Returns the memory in bytes besides the uncompressed bytes.
    fn held(&self) -> u64 {
        match self {
            Before::Old(chunk) => chunk.cbytes(),
            Before::Nothing | Before::Assembled(_) => 0,
        }
    }
}
