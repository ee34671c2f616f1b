//! Changes of the chunks of a super-chunk: checked, applied, and the sizes after them.

use blosc_core::memory;

use super::change::Change;
use super::chunks::{Chunks, special_chunk};
use super::opened::of_writer;
use super::params::Params;
use super::sizes::Sizes;
use crate::blosc2::codes::{
    CHUNK_APPEND, CHUNK_INSERT, CHUNK_UPDATE, DATA, FAILURE, FRAME_SPECIAL, INVALID_PARAM, MEMORY, of_frame, trace,
};
use crate::blosc2::header::Info;

impl Chunks {
    /// Applies a change. Returns the sizes after it.
    ///
    /// # Errors
    /// The code of the change. The chunks are then unchanged.
    pub(crate) fn change(&mut self, change: &Change<'_>, sizes: Sizes, params: Params) -> Result<Sizes, i32> {
        let new = self.expected(change, sizes, params)?;
        let sized = Change::Sized(sizes.chunksize.unsigned_abs(), change);
        // Programs set the size in the structure, after the frame was created.
        let has_size = sizes.nchunks == 0 && sizes.chunksize > 0 && !matches!(change, Change::Fill(..));
        let is_layer = matches!(change, Change::AddMetalayer(..));
        let change = if has_size { &sized } else { change };
        match self {
            Chunks::List(chunks) => apply(chunks, change, params)?,
            Chunks::Memory(writer) => {
                change.apply(writer).map_err(|error| of_frame(&error, code_of(change, sizes)))?;
                if is_layer {
                    writer.commit().map_err(|error| of_frame(&error, FAILURE))?;
                }
                return of_writer(writer, new);
            }
            Chunks::File(file) => return of_writer(&file.change(change, code_of(change, sizes))?, new),
        }
        Ok(new)
    }

    /// Checks a change and returns the sizes after it.
    fn expected(&self, change: &Change<'_>, mut sizes: Sizes, params: Params) -> Result<Sizes, i32> {
        let info = |number: i64| Info::of(&self.chunk(number, params)?);
        let is_list = matches!(self, Chunks::List(_));
        // The index of a frame has special values.
        let cbytes = |info: Info| if info.is_special() && !is_list { 0 } else { i64::from(info.cbytes()) };
        Ok(match *change {
            Change::Insert(numbers, chunk) => {
                let chunk = Info::of(chunk)?;
                if !is_list && chunk.nbytes() == 0 {
                    return Err(trace(CHUNK_APPEND, format_args!("a frame has no chunks without bytes")));
                }
                let has_fixed = sizes.chunksize != 0 && sizes.nchunks > 0;
                let mut last = has_fixed.then(|| info(sizes.nchunks - 1)).transpose()?;
                for at in numbers.iter().map(|at| *at as i64) {
                    let new = sizes.inserted(at, chunk, last.map(Info::nbytes))?;
                    if at == sizes.nchunks {
                        last = Some(chunk);
                    }
                    sizes = Sizes { cbytes: sizes.cbytes.saturating_add(cbytes(chunk)), ..new };
                }
                sizes
            }
            Change::Update(at, chunk) => {
                let (chunk, old) = (Info::of(chunk)?, info(at as i64)?);
                let new = sizes.updated(at as i64, old, chunk)?;
                Sizes { cbytes: sizes.cbytes.saturating_add(cbytes(chunk) - cbytes(old)), ..new }
            }
            Change::Delete(numbers) => {
                let keeps = matches!(self, Chunks::Memory(_)) || matches!(self, Chunks::File(f) if !f.is_directory());
                for at in numbers {
                    let old = info(*at as i64)?;
                    if !is_list {
                        sizes.check_total(old)?;
                    }
                    let removed = if keeps { 0 } else { cbytes(old) };
                    sizes = Sizes { cbytes: sizes.cbytes.saturating_sub(removed), ..sizes.deleted(old) };
                }
                sizes
            }
            Change::Fill(special, count, [size, last]) => {
                let nbytes = i64::try_from(count).ok().and_then(|count| count.checked_mul(size.into()));
                let nchunks = count as i64 + i64::from(last > 0);
                let one = special_chunk(special, size, params)?.len() as i64;
                let nbytes = nbytes.and_then(|nbytes| nbytes.checked_add(last.into())).ok_or(FRAME_SPECIAL)?;
                let cbytes = if is_list { one.saturating_mul(nchunks) } else { 0 };
                let chunksize = if count > 0 { size } else { last } as i32;
                Sizes { nchunks, nbytes, cbytes, chunksize, ..sizes }
            }
            _ => sizes,
        })
    }
}

/// Returns the code of a change that fails.
fn code_of(change: &Change<'_>, sizes: Sizes) -> i32 {
    match change {
        Change::Sized(_, change) => code_of(change, sizes),
        Change::Insert(numbers, _) if numbers.first().is_none_or(|at| *at as i64 == sizes.nchunks) => CHUNK_APPEND,
        Change::Insert(..) => CHUNK_INSERT,
        Change::Update(..) | Change::Delete(_) => CHUNK_UPDATE,
        Change::Reorder(_) => DATA,
        Change::Fill(..) => FRAME_SPECIAL,
        Change::AddMetalayer(..) | Change::UpdateMetalayer(..) | Change::Vlmetalayers(_) => INVALID_PARAM,
    }
}

/// Applies a change that was checked to a list.
fn apply(chunks: &mut Vec<Vec<u8>>, change: &Change<'_>, params: Params) -> Result<(), i32> {
    let copy = |bytes: &[u8]| memory::copy_of(bytes).map_err(|_| MEMORY);
    match *change {
        Change::Sized(_, change) => apply(chunks, change, params)?,
        Change::Insert(numbers, chunk) => {
            let copies = numbers.iter().map(|_| copy(chunk)).collect::<Result<Vec<_>, i32>>()?;
            chunks.try_reserve(copies.len()).map_err(|_| MEMORY)?;
            for (at, chunk) in numbers.iter().zip(copies) {
                chunks.insert(*at as usize, chunk);
            }
        }
        Change::Update(at, chunk) => *chunks.get_mut(at as usize).ok_or(INVALID_PARAM)? = copy(chunk)?,
        Change::Delete(numbers) => {
            for at in numbers {
                chunks.remove(*at as usize);
            }
        }
        Change::Reorder(order) => {
            let mut old = std::mem::take(chunks);
            *chunks =
                order.iter().map(|at| old.get_mut(*at as usize).map(std::mem::take).unwrap_or_default()).collect();
        }
        Change::Fill(special, count, [size, last]) => {
            let chunk = special_chunk(special, size, params)?;
            let total = usize::try_from(count).map_err(|_| MEMORY)?;
            chunks.try_reserve(total.saturating_add(1)).map_err(|_| MEMORY)?;
            for _ in 0..count {
                chunks.push(copy(&chunk)?);
            }
            if last > 0 {
                chunks.push(special_chunk(special, last, params)?);
            }
        }
        Change::AddMetalayer(..) | Change::UpdateMetalayer(..) | Change::Vlmetalayers(_) => {}
    }
    Ok(())
}
