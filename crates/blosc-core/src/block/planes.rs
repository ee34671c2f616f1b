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

use crate::filter::grow;
use crate::kernels;

/// Blocks of more planes are not worth it: writers do not split them.
pub(super) const MAX_PLANES: usize = 16;

/// Elements done at a time where there are runs: of each run so many bytes are kept, in a first-level cache.
const TILE: usize = 2048;

/// One byte of every element of a block.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plane<'a> {
    Bytes(&'a [u8]),
    /// The same for all.
    Run {
        value: u8,
        len: usize,
    },
}

impl Plane<'_> {
    fn len(self) -> usize {
        match self {
            Plane::Bytes(bytes) => bytes.len(),
            Plane::Run { len, .. } => len,
        }
    }
}

/// The bytes of runs, `TILE` of each plane; used again where the value is the same.
#[derive(Debug, Default)]
pub(super) struct Runs {
    bytes: Vec<u8>,
}

impl Runs {
    /// Puts elements together from `planes`, at least one and at most [`MAX_PLANES`], all of the same length.
    pub(super) fn unshuffle(&mut self, planes: &[Plane<'_>], dst: &mut [u8]) {
        let nplanes = planes.len();
        let len = planes[0].len();
        let has_runs = planes.iter().any(|plane| matches!(plane, Plane::Run { .. }));
        let tile = if has_runs { TILE } else { len };
        if has_runs {
            self.fill(planes, len.min(TILE));
        }
        for (at, dst) in (0..len).step_by(tile).zip(dst.chunks_mut(tile * nplanes)) {
            let len = dst.len() / nplanes;
            let mut rows: [&[u8]; MAX_PLANES] = [&[]; MAX_PLANES];
            for (index, (row, plane)) in rows.iter_mut().zip(planes).enumerate() {
                *row = match plane {
                    Plane::Bytes(bytes) => &bytes[at..at + len],
                    Plane::Run { .. } => &self.bytes[index * TILE..][..len],
                };
            }
            (kernels::active().unshuffle_planes)(&rows[..nplanes], dst);
        }
    }

    fn fill(&mut self, planes: &[Plane<'_>], len: usize) {
        if self.bytes.len() < planes.len() * TILE {
            self.bytes.resize(planes.len() * TILE, 0);
        }
        for (bytes, plane) in self.bytes.chunks_exact_mut(TILE).zip(planes) {
            if let Plane::Run { value, .. } = *plane {
                bytes[..len].fill(value);
            }
        }
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
    pub(super) fn shuffle(&mut self, nplanes: usize, block: &[u8]) -> impl Iterator<Item = &[u8]> {
        let len = block.len() / nplanes;
        let stride = len + if len < PAGE { 0 } else { PAGE / nplanes };
        let bytes = grow(&mut self.bytes, nplanes * stride);
        let mut planes: [&mut [u8]; MAX_PLANES] = Default::default();
        for (plane, bytes) in planes.iter_mut().zip(bytes.chunks_exact_mut(stride)) {
            *plane = &mut bytes[..len];
        }
        (kernels::active().shuffle_planes)(block, &mut planes[..nplanes]);
        self.bytes.chunks_exact(stride).take(nplanes).map(move |bytes| &bytes[..len])
    }
}

/// Bytes whose lines all lie in different sets of a first-level cache.
const PAGE: usize = 4096;
