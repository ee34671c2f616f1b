//! What does reading take in memory, and do the limits allow it?

use std::collections::HashSet;

use blosc_core::Limits;
use bloscpack_format::frame::ChunkRef;

use super::{Archive, Content};
use crate::run::pipeline::Weight;
use crate::source::ReadAt;
use crate::{Error, UnpackOptions};

impl<R: ReadAt> Archive<R> {
    /// Compressed bytes that are there: of the source, or of the chunk files beside it, until they are enough.
    fn stored(&self, enough: u64) -> u64 {
        let open = match &self.content {
            Content::Frame(open) => open,
            Content::Carray(meta) => {
                let Some(dir) = self.source.directory() else { return self.len };
                // Where a file is missing, what there is ends.
                let lens = (0..meta.rows.nchunks()).map(|chunk| meta.cbytes_of(dir, chunk)).take_while(|len| *len > 0);
                let mut stored = 0_u64;
                for len in lens {
                    stored = stored.saturating_add(len);
                    if stored >= enough {
                        break;
                    }
                }
                return stored;
            }
            _ => return self.len,
        };
        let Some(files) = self.source.chunk_files() else { return self.len };
        let at_most = if open.frame.index.is_repeated() { 1 } else { open.frame.nchunks() };
        let numbers = (0..at_most).filter_map(|chunk| match open.frame.chunk(chunk) {
            Ok(ChunkRef::File { number, .. }) => Some(number),
            _ => None,
        });
        // A file counts once, however many chunks it is; where one is missing, what there is ends.
        let (mut stored, mut counted) = (0_u64, HashSet::new());
        for number in numbers {
            if stored >= enough {
                break;
            }
            if counted.insert(number) {
                let Ok(len) = files.open_chunk(number).and_then(|file| file.len()) else { break };
                stored = stored.saturating_add(len);
            }
        }
        stored
    }

    /// Refuses to put so many plain bytes of several chunks together in memory.
    pub(crate) fn check_output(&self, nbytes: u64, limits: &Limits) -> Result<(), Error> {
        limits.check_output(nbytes, nbytes)?;
        if nbytes > limits.max_unearned as u64 {
            limits.check_unearned(nbytes, self.stored(nbytes / Limits::EARNED as u64 + 1))?;
        }
        Ok(())
    }

    /// What chunk `number` holds while it is worked on, if it is one. What cannot be told is: it is refused when it is read.
    pub(super) fn weight(&self, number: u64, options: &UnpackOptions) -> Weight {
        let of =
            |nbytes: u64, cbytes: &dyn Fn() -> u64| Weight::of_chunk(nbytes, &options.threads, &options.limits, cbytes);
        match &self.content {
            Content::Bloscpack(prologue, index) => {
                let range = index.chunk_range(number).unwrap_or_default();
                // An estimate: what the chunk takes is checked when it is read.
                let offset = |chunk: u64| {
                    let entry = prologue.offsets.get(usize::try_from(chunk).ok()?).copied();
                    index.known(chunk).or_else(|| u64::try_from(entry?).ok())
                };
                of(range.end - range.start, &|| {
                    offset(number + 1).unwrap_or(self.len).saturating_sub(offset(number).unwrap_or(0))
                })
            }
            Content::Chunk { index, .. } => of(index.nbytes(), &|| self.len),
            Content::Frame(open) => match open.frame.chunk(number) {
                Ok(ChunkRef::Special { .. }) | Err(_) => Weight::NONE,
                Ok(ChunkRef::Stored { nbytes: Some(nbytes), .. } | ChunkRef::File { nbytes: Some(nbytes), .. }) => {
                    of(nbytes.into(), &|| open.info(&self.source, number).map_or(0, |info| info.cbytes.into()))
                }
                Ok(_) => open.info(&self.source, number).map_or(Weight::NONE, |info| {
                    // One that repeats a value is written in pieces.
                    let nbytes = if info.special.is_some() { 0 } else { info.nbytes };
                    of(nbytes.into(), &|| info.cbytes.into())
                }),
            },
            Content::Carray(meta) => {
                let cbytes = || self.source.directory().map_or(0, |dir| meta.cbytes_of(dir, number));
                of(meta.nbytes_in_memory(number), &cbytes)
            }
        }
    }

    /// Whether nothing is stored of a chunk.
    pub(super) fn is_special(&self, number: u64) -> bool {
        let Content::Frame(open) = &self.content else { return false };
        matches!(open.frame.chunk(number), Ok(ChunkRef::Special { .. }))
    }
}
