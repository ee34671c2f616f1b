//! Changes of a super-chunk, applied to a frame.

use blosc_core::Special;
use bloscpack_format::frame::VlMetalayers;
use bloscpack_io::Error;

use super::store::Writer;

/// A change of a super-chunk.
pub(crate) enum Change<'a> {
    /// Inserts a chunk before each of these numbers in turn, or at the end.
    Insert(&'a [u64], &'a [u8]),
    /// Sets the size of chunks before there is one, and applies another change.
    Sized(u32, &'a Change<'a>),
    Update(u64, &'a [u8]),
    /// Removes each of these chunks in turn.
    Delete(&'a [u64]),
    /// Chunk `order[i]` becomes number `i`.
    Reorder(&'a [u64]),
    /// Appends a number of chunks of this size with a special value, then one of the last size if that is not 0.
    Fill(Special, u64, [u32; 2]),
    AddMetalayer(&'a [u8], &'a [u8]),
    UpdateMetalayer(&'a [u8], &'a [u8]),
    /// Replaces all vlmetalayers: names and chunks.
    Vlmetalayers(&'a [(&'a [u8], &'a [u8])]),
}

impl Change<'_> {
    /// Applies the change to a frame, without a commit.
    pub(super) fn apply(&self, frame: &mut Writer) -> Result<(), Error> {
        match *self {
            Change::Insert(numbers, chunk) => numbers.iter().try_for_each(|at| frame.insert_chunk(*at, chunk)),
            Change::Sized(size, change) => {
                frame.set_chunk_size(size)?;
                change.apply(frame)
            }
            Change::Update(at, chunk) => frame.update_chunk(at, chunk),
            Change::Delete(numbers) => numbers.iter().try_for_each(|at| frame.delete(*at)),
            Change::Reorder(order) => frame.reorder(order),
            Change::Fill(special, count, [size, last]) => {
                (0..count).try_for_each(|_| frame.append_special(special, size))?;
                if last > 0 { frame.append_special(special, last) } else { Ok(()) }
            }
            Change::AddMetalayer(name, content) => frame.add_metalayer_bytes(name, content),
            Change::UpdateMetalayer(name, content) => frame.update_metalayer(&String::from_utf8_lossy(name), content),
            Change::Vlmetalayers(layers) => frame.set_vlmetalayers(VlMetalayers::from_chunks(layers.iter().copied())?),
        }
    }
}
