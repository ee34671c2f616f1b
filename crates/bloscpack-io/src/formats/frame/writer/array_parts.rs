//! Chunks of an array that get new items: the old chunks are read one after another, decompressed, changed and compressed
//! in parallel, and written in order.

use std::cell::RefCell;

use blosc_core::{CParams, memory};

use super::FrameWriter;
use super::array_items::{InChunk as _, NewItems};
use super::current::FetchedChunk;
use crate::choice::Choice;
use crate::formats::frame::store::FrameStore;
use crate::run::chunk_buffer::ChunkBuffer;
use crate::run::pipeline::{self, Weight};
use crate::{Cancel, Error, Threads};

/// A chunk in the pipeline.
struct Item<P> {
    part: P,
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
    /// The new items are in place already, because the parameters were chosen for the bytes of this chunk.
    Assembled(Vec<u8>),
}

impl<S: FrameStore> FrameWriter<S> {
    /// Writes parts of new items to the array, whose chunks have `chunk_nbytes` uncompressed bytes.
    pub(super) fn write_parts<I: NewItems>(
        &mut self,
        chunk_nbytes: usize,
        items: &I,
        mut parts: impl Iterator<Item = I::Part>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        let (coders, limits) = (self.compression.coders()?, self.limits);
        let weigh = |item: &Item<I::Part>| {
            let weight = Weight::of_new_chunk(chunk_nbytes as u64, items.held(&item.part), threads, &limits);
            weight.beside(item.before.cbytes(), &limits)
        };
        let assemble = |part: &I::Part, before: Before, decoder: &mut _| -> Result<Vec<u8>, Error> {
            let mut plain = match before {
                Before::Nothing => memory::zeroed(chunk_nbytes)?,
                Before::Old(chunk) => chunk.plain(decoder, coders.typesize(), &limits)?,
                Before::Assembled(plain) => return Ok(plain),
            };
            items.write(part, &mut plain)?;
            Ok(plain)
        };
        let (mut choice, observer) = (self.take_choice()?, self.observer.clone());
        let (spare, mut decoder) = (RefCell::new(Vec::new()), coders.decoder(limits));
        choice.start_group();
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
                    let (number, chunk) = (part.nchunk(), spare.borrow_mut().pop().unwrap_or_default());
                    let before = match items.is_whole(&part) {
                        true => Before::Nothing,
                        false => Before::Old(this.borrow().transaction.chunks()?.fetch(number)?),
                    };
                    if !choice.is_due() {
                        return Ok(Some(Item { part, params: choice.params(), before, chunk }));
                    }
                    let plain = assemble(&part, before, &mut decoder)?;
                    let params = choice.next(number, &plain, (&observer, cancel))?;
                    Ok(Some(Item { part, params, before: Before::Assembled(plain), chunk }))
                },
                |(encoder, decoder), Item { part, params, before, mut chunk }| {
                    chunk.compress(encoder, params, &assemble(&part, before, decoder)?)?;
                    Ok((part.nchunk(), chunk))
                },
                |(number, chunk): (u64, ChunkBuffer)| {
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
    /// Returns the size of the compressed bytes.
    fn cbytes(&self) -> u64 {
        match self {
            Before::Old(chunk) => chunk.cbytes(),
            Before::Nothing | Before::Assembled(_) => 0,
        }
    }
}
