//! Unshuffling streams from where they are: most blocks are split into their byte planes, and of these some are stored as
//! they are, and some are one byte repeated. Neither is worth a copy.
//!
//! ```text
//! chunk     | csize plane 0 (stored) | csize plane 1 (LZ4) | 0 | 0 |
//!                      │                       │ decoded        │
//!                      ▼                       ▼                ▼
//! planes    [ &chunk[..],             &decoded[..],      run of 0, run of 0 ]
//!                      └──────────────┬────────┴────────────────┘
//! plain block                 unshuffle_planes
//! ```
//!
//! Measured on a Zen 4 core with LZ4 and chunks of 1 MiB: 64-bit keys, five of whose planes are zero, went from 24 to 42 GB/s;
//! doubles, most of whose planes are stored, from 9.4 to 13.2 GB/s.

use crate::kernels;
use crate::memory::{self, OutOfMemory};

/// Blocks of more planes are not worth it: writers do not split them.
pub(super) const MAX_PLANES: usize = 16;

/// Elements done at a time where there are runs: of each run so many bytes are kept, in a first-level cache.
const TILE: usize = 2048;

/// One byte of every element of a block.
pub(super) enum Plane<'a> {
    /// As many as there are elements.
    Bytes(&'a [u8]),
    /// The same for all.
    Run(u8),
}

/// Puts the planes of blocks together.
#[derive(Debug, Default)]
pub(super) struct Planes {
    /// What compressed planes are decoded to.
    buffers: [Vec<u8>; MAX_PLANES],
    runs: [Run; MAX_PLANES],
}

impl Planes {
    /// Puts elements together from `nplanes` planes, 2 to [`MAX_PLANES`]. `next` is asked for each of them in turn, and has a
    /// buffer for it. `dst` is as long as all planes together.
    pub(super) fn unshuffle<'a, E>(
        &'a mut self,
        nplanes: usize,
        dst: &mut [u8],
        mut next: impl FnMut(usize, &'a mut Vec<u8>) -> Result<Plane<'a>, E>,
    ) -> Result<(), E> {
        let len = dst.len() / nplanes;
        let mut rows: [&[u8]; MAX_PLANES] = [&[]; MAX_PLANES];
        let rows = &mut rows[..nplanes];
        let mut has_runs = false;
        for (index, ((row, buffer), run)) in rows.iter_mut().zip(&mut self.buffers).zip(&mut self.runs).enumerate() {
            *row = match next(index, buffer)? {
                Plane::Bytes(bytes) => bytes,
                Plane::Run(value) => {
                    has_runs = true;
                    run.of(value, len)
                }
            };
        }
        let unshuffle = kernels::active().unshuffle_planes;
        if !has_runs || len <= TILE {
            unshuffle(rows, dst);
            return Ok(());
        }
        for (at, dst) in (0..len).step_by(TILE).zip(dst.chunks_mut(TILE * nplanes)) {
            let len = (len - at).min(TILE);
            let mut parts: [&[u8]; MAX_PLANES] = [&[]; MAX_PLANES];
            for (part, row) in parts.iter_mut().zip(&*rows) {
                // Of a run there is no more than the first tile, which is all of them.
                *part = row.get(at..at + len).unwrap_or(&row[..len]);
            }
            unshuffle(&parts[..nplanes], dst);
        }
        Ok(())
    }
}

/// Bytes of a run, kept from block to block: it is often the same one again.
#[derive(Debug, Default)]
struct Run {
    value: u8,
    bytes: Vec<u8>,
}

impl Run {
    /// `len` bytes, but no more than [`TILE`].
    fn of(&mut self, value: u8, len: usize) -> &[u8] {
        if self.value != value || self.bytes.is_empty() {
            self.value = value;
            self.bytes.clear();
            self.bytes.resize(TILE, value);
        }
        &self.bytes[..len.min(TILE)]
    }
}

/// The planes of a block that is to be compressed.
#[derive(Debug, Default)]
pub(super) struct PlaneBuffer {
    bytes: Vec<u8>,
}

impl PlaneBuffer {
    /// Takes `block` apart into `nplanes` planes, 2 to [`MAX_PLANES`], one byte of each element in each.
    ///
    /// They do not follow each other directly: planes of 64 KiB would all lie in the same few sets of a cache, where what is
    /// stored to one drives out the others. Spread over a page, shuffle is twice as fast for 8 planes and three times for 16
    /// (Zen 4, blocks of 512 KiB and 1 MiB).
    pub(super) fn shuffle(&mut self, nplanes: usize, block: &[u8]) -> Result<impl Iterator<Item = &[u8]>, OutOfMemory> {
        let len = block.len() / nplanes;
        let stride = len + if len < PAGE { 0 } else { PAGE / nplanes };
        let bytes = memory::at_least(&mut self.bytes, nplanes * stride)?;
        let mut planes: [&mut [u8]; MAX_PLANES] = Default::default();
        for (plane, bytes) in planes.iter_mut().zip(bytes.chunks_exact_mut(stride)) {
            *plane = &mut bytes[..len];
        }
        (kernels::active().shuffle_planes)(block, &mut planes[..nplanes]);
        Ok(self.bytes.chunks_exact(stride).take(nplanes).map(move |bytes| &bytes[..len]))
    }
}

/// Bytes whose lines all lie in different sets of a first-level cache.
const PAGE: usize = 4096;
