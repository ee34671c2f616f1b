//! The size of an element for `--auto`: known for a `.npy` file, and for a frame detected before the first chunk.

use crate::file_kind::{FileKind, kind_of};
use crate::path_or_stdio::PathOrStdio;
use crate::pieces;
use crate::signals;
use crate::streams::Input;
use anyhow::{Context as _, Result};
use blosc_core::{Advisor, Auto, FilterPipeline};
use bloscpack_io::{Array, LocalSource, memory};
use std::io::{self, Read};

/// Pieces of a file in which the size is looked for, and bytes of each.
const PIECES: u64 = 8;
const PIECE: u64 = 64 << 10;

/// Returns the size of an item of a `.npy` file, whose header has a multiple of 16 bytes.
pub(super) fn item_size(input: &PathOrStdio) -> Option<usize> {
    let PathOrStdio::File(path) = input else { return None };
    kind_of(path).filter(|kind| *kind == FileKind::Npy)?;
    let array = Array::open(LocalSource::open(path).ok()?).ok()?;
    usize::try_from(array.meta().dtype.itemsize()).ok().filter(|size| (1..=255).contains(size))
}

/// An input whose first bytes may have been read already.
pub(super) struct Head {
    head: io::Cursor<Vec<u8>>,
    rest: Input,
}

impl Head {
    pub(super) fn new(input: Input) -> Head {
        Head { head: io::Cursor::default(), rest: input }
    }

    /// Returns the size of an element. For a regular file, that is the most frequent one among pieces from all over it
    /// that are filtered; for a pipe, that of the first chunk.
    pub(super) fn typesize(&mut self, auto: Auto, input: &PathOrStdio, chunk_size: u32) -> Result<usize> {
        let (pieces, between) = match (input, self.rest.known_size()) {
            (PathOrStdio::File(path), Some(nbytes)) => (pieces::read(path, PIECE, PIECES), nbytes / PIECES),
            _ => (self.read_head(chunk_size as usize).map(|()| Vec::new()), 0),
        };
        let pieces = pieces.with_context(|| format!("reading '{input}'"))?;
        let mut advisor = Advisor::new(auto).cancel(signals::cancel());
        let mut counts = [0u8; 256];
        for piece in pieces.iter().chain([self.head.get_ref()]).filter(|piece| !piece.is_empty()) {
            let params = advisor.advise(piece)?.params;
            if params.get_filters() != FilterPipeline::none() {
                counts[params.get_typesize().min(255)] += 1;
            }
            // So that it looks at every piece, and searches as often as in the whole file.
            advisor.skip(usize::try_from(between).unwrap_or(usize::MAX));
        }
        // The first of equal ones, and single bytes without any.
        let best = (1..256).rev().max_by_key(|size| counts[*size]).filter(|size| counts[*size] > 0);
        Ok(best.unwrap_or(1))
    }

    /// Reads the first `size` bytes, at most a megabyte. They stay part of the input.
    fn read_head(&mut self, size: usize) -> io::Result<()> {
        let mut head = memory::zeroed(size.min(1 << 20))?;
        let mut len = 0;
        while let Some(free) = head.get_mut(len..).filter(|free| !free.is_empty()) {
            match self.rest.read(free) {
                Ok(0) => break,
                Ok(read) => len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        head.truncate(len);
        self.head = io::Cursor::new(head);
        Ok(())
    }
}

impl Read for Head {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.head.read(buf)? {
            0 => self.rest.read(buf),
            read => Ok(read),
        }
    }
}
