//! Rows of a carray that come from a stream, compressed by many threads.

use std::io::Read;

use blosc_core::{Encoder, Limits};

use super::chunks::chunk_file;
use super::column::Column;
use super::params;
use crate::formats::bcolz::store::Directory;
use crate::run::pipeline;
use crate::run::pipeline::Weight;
use crate::source::counted::Counted;
use crate::{Cancel, Error, Threads};

/// What a worker makes of the plain bytes of a chunk.
enum Made {
    /// A chunk file.
    Full(Vec<u8>),
    /// Too few for a chunk: they stay in memory.
    Tail(Vec<u8>),
}

impl<D: Directory> Column<D> {
    /// Appends what `input` gives, compressed by the threads. How many rows there were.
    pub(super) fn append_stream(&mut self, input: impl Read, threads: &Threads, cancel: &Cancel) -> Result<u64, Error> {
        let (old, size, atomsize) = (self.len(), self.meta.rows.chunk_nbytes(), self.meta.rows.atomsize());
        let tail = std::mem::take(self.load_tail()?);
        let tail_len = tail.len() as u64;
        let mut input = Counted::new(tail.as_slice().chain(input));
        let storage = self.meta.storage.clone();
        let mut chunk = self.meta.rows.full_chunks();
        let (threads, room) = room(&self.root.limits, size, threads);
        pipeline::run_within(
            (&room, &|plain: &Vec<u8>| Weight::of_chunk(plain.len() as u64, threads, &room, || plain.len() as u64)),
            threads,
            cancel,
            || Ok(params::encoder(&storage)?.cancel(cancel.clone())),
            || {
                let mut plain = Vec::new();
                input.append(size, &mut plain)?;
                Ok((!plain.is_empty()).then_some(plain))
            },
            |encoder: &mut Encoder, plain: Vec<u8>| match plain.len() as u64 == size {
                true => chunk_file(encoder, &storage, plain).map(Made::Full),
                false => Ok(Made::Tail(plain)),
            },
            |made: Made| {
                match made {
                    Made::Full(bytes) => self.place(chunk, &bytes)?,
                    Made::Tail(plain) => self.tail = Some(plain),
                }
                chunk += 1;
                Ok(())
            },
        )?;
        let found = input.position() - tail_len;
        if !found.is_multiple_of(atomsize) {
            return Err(Error::NotRows { found, atomsize, rows: None });
        }
        let rows = found / atomsize;
        if rows > 0 {
            self.set_len(old + rows)?;
            self.tail_is_new = self.tail.as_ref().is_some_and(|tail| !tail.is_empty());
        }
        Ok(rows)
    }
}

/// Who works on chunks of `size` bytes, and what those that are worked on may take: besides them there is one more that was
/// read and waits. Where that is too much, none is read before the last one is written.
fn room<'a>(limits: &Limits, size: u64, threads: &'a Threads) -> (&'a Threads, Limits) {
    let left = (limits.max_memory as u64).checked_sub(size).filter(|left| Limits::chunk_memory(size, size) <= *left);
    match left {
        Some(left) => (threads, limits.max_memory(left as usize)),
        None => (&Threads::Serial, *limits),
    }
}
